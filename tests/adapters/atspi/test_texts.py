"""Text before carets."""

from __future__ import annotations

import pytest

from slate_desktop.atspi.bus import BusPlace
from slate_desktop.atspi.widgets import AtspiWidgets
from slate_desktop.elements import TextNow
from slate_desktop.model import Window
from tests.fakes.a11y import A11yBus, editor

pytestmark = pytest.mark.anyio


async def test_only_what_stands_before_the_caret_is_read(bus: A11yBus, shown: Window) -> None:
    tree = editor()
    tree.kids[1].text = "a long text that ends here"
    await bus.program(tree)
    widgets = AtspiWidgets(BusPlace(bus.address))
    found = {e.name: e.key for e in (await widgets.tree(shown)).elements}
    texts = await widgets.texts(shown, [found["Name"], found["Save"]], 4)
    assert texts == {found["Name"]: TextNow(26, 26, "here")}
    widgets.close()

"""Labels by relation, asked only of what has no name of its own."""

from __future__ import annotations

import pytest

from slate_desktop.atspi.bus import BusPlace
from slate_desktop.atspi.labels import wants_label
from slate_desktop.atspi.widgets import AtspiWidgets
from slate_desktop.model import Window
from tests.fakes.a11y import A11yBus, Node, editor
from tests.fakes.ports import element

pytestmark = pytest.mark.anyio


async def test_a_label_is_told_of_what_has_no_name_of_its_own(bus: A11yBus, shown: Window) -> None:
    tree, label = editor(), Node("label", "Volume")
    tree.kids += [label, Node("slider", number=5, labelled_by=label)]
    tree.kids += [Node("combo box", "red", labelled_by=label), Node("entry", "Named")]
    tree.kids[-1].labelled_by = label
    await bus.program(tree)
    widgets = AtspiWidgets(BusPlace(bus.address))
    elements = (await widgets.tree(shown)).elements
    details = await widgets.details(shown, elements)
    widgets.close()
    told = {(e.role, e.name): details[e.key].label for e in elements if details[e.key].label}
    assert told == {("slider", ""): "Volume", ("combo box", "red"): "Volume"}


def test_a_class_name_is_no_name_and_a_row_is_not_asked() -> None:
    assert wants_label(element("GtkEntry", "text"))
    assert not wants_label(element("Name", "text"))
    assert not wants_label(element("", "list item"))

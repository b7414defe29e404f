"""What a pointer would hit, by the program's word."""

from __future__ import annotations

from dataclasses import replace

import pytest

from slate_desktop.atspi.bus import BusPlace
from slate_desktop.atspi.widgets import AtspiWidgets
from slate_desktop.geometry import Point, Rect
from slate_desktop.model import Window
from tests.fakes.a11y import SHOWN, A11yBus, Node, editor

pytestmark = pytest.mark.anyio


async def hit(bus: A11yBus, window: Window, x: int, y: int) -> list[str]:
    widgets = AtspiWidgets(BusPlace(bus.address))
    found = await widgets.hit(window, Point(x, y))
    widgets.close()
    return [e.name or e.role for e in found]


async def test_the_deepest_widget_and_what_is_around_it(bus: A11yBus, shown: Window) -> None:
    await bus.program(editor())
    assert await hit(bus, shown, 5, 5) == ["Save", "Editor"]
    assert await hit(bus, shown, 5, 125) == ["list item", "list", "Editor"]
    assert await hit(bus, shown, 5, 290) == []


async def test_r74_what_lies_over_a_widget_is_hit_instead(bus: A11yBus, shown: Window) -> None:
    tree = editor()
    tree.kids.append(Node("dialog", "Really?", box=Rect(0, 0, 400, 300)))
    await bus.program(tree)
    assert await hit(bus, shown, 5, 5) == ["Really?", "Editor"]


async def test_a_shadow_is_reckoned_with(bus: A11yBus, shown: Window) -> None:
    tree = editor()
    tree.box = Rect(0, 0, 420, 320)
    tree.kids[0].box = Rect(10, 10, 100, 20)
    tree.kids[1].box = Rect(10, 30, 400, 20)
    await bus.program(tree)
    assert await hit(bus, shown, 1, 1) == ["Save", "Editor"]
    assert await hit(bus, shown, 1, 21) == ["Name", "Editor"]


async def test_r74_a_modal_dialog_lies_over_all_other_windows_of_its_program(
    bus: A11yBus, shown: Window
) -> None:
    dialog = Node("dialog", "Sure?", (*SHOWN, "modal"), box=Rect(0, 0, 100, 50))
    program = await bus.program(editor(), dialog)
    assert await hit(bus, shown, 5, 5) == ["Sure?", "Editor"]
    assert await hit(bus, replace(shown, title="Sure?"), 5, 5) == []
    program.root.kids.remove(dialog)
    assert await hit(bus, shown, 5, 5) == ["Save", "Editor"]


async def test_r74_a_dialog_of_qt_is_told_behind_what_is_hit(bus: A11yBus, shown: Window) -> None:
    dialog = Node("alert", "Sure?", box=Rect(0, 0, 100, 50))
    program = await bus.program(editor(), dialog)
    assert await hit(bus, shown, 5, 5) == ["Save", "Editor"]
    program.toolkit = "Qt"
    assert await hit(bus, shown, 5, 5) == ["Save", "Editor", "Sure?"]
    dialog.states = ()
    assert await hit(bus, shown, 5, 5) == ["Save", "Editor"]

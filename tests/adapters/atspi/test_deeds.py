"""Requests to widgets, and a plain no where they do not offer that."""

from __future__ import annotations

import pytest

from slate_desktop.atspi.bus import BusPlace
from slate_desktop.atspi.widgets import AtspiWidgets
from slate_desktop.elements import Deed, Key, Way
from slate_desktop.model import Window
from tests.fakes.a11y import SHOWN, A11yBus, Node, Program, editor

pytestmark = pytest.mark.anyio


async def done(bus: A11yBus, window: Window, program: Program, name: str, deed: Deed) -> bool:
    node = next(n for n in program.root.all() if name in (n.name, n.role))
    widgets = AtspiWidgets(BusPlace(bus.address))
    answer = await widgets.do(window, Key(program.name, node.path), deed)
    widgets.close()
    return answer


async def test_each_way_does_what_it_says(bus: A11yBus, shown: Window) -> None:
    program = await bus.program(editor())
    save, name, _, _, volume, rows = program.root.kids[0].kids
    assert await done(bus, shown, program, "Save", Deed(Way.ACT, "Click"))
    assert save.done == ["Click"]
    assert await done(bus, shown, program, "Name", Deed(Way.WRITE, "hé 🐱"))
    assert name.text == "hé 🐱"
    assert await done(bus, shown, program, "Volume", Deed(Way.VALUE, "42"))
    assert volume.number == 42
    assert await done(bus, shown, program, "Name", Deed(Way.FOCUS))
    assert "focused" in name.states
    rows.kids[1].name = "second"
    assert await done(bus, shown, program, "list", Deed(Way.CHOOSE, "second"))
    assert "selected" in rows.kids[1].states
    assert await done(bus, shown, program, "Save", Deed(Way.SHOW))


async def test_a_choice_is_found_in_the_menu_of_a_box(bus: A11yBus, shown: Window) -> None:
    items = [Node("menu item", "red"), Node("menu item", "green")]
    combo = Node("combo box", "Colour", kids=[Node("menu", kids=items)])
    tree = Node("frame", "Editor", kids=[combo])
    program = await bus.program(tree)
    assert await done(bus, shown, program, "Colour", Deed(Way.CHOOSE, "green"))
    assert "selected" in items[1].states


async def test_an_action_known_only_to_who_asks_one_by_one(bus: A11yBus, shown: Window) -> None:
    tree = Node("frame", "Editor", kids=[Node("push button", "Go", SHOWN, actions=("", ""))])
    program = await bus.program(tree)
    assert await done(bus, shown, program, "Go", Deed(Way.ACT, "named 1"))
    assert tree.kids[0].done == [""]


@pytest.mark.parametrize(
    "deed",
    [
        Deed(Way.ACT, "Explode"),
        Deed(Way.WRITE, "text"),
        Deed(Way.CHOOSE, "nothing of that name"),
    ],
)
async def test_r62_what_is_not_offered_is_a_no(bus: A11yBus, shown: Window, deed: Deed) -> None:
    program = await bus.program(editor())
    assert not await done(bus, shown, program, "Save", deed)

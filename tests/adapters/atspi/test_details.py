"""Boxes in the window's content, values, actions; and that a password is never asked for."""

from __future__ import annotations

from dataclasses import replace

import anyio
import pytest

from slate_desktop.atspi.bus import BusPlace
from slate_desktop.atspi.details import frame_of
from slate_desktop.atspi.link import Link
from slate_desktop.atspi.widgets import AtspiWidgets
from slate_desktop.elements import Detail, Key
from slate_desktop.geometry import Rect
from slate_desktop.model import Window
from tests.fakes.a11y import SHOWN, A11yBus, Node, Program, editor

pytestmark = pytest.mark.anyio


async def detailed(bus: A11yBus, shown: Window, **facts: int) -> dict[str, Detail]:
    widgets = AtspiWidgets(BusPlace(bus.address))
    tree = await widgets.tree(shown)
    details = await widgets.details(shown, tree.elements, **facts)
    widgets.close()
    return {f"{e.role} {e.name}".strip(): details[e.key] for e in tree.elements}


async def test_values_actions_and_boxes_are_told(bus: A11yBus, shown: Window) -> None:
    await bus.program(editor())
    found = await detailed(bus, shown)
    assert found["push button Save"] == Detail(Rect(0, 0, 100, 20), None, ("Click",))
    assert found["entry Name"].value == "abc"
    assert found["slider Volume"].value == "50"


async def test_r71_a_password_is_never_asked_for_only_whether_it_is_filled(
    bus: A11yBus, shown: Window
) -> None:
    program = await bus.program(editor())
    node = next(n for n in program.root.all() if n.role == "password text")
    asked: list[str] = []
    plain = program._GetText

    def watched(at: Node, start: int, end: int) -> tuple[str, list[object]]:
        asked.append(at.role)
        return plain(at, start, end)

    program._GetText = watched  # type: ignore[method-assign,assignment]  # a witness
    found = (await detailed(bus, shown))["password text Key"]
    assert found.value is None
    assert found.filled is True
    assert "password text" not in asked
    node.text = ""
    assert (await detailed(bus, shown))["password text Key"].filled is False


async def test_r52_a_toplevel_larger_than_its_window_has_a_shadow_that_is_taken_off(
    bus: A11yBus, shown: Window
) -> None:
    tree = editor()
    tree.box = Rect(0, 0, 420, 320)
    tree.kids[0].box = Rect(10, 10, 100, 20)
    await bus.program(tree)
    assert (await detailed(bus, shown))["push button Save"].box == Rect(0, 0, 100, 20)
    tree.box = Rect(20, 20, 400, 300)
    tree.kids[0].box = Rect(20, 20, 100, 20)
    assert (await detailed(bus, shown))["push button Save"].box == Rect(0, 0, 100, 20)


async def test_what_is_not_on_screen_and_what_is_in_a_popup_has_no_box(
    bus: A11yBus, shown: Window
) -> None:
    tree = editor()
    tree.kids[0].box = None
    popup = Node(
        "window", "", SHOWN, [Node("menu item", "Cut", box=Rect(0, 0, 50, 20))], Rect(0, 0, 60, 40)
    )
    await bus.program(tree, popup)
    found = await detailed(bus, shown)
    assert found["push button Save"].box is None
    assert found["menu item Cut"].box is None


async def test_actions_without_a_name_are_asked_one_by_one(bus: A11yBus, shown: Window) -> None:
    """Chromium gives empty names to GetActions, Firefox ";;"."""
    tree = editor()
    tree.kids[0].actions = ("", ";;")
    await bus.program(tree)
    assert (await detailed(bus, shown))["push button Save"].actions == ("named 0", "named 1")


async def test_a_long_text_is_told_in_part_with_its_length(bus: A11yBus, shown: Window) -> None:
    tree = editor()
    tree.kids[1].text = "x" * 500
    await bus.program(tree)
    found = (await detailed(bus, shown, characters=100))["entry Name"]
    assert found.value == "x" * 100
    assert found.length == 500


async def test_a_combo_box_has_what_is_chosen_in_it(bus: A11yBus, shown: Window) -> None:
    tree = editor()
    kids = [Node("menu item", "red"), Node("menu item", "green", (*SHOWN, "selected"))]
    tree.kids.append(Node("combo box", "Colour", kids=kids))
    await bus.program(tree)
    assert (await detailed(bus, shown))["combo box Colour"].value == "green"


async def _frames(bus: A11yBus, window: Window, program: Program) -> list[str]:
    link = await Link.open(bus.address)
    tops = [Key(program.name, node.path) for node in program.root.kids]
    chosen = await frame_of(link, window, tops, {}, anyio.current_time() + 2)
    link.close()
    return [node.name for key in chosen for node in program.root.kids if node.path == key.path]


async def test_of_several_windows_the_one_of_that_title_or_size_is_taken(
    bus: A11yBus, shown: Window
) -> None:
    other = Node("frame", "Other", box=Rect(0, 0, 200, 100))
    program = await bus.program(editor(), other)
    assert await _frames(bus, shown, program) == ["Editor"]
    assert await _frames(bus, replace(shown, title="Other"), program) == ["Other"]
    sized = replace(shown, title="another", rect=Rect(0, 0, 200, 100))
    assert await _frames(bus, sized, program) == ["Other"]


async def test_a_lone_window_is_taken_whatever_its_title_and_popups_come_after_it(
    bus: A11yBus, shown: Window
) -> None:
    popup = Node("window", "", SHOWN, [Node("menu item", "Cut")])
    hidden = Node("window", "", ("visible",), [Node("menu item", "Paste")])
    program = await bus.program(editor(), popup, hidden)
    assert await _frames(bus, replace(shown, title="renamed"), program) == ["Editor", ""]


async def test_actions_are_named_alike_in_every_language(bus: A11yBus, shown: Window) -> None:
    tree = editor()
    tree.kids[0].actions = ("Klicken", "Press")
    await bus.program(tree)
    assert (await detailed(bus, shown))["push button Save"].actions == ("named 0", "Press")


async def test_a_window_drawn_larger_or_a_pixel_smaller_than_its_tile_has_no_shadow_for_that(
    bus: A11yBus, shown: Window
) -> None:
    tree = editor()
    await bus.program(tree)
    plain = (await detailed(bus, shown))["push button Save"].box
    assert tree.box is not None
    for wide, high in ((450, 0), (20, 0), (0, 30), (450, 20), (0, -1)):
        tree.box = Rect(0, 0, shown.rect.width + wide, shown.rect.height + high)
        assert (await detailed(bus, shown))["push button Save"].box == plain

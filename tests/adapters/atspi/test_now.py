"""What answers behind a ref now: the same widget, another one, one that moved, or none."""

from __future__ import annotations

import pytest

from slate_desktop.atspi.bus import BusPlace
from slate_desktop.atspi.widgets import AtspiWidgets
from slate_desktop.elementlines import sightings
from slate_desktop.elements import Seen
from slate_desktop.model import Window
from tests.fakes.a11y import A11yBus, Node, editor

pytestmark = pytest.mark.anyio


async def seen(widgets: AtspiWidgets, window: Window, name: str) -> Seen:
    tree = await widgets.tree(window)
    element = next(e for e in tree.elements if e.name == name)
    details = await widgets.details(window, [element])
    return sightings(tree, [element], details)[element.key]


async def test_an_unchanged_widget_answers_the_same(bus: A11yBus, shown: Window) -> None:
    await bus.program(editor())
    widgets = AtspiWidgets(BusPlace(bus.address))
    for name in ("Save", "two"):
        then = await seen(widgets, shown, name)
        now = await widgets.now(shown, then)
        assert now is not None
        assert (now.element.place, now.context, now.detail) == (
            then.element.place,
            then.context,
            then.detail,
        )
    widgets.close()


async def test_r63_a_row_that_moved_is_still_itself_and_a_recycled_one_is_not(
    bus: A11yBus, shown: Window
) -> None:
    program = await bus.program(editor())
    widgets = AtspiWidgets(BusPlace(bus.address))
    rows = program.root.kids[0].kids[-1].kids
    two = await seen(widgets, shown, "two")
    rows.insert(0, rows.pop(2))
    now = await widgets.now(shown, two)
    assert now is not None
    assert (now.element.name, now.context) == ("two", two.context)
    for node, name in zip(rows, ("a", "b", "c"), strict=True):
        node.kids[0].name = name
    now = await widgets.now(shown, two)
    assert now is not None
    assert now.element.name != "two"
    widgets.close()


async def test_r63_a_button_of_a_recycled_row_shows_by_the_words_of_its_row(
    bus: A11yBus, shown: Window
) -> None:
    row = Node("list item", kids=[Node("label", "Ann"), Node("push button", "Send")])
    await bus.program(Node("frame", "Editor", kids=[Node("list", kids=[row])]))
    widgets = AtspiWidgets(BusPlace(bus.address))
    then = await seen(widgets, shown, "Send")
    row.kids[0].name = "Bob"
    now = await widgets.now(shown, then)
    assert now is not None
    assert (then.context, now.context) == ("Ann|Send", "Bob|Send")
    widgets.close()


async def test_a_widget_that_was_taken_out_or_put_elsewhere(bus: A11yBus, shown: Window) -> None:
    program = await bus.program(editor())
    widgets = AtspiWidgets(BusPlace(bus.address))
    then = await seen(widgets, shown, "Save")
    window = program.root.kids[0]
    save = window.kids.pop(0)
    assert await widgets.now(shown, then) is None
    window.kids.append(Node("panel", kids=[save]))
    program.place()
    now = await widgets.now(shown, then)
    assert now is not None
    assert now.element.place != then.element.place
    save.states = (*save.states, "defunct")
    assert await widgets.now(shown, then) is None
    widgets.close()

"""What is in view of an element, and the ways to bring it there."""

from __future__ import annotations

from dataclasses import replace

import pytest

from slate_desktop.elements import Deed, Detail, Element, Key, Seen, Way
from slate_desktop.geometry import Point, Rect
from slate_desktop.intent import Aim, ElementSighting, Focus, Intent
from slate_desktop.resolve import Target, resolve
from slate_desktop.view import bring, look
from slated.model import Grant, Tier
from tests.fakes.ports import TOP, Bench, bench, desktop, element, frame, window

pytestmark = pytest.mark.anyio

PANE, LIST = Key(TOP.bus, "/pane"), Key(TOP.bus, "/list")
ROW: Element = replace(
    element("Row", place=(LIST, PANE, TOP)), states=frozenset({"showing", "visible", "enabled"})
)
SHOWN = Rect(0, 100, 200, 100)


def scrolled(to_px: int, row: Element = ROW) -> tuple[Bench, Seen]:
    """A row 1,000 pixels down in a list of which a pane shows 100, scrolled by `to_px`."""
    made = bench(desktop(window(2)))
    made.widgets.trees["h2"] = frame(row)
    known = made.widgets.known
    known[row.key] = Detail(Rect(0, 1100 - to_px, 200, 20))
    known[LIST], known[PANE] = Detail(Rect(0, 100 - to_px, 200, 2000)), Detail(SHOWN)
    return made, Seen(row, known[row.key])


def target(seen: Seen) -> Target:
    aim = Aim(ElementSighting("e1", window(2), seen))
    intent = Intent("desktop_click", Tier.REVERSIBLE, Focus(), aim)
    return resolve(Grant(intent.digest, intent.tier, 1), intent, desktop(window(2)))


async def test_what_a_pane_cuts_off_is_not_in_view_though_the_window_has_room() -> None:
    made, seen = scrolled(600)
    view = await look(target(seen), seen, made.widgets)
    assert (view.point, view.pane) == (None, SHOWN)
    made, seen = scrolled(990)
    view = await look(target(seen), seen, made.widgets)
    assert view.point == Point(100, 120)
    made, seen = scrolled(1010)
    assert (await look(target(seen), seen, made.widgets)).point == Point(100, 105)


async def test_the_edge_of_the_window_cuts_too_and_what_is_hidden_has_no_point() -> None:
    made, seen = scrolled(0)
    cut = replace(seen, detail=Detail(Rect(1270, 20, 30, 10)), element=element("Save"))
    assert (await look(target(cut), cut, made.widgets)).point == Point(1275, 25)
    hidden = replace(cut, element=replace(cut.element, states=frozenset({"enabled"})))
    assert (await look(target(hidden), hidden, made.widgets)).point is None


@pytest.mark.parametrize("way", [Way.SHOW, Way.FOCUS])
async def test_its_program_or_the_focus_brings_it(way: Way) -> None:
    made, seen = scrolled(0, replace(ROW, states=ROW.states | {"focusable"}))

    def moves(key: Key, deed: Deed) -> None:
        if deed.way is way:
            made.widgets.known[key] = Detail(Rect(0, 150, 200, 20))

    made.widgets.on_deed = moves
    view = await bring(target(seen), seen, made.lease.limbs, made.widgets)
    assert view.point == Point(100, 160)
    assert made.hands.log == []


async def test_the_wheel_brings_what_nothing_else_does_and_stops_where_the_list_ends() -> None:
    made, seen = scrolled(0)
    made.widgets.refused = {Way.SHOW}
    view = await bring(target(seen), seen, made.lease.limbs, made.widgets)
    assert view.point is None
    assert sum("PointerScroll" in line for line in made.hands.log) == 1


async def test_the_wheel_turns_until_it_is_in_view() -> None:
    made, seen = scrolled(0)
    made.widgets.refused = {Way.SHOW}

    def rolled(_count: int) -> None:
        turns = sum("PointerScroll" in line for line in made.hands.log)
        made.widgets.known[ROW.key] = Detail(Rect(0, 1100 - 330 * turns, 200, 20))
        made.widgets.known[LIST] = Detail(Rect(0, 100 - 330 * turns, 200, 2000))

    made.widgets.on_look = rolled
    rolled(0)
    view = await bring(target(seen), seen, made.lease.limbs, made.widgets)
    assert sum("PointerScroll" in line for line in made.hands.log) == 3
    assert view.point == Point(100, 120)

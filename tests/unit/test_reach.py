"""A point of an element that is it, and the focus on it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from slate_desktop.elements import Detail, Key, Seen, Way
from slate_desktop.errors import Unavailable
from slate_desktop.geometry import Point, Rect
from slate_desktop.intent import Aim, ElementSighting, Focus, Intent
from slate_desktop.reach import aimed, clear, focus
from slate_desktop.resolve import Target, resolve
from slated.model import Grant, Tier
from tests.fakes.ports import TOP, Bench, bench, desktop, element, frame, window

pytestmark = pytest.mark.anyio

SAVE = element("Save")
SEEN = Seen(SAVE, Detail(Rect(10, 20, 30, 10)))
FRAME = frame().elements[0]


def stage(seen: Seen = SEEN) -> Bench:
    made = bench(desktop(window(2)))
    made.widgets.trees["h2"] = frame(seen.element)
    made.widgets.known[seen.element.key] = seen.detail
    return made


def target(seen: Seen = SEEN) -> Target:
    aim = Aim(ElementSighting("e1", window(2), seen))
    intent = Intent("desktop_click", Tier.REVERSIBLE, Focus(), aim)
    return resolve(Grant(intent.digest, intent.tier, 1), intent, desktop(window(2)))


async def test_the_middle_of_what_is_visible_becomes_the_point() -> None:
    its = stage()
    made = await aimed(target(), SEEN, its.lease.limbs, its.widgets)
    assert made.local == Point(25, 25)
    assert made.point == Point(25, 5825)


async def test_r74_a_modal_dialog_lies_over_all_wherever_its_own_box_is() -> None:
    made, over = stage(), element("Really?", role="dialog", path="/over")
    made.widgets.hits = [over, FRAME]
    made.widgets.known[over.key] = Detail(Rect(0, 0, 5, 5))
    with pytest.raises(Unavailable, match="Really"):
        await clear(target(), SEEN, made.widgets)


async def test_r74_a_dialog_that_may_be_modal_stops_actions_but_not_the_pointer() -> None:
    made, beside = stage(), element("Really?", role="alert", path="/beside")
    made.widgets.hits = [SAVE, FRAME, beside]
    with pytest.raises(Unavailable, match="Really"):
        await clear(target(), SEEN, made.widgets)
    await aimed(target(), SEEN, made.lease.limbs, made.widgets)
    made.widgets.hits = [SAVE, FRAME]
    await clear(target(), SEEN, made.widgets)


async def test_what_is_hit_outside_its_own_box_lies_over_nothing() -> None:
    made, over = stage(), element("Notes", role="entry", path="/notes")
    made.widgets.hits = [over, FRAME]
    made.widgets.known[over.key] = Detail(Rect(10, 20, 300, 10))
    with pytest.raises(Unavailable, match="Notes"):
        await aimed(target(), SEEN, made.lease.limbs, made.widgets)
    made.widgets.known[over.key] = Detail(Rect(10, 300, 300, 10))
    assert (await aimed(target(), SEEN, made.lease.limbs, made.widgets)).local == Point(25, 25)


@pytest.mark.parametrize(
    "seen",
    [
        Seen(SAVE, Detail()),
        Seen(SAVE, Detail(Rect(0, 900, 10, 10))),
        Seen(replace(SAVE, states=frozenset({"enabled"})), SEEN.detail),
    ],
)
async def test_what_stays_out_of_view_is_refused_and_never_clamped(seen: Seen) -> None:
    made = stage(seen)
    with pytest.raises(Unavailable) as caught:
        await aimed(target(seen), seen, made.lease.limbs, made.widgets)
    assert caught.value.code == "unavailable.not_shown"
    assert [deed.way for deed in made.widgets.deeds] == [Way.SHOW]


async def test_what_scrolls_into_view_is_reached_there() -> None:
    seen = Seen(SAVE, Detail(Rect(0, 900, 10, 10)))
    made = stage(seen)

    def scrolls(key: Key, _deed: object) -> None:
        made.widgets.known[key] = Detail(Rect(0, 100, 10, 10))

    made.widgets.on_deed = scrolls
    assert (await aimed(target(seen), seen, made.lease.limbs, made.widgets)).local == Point(5, 105)


async def test_r74_what_lies_over_it_is_named() -> None:
    made = stage()
    over = element("Really?", "dialog")
    made.widgets.hits = [element("", "filler", place=(over.key, TOP)), over, FRAME]
    pointed = partial(aimed, target(), SEEN, made.lease.limbs, made.widgets)
    for way in (pointed, partial(clear, target(), SEEN, made.widgets)):
        with pytest.raises(Unavailable) as caught:
            await way()
        assert caught.value.code == "unavailable.obstructed"
        assert 'dialog "Really?" lies over e1, push button "Save"' in caught.value.message


@pytest.mark.parametrize(
    "hits",
    [
        [],
        [SAVE, FRAME],
        [element("Save", "label", place=(SAVE.key, TOP)), SAVE, FRAME],
        [FRAME],
        [element("popup", "menu"), element("", "window")],
    ],
)
async def test_itself_what_is_inside_and_what_is_around_it_do_not_lie_over_it(
    hits: list[object],
) -> None:
    made = stage()
    made.widgets.hits = hits  # type: ignore[assignment]  # a parametrized list of elements
    await clear(target(), SEEN, made.widgets)


async def test_the_focus_is_asked_for_and_clicked_for_only_if_that_does_not_help() -> None:
    made = stage()

    def focuses(_key: Key, _deed: object) -> None:
        focused = replace(SAVE, states=SAVE.states | {"focused"})
        made.widgets.trees["h2"] = frame(focused)

    made.widgets.on_deed = focuses
    await focus(target(), SEEN, made.lease.limbs, made.widgets)
    assert made.hands.log == []
    made = stage()
    await focus(target(), SEEN, made.lease.limbs, made.widgets)
    assert any(line.startswith("pointer") for line in made.hands.log)
    focused = Seen(replace(SAVE, states=SAVE.states | {"focused"}))
    made = stage(focused)
    await focus(target(focused), focused, made.lease.limbs, made.widgets)
    assert made.widgets.deeds == []

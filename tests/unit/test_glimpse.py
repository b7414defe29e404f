"""When elements are looked at for evidence, and which of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from slate_desktop.elements import Seen, TextNow
from slate_desktop.errors import Unavailable
from slate_desktop.glimpse import compared, look, wants_elements, with_elements
from slate_desktop.intent import (
    Action,
    Aim,
    Click,
    ElementSighting,
    Intent,
    Observe,
    Press,
    Sighting,
    TypeText,
    WindowSighting,
)
from slate_desktop.outcome import Scene
from slate_desktop.resolve import resolve
from slated.model import Grant, Tier
from tests.fakes.ports import Bench, bench, desktop, element, frame, window

pytestmark = pytest.mark.anyio

SAVE, ENTRY = element("Save"), element("Name", "entry", "editable")
ON_WINDOW, ON_ELEMENT = (
    WindowSighting("w1", window(2)),
    ElementSighting("e1", window(2), Seen(SAVE)),
)


def intent(action: Action, sighting: Sighting, observe: Observe = Observe.AUTO) -> Intent:
    return Intent("desktop_click", Tier.REVERSIBLE, action, Aim(sighting), observe)


@pytest.mark.parametrize(
    ("action", "sighting", "observe", "wanted"),
    [
        (Press(), ON_ELEMENT, Observe.AUTO, True),
        (Press(), ON_ELEMENT, Observe.NONE, False),
        (Click(), ON_WINDOW, Observe.AUTO, False),
        (Click(), ON_WINDOW, Observe.ELEMENTS, True),
        (TypeText("a"), ON_WINDOW, Observe.AUTO, True),
        (TypeText("a"), ON_WINDOW, Observe.NONE, False),
    ],
)
def test_elements_are_looked_at_where_they_are_evidence(
    action: Action, sighting: Sighting, observe: Observe, wanted: bool
) -> None:
    assert wants_elements(intent(action, sighting, observe)) is wanted


async def seen(made: Bench, wish: Intent) -> Scene:
    target = resolve(Grant(wish.digest, wish.tier, 1), wish, made.windows.now)
    return await with_elements(Scene(made.windows.now), wish, target, made.widgets)


async def test_typing_looks_at_the_text_before_the_caret_of_fields_but_of_no_password() -> None:
    made = bench(desktop(window(2)))
    secret = element("Key", "password text", "editable", "focused")
    made.widgets.trees["h2"] = frame(SAVE, ENTRY, secret)
    made.widgets.written = {
        ENTRY.key: TextNow(1, 1, "x"),
        secret.key: TextNow(1, 1, "s"),
        SAVE.key: TextNow(1, 1, "y"),
    }
    scene = await seen(made, intent(TypeText("abc"), ON_WINDOW))
    assert scene.glimpse is not None
    assert scene.glimpse.texts == {ENTRY.key: TextNow(1, 1, "x")}
    assert scene.glimpse.details == {}


async def test_a_program_without_a_tree_leaves_it_to_the_pictures() -> None:
    made = bench(desktop(window(2)))
    assert (await seen(made, intent(TypeText("abc"), ON_WINDOW))).glimpse is None
    with pytest.raises(Unavailable):
        await look(made.widgets, window(2))


async def test_a_window_that_closed_is_not_looked_into() -> None:
    made = bench(desktop(window(2)))
    made.widgets.trees["h2"] = frame(SAVE)
    wish = intent(Press(), ON_ELEMENT)
    target = resolve(Grant(wish.digest, wish.tier, 1), wish, made.windows.now)
    gone = Scene(desktop(window(3)))
    assert (await with_elements(gone, wish, target, made.widgets)).glimpse is None


def test_only_what_is_on_screen_and_usable_is_compared() -> None:
    away = replace(element("Away"), states=frozenset({"enabled"}))
    assert compared(frame(SAVE, away, element("Hint", "label"))) == [SAVE]


async def test_what_is_set_is_read_back_also_where_it_is_scrolled_away() -> None:
    made = bench(desktop(window(2)))
    away = replace(SAVE, states=SAVE.states - {"showing"})
    made.widgets.trees["h2"] = frame(away, ENTRY)
    seen = await look(made.widgets, window(2), own=Seen(away))
    assert set(seen.details) == {away.key, ENTRY.key}
    assert set((await look(made.widgets, window(2))).details) == {ENTRY.key}

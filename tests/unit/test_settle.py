"""How long is waited, for what, and what is looked at."""

from __future__ import annotations

from dataclasses import replace

import anyio
import pytest

from slate_desktop import settle
from slate_desktop.errors import Stale
from slate_desktop.geometry import Point, Rect, Size
from slate_desktop.intent import (
    Action,
    Aim,
    Click,
    Close,
    Focus,
    Intent,
    Launch,
    Observe,
    Reshape,
    TypeText,
    WindowSighting,
)
from slate_desktop.model import Window
from slate_desktop.outcome import Delivery, Scene
from slate_desktop.resolve import Target, resolve
from slated.model import Grant, Tier
from tests.fakes.ports import Bench, FakeLaunched, bench, desktop, on_screen, pixels, window

pytestmark = pytest.mark.anyio


def prepared(
    made: Bench, action: Action, aimed: Window | None, observe: Observe = Observe.AUTO
) -> tuple[Intent, Target]:
    aim = None if aimed is None else Aim(WindowSighting("w1", aimed), Point(1, 1))
    intent = Intent("tool", Tier.REVERSIBLE, action, aim, observe)
    return intent, resolve(Grant(intent.digest, intent.tier, 1), intent, made.windows.now)


async def settled(made: Bench, intent: Intent, target: Target, delivery: Delivery) -> Scene:
    first = Scene(target.desktop)
    return await settle.after(intent, target, delivery, first, made.eyes, made.windows)


async def test_nothing_is_pictured_when_nothing_is_wanted_or_the_window_list_tells() -> None:
    made = bench(desktop(window(2)))
    for action, observe in (
        (Click(), Observe.NONE),
        (Close(), Observe.AUTO),
        (Focus(), Observe.IMAGE),
    ):
        intent, target = prepared(made, action, window(2), observe)
        assert (await settle.before(intent, target, made.eyes)).pixels is None
    assert made.eyes.looks == 0


async def test_a_click_is_looked_at_before_and_after() -> None:
    made = bench(desktop(window(2)))
    made.eyes.pictures["h2"] = [pixels(value=1), pixels(value=2)]
    intent, target = prepared(made, Click(), window(2))
    first = await settle.before(intent, target, made.eyes)
    now = await settle.after(intent, target, Delivery(), first, made.eyes, made.windows)
    assert first.pixels == pixels(value=1)
    assert now.pixels == pixels(value=2)


async def test_a_window_that_its_own_click_closed_is_no_failure() -> None:
    made = bench(desktop(window(2)))
    intent, target = prepared(made, Click(), window(2))
    first = await settle.before(intent, target, made.eyes)
    del made.eyes.pictures["h2"]
    made.windows.put()
    now = await settle.after(intent, target, Delivery(), first, made.eyes, made.windows)
    assert now.pixels is None
    assert now.desktop.windows == ()


async def test_a_launch_waits_for_a_window_of_that_launch() -> None:
    made = bench(desktop(on_screen(1)))
    launched = FakeLaunched()
    intent, target = prepared(made, Launch(("x",), None, None, 5.0), None)
    made.windows.on_change = [
        lambda: made.windows.put(on_screen(1), window(8)),
        lambda: made.windows.put(on_screen(1), window(8), window(9, sandbox="launch-1")),
    ]
    now = await settled(made, intent, target, Delivery(launch=launched))
    assert [w.id for w in now.desktop.windows] == [1, 8, 9]


async def test_a_program_that_ends_is_not_waited_for() -> None:
    made = bench(desktop(on_screen(1)))
    intent, target = prepared(made, Launch(("x",), None, None, 5.0), None)
    with anyio.fail_after(1):
        await settled(made, intent, target, Delivery(launch=FakeLaunched(exit_code=0)))


@pytest.mark.promise("every-call-has-a-deadline")
async def test_a_launch_without_a_window_ends_at_its_deadline() -> None:
    made = bench(desktop(on_screen(1)))
    intent, target = prepared(made, Launch(("x",), None, None, 0.05), None)
    with anyio.fail_after(1):
        await settled(made, intent, target, Delivery(launch=FakeLaunched()))


async def test_closing_waits_until_the_window_is_gone_or_asks_back() -> None:
    made = bench(desktop(window(2)))
    intent, target = prepared(made, Close(), window(2))
    made.windows.on_change = [lambda: made.windows.put(window(2), window(5, pid=1002))]
    assert len((await settled(made, intent, target, Delivery())).desktop.windows) == 2
    made.windows.on_change = [made.windows.put]
    made.windows.put(window(2))
    assert (await settled(made, intent, target, Delivery())).desktop.windows == ()


@pytest.mark.promise("every-call-has-a-deadline")
async def test_a_window_that_neither_goes_nor_asks_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(settle, "CLOSE_S", 0.05)
    made = bench(desktop(window(2)))
    intent, target = prepared(made, Close(), window(2))
    with anyio.fail_after(1):
        now = await settled(made, intent, target, Delivery())
    assert now.desktop.windows == (window(2),)


async def test_a_new_shape_is_measured_after_the_last_event() -> None:
    made = bench(desktop(window(2)))
    intent, target = prepared(made, Reshape(fullscreen=True), window(2))
    made.windows.on_change = [
        lambda: made.windows.put(window(2, rect=Rect(0, 0, 5, 5))),
        lambda: made.windows.put(window(2, rect=Rect(0, 0, 9, 9))),
    ]
    now = await settled(made, intent, target, Delivery())
    assert now.desktop.windows[0].rect == Rect(0, 0, 9, 9)


async def test_text_is_evidence_by_picture_only_when_one_is_wanted() -> None:
    made = bench(desktop(window(2)))
    assert settle.wants_pictures(prepared(made, TypeText("x"), window(2))[0])
    assert not settle.wants_pictures(prepared(made, TypeText("x"), window(2), Observe.NONE)[0])


async def test_a_menu_that_has_changed_since_its_picture_gets_nothing() -> None:
    made = bench(desktop(window(2)))
    made.eyes.pictures["h2"] = [pixels(Size(60, 30))]
    intent, target = prepared(made, Click(), window(2), Observe.NONE)
    same = replace(target, menu=Size(60, 30))
    assert (await settle.before(intent, same, made.eyes)).pixels is None  # none is wanted
    with pytest.raises(Stale) as caught:
        await settle.before(intent, replace(target, menu=Size(90, 30)), made.eyes)
    assert caught.value.code == "stale.menu_changed"


async def test_r99_a_program_that_took_a_launch_over_is_given_a_moment_for_its_window() -> None:
    made = bench(desktop(window(2, app_id="editor")))
    intent, target = prepared(made, Launch(("editor",), None, None, 5.0), None)
    delivery = Delivery(launch=FakeLaunched(exit_code=0))
    both = (window(2, app_id="editor"), window(3, app_id="editor"))
    made.windows.on_change = [lambda: None, lambda: made.windows.put(*both)]
    now = await settled(made, intent, target, delivery)
    assert now.desktop.windows == both

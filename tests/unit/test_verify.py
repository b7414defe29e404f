"""What may be said about an effect, and on what evidence."""

from __future__ import annotations

import pytest

from slate_desktop.geometry import Point, Rect, Size
from slate_desktop.intent import (
    Action,
    Aim,
    Arrange,
    Click,
    Close,
    Focus,
    Intent,
    Launch,
    Reshape,
    TypeText,
    WindowSighting,
)
from slate_desktop.model import Desktop, Pixels, Window, WindowId
from slate_desktop.outcome import Delivery, Evidence, Scene, Verified
from slate_desktop.resolve import Target, resolve
from slate_desktop.verify import verify
from slated.model import Grant, Tier
from tests.fakes.ports import FakeLaunched, desktop, on_screen, pixels, window

BEFORE = desktop(on_screen(1), window(2))


def judged(
    action: Action,
    now: Desktop,
    *,
    aimed: Window | None = window(2),  # noqa: B008  # a frozen record
    pictures: tuple[Pixels | None, Pixels | None] = (None, None),
    delivery: Delivery = Delivery(),  # noqa: B008  # a frozen record
) -> Evidence:
    aim = None if aimed is None else Aim(WindowSighting("w1", aimed), Point(1, 1))
    intent = Intent("tool", Tier.REVERSIBLE, action, aim)
    target = resolve(Grant(intent.digest, intent.tier, 1), intent, BEFORE)
    return verify(intent, target, Scene(BEFORE, pictures[0]), delivery, Scene(now, pictures[1]))


def test_a_changed_picture_shows_that_the_window_reacted() -> None:
    evidence = judged(Click(), BEFORE, pictures=(pixels(value=1), pixels(value=2)))
    assert evidence.verified is Verified.YES
    assert evidence.changed == Rect(0, 0, 8, 4)


def test_an_unchanged_picture_proves_nothing() -> None:
    evidence = judged(Click(), BEFORE, pictures=(pixels(), pixels()))
    assert evidence.verified is Verified.UNKNOWN
    assert evidence.changed is None
    old = judged(Click(), BEFORE, pictures=(pixels(), pixels(current=False)))
    assert "may be old" in old.because


def test_r27_what_nobody_looked_at_is_not_called_success() -> None:
    assert judged(Click(), BEFORE).verified is Verified.UNKNOWN
    assert judged(TypeText("x"), BEFORE).verified is Verified.UNKNOWN


def test_a_picture_that_grew_is_named_as_such() -> None:
    evidence = judged(Click(), BEFORE, pictures=(pixels(), pixels(Size(9, 9))))
    assert evidence.verified is Verified.YES
    assert "changed size" in evidence.because


def test_a_window_of_the_same_process_that_opened_is_evidence() -> None:
    now = desktop(on_screen(1), window(2), window(7, pid=1002), window(8))
    evidence = judged(Click(), now)
    assert evidence.verified is Verified.YES
    assert evidence.opened == (7,)


def test_a_window_that_went_is_evidence() -> None:
    evidence = judged(Click(), desktop(on_screen(1)))
    assert evidence.verified is Verified.YES
    assert evidence.closed == ("title 2",)


def test_r07_typed_text_is_never_verified_by_a_picture() -> None:
    evidence = judged(TypeText("x"), BEFORE, pictures=(pixels(value=1), pixels(value=2)))
    assert evidence.verified is Verified.UNKNOWN
    assert "not read back" in evidence.because


def test_focus_lost_while_typing_is_said() -> None:
    evidence = judged(TypeText("x"), BEFORE, delivery=Delivery(1, 1, focus_held=False))
    assert "lost our keyboard" in evidence.because


@pytest.mark.parametrize(
    ("launched", "windows", "verified"),
    [
        (FakeLaunched(), (window(9, sandbox="launch-1"),), Verified.YES),
        (FakeLaunched(), (window(9, sandbox="launch-2"),), Verified.NO),
        (FakeLaunched(exit_code=0), (), Verified.NO),
        (FakeLaunched(exit_code=1), (), Verified.NO),
    ],
)
def test_r99_a_launch_is_verified_by_a_window_of_that_launch_only(
    launched: FakeLaunched, windows: tuple[Window, ...], verified: Verified
) -> None:
    now = desktop(on_screen(1), window(2), *windows)
    delivery = Delivery(launch=launched)
    evidence = judged(Launch(("x",), None, None, 1.0), now, aimed=None, delivery=delivery)
    assert evidence.verified is verified
    if launched.exit_code is not None:
        assert f"exit code {launched.exit_code}" in evidence.because


def test_the_window_of_an_x_server_says_nothing_of_the_program_in_it() -> None:
    delivery = Delivery(launch=FakeLaunched())
    now = desktop(window(9, sandbox="launch-1"))
    evidence = judged(Launch(("x",), None, None, 1.0, x11=True), now, aimed=None, delivery=delivery)
    assert evidence.verified is Verified.UNKNOWN
    assert evidence.opened == (9,)


def test_r99_what_a_program_handed_over_to_is_named_and_no_success() -> None:
    old, new = window(4, app_id="org.x.Editor"), window(5, app_id="org.x.Editor")
    delivery = Delivery(launch=FakeLaunched(exit_code=0))
    for now, verified in ((desktop(old), Verified.NO), (desktop(old, new), Verified.UNKNOWN)):
        action = Launch(("editor",), None, None, 1.0)
        intent = Intent("desktop_launch", Tier.REVERSIBLE, action)
        evidence = verify(intent, Target(desktop(old)), Scene(desktop(old)), delivery, Scene(now))
        assert evidence.verified is verified
        assert "running already" in evidence.because
        assert evidence.handed_over == tuple(w.id for w in now.windows)
        assert evidence.opened == ((5,) if verified is Verified.UNKNOWN else ())


def test_closing_is_verified_by_absence_only() -> None:
    assert judged(Close(), desktop(on_screen(1))).verified is Verified.YES
    assert judged(Close(), BEFORE).verified is Verified.NO
    asked = judged(Close(), desktop(window(2), window(6, pid=1002)))
    assert asked.verified is Verified.NO
    assert asked.opened == (6,)


@pytest.mark.parametrize(
    ("shape", "became", "verified"),
    [
        (Reshape(rect=Rect(1, 2, 30, 40)), window(2, rect=Rect(1, 2, 30, 41)), Verified.YES),
        (Reshape(rect=Rect(1, 2, 30, 40)), window(2, rect=Rect(1, 2, 30, 42)), Verified.NO),
        (
            Reshape(rect=Rect(1, 2, 30, 40)),
            window(2, rect=Rect(1, 2, 30, 40), drawn=Size(30, 38)),
            Verified.YES,
        ),
        (
            Reshape(rect=Rect(1, 2, 30, 40)),
            window(2, rect=Rect(1, 2, 30, 40), drawn=Size(1204, 772)),
            Verified.NO,
        ),
        (Reshape(floating=True), window(2, floating=True), Verified.YES),
        (Reshape(floating=True), window(2), Verified.NO),
        (Reshape(fullscreen=False), window(2, fullscreen=True), Verified.NO),
    ],
)
def test_a_new_shape_is_measured(shape: Reshape, became: Window, verified: Verified) -> None:
    assert judged(shape, desktop(became)).verified is verified


def test_a_window_that_went_has_no_new_shape() -> None:
    assert judged(Reshape(floating=True), desktop()).verified is Verified.NO


def test_an_arrangement_is_not_verified_when_a_window_of_it_went() -> None:
    action = Arrange("grid", (WindowId(1), WindowId(2)))
    assert judged(action, BEFORE, aimed=None).verified is Verified.YES
    assert judged(action, desktop(on_screen(1)), aimed=None).verified is Verified.NO


def test_focus_is_what_act_waited_for() -> None:
    assert judged(Focus(), BEFORE).verified is Verified.YES

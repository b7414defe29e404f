"""What is said of an action, and what is shown with it."""

from __future__ import annotations

import pytest

from slate_desktop.geometry import Point
from slate_desktop.intent import (
    Action,
    Aim,
    Arrange,
    Click,
    Close,
    Focus,
    Intent,
    Launch,
    Look,
    Move,
    Observe,
    PressKeys,
    Reshape,
    Scroll,
    Steps,
    TypeText,
    WindowSighting,
)
from slate_desktop.model import WindowId
from slate_desktop.outcome import Delivery, Evidence, Outcome, Scene, Verified
from slate_desktop.report import report, said
from slate_desktop.resolve import resolve
from slated.model import Grant, Tier
from tests.fakes.ports import Bench, FakeLaunched, bench, desktop, on_screen, window

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("action", "sentence"),
    [
        (Click(), "clicked left at 3,4.5 in w1"),
        (Click(count=3), "triple-clicked left at 3,4.5 in w1"),
        (Move(), "moved your pointer to 3,4.5 in w1"),
        (Scroll(down=-2, right=1), "scrolled 2 up and 1 right at 3,4.5 in w1"),
        (TypeText("abc", submit=True), "typed 3 characters and Return into w1, by keys"),
        (PressKeys(("ctrl+a", "Delete"), ()), 'pressed "ctrl+a" and "Delete" in w1'),
        (Focus(), "your keyboard is on w1"),
        (Close(), "asked w1 to close"),
        (Reshape(), "changed w1"),
        (Arrange("grid", (WindowId(2),)), "arranged 1 windows grid"),
        (Launch(("/bin/x\n",), None, None, 1.0), 'started "/bin/x\\n"'),
        (Launch(("/bin/x",), None, "app", 1.0), 'started "app"'),
        (Look("windows"), "windows"),
        (Steps(("a", "b")), "2 steps"),
    ],
)
async def test_what_was_sent_is_said_without_a_claim(action: Action, sentence: str) -> None:
    assert said(action, "w1", Point(3, 4.5)) == sentence


async def reported(
    made: Bench, action: Action, evidence: Evidence, *, observe: Observe, point: Point | None
) -> Outcome:
    aim = Aim(WindowSighting("w1", window(2)), point)
    intent = Intent("tool", Tier.REVERSIBLE, action, aim, observe)
    now = made.windows.now
    target = resolve(Grant(intent.digest, intent.tier, 1), intent, now)
    return await report(made.lease, intent, target, Delivery(), Scene(now), evidence)


async def test_a_window_that_opened_is_listed_shown_and_pointed_to() -> None:
    made = bench(desktop(window(2), window(7)))
    evidence = Evidence(Verified.YES, "a window opened", opened=(7,))
    outcome = await reported(made, Click(), evidence, observe=Observe.AUTO, point=Point(1, 1))
    (line,) = outcome.opened
    assert line.app_id == "app.7"
    assert line.ref in outcome.next_step
    assert outcome.frame is not None
    assert outcome.frame.of == line.ref


async def test_keys_with_auto_answer_in_words_only() -> None:
    made = bench(desktop(window(2)))
    evidence = Evidence(Verified.UNKNOWN, "the text was not read back")
    outcome = await reported(made, TypeText("x"), evidence, observe=Observe.AUTO, point=None)
    assert outcome.picture is None
    assert "desktop_screenshot of w1" in outcome.next_step


async def test_a_picture_that_was_asked_for_comes_even_when_nothing_changed() -> None:
    made = bench(desktop(window(2)))
    evidence = Evidence(Verified.UNKNOWN, "nothing changed")
    outcome = await reported(made, TypeText("x"), evidence, observe=Observe.IMAGE, point=None)
    assert outcome.picture is not None


async def test_a_window_that_closes_while_it_is_pictured_takes_nothing_back() -> None:
    made = bench(desktop(window(2)))
    made.eyes.pictures.clear()
    evidence = Evidence(Verified.YES, "changed")
    outcome = await reported(made, TypeText("x"), evidence, observe=Observe.IMAGE, point=None)
    assert outcome.picture is None
    assert outcome.verified is Verified.YES


async def test_a_launch_without_a_window_names_the_likely_reason() -> None:
    made = bench(desktop(on_screen(1), window(2)))
    evidence = Evidence(Verified.NO, "it ended with exit code 0 and opened no window")
    action = Launch(("x",), None, None, 1.0)
    outcome = await reported(made, action, evidence, observe=Observe.AUTO, point=None)
    assert "handed over" in outcome.next_step


async def test_r99_the_windows_a_launch_was_handed_over_to_are_listed_with_what_to_do() -> None:
    made = bench(desktop(on_screen(1), window(2)))
    action = Launch(("x",), None, None, 1.0)
    old = Evidence(Verified.NO, "it handed over", handed_over=(2,))
    outcome = await reported(made, action, old, observe=Observe.AUTO, point=None)
    assert [line.app_id for line in outcome.windows] == ["app.2"]
    assert outcome.facts["handed_over"] == [outcome.windows[0].ref]
    assert "use the window above" in outcome.next_step


async def test_a_program_that_found_no_display_is_told_of_x11() -> None:
    made = bench(desktop(window(2)))
    for code, x11, hint in ((1, False, True), (1, True, False), (0, False, False)):
        intent = Intent("t", Tier.REVERSIBLE, Launch(("x",), None, None, 1.0, x11=x11))
        target = resolve(Grant(intent.digest, intent.tier, 1), intent, made.windows.now)
        launched = FakeLaunched(exit_code=code, output_tail="Can't open display: \n")
        delivery, now = Delivery(launch=launched), Scene(made.windows.now)
        outcome = await report(
            made.lease, intent, target, delivery, now, Evidence(Verified.NO, "it ended")
        )
        assert ("x11: true" in outcome.next_step) is hint

"""What a model reads."""

from __future__ import annotations

from slate_desktop.geometry import Point, Rect, Size
from slate_desktop.model import Place
from slate_desktop.outcome import FrameLine, Outcome, Verified, WindowLine
from slate_desktop.render import TEXT_LIMIT, failure, frame_line, listed, reply, window_line
from slated.errors import Stale

LINE = WindowLine(
    "w1", "foot", "~/src: vim", Place.SCREEN, Rect(0, 26, 960, 1054), "1", ("person",)
)
FRAME = FrameLine("f7", Size(640, 400), 0.5, Point(0, 0), "w3", True, False, True, 0.01)


def test_a_window_is_one_line_with_its_words_quoted() -> None:
    assert window_line(LINE) == 'w1 "foot" "~/src: vim" screen 0,26 960x1054 person'


def test_a_picture_says_size_scale_origin_and_what_is_wrong_with_it() -> None:
    assert frame_line(FRAME) == "f7 of w3, 640x400, scale 0.5, from 0,0"
    odd = FrameLine("f8", Size(9, 9), 1.0, Point(1.25, -12345), "screen", False, True, False, 0.3)
    text = frame_line(odd)
    assert text.startswith("f8 of screen, 9x9, scale 1, from 1.25,-12345; ")
    assert "may be old" in text
    assert "blank" in text
    assert "not certain" in text


def test_the_first_line_is_the_verdict_and_next_is_the_last() -> None:
    outcome = Outcome(
        said="clicked left at 1,2 in w3",
        verified=Verified.YES,
        because="a window opened",
        opened=(LINE,),
        next_step="look",
    )
    assert reply(outcome).text.splitlines() == [
        "clicked left at 1,2 in w3; verified: yes, a window opened.",
        '+ w1 "foot" "~/src: vim" screen 0,26 960x1054 person',
        "next: look",
    ]


def test_facts_for_programs_ride_beside_the_text() -> None:
    outcome = Outcome("x", Verified.NO, "why", frame=FRAME, windows=(LINE,), facts={"a": 1})
    facts = reply(outcome).facts
    assert facts["a"] == 1
    assert facts["verified"] == "no"
    assert facts["frame"]["ref"] == "f7"  # type: ignore[index]  # facts are plain JSON
    assert facts["windows"][0]["rect"] == [0, 26, 960, 1054]  # type: ignore[index]


def test_r122_a_long_answer_is_cut_and_says_so_first_and_last() -> None:
    many = tuple(LINE for _ in range(1000))
    text = reply(Outcome("1000 windows", windows=many)).text
    lines = text.splitlines()
    assert len(text) <= TEXT_LIMIT
    assert "cut:" in lines[0]
    assert f"of {1001} lines left out" in lines[0]
    assert lines[-1].startswith("next:")


def test_one_line_longer_than_everything_is_cut_inside() -> None:
    text = reply(Outcome("x" * 20_000, next_step="less")).text
    assert len(text) <= TEXT_LIMIT
    assert text.endswith("characters more)\nnext: less")


def test_a_failure_is_its_code_its_message_and_the_next_step() -> None:
    made = failure(
        Stale("window_gone", "nothing was sent: w3 is gone.", next_step="look"), call="c1"
    )
    assert made.text == "stale.window_gone: nothing was sent: w3 is gone.\nnext: look"
    assert made.is_error
    assert made.facts["call"] == {"id": "c1"}


def test_lists_read_as_a_person_writes_them() -> None:
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"]) == "a, b and c"

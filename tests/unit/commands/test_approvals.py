"""The approvals screen: which key does what, and what a question looks like."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from slated.commands.approvals import View, question_lines, run
from slated.commands.screen import STRAY_S
from slated.errors import Stale, Unavailable


def told(ref: str, **more: object) -> dict[str, Any]:
    return {
        "ref": ref,
        "digest": f"d{ref}",
        "task": "t1",
        "tool": "Bash",
        "rule": "r",
        "reason": "why",
        "facts": [["command 1", "rm x"], ["directory", "/srv"]],
        "risky": ["it is outside"],
        "opened": 0.0,
        "deadline": 600.0,
        **more,
    }


class Desk:
    def __init__(self) -> None:
        self.now = 100.0
        self.sent: list[tuple[str, str]] = []
        self.stale = False
        self.view = View(lambda: self.now, self.send)

    def send(self, question: Mapping[str, Any], answer: str) -> None:
        if self.stale:
            raise Stale("question", "it is closed")
        self.sent.append((question["ref"], answer))


@pytest.mark.parametrize(("key", "answer"), [("y", "once"), ("a", "always"), ("n", "deny")])
def test_each_answer_has_its_key(key: str, answer: str) -> None:
    desk = Desk()
    desk.view.take([told("q1"), told("q2")])
    desk.now += STRAY_S
    assert desk.view.key(key)
    assert desk.sent == [("q1", answer)]
    assert [q["ref"] for q in desk.view.questions] == ["q2"]


def test_a_key_that_was_meant_for_something_else_answers_nothing() -> None:
    desk = Desk()
    desk.view.take([told("q1")])
    desk.view.key("y")
    assert desk.sent == []
    assert "not taken" in desk.view.note
    desk.now += STRAY_S
    desk.view.key("y")
    assert desk.sent == [("q1", "once")]


def test_after_an_answer_the_next_question_needs_a_look_first() -> None:
    desk = Desk()
    desk.view.take([told("q1"), told("q2")])
    desk.now += STRAY_S
    desk.view.key("y")
    desk.view.key("y")
    assert desk.sent == [("q1", "once")]


def test_a_new_question_does_not_push_the_selected_one_away() -> None:
    desk = Desk()
    desk.view.take([told("q1"), told("q2")])
    desk.view.key("KEY_DOWN")
    desk.view.take([told("q3"), told("q1"), told("q2")])
    assert desk.view.current is not None
    assert desk.view.current["ref"] == "q2"


def test_an_answer_that_came_too_late_is_said_to_be() -> None:
    desk = Desk()
    desk.stale = True
    desk.view.take([told("q1")])
    desk.now += STRAY_S
    desk.view.key("y")
    assert "closed before your answer" in desk.view.history[-1]


def test_other_keys_do_nothing_and_q_leaves() -> None:
    desk = Desk()
    desk.view.take([told("q1")])
    desk.now += STRAY_S
    for key in ("x", "\n", " ", "Y", "KEY_RESIZE"):
        assert desk.view.key(key)
    assert desk.sent == []
    assert not desk.view.key("q")
    empty = Desk()
    assert empty.view.key("y")
    assert empty.view.key("j")


def test_r166_what_a_program_says_cannot_pass_for_our_own_lines() -> None:
    """R166: escaped here once more, whatever the question holds."""
    odd = told("q1", tool="x\ny", facts=[["a\nb", "c\u202ed\n! e"]], risky=["f\x1b[2Jg"])
    lines = [line for line, _ in question_lines(odd, 80, 0)]
    assert all(line.isprintable() for line in lines)
    assert "a\\nb: c\\u{202E}d\\n! e" in lines
    assert "! f\\u{001B}[2Jg" in lines


def test_the_screen_shows_the_question_its_time_and_the_keys() -> None:
    desk = Desk()
    assert "Nothing to answer" in desk.view.lines(80, 0)[0][0]
    desk.view.take([told("q1", facts=[["command", "x" * 200]])])
    lines = [line for line, _ in desk.view.lines(80, 595.0)]
    assert "Question 1 of 1" in lines[0]
    assert "denied by itself in 0:05" in lines
    assert all(len(line) <= 100 for line in lines)
    assert any(line.startswith("y once") for line in lines)


def test_without_a_terminal_there_are_no_approvals() -> None:
    with pytest.raises(Unavailable):
        run({})

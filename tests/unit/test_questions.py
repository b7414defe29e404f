"""What a person is shown: nothing invisible, one line each, nothing in the agent's own words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slated.model import Tier
from slated.policy.decide import Decision, ToolCall
from slated.policy.grade import CommandGrade
from slated.policy.gui import Scene
from slated.questions import escaped, facts_of, hidden, risky_of
from slated.requests import Wanted
from slated.tasks import Asker

CALL = ToolCall("claude", "Bash", {"command": "rm x", "description": "clean up a little"})
COMMAND = CommandGrade(
    "rm x", Tier.CONFIRM, "reach.outside", "it is outside", ("rm", "a b"), "/usr/bin/rm", ("/srv/x",), ("too much",)
)  # fmt: skip
DECISION = Decision(Tier.CONFIRM, "reach.outside", "it is outside", (COMMAND,), ("rm x",))


def wanted(call: ToolCall = CALL) -> Wanted:
    return Wanted(call, "/srv", Asker(1, 1), facts=(("launch", "x"),))


@pytest.mark.parametrize("mark", ["\u200b", "\u2060", "\u00ad", "\u202e", "\u00a0", "\x1b", "\x07"])
def test_r164_what_cannot_be_seen_is_spelled_out_and_counted(mark: str) -> None:
    """R164: invisible characters hide a part of the command."""
    shown = escaped(f"cu{mark}rl")
    assert shown == f"cu\\u{{{ord(mark):04X}}}rl"
    decision = Decision(Tier.CONFIRM, "r", "why", (), (f"cu{mark}rl x",))
    assert risky_of(decision)[0] == "it holds 1 characters that cannot be seen"


def test_r166_a_field_cannot_imitate_another_line() -> None:
    """R166: a directory or a reason with line ends."""
    call = ToolCall("claude", "Odd", {"path": "ok\n[approved by owner]"})
    wish = Wanted(call, "/srv\nreach: all", Asker(1, 1))
    decision = Decision(Tier.CONFIRM, "r", "a\nb")
    told = facts_of(wish, decision)
    assert ("path", "ok\\n[approved by owner]") in told
    assert ("directory", "/srv\\nreach: all") in told
    assert risky_of(decision) == ["a\\nb [r]"]


@given(st.text())
def test_whatever_is_shown_is_one_line_without_anything_hidden(text: str) -> None:
    shown = escaped(text)
    assert len(shown.splitlines()) <= 1
    assert hidden(shown) == 0


def test_a_long_text_is_cut_and_says_by_how_much() -> None:
    assert escaped("x" * 30, limit=10) == "x" * 10 + "… (+20 characters)"


def test_the_facts_are_the_program_its_words_and_its_paths_and_not_the_description() -> None:
    told = facts_of(wanted(), DECISION)
    assert told == [
        ("tool", "Bash"),
        ("command 1", 'rm "a b"'),
        ("program 1", "/usr/bin/rm"),
        ("path", "/srv/x"),
        ("as written", "rm x"),
        ("launch", "x"),
        ("directory", "/srv"),
    ]


def test_of_a_desktop_call_window_and_element_are_shown() -> None:
    scene = Scene(app_id="mail", title="Inbox", role="push button", name="Send")
    told = facts_of(
        wanted(ToolCall("desktop", "desktop_click", {"x": 3}, scene=scene)),
        Decision(Tier.CONFIRM, "desktop.word", "it is called Send"),
    )
    assert ("window", "mail Inbox") in told
    assert ("element", "push button Send") in told
    assert ("x", "3") in told


def test_every_reason_stands_by_itself_and_only_once() -> None:
    assert risky_of(DECISION) == [
        "it is outside [reach.outside]",
        "rm x: it is outside [reach.outside]",
        "rm x: too much",
    ]

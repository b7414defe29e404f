"""Answers to Codex's hooks, in the exact shapes it takes, and where a session's configuration is."""

from __future__ import annotations

from pathlib import Path

from slated.agents import codex
from slated.agents.event import Event, read
from slated.model import Verdict
from slated.requests import Reader


def event(**told: object) -> Event:
    return read("codex", Reader({"hook_event_name": "PreToolUse", "tool_name": "Bash", **told}))


def test_a_yes_is_silence_since_allow_would_count_as_failed() -> None:
    assert codex.answer(event(), Verdict.ALLOW, "fine") is None


def test_a_question_is_a_no_since_ask_would_count_as_failed_and_let_it_run() -> None:
    for verdict in (Verdict.DENY, Verdict.ASK):
        told = codex.answer(event(), verdict, "no")
        assert told is not None
        assert told["hookSpecificOutput"] == {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": "no",
        }


def test_a_due_prompt_for_what_was_let_through_gets_the_same_yes() -> None:
    due = event(hook_event_name="PermissionRequest")
    told = codex.after_grant(due, answered=False)
    assert told is not None
    assert told["hookSpecificOutput"] == {
        "hookEventName": "PermissionRequest",
        "decision": {"behavior": "allow"},
    }
    assert codex.answer(due, Verdict.ASK, "") is None


def test_the_configuration_is_where_the_program_keeps_its_session() -> None:
    told = event(cwd="/w", transcript_path="/h/c/sessions/2026/11/30/rollout-1.jsonl")
    place = codex.place(told, ["codex", "exec"], {}, Path("/home/u"))
    assert (place.config, place.project, place.words) == (
        Path("/h/c"),
        Path("/w"),
        ("codex", "exec"),
    )
    assert codex.files(place) == [Path("/h/c/config.toml"), Path("/w/.codex/config.toml")]
    assert codex.place(event(), [], {"CODEX_HOME": "/x"}, Path("/u")).config == Path("/x")
    assert codex.place(event(), [], {}, Path("/u")).config == Path("/u/.codex")

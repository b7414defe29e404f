"""Answers to Claude Code's hooks, in the exact shapes it takes, and where a session's settings are."""

from __future__ import annotations

from pathlib import Path

import pytest

from slated.agents import claude
from slated.agents.event import Event, read
from slated.model import Verdict
from slated.requests import Reader


def event(**told: object) -> Event:
    return read("claude", Reader({"hook_event_name": "PreToolUse", "tool_name": "Bash", **told}))


@pytest.mark.parametrize("verdict", Verdict)
def test_a_verdict_names_its_event_without_which_it_would_not_count(verdict: Verdict) -> None:
    said = {"permissionDecision": str(verdict), "permissionDecisionReason": "so"}
    wanted = {"hookSpecificOutput": {"hookEventName": "PreToolUse", **said}}
    assert claude.answer(event(), verdict, "so") == wanted


def test_what_only_plans_is_left_to_the_program_but_never_a_no() -> None:
    planning = event(permission_mode="plan")
    assert claude.answer(planning, Verdict.ALLOW, "") is None
    assert claude.answer(planning, Verdict.DENY, "no") is not None


def test_a_due_prompt_is_answered_or_left_to_the_person() -> None:
    due = event(hook_event_name="PermissionRequest")
    told = claude.answer(due, Verdict.DENY, "no")
    assert told is not None
    assert told["hookSpecificOutput"] == {
        "hookEventName": "PermissionRequest",
        "decision": {"behavior": "deny", "message": "no"},
    }
    assert claude.answer(due, Verdict.ASK, "") is None


def test_a_prompt_for_what_was_let_through_is_answered_only_with_a_persons_own_yes() -> None:
    due = event(hook_event_name="PermissionRequest")
    assert claude.after_grant(due, answered=False) is None
    told = claude.after_grant(due, answered=True)
    assert told is not None
    assert told["hookSpecificOutput"] == {
        "hookEventName": "PermissionRequest",
        "decision": {"behavior": "allow"},
    }


def test_settings_are_where_the_program_keeps_its_session() -> None:
    told = event(cwd="/w/sub", transcript_path="/h/.cl/projects/-w/1.jsonl")
    place = claude.place(told, ["claude", "-p"], {"CLAUDE_PROJECT_DIR": "/w"}, Path("/home/u"))
    assert (place.config, place.project, place.words) == (
        Path("/h/.cl"),
        Path("/w"),
        ("claude", "-p"),
    )
    assert Path("/w/.claude/settings.local.json") in claude.files(place)
    assert place.servers == Path("/h/.cl/.claude.json")
    elsewhere = claude.place(event(cwd="/w"), [], {}, Path("/home/u"))
    assert (elsewhere.config, elsewhere.project) == (Path("/home/u/.claude"), Path("/w"))
    assert elsewhere.servers == Path("/home/u/.claude.json")

"""Events of hooks, read: the captured shapes of both programs, and what is none."""

from __future__ import annotations

import pytest

from slated.agents.event import read
from slated.errors import BadRequest
from slated.requests import Reader

CLAUDE = {
    "session_id": "750f",
    "transcript_path": "/home/u/.claude/projects/-w/750f.jsonl",
    "cwd": "/w",
    "prompt_id": "008f",
    "permission_mode": "default",
    "hook_event_name": "PreToolUse",
    "tool_name": "mcp__slate__slate_open",
    "tool_input": {"externalSessionId": "x"},
    "tool_use_id": "toolu_1",
    "mcp_server": {"name": "slate", "source": "user"},
}
CODEX: dict[str, object] = {
    "session_id": "01a2",
    "turn_id": "t",
    "transcript_path": None,
    "cwd": "/w",
    "hook_event_name": "PreToolUse",
    "model": "m",
    "permission_mode": "bypassPermissions",
    "tool_name": "mcp__slate-desktop__desktop_click",
    "tool_input": {},
    "tool_use_id": "call_1",
}


def test_claudes_event_has_its_server_and_where_that_is_registered() -> None:
    event = read("claude", Reader(CLAUDE))
    assert (event.server, event.source, event.use) == ("slate", "user", "toolu_1")
    assert (event.session, event.prompt, event.mode) == ("750f", "008f", "default")


def test_codexs_event_has_its_server_in_the_tools_name() -> None:
    event = read("codex", Reader(CODEX))
    assert (event.server, event.source, event.transcript) == ("slate-desktop", "", "")
    assert event.prompt == "t"


@pytest.mark.parametrize("wrong", [{}, {"hook_event_name": 1}, {**CLAUDE, "tool_input": "ls"}])
def test_what_is_no_event_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(BadRequest):
        read("claude", Reader(wrong))


def test_a_relative_directory_counts_as_none() -> None:
    assert read("claude", Reader({**CLAUDE, "cwd": "w"})).cwd == "/"

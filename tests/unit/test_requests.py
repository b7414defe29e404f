"""Wishes as JSON: what is read, what is refused, and what makes two of them the same."""

from __future__ import annotations

from typing import Any

import pytest

from slated.errors import BadRequest
from slated.model import Tier
from slated.requests import digest, wanted

GOOD: dict[str, Any] = {
    "client": "desktop",
    "tool": "desktop_click",
    "ours": True,
    "arguments": {"x": 1},
    "floor": "reversible",
    "cwd": "/srv",
    "agent": {"pid": 5, "started": 6, "program": "claude", "session": "s"},
    "scene": {"app_id": "foot", "terminal": True, "line": "ls", "form": ["OK"]},
    "use": "u1",
    "seen": "h1",
    "under": 3,
    "attended": False,
    "wait_s": 1e9,
    "facts": [["a", "b"], "rubbish"],
}


def test_a_whole_wish_is_read() -> None:
    got = wanted(GOOD)
    assert (got.call.client, got.call.name, got.call.ours) == ("desktop", "desktop_click", True)
    assert (got.floor, got.cwd, got.under, got.attended) == (Tier.REVERSIBLE, "/srv", 3, False)
    assert (got.asker.pid, got.asker.started, got.asker.program) == (5, 6, "claude")
    assert (got.call.scene.app_id, got.call.scene.terminal, got.call.scene.line) == (
        "foot",
        True,
        "ls",
    )
    assert got.wait_s == 45
    assert got.facts == (("a", "b"),)


@pytest.mark.parametrize(
    "change",
    [
        {"client": "somebody"},
        {"tool": ""},
        {"tool": 3},
        {"floor": "none"},
        {"arguments": "x"},
        {"under": "3"},
        {"under": True},
        {"attended": 1},
        {"wait_s": "long"},
        {"wait_s": True},
        {"scene": {"safe": True}},
        {"scene": {"terminal": 1}},
        {"scene": {"form": "OK"}},
        {"scene": {"line": 3}},
        {"agent": []},
        {"facts": "x"},
    ],
)
def test_a_field_of_another_shape_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(BadRequest):
        wanted({**GOOD, **change})


def test_a_wish_with_little_in_it_is_as_strict_as_it_can_be() -> None:
    got = wanted({"client": "claude", "tool": "Bash", "cwd": "relative"})
    assert (got.cwd, got.attended, got.call.ours, got.asker.pid) == ("/", True, False, 0)


def test_r170_a_reworded_retry_is_the_same_and_another_command_is_not() -> None:
    """R170: description and time limit change nothing about what runs; words and directory do."""
    one = digest("claude", "Bash", {"command": "x", "description": "a", "timeout": 1}, "/srv")
    assert one == digest("claude", "Bash", {"command": "x", "description": "b"}, "/srv")
    assert one != digest("claude", "Bash", {"command": "x "}, "/srv")
    assert one != digest("claude", "Bash", {"command": "x"}, "/")
    assert one != digest("codex", "Bash", {"command": "x"}, "/srv")
    described = [digest("mcp", "t", {"description": d}, "/") for d in "ab"]
    assert described[0] != described[1]

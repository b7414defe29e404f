"""`slate memory` from the command line to the file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from slated.commands.memory import forgotten
from tests.fakes.at_home import at_home, slate

pytestmark = pytest.mark.anyio


async def test_memories_are_listed_found_added_and_forgotten(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    here = ("--project", str(tmp_path))
    async with at_home(monkeypatch) as board:
        assert await slate("memory") == 0
        assert "nothing is remembered" in capsys.readouterr().out
        assert await slate("memory", "remember", "Tabs, not spaces.") == 0
        assert await slate("memory", "remember", "ステージングは青い", *here) == 0
        capsys.readouterr()
        assert await slate("memory", "find", "青い", "--json") == 0
        found = json.loads(capsys.readouterr().out)
        assert (found["scope"], found["origin"]) == (str(tmp_path), ["person"])
        assert await slate("memory") == 0
        assert "  user  (person)  Tabs, not spaces." in capsys.readouterr().out
        assert await slate("memory", "list", "--scope", "user") == 0
        assert len(capsys.readouterr().out.splitlines()) == 1
        assert await slate("memory", "forget", str(found["id"])) == 0
        assert capsys.readouterr().out.startswith("1 forgotten")
        assert await slate("memory", "forget", str(found["id"])) == 1
        assert "bad_request.no_memory" in capsys.readouterr().err
        assert await slate("memory", "forget", "--scope", "user") == 0
        assert board.stores.memory().each() == []


async def test_forgetting_everything_must_be_meant(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async with at_home(monkeypatch):
        await slate("memory", "remember", "Tabs.")
        assert await slate("memory", "forget") == 1
        assert "bad_request.field" in capsys.readouterr().err


def test_what_undo_copies_still_hold_is_said() -> None:
    assert forgotten({"forgotten": 2, "copies": ["a\nb"]})[1] == "still in an undo copy: a\\nb"

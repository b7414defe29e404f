"""`slate status`, `tasks` and `auto` against a real slated."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from slated.commands import status
from slated.errors import Refused
from tests.fakes.conscience import CLICK, alone, connected


@pytest.fixture
def environ() -> Iterator[dict[str, str]]:
    with alone() as made:
        yield made


def test_status_and_tasks_for_a_person_and_for_a_program(
    environ: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    with connected(environ) as slated:
        slated.ask("admit", {**CLICK, "agent": {"program": "odd\nname"}})
        assert status.status(environ, as_json=False) == 0
        said = capsys.readouterr().out
        assert "tasks: 1 running" in said
        assert "odd\\nname" in said
        assert status.status(environ, as_json=True) == 0
        assert json.loads(capsys.readouterr().out)["tasks"][0]["calls"] == 1
        assert status.tasks(environ, as_json=True) == 0
        assert len(json.loads(capsys.readouterr().out)) == 1
        assert status.tasks(environ, as_json=False) == 0
        assert "odd\\nname" in capsys.readouterr().out


def test_auto_is_for_persons(environ: dict[str, str]) -> None:
    with pytest.raises(Refused):
        status.auto(environ, "t1", on=True)


def test_what_is_wrong_is_said_and_makes_the_exit_code(tmp_path: Path) -> None:
    task = {
        "id": "t1", "program": "", "pid": 1, "mode": "advisory", "why": "hooks are off", "calls": 2,
        "began": "then", "ended": "now", "cwd": "/srv",
    }  # fmt: skip
    told = {
        "version": "1",
        "pid": 2,
        "state": str(tmp_path),
        "audit": {"lines": 3, "error": "the disk is full"},
        "rules": ["line 2: no"],
        "undo": {"roots": ["/home/p", "/srv"], "problem": "no room"},
        "questions": 0,
        "approvers": 0,
        "tasks": [task, {**task, "ended": ""}],
    }
    lines = status.lines(told)
    assert "audit log FAILS: the disk is full" in lines
    assert "undo covers /home/p, /srv" in lines
    assert "undo FAILS: no room" in lines
    assert "policy.toml is not in force: line 2: no" in lines
    assert sum("advisory (hooks are off)" in line for line in lines) == 1
    assert status.task_line(task).startswith("t1  ? (pid 1)  advisory (hooks are off), 2 calls")

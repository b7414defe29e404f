"""`slate snapshots` says what can be undone, with the real slated behind it."""

from __future__ import annotations

import json

import pytest

from slated.__main__ import main
from slated.commands import snapshots
from slated.commands.snapshots import listed, marks, pruned
from tests.fakes.conscience import alone, connected

TASK = {
    "task": "t5", "calls": 3, "prompts": 2, "first": 7, "last": 11, "since": "S", "until": "U", "whole": False,
}  # fmt: skip


def test_what_is_kept_is_listed_for_a_person() -> None:
    told = {
        "roots": [{"path": "/home/p", "by": "copies"}],
        "bytes": 1_500_000,
        "pending": True,
        "tasks": [TASK],
    }
    assert listed(told) == [
        "/home/p: by copies",
        "copies take 1.5 MB",
        "an undo was cut off: `slate undo --resume` finishes it",
        "t5  3 calls in 2 prompts, marks 7 to 11, S to U, its beginning is not kept any more",
    ]


def test_the_marks_of_a_task_say_when_and_what_for() -> None:
    call = {
        "mark": 7, "time": "S", "prompt": 1, "call": "Bash.0a1b", "running": True, "targets": ["/f"], "more": 2,
    }  # fmt: skip
    assert marks({"calls": [call, {**call, "time": "", "running": False, "more": 0}]}) == [
        "mark 7  S  prompt 1  Bash, under way",
        "    /f",
        "    and 2 more",
        "mark 7  not kept any more  prompt 1  Bash",
        "    /f",
    ]


def test_what_could_not_be_pruned_is_said() -> None:
    assert pruned({"marks": 2, "bytes": 0, "failed": ["x: busy"]}) == [
        "2 marks dropped, copies take 0.0 MB",
        "could not be dropped: x: busy",
    ]


def test_a_fresh_slated_lists_its_directories_and_no_task(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with alone() as environ:
        monkeypatch.setattr(snapshots, "connected", lambda _: connected(environ))
        assert main(["snapshots", "list", "--json"]) == 0
        told = json.loads(capsys.readouterr().out)
    assert [root["by"] for root in told["roots"]]
    assert told["tasks"] == []


@pytest.mark.parametrize("words", [["list", "t1"], ["show"], ["prune", "t1"]])
def test_a_task_goes_with_show_alone(words: list[str]) -> None:
    with pytest.raises(SystemExit):
        main(["snapshots", *words])

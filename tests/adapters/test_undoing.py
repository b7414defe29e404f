"""Undo over the control socket: previewed, applied, redone, resumed by a person; in words, as data, in the log."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from slated import undoing
from slated.audit.reader import Wanted as Filter
from slated.audit.reader import records
from slated.errors import BadRequest, Refused, SlateError
from slated.requests import Reader
from slated.snapshots import journal, subvolume
from slated.snapshots.journal import Journal, State
from slated.snapshots.timeline import Call
from slated.undoing import Request, request
from slated.wire.calls import Calls
from tests.fakes.conscience import a_person_sits_here, ask, caller, directories, slated

pytestmark = pytest.mark.anyio
ROOM = os.environ.get("SLATE_UNDO_ROOM", "")
"""Set by `make test-btrfs`: then the home is a subvolume, and pictured by snapshots."""


class Person:
    """Who undoes, with a task that changes files of the project before."""

    def __init__(self, calls: Calls, undo: undoing.PersonsUndo, work: Path) -> None:
        self.calls, self.undo, self.work = calls, undo, work
        self.told: list[tuple[str, Mapping[str, object]]] = []

    async def act(self, name: str, text: str, session: str = "s") -> str:
        """One whole call of an edit tool; its mark."""
        agent = {"pid": 1, "started": 1, "program": "claude", "session": session}
        path = self.work / name
        wish = {
            "client": "claude",
            "tool": "Write",
            "arguments": {"file_path": str(path)},
            "cwd": str(self.work),
            "agent": agent,
        }
        told = await ask(self.calls, "admit", **wish)
        path.write_text(text)
        await ask(self.calls, "finish", grant=told["grant"], outcome={"outcome": "done"})
        return str(told["mark"])

    async def begin(self, session: str, **arguments: object) -> Mapping[str, Any]:
        """Leave for a command, which is then under way."""
        agent = {"pid": 1, "started": 1, "program": "claude", "session": session}
        wish = {"client": "claude", "tool": "Bash", "arguments": arguments, "cwd": str(self.work)}
        told: Mapping[str, Any] = await ask(self.calls, "admit", **wish, agent=agent)
        return told

    async def ask(self, what: str, **told: Any) -> str:
        """What undo answers, as text."""
        self.told.clear()
        await self.undo.undo(Request(what, **told), self._notify, 1)
        return "".join(str(told["text"]) for kind, told in self.told if kind == "part")

    async def _notify(self, kind: str, told: Mapping[str, object]) -> None:
        self.told.append((kind, told))

    def held(self) -> dict[str, str]:
        return {path.name: path.read_text() for path in self.work.iterdir() if path.is_file()}


@asynccontextmanager
async def person(tmp_path: Path) -> AsyncIterator[Person]:
    if ROOM:
        handle = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
        subvolume.create(handle, "home")
        os.close(handle)
    (directories(tmp_path).policy).write_text("[undo]\nfree_megabytes = 0\n")
    async with slated(tmp_path) as board, caller(board) as calls:
        work = tmp_path / "home/project"
        work.mkdir()
        (work / "f").write_text("before\n")
        yield Person(calls, board.undo, work)


async def test_a_preview_is_readable_and_changes_nothing(tmp_path: Path) -> None:
    async with person(tmp_path) as made:
        await made.act("f", "after\n")
        await made.act("new", "made\n")
        text = await made.ask("preview", diff=True)
        assert made.held() == {"f": "after\n", "new": "made\n"}
    lines = text.splitlines()
    assert lines[0].startswith("task t")
    assert lines[0].endswith(", its last prompt: 2 calls")
    assert lines[1:5] == ["restore (1):", f"  {made.work}/f", "delete (1):", f"  {made.work}/new"]
    assert "-after" in lines
    assert "+before" in lines


async def test_what_is_undone_is_in_the_log_and_can_be_redone(tmp_path: Path) -> None:
    async with person(tmp_path) as made:
        await made.act("f", "after\n")
        text = await made.ask("apply")
        assert made.held() == {"f": "before\n"}
        assert "Done: 1 taken back. `slate undo --redo` takes this back." in text
        text = await made.ask("apply", redo=True)
        assert text.startswith("the last undo: 1 call\n")
        assert made.held() == {"f": "after\n"}
    found = list(records(directories(tmp_path).audit, Filter()))
    kinds = [(one["kind"], one.get("redo"), one.get("steps")) for one in found]
    assert ("undo", False, 1) in kinds
    assert ("undo", True, 1) in kinds
    assert sum(kind == "undone" for kind, _, _ in kinds) == 2


async def test_a_mark_a_path_and_a_task_select(tmp_path: Path) -> None:
    async with person(tmp_path) as made:
        await made.act("f", "one\n")
        mark = int(await made.act("g", "one\n"))
        await made.act("f", "two\n")
        await made.act("h", "other\n", session="another")
        task = json.loads(await made.ask("preview", as_json=True))["task"]
        kept = await made.undo.kept()
        tasks = [one["task"] for one in kept["tasks"]]  # type: ignore[attr-defined]  # JSON
        assert tasks.index(task) == 1
        only = await made.ask("preview", task=tasks[0], only=(str(made.work / "g"),), as_json=True)
        assert [s["path"] for s in json.loads(only)["steps"]] == [f"{made.work}/g"]
        await made.ask("apply", task=tasks[0], to=mark)
        assert made.held() == {"f": "one\n", "h": "other\n"}
        await made.ask("apply", task=tasks[0])
        assert made.held() == {"f": "before\n", "h": "other\n"}


async def test_shared_and_later_changes_stay_unless_they_are_named(tmp_path: Path) -> None:
    async with person(tmp_path) as made:
        await made.act("f", "after\n")
        (made.work / "f").write_text("the person's\n")
        text = await made.ask("apply")
        assert made.held() == {"f": "the person's\n"}
        assert "There is nothing to undo." in text
        assert "leave (changed later) (1):" in text
        await made.ask("apply", include=(str(made.work / "f"),))
        assert made.held() == {"f": "before\n"}


async def test_what_two_tasks_did_at_once_is_shared_and_a_file_of_one_alone_is_not(
    tmp_path: Path,
) -> None:
    async with person(tmp_path) as made:
        one = await made.begin("one", command="echo > f")
        two = await made.begin("two", command="echo > f")
        (made.work / "f").write_text("by either\n")
        for grant in (one, two):
            await ask(made.calls, "finish", grant=grant["grant"], outcome={"outcome": "done"})
        await made.act("g", "by the first\n", session="one")
        text = await made.ask("apply", task=one["task"])
        assert made.held() == {"f": "by either\n"}
        assert f"  {made.work}/f: task {two['task']} was at work too" in text.splitlines()
        await made.ask("apply", task=one["task"], include=(str(made.work / "f"),))
        assert made.held() == {"f": "before\n"}


async def test_while_a_call_is_under_way_its_task_is_not_undone(tmp_path: Path) -> None:
    async with person(tmp_path) as made:
        await made.act("f", "after\n")
        agent = {"pid": 1, "started": 1, "program": "claude", "session": "s"}
        wish = {"client": "claude", "tool": "Write", "arguments": {"file_path": f"{made.work}/g"}}
        told = await ask(made.calls, "admit", **wish, agent=agent)
        with pytest.raises(Refused) as caught:
            await made.ask("apply")
        assert caught.value.code == "refused.undo.running"
        await ask(made.calls, "finish", grant=told["grant"], outcome={})
        await made.ask("apply")
        assert made.held() == {"f": "before\n"}


async def test_without_anything_to_take_back_it_says_so(tmp_path: Path) -> None:
    async with person(tmp_path) as made:
        with pytest.raises(BadRequest, match="no task has changed anything"):
            await made.ask("apply")
        with pytest.raises(BadRequest, match="no undo to take back"):
            await made.ask("apply", redo=True)
        assert await made.ask("resume") == "No undo was cut off."


async def test_an_undo_that_was_cut_off_is_finished_before_the_next(tmp_path: Path) -> None:
    """It was killed when it had written down what it was about to do, and nothing else."""
    async with person(tmp_path) as made:
        await made.act("f", "after\n")
        with made.undo.protection.undoable.using() as undo:
            cut = undo.protect(Call("undo:x", 0, "x", 0, None, (f"{made.work}/f",), exact=True))
        record = Journal("x", "undo:x", cut.mark, State.STAGING, ())
        journal.write(directories(tmp_path).undo, record)
        assert (await made.undo.kept())["pending"] is True
        with pytest.raises(Refused) as caught:
            await made.ask("apply")
        assert caught.value.code == "refused.undo.pending"
        assert await made.ask("resume") == "0 undos were finished, 1 taken back"
        await made.ask("apply")
        assert made.held() == {"f": "before\n"}


async def test_only_a_person_may_and_it_is_told_in_pieces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with person(tmp_path) as made:
        await made.act("f", "after\n")
        for method in ("undo", "snapshots"):
            with pytest.raises(SlateError) as caught:
                await ask(made.calls, method, what="prune")
            assert caught.value.code == "refused.not_a_person"
        told = await ask(made.calls, "snapshots", what="list")
        assert [root["by"] for root in told["roots"]] == ["snapshots" if ROOM else "copies"]
        assert told["tasks"][0]["calls"] == 1
        marks = await ask(made.calls, "snapshots", what="show", task=told["tasks"][0]["task"])
        assert marks["calls"][0]["targets"] == [f"{made.work}/f"]
        with pytest.raises(BadRequest):
            await ask(made.calls, "snapshots", what="show", task="t999")
        a_person_sits_here(monkeypatch)
        assert await ask(made.calls, "undo", what="apply") == {"steps": 1}
        assert made.held() == {"f": "before\n"}
        assert (await ask(made.calls, "snapshots", what="prune"))["failed"] == []
        monkeypatch.setattr(undoing, "PIECE", 10)
        text = await made.ask("preview")
        assert len([kind for kind, _ in made.told if kind == "part"]) > 3
        assert text.startswith("task t")


def test_a_request_with_anything_wrong_in_it_is_refused() -> None:
    assert request(Reader({"what": "preview", "to": 3})) == Request("preview", to=3)
    for wrong in ({}, {"what": "x"}, {"what": "apply", "only": "x"}, {"what": "apply", "to": "1"}):
        with pytest.raises(BadRequest):
            request(Reader(wrong))

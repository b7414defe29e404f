"""`slate memory` from the command line to the file."""

from __future__ import annotations

import json
import os
import re
import socket
from pathlib import Path

import anyio
import pytest

from slated.approvals import Answer
from slated.commands.memory import forgotten
from slated.mcp_server import Client
from slated.settings import directories, environment
from slated.snapshots.pictures import Limits
from slated.snapshots.timeline import Call
from slated.snapshots.undo import Undo
from slated.wire.peer import Peer, started
from slated.wire.serve import Connection
from tests.fakes.at_home import at_home, slate
from tests.fakes.conscience import asked

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


async def test_r222_nothing_of_what_is_forgotten_is_left_in_any_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """R222: an agent remembers, recalls and forgets by text; a person forgets by number. Log and open questions too."""
    async with at_home(monkeypatch) as board, anyio.create_task_group() as tasks:
        ours, theirs = socket.socketpair()
        stream = await anyio.abc.SocketStream.from_socket(ours)
        theirs.close()
        peer = Peer(os.getuid(), os.getpid(), started(os.getpid()))
        agent = Client(Connection(stream, peer, b"", 1, cwd=str(tmp_path)), board)
        board.service.approvals.approvers = 1

        async def yes() -> None:
            question = await asked(board)
            ref, digest = str(question["ref"]), str(question["digest"])
            await board.service.answer(ref, digest, Answer.ONCE, "a test's person")

        for word in ("zebra-77", "okapi-88"):
            for scope in ("user", "project"):
                text = f"the animal is {word}"
                await agent._answer("remember", {"text": text, "scope": scope})
        tasks.start_soon(yes)
        gone = await agent._answer("forget", {"text": "the animal is zebra-77"})
        assert gone["forgotten"] == 2
        found = await agent._answer("recall", {"query": "zebra-77 okapi-88"})
        numbers = [str(one["id"]) for one in found["memories"]]
        assert len(numbers) == 2
        assert await slate("memory", "forget", *numbers) == 0
        found = await agent._answer("recall", {"query": "okapi-88"})
        assert found["memories"] == []
        await stream.aclose()
        state = Path(str(board.facts()["state"])).parent
        assert (state / "memory/memory.sqlite").exists()
        with anyio.fail_after(5):
            # The open questions are written anew in their own time.
            while left := traces(state):  # noqa: ASYNC110 - files are looked at, nothing tells of them
                await anyio.sleep(0.05)
        assert left == []


def traces(state: Path) -> list[Path]:
    """Files that hold one of the words."""
    found = [path for path in state.rglob("*") if path.is_file()]
    return [path for path in found if re.search(rb"zebra|okapi", path.read_bytes())]


async def test_undo_copies_that_still_hold_the_memory_are_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async with at_home(monkeypatch) as board:
        await slate("memory", "remember", "Tabs.")
        where = directories(environment())
        undo = Undo(where.undo, [str(where.state)], limits=Limits(floor=0))
        undo.protect(Call("t", 1, "c", 0, None, (f"{where.state}/memory/",), exact=False))
        undo.close()
        capsys.readouterr()
        assert await slate("memory", "forget", "--scope", "user") == 0
        assert "still in an undo copy: copy of " in capsys.readouterr().out
        assert board.stores.memory().each() == []


def test_what_undo_copies_still_hold_is_said() -> None:
    assert forgotten({"forgotten": 2, "copies": ["a\nb"]})[1] == "still in an undo copy: a\\nb"

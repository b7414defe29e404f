"""The gate against a slated in this process: grants, refusals, receipts, and what goes on without it."""

from __future__ import annotations

import os
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import anyio
import pytest
from anyio.abc import SocketStream

from slate_desktop import gate as gate_module
from slate_desktop.errors import Bug, Refused, Unavailable
from slate_desktop.gate import Conscience, SlatedGate, conscience, tool_use
from slate_desktop.intent import Close, Intent, Look, Steps
from slate_desktop.outcome import Outcome, Verified
from slated.audit.reader import Wanted, records
from slated.model import Tier
from slated.switchboard import Switchboard
from slated.wire.peer import Peer, started
from slated.wire.serve import Connection
from tests.fakes.conscience import directories, slated

pytestmark = pytest.mark.anyio

INTENT = Intent("desktop_close", Tier.REVERSIBLE, Close())
LOOK = Intent("desktop_windows", Tier.OBSERVE, Look("windows"))
AGENT = Peer(os.getuid(), os.getpid(), started(os.getpid()))


class Way:
    """Leads to a slated of this process, or nowhere. `ends` are the far ends, to cut a connection by."""

    def __init__(self, board: Switchboard | None) -> None:
        self.board = board
        self.ends: list[SocketStream] = []
        self.tries = 0

    async def serve(self, tasks: anyio.abc.TaskGroup) -> None:
        self.tasks = tasks

    async def __call__(self) -> SocketStream:
        self.tries += 1
        if self.board is None:
            raise Unavailable("daemon", "it could not be started.")
        ours, theirs = socket.socketpair()
        far = await SocketStream.from_socket(theirs)
        self.ends.append(far)
        self.tasks.start_soon(self._connection, self.board, far)
        return await SocketStream.from_socket(ours)

    async def _connection(self, board: Switchboard, far: SocketStream) -> None:
        async with far:
            await board.connection(Connection(far, AGENT, b"", 1))


@asynccontextmanager
async def opened(
    board: Switchboard | None, *, attended: bool = True
) -> AsyncIterator[tuple[SlatedGate, Way]]:
    way = Way(board)
    async with anyio.create_task_group() as tasks:
        await way.serve(tasks)
        async with conscience(way, attended=attended) as made:
            yield made.gate(AGENT), way
        tasks.cancel_scope.cancel()


def calls(tmp_path: Path) -> list[dict[str, object]]:
    return list(records(directories(tmp_path).audit, Wanted(kind="call")))


@pytest.mark.promise("audit-before-stroke")
async def test_a_grant_is_for_this_very_intent_and_its_line_is_on_disk_by_then(
    tmp_path: Path,
) -> None:
    async with slated(tmp_path) as board, opened(board) as (gate, _):
        grant = await gate.admit(INTENT)
        assert (grant.digest, grant.tier) == (INTENT.digest, Tier.REVERSIBLE)
        assert board.service.records.log.synced
        (line,) = calls(tmp_path)
        assert (line["tool"], line["intent"]) == ("desktop_close", INTENT.digest)
        assert (await gate.admit(INTENT)) != grant


async def test_the_line_names_the_agents_own_id_of_the_call_and_what_it_had_seen(
    tmp_path: Path,
) -> None:
    async with slated(tmp_path) as board, opened(board) as (gate, _):
        await gate.admit(INTENT)
        token = tool_use.set("toolu_7")
        await gate.admit(replace(INTENT, shown="f7 sha256:ab"))
        tool_use.reset(token)
    first, second = calls(tmp_path)
    assert ("use" in first, second["use"]) == (False, "toolu_7")
    assert str(second["seen"]).endswith("f7 sha256:ab")


async def test_confirm_without_anybody_to_ask_is_refused_and_logged(tmp_path: Path) -> None:
    async with slated(tmp_path) as board, opened(board) as (gate, _):
        with pytest.raises(Refused) as caught:
            await gate.admit(replace(INTENT, tier=Tier.CONFIRM))
        assert caught.value.code == "refused.no_approver"
    assert [line["verdict"] for line in calls(tmp_path)] == ["deny"]


async def test_a_step_must_lie_within_what_was_granted_for_its_batch(tmp_path: Path) -> None:
    async with slated(tmp_path) as board, opened(board) as (gate, _):
        batch = await gate.admit(
            Intent("desktop_batch", Tier.REVERSIBLE, Steps(()), arguments={"steps": []})
        )
        await gate.admit(INTENT, under=batch)
        with pytest.raises(Refused):
            await gate.admit(replace(INTENT, tier=Tier.CONFIRM), under=batch)
        await gate.finish(batch, Outcome("done"))
        with pytest.raises(Refused):
            await gate.admit(INTENT, under=batch)


async def test_the_outcome_is_in_the_log_beside_its_call(tmp_path: Path) -> None:
    async with slated(tmp_path) as board, opened(board) as (gate, _):
        grant = await gate.admit(INTENT)
        await gate.finish(grant, Outcome("closed", Verified.YES, "it is gone"))
        await gate.finish(grant, Outcome("closed", Verified.YES, "it is gone"))
    outcomes = list(records(directories(tmp_path).audit, Wanted(kind="outcome")))
    assert [(o["outcome"], o["said"], o["because"]) for o in outcomes] == [
        ("yes", "closed", "it is gone")
    ]


@pytest.mark.promise("gate-down-no-action")
async def test_without_slated_nothing_but_looking_is_granted() -> None:
    async with opened(None) as (gate, way):
        for tier in (Tier.REVERSIBLE, Tier.CONFIRM):
            with pytest.raises(Unavailable) as caught:
                await gate.admit(replace(INTENT, tier=tier))
            assert caught.value.code == "unavailable.slated"
        look = await gate.admit(LOOK)
        assert (look.digest, look.tier) == (LOOK.digest, Tier.OBSERVE)
        with pytest.raises(Unavailable):
            await gate.admit(INTENT, under=look)
        await gate.finish(look, Outcome("seen"))
        assert way.tries == 1, "a failed start stands for a while"


@pytest.mark.promise("gate-down-no-action")
async def test_slated_is_reached_again_when_it_is_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gate_module, "AGAIN_S", 0.0)
    async with slated(tmp_path) as board, opened(board) as (gate, way):
        first = await gate.admit(INTENT)
        way.board = None
        await way.ends[-1].aclose()
        with pytest.raises(Unavailable):
            await gate.admit(INTENT)
        await gate.finish(first, Outcome("done"))
        way.board = board
        await gate.admit(INTENT)
    assert len(calls(tmp_path)) == 2


async def test_a_slated_that_ended_while_it_was_idle_is_not_noticed(tmp_path: Path) -> None:
    async with slated(tmp_path) as board, opened(board) as (gate, way):
        await gate.admit(INTENT)
        await way.ends[-1].aclose()
        await gate.admit(INTENT)


@pytest.mark.promise("gate-down-no-action")
async def test_a_slated_that_says_nothing_is_given_up_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = 0

    async def silent(wanted: object) -> None:
        nonlocal asked
        asked += 1
        await anyio.sleep_forever()

    async with slated(tmp_path) as board, opened(board) as (gate, _):
        monkeypatch.setattr(gate_module, "ADMIT_S", 0.1)
        monkeypatch.setattr(board.service, "admit", silent)
        with anyio.fail_after(3), pytest.raises(Unavailable) as caught:
            await gate.admit(INTENT)
        assert (caught.value.code, asked) == ("unavailable.slated", 1)


async def test_a_full_disk_is_told_as_such_and_looking_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: object) -> int:
        raise Unavailable("audit", "nothing was done: the disk is full.")

    async with slated(tmp_path) as board, opened(board) as (gate, _):
        monkeypatch.setattr(board.service.records.log, "append", full)
        await gate.admit(LOOK)
        with pytest.raises(Unavailable) as caught:
            await gate.admit(INTENT)
        assert caught.value.code == "unavailable.audit"


async def test_where_nobody_sits_a_program_may_be_launched_unasked(tmp_path: Path) -> None:
    from slate_desktop.intent import Launch

    program = Intent("desktop_launch", Tier.REVERSIBLE, Launch(("some-program",), None, None, 5))
    async with slated(tmp_path) as board:
        async with opened(board, attended=False) as (gate, _):
            assert (await gate.admit(program)).tier is Tier.REVERSIBLE
        async with opened(board) as (gate, _):
            with pytest.raises(Refused):
                await gate.admit(program)


def test_an_answer_about_another_intent_is_a_fault() -> None:
    told = {"digest": "other", "tier": "reversible", "grant": 1}
    with pytest.raises(Bug):
        Conscience.given(INTENT, told, {"reversible": Tier.REVERSIBLE})

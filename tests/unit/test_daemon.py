"""The daemon's log lines, its word to whoever started it, and leases that several connections share."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import pytest
from anyio.streams.stapled import StapledObjectStream

from slate_desktop import daemon, mcp_server
from slated.wire.peer import Peer
from slated.wire.serve import Connection, Door
from tests.fakes.desktop import REGISTRY, Ledger


class Held:
    """Counts leases."""

    registry = REGISTRY

    def __init__(self) -> None:
        self.open = 0
        self.made = 0

    @asynccontextmanager
    async def lease(self, peer: Peer) -> AsyncIterator[Ledger]:
        self.open += 1
        self.made += 1
        try:
            yield Ledger()
        finally:
            self.open -= 1

    async def occupied(self) -> bool:
        return self.open > 0

    async def ended(self) -> str:
        await anyio.sleep_forever()
        return ""


def _connection(share: str = "") -> Connection:
    stream: object = StapledObjectStream  # never touched
    return Connection(stream, Peer(0, 1, None), b"", 1, share=share)  # type: ignore[arg-type]


def _record(message: str, **extra: object) -> logging.LogRecord:
    record = logging.makeLogRecord({"msg": message, "levelname": "INFO", "name": "x"})
    vars(record).update(extra)
    return record


def test_a_log_line_is_json_with_the_call_it_belongs_to() -> None:
    mcp_server.call_id.set("abc")
    line = json.loads(daemon.JsonLines().format(_record("call", tool="desktop_echo")))
    mcp_server.call_id.set("")
    assert (line["event"], line["call"], line["tool"]) == ("call", "abc", "desktop_echo")
    assert line["t"].endswith("+00:00")
    assert "call" not in json.loads(daemon.JsonLines().format(_record("x")))


@pytest.mark.anyio
async def test_connections_of_one_share_have_one_lease_and_others_their_own() -> None:
    held = Held()
    async with anyio.create_task_group() as tasks:
        server = daemon._Server(held, tasks, "1")
        async with server._context(_connection("verbs")) as (first, order):
            async with server._context(_connection("verbs")) as (second, same_order):
                assert (second, same_order) == (first, order)
            async with server._context(_connection()) as (own, own_order):
                assert own is not first
                assert own_order is not order
                assert held.open == 2
            assert held.open == 1
        async with server._context(_connection("verbs")) as (again, _):
            assert again is first
        assert held.made == 2
        tasks.cancel_scope.cancel()
    assert held.open == 0


@pytest.mark.anyio
async def test_a_shared_lease_goes_once_nobody_has_used_it_for_a_while(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(daemon, "SHARE_IDLE_S", 0.05)
    held = Held()
    async with anyio.create_task_group() as tasks:
        server = daemon._Server(held, tasks, "1")
        async with server._context(_connection("verbs")) as (first, _):
            await anyio.sleep(0.15)
            assert held.open == 1
        await anyio.sleep(0.3)
        assert held.open == 0
        async with server._context(_connection("verbs")) as (second, _):
            assert second is not first
        tasks.cancel_scope.cancel()


@pytest.mark.anyio
async def test_an_idle_daemon_with_windows_open_stays() -> None:
    held = Held()
    door = Door(version="1")
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(daemon._end_when_idle, door, held, 0.03, tasks)
        async with held.lease(Peer(0, 1, None)):
            await anyio.sleep(0.15)
            assert not tasks.cancel_scope.cancel_called
        with anyio.fail_after(5):
            await anyio.sleep_forever()
    assert tasks.cancel_scope.cancel_called


@pytest.mark.anyio
async def test_a_private_desktop_with_windows_open_makes_room_for_no_other_version() -> None:
    held = Held()
    assert await daemon._may_leave(held, 600.0)
    async with held.lease(Peer(0, 1, None)):
        assert not await daemon._may_leave(held, 600.0)
        assert await daemon._may_leave(held, None)  # a person's windows are not ours to lose

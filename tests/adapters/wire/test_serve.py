"""The daemon's door: who gets in, who does not, and what is left of it."""

from __future__ import annotations

import json
import os
import socket
import stat
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio.abc import SocketStream

from slated.errors import Unavailable
from slated.wire import rpc, serve
from slated.wire.peer import Peer
from slated.wire.serve import Connection, Door

pytestmark = pytest.mark.anyio


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "d.sock")


async def _echo(connection: Connection) -> None:
    """Say who was let in, then wait for the end."""
    facts = {"serial": connection.serial, "cwd": connection.cwd, "pid": connection.peer.pid}
    with anyio.move_on_after(5), suppress(anyio.BrokenResourceError):
        await connection.stream.send(rpc.encode({**facts, "first": connection.first.decode()}))
        async for _ in connection.stream:
            pass


@asynccontextmanager
async def _door(path: str, **how: Any) -> AsyncIterator[Door]:
    door = Door(version="2", **how)
    async with (
        serve.alone(path),
        serve.listening(path) as listener,
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(door.serve, listener, _echo)
        yield door
        await _inside(door, 0)
        tasks.cancel_scope.cancel()


async def _inside(door: Door, wanted: int) -> None:
    """Wait until so many connections are served."""
    with anyio.fail_after(5):
        while door.inside != wanted:
            await door.changed.wait()


async def _hello(
    path: str, *, more: bytes = b"", **facts: Any
) -> tuple[SocketStream, dict[str, Any]]:
    stream = await anyio.connect_unix(path)
    await stream.send(rpc.encode({"slate": 1, "version": "2", **facts}) + more)
    return stream, await _line(stream)


async def _line(stream: SocketStream) -> dict[str, Any]:
    data = b""
    with anyio.fail_after(5):
        while not data.endswith(b"\n"):
            data += await stream.receive(1)
    got: dict[str, Any] = json.loads(data)
    return got


async def _over(stream: SocketStream, within_s: float = 5) -> bool:
    with anyio.move_on_after(within_s):
        try:
            while True:
                await stream.receive()
        except (anyio.EndOfStream, anyio.BrokenResourceError):
            return True
    return False


async def test_a_greeting_is_answered_and_what_follows_it_is_kept(path: str) -> None:
    async with _door(path):
        stream, welcome = await _hello(path, cwd="/x", more=b"hello\n")
        assert welcome["version"] == "2"
        got = await _line(stream)
        assert (got["first"], got["cwd"], got["pid"]) == ("hello\n", "/x", os.getpid())
        await stream.aclose()


async def test_the_socket_is_for_its_user_only_and_goes_with_the_daemon(path: str) -> None:
    async with _door(path):
        mode = os.stat(path).st_mode
        assert stat.S_ISSOCK(mode)
        assert stat.S_IMODE(mode) == 0o600
    assert os.listdir(os.path.dirname(path)) == ["d.lock"]


async def test_a_dead_daemons_socket_is_cleared_away_and_a_living_ones_is_not(path: str) -> None:
    left = socket.socket(socket.AF_UNIX)
    left.bind(path)
    left.close()
    async with _door(path):
        with pytest.raises(Unavailable) as caught:
            async with serve.alone(path):
                pass
        assert caught.value.code == "unavailable.daemon_running"
        assert str(os.getpid()) in caught.value.message
        stream, welcome = await _hello(path)
        assert welcome
        await stream.aclose()


async def test_a_daemon_on_its_way_out_is_waited_for(path: str) -> None:
    came = anyio.Event()

    async def successor() -> None:
        async with serve.alone(path):
            came.set()

    async with anyio.create_task_group() as tasks:
        async with serve.alone(path):
            tasks.start_soon(successor)
            await anyio.sleep(0.15)
            assert not came.is_set()
        with anyio.fail_after(5):
            await came.wait()


async def test_a_daemon_that_hangs_on_its_way_out_is_named_at_the_deadline(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serve, "WAY_OUT_S", 0.1)
    async with serve.alone(path):
        with pytest.raises(Unavailable, match=str(os.getpid())):
            async with serve.alone(path):
                pass


@pytest.mark.parametrize(
    "greeting",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"[]\n",
        b'{"slate":2,"version":"2"}\n',
        b'{"slate":1,"version":"2","argv":7}\n',
        b'{"slate":1,"version":"2","env":[]}\n',
        b"x" * 70_000,
    ],
)
async def test_who_does_not_greet_as_agreed_is_shown_out_at_once(
    path: str, greeting: bytes
) -> None:
    async with _door(path) as door:
        stream = await anyio.connect_unix(path)
        await stream.send(greeting)
        assert await _over(stream, 4)
        assert door.inside == 0
        await stream.aclose()


async def test_who_says_nothing_is_shown_out_at_the_deadline(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serve, "HELLO_DEADLINE_S", 0.1)
    async with _door(path):
        stream = await anyio.connect_unix(path)
        await stream.send(b'{"slate":1')
        assert await _over(stream, 2)
        await stream.aclose()


async def test_another_user_is_not_let_in(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve, "peer_of", lambda _: Peer(uid=os.getuid() + 1, pid=1, started=None))
    refused: list[str] = []
    async with _door(path, refused=lambda peer, why: refused.append(why)) as door:
        stream = await anyio.connect_unix(path)
        await stream.send(rpc.encode({"slate": 1, "version": "2"}))
        assert await _over(stream, 4)
        assert door.inside == 0
        assert refused == ["it is another user's"]
        await stream.aclose()


async def test_one_more_connection_than_the_limit_is_told_so(path: str) -> None:
    async with _door(path, limit=2) as door:
        kept = [await _hello(path) for _ in range(2)]
        await _inside(door, 2)
        last, welcome = await _hello(path)
        assert welcome["refused"] == "busy"
        await kept[0][0].aclose()
        await _inside(door, 1)
        again, welcome = await _hello(path)
        assert "refused" not in welcome
        for stream in (kept[1][0], last, again):
            await stream.aclose()


async def test_another_version_makes_an_idle_daemon_leave_and_a_busy_one_stay(path: str) -> None:
    async with _door(path) as door:
        inside, _ = await _hello(path)
        await _inside(door, 1)
        other, welcome = await _hello(path, version="3")
        assert (welcome["refused"], welcome["leaving"], welcome["version"]) == (
            "version",
            False,
            "2",
        )
        assert not door.leaving.is_set()
        await inside.aclose()
        await _inside(door, 0)
        last, welcome = await _hello(path, version="3")
        assert welcome["leaving"] is True
        with anyio.fail_after(5):
            await door.leaving.wait()
        for stream in (other, last):
            await stream.aclose()


async def test_a_daemon_that_must_stay_is_not_made_to_leave(path: str) -> None:
    async def stays() -> bool:
        return False

    async with _door(path, may_leave=stays) as door:
        stream, welcome = await _hello(path, version="3")
        assert welcome["leaving"] is False
        assert not door.leaving.is_set()
        await stream.aclose()


async def test_a_client_that_resets_right_after_its_greeting_harms_nobody(path: str) -> None:
    async with _door(path):
        for _ in range(20):
            rude = socket.socket(socket.AF_UNIX)
            rude.connect(path)
            rude.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            rude.send(rpc.encode({"slate": 1, "version": "2"}))
            rude.close()
        stream, welcome = await _hello(path)
        assert welcome
        await stream.aclose()

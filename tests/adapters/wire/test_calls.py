"""Many calls over one connection: each gets its own answer, its own deadline, and none outlives the connection."""

from __future__ import annotations

import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import pytest
from anyio.abc import SocketStream

from slated.errors import Refused, Unavailable
from slated.wire.calls import Calls
from slated.wire.control import failed

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def pair() -> AsyncIterator[tuple[Calls, SocketStream]]:
    ours, theirs = socket.socketpair()
    near, far = await SocketStream.from_socket(ours), await SocketStream.from_socket(theirs)
    calls = Calls(near)
    async with near, far, anyio.create_task_group() as tasks:
        tasks.start_soon(calls.run)
        yield calls, far
        tasks.cancel_scope.cancel()


async def read(far: SocketStream, count: int) -> list[dict[str, object]]:
    data = b""
    while data.count(b"\n") < count:
        data += await far.receive()
    return [json.loads(line) for line in data.splitlines()]


async def test_answers_find_their_calls_in_any_order() -> None:
    async with pair() as (calls, far):
        got: dict[str, object] = {}

        async def one(name: str) -> None:
            got[name] = await calls.ask("x", {"name": name}, deadline_s=5)

        async with anyio.create_task_group() as tasks:
            for name in "abc":
                tasks.start_soon(one, name)
            asked = await read(far, 3)
            for message in reversed(asked):
                answer = {"id": message["id"], "result": message["params"]}
                await far.send(json.dumps(answer).encode() + b"\n")
        assert got == {name: {"name": name} for name in "abc"}


async def test_a_failure_is_that_of_its_call() -> None:
    async with pair() as (calls, far), anyio.create_task_group() as tasks:

        async def answer() -> None:
            (message,) = await read(far, 1)
            await far.send(
                b'{"id":77,"result":1}\n' + failed(int(str(message["id"])), Refused("denied", "no"))
            )

        tasks.start_soon(answer)
        with pytest.raises(Refused):
            await calls.ask("x", {}, deadline_s=5)


async def test_a_call_ends_with_its_deadline_and_the_next_one_works() -> None:
    async with pair() as (calls, far):
        with anyio.fail_after(2), pytest.raises(Unavailable):
            await calls.ask("x", {}, deadline_s=0.02)
        await read(far, 1)
        async with anyio.create_task_group() as tasks:

            async def answer() -> None:
                (message,) = await read(far, 1)
                await far.send(json.dumps({"id": message["id"], "result": 2}).encode() + b"\n")

            tasks.start_soon(answer)
            assert await calls.ask("x", {}, deadline_s=5) == 2


@pytest.mark.parametrize("last", [b"", b"rubbish\n"])
async def test_when_the_connection_ends_every_call_ends(last: bytes) -> None:
    async with pair() as (calls, far):

        async def end() -> None:
            await read(far, 1)
            if last:
                await far.send(last)
            else:
                await far.aclose()

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(end)
            with anyio.fail_after(2), pytest.raises(Unavailable) as caught:
                await calls.ask("x", {}, deadline_s=60)
        assert caught.value.code == "unavailable.slated"
        assert calls.ended
        with pytest.raises(Unavailable):
            await calls.ask("x", {}, deadline_s=60)

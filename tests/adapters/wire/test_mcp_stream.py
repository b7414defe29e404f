"""One MCP session over a pair of byte streams, without sockets."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from anyio.streams.stapled import StapledByteStream, StapledObjectStream
from mcp.server.lowlevel import Server
from mcp_types import CallToolResult, TextContent

from slated.wire import mcp_stream, rpc
from tests.fakes.stage import ENVELOPE

pytestmark = pytest.mark.anyio


class Ends:
    """A client's hands: what it sends, what comes back."""

    def __init__(
        self, out: MemoryObjectSendStream[bytes], back: MemoryObjectReceiveStream[bytes]
    ) -> None:
        self._out = out
        self._back = back
        self._lines = rpc.Lines()
        self._got: list[dict[str, Any]] = []

    async def send(self, data: bytes) -> None:
        await self._out.send(data)

    async def call(self, id_: int, tool: str = "x") -> None:
        params = {"name": tool, "_meta": ENVELOPE}
        message = {"jsonrpc": "2.0", "id": id_, "method": "tools/call", "params": params}
        await self.send(rpc.encode(message))

    async def next(self) -> dict[str, Any]:
        with anyio.fail_after(5):
            while not self._got:
                lines = self._lines.feed(await self._back.receive())
                self._got += [json.loads(line) for line in lines if isinstance(line, bytes)]
        return self._got.pop(0)

    def end(self) -> None:
        self._out.close()


class Pipe(StapledByteStream):
    """Memory streams as a byte stream."""

    def __init__(
        self, read: MemoryObjectReceiveStream[bytes], write: MemoryObjectSendStream[bytes]
    ) -> None:
        both: Any = StapledObjectStream(write, read)
        super().__init__(both, both)
        self._both = both

    async def receive(self, max_bytes: int = 65536) -> bytes:
        got: bytes = await self._both.receive()
        return got

    async def send(self, item: bytes) -> None:
        await self._both.send(item)


@asynccontextmanager
async def _session(server: Server[Any], first: bytes = b"") -> AsyncIterator[Ends]:
    out_send, out_receive = anyio.create_memory_object_stream[bytes](100)
    back_send, back_receive = anyio.create_memory_object_stream[bytes](100)
    async with out_send, out_receive, back_send, back_receive, anyio.create_task_group() as tasks:

        async def run() -> None:
            await mcp_stream.run(server, Pipe(out_receive, back_send), first=first)

        tasks.start_soon(run)
        yield Ends(out_send, back_receive)
        out_send.close()  # the session has to end by itself at the end of input


def _server(seen: list[str], size: int = 1) -> Server[Any]:
    async def call(_: Any, params: Any) -> CallToolResult:
        seen.append(f"begin {params.name}")
        try:
            if params.name == "slow":
                await anyio.sleep(30)
        finally:
            seen.append(f"end {params.name}")
        return CallToolResult(content=[TextContent(type="text", text="y" * size)])

    return Server("x", version="1", on_call_tool=call)


async def test_bytes_that_came_with_the_greeting_are_served_first() -> None:
    message = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "x", "_meta": ENVELOPE},
    }
    async with _session(_server([]), first=rpc.encode(message)) as ends:
        assert (await ends.next())["id"] == 1


async def test_lines_in_pieces_and_several_in_one_piece_are_all_served() -> None:
    async with _session(_server([])) as ends:
        one = rpc.encode(
            {
                "jsonrpc": "2.0",
                "id": 1,
                "method": "tools/call",
                "params": {"name": "x", "_meta": ENVELOPE},
            }
        )
        two = one.replace(b'"id":1', b'"id":2')
        for piece in (one[:10], one[10:30], one[30:] + two):
            await ends.send(piece)
        assert {(await ends.next())["id"], (await ends.next())["id"]} == {1, 2}


async def test_the_end_of_input_cancels_what_runs_and_ends_the_session() -> None:
    seen: list[str] = []
    async with _session(_server(seen)) as ends:
        await ends.call(1, "slow")
        with anyio.fail_after(5):
            while not seen:  # noqa: ASYNC110 - the server has no event for it
                await anyio.sleep(0.005)
    assert seen == ["begin slow", "end slow"]


async def test_r119_an_answer_over_the_limit_becomes_an_error_for_the_same_request() -> None:
    async with _session(_server([], size=rpc.LINE_LIMIT)) as ends:
        await ends.call(4)
        answer = await ends.next()
    assert answer["id"] == 4
    assert answer["error"]["message"].startswith("unavailable.size: the call was carried out")


async def test_r119_a_message_over_the_limit_is_answered_without_the_session_ending() -> None:
    async with _session(_server([])) as ends:
        await ends.send(b'{"jsonrpc":"2.0","id":9,"method":"x","params":{"t":"')
        for _ in range(18):
            await ends.send(b"z" * (1 << 20))
        await ends.send(b'"}}\n')
        assert (await ends.next())["id"] == 9
        await ends.call(10)
        assert "result" in await ends.next()


async def test_rubbish_is_answered_with_its_id_where_there_is_one() -> None:
    async with _session(_server([])) as ends:
        for line, id_ in ((b"rubbish\n", None), (b'{"id":5,"jsonrpc":"2.0","method":\n', 5)):
            await ends.send(line)
            answer = await ends.next()
            assert (answer["id"], answer["error"]["code"]) == (id_, rpc.PARSE_ERROR)
        await ends.call(10)
        assert "result" in await ends.next()

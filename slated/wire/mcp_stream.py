"""One MCP session over one connection: lines of bytes ↔ the SDK's messages. One of the two importers of `mcp`."""

from __future__ import annotations

from typing import Any

import anyio
import mcp_types
from anyio.abc import ByteStream
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage

from slated.wire import rpc

_TOOL_USE = ("claudecode/toolUseId", "callId")
_ID_CHARACTERS = 128
_CHUNK = 1 << 18
_LAST_WORDS_S = 1.0
_GONE = (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError)


def tool_use(params: mcp_types.CallToolRequestParams) -> str:
    """The agent program's own id of a call, which its hook is told as well; "" where it gives none."""
    told = dict(params.meta or {})
    found = (told.get(name) for name in _TOOL_USE)
    return next((id_ for id_ in found if isinstance(id_, str) and len(id_) <= _ID_CHARACTERS), "")


async def run(server: Server[Any], stream: ByteStream, *, first: bytes = b"") -> None:
    """Serve one client, in the era it opens with, until it ends its side. Calls still running then are cancelled.

    `first` is what was read from `stream` already. What is no message, or too long for one, is answered as such.
    """
    in_send, in_receive = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    out_send, out_receive = anyio.create_memory_object_stream[SessionMessage](0)
    writer = _Writer(stream)
    written = anyio.Event()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_read, stream, first, in_send, writer)
        tasks.start_soon(_write, out_receive, writer, written)
        async with in_receive, out_send:
            await server.run(in_receive, out_send, server.create_initialization_options())
        with anyio.move_on_after(_LAST_WORDS_S):
            await written.wait()
        tasks.cancel_scope.cancel()


class _Writer:
    """Whole lines only, also when two tasks write; silent once the client is gone."""

    def __init__(self, stream: ByteStream) -> None:
        self._stream = stream
        self._lock = anyio.Lock()

    async def line(self, data: bytes) -> None:
        async with self._lock:
            await self._stream.send(data)


async def _read(
    stream: ByteStream,
    first: bytes,
    messages: MemoryObjectSendStream[SessionMessage | Exception],
    writer: _Writer,
) -> None:
    lines = rpc.Lines()
    data = first
    async with messages:
        try:
            while True:
                for line in lines.feed(data):
                    await _message(line, messages, writer)
                data = await stream.receive(_CHUNK)
        except _GONE:
            return


async def _message(
    line: bytes | rpc.TooLong,
    messages: MemoryObjectSendStream[SessionMessage | Exception],
    writer: _Writer,
) -> None:
    if isinstance(line, rpc.TooLong):
        await writer.line(rpc.too_long(line))
        return
    try:
        message = mcp_types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError:
        # The SDK would drop it without a word, and the client would wait for ever.
        id_ = rpc.find_id(line[:4096], line[-4096:])
        text = "bad_request.message: this line is not a JSON-RPC message in UTF-8."
        await writer.line(rpc.error(id_, rpc.PARSE_ERROR, text))
        return
    await messages.send(SessionMessage(message))


async def _write(
    messages: MemoryObjectReceiveStream[SessionMessage], writer: _Writer, written: anyio.Event
) -> None:
    async with messages:
        try:
            async for item in messages:
                await writer.line(_encoded(item.message))
        except _GONE:
            return
        finally:
            written.set()


def _encoded(message: mcp_types.JSONRPCMessage) -> bytes:
    data = message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"
    if len(data) <= rpc.LINE_LIMIT:
        return data
    id_ = message.id if isinstance(message, mcp_types.JSONRPCResponse) else None
    text = (
        f"unavailable.size: the call was carried out, but its answer has {len(data)} bytes and "
        f"{rpc.LINE_LIMIT} are allowed. next: ask for less"
    )
    return rpc.error(id_, rpc.SERVER_ERROR, text)

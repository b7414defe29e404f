"""A scripted sway: answers IPC requests on a real unix socket as it is told, and remembers what was
asked.
"""

from __future__ import annotations

import asyncio
import json
import struct
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import anyio.lowlevel

HEADER = struct.Struct("=6sII")
EVENT = 1 << 31
SUBSCRIBE = 2


@dataclass
class SwayPeer:
    """`answers` maps a request number to its JSON, or to a function of the request's payload."""

    path: str
    answers: dict[int, object] = field(default_factory=dict)
    asked: list[tuple[int, str]] = field(default_factory=list)
    connections: int = 0
    open: int = 0  # connections that are there now
    silent: bool = False  # reads requests and answers none until told otherwise
    hangs_up: bool = False  # closes at the next request
    torn: int = 0  # bytes per write; 0: whole
    raw: bytes = b""  # sent instead of the next answer
    _late: list[tuple[asyncio.StreamWriter, bytes]] = field(default_factory=list)
    _subscribers: list[asyncio.StreamWriter] = field(default_factory=list)
    _writers: list[asyncio.StreamWriter] = field(default_factory=list)

    def commands(self) -> list[str]:
        """Every single command that was run."""
        return [word for kind, text in self.asked if kind == 0 for word in text.split("; ")]

    def speak_up(self) -> None:
        """Answer, too late, what was asked in silence."""
        self.silent = False
        late, self._late = self._late, []
        for stream, data in late:
            stream.write(data)

    async def emit(self, number: int, body: object) -> None:
        """An event to everyone subscribed."""
        for stream in self._subscribers:
            await self._write(stream, frame(number | EVENT, body))

    def drop_all(self) -> None:
        """Close the event connections."""
        subscribers, self._subscribers = self._subscribers, []
        for stream in subscribers:
            stream.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self.open += 1
        self._writers.append(writer)
        data = b""
        try:
            while chunk := await reader.read(65536):
                data += chunk
                while len(data) >= HEADER.size:
                    _, length, kind = HEADER.unpack_from(data)
                    payload, data = data[14 : 14 + length].decode(), data[14 + length :]
                    self.asked.append((kind, payload))
                    if self.hangs_up:
                        return
                    await self._answer(writer, kind, payload)
        except ConnectionError:
            return  # the client dropped the connection with an answer still to come
        finally:
            self.open -= 1
            writer.close()

    async def _answer(self, writer: asyncio.StreamWriter, kind: int, payload: str) -> None:
        answer = self.answers.get(kind, [{"success": True} for _ in payload.split("; ")])
        if callable(answer):
            answer = answer(payload)
        data, self.raw = self.raw or frame(kind, answer), b""
        if kind == SUBSCRIBE:
            self._subscribers.append(writer)
        if self.silent:
            self._late.append((writer, data))
        else:
            await self._write(writer, data)

    async def _write(self, writer: asyncio.StreamWriter, data: bytes) -> None:
        step = self.torn or len(data)
        for start in range(0, len(data), step):
            writer.write(data[start : start + step])
            await writer.drain()
            if self.torn:
                await anyio.lowlevel.checkpoint()


def frame(kind: int, body: object) -> bytes:
    """A message as sway writes it; `bytes` go out as they are."""
    payload = body if isinstance(body, bytes) else json.dumps(body).encode()
    return HEADER.pack(b"i3-ipc", len(payload), kind) + payload


@asynccontextmanager
async def sway_peer(answers: dict[int, object] | None = None) -> AsyncIterator[SwayPeer]:
    """A peer that listens on a socket of its own."""
    with tempfile.TemporaryDirectory(prefix="sway-") as directory:
        path = str(Path(directory, "ipc"))
        peer = SwayPeer(path, dict(answers or {}))
        server = await asyncio.start_unix_server(peer._serve, path)
        try:
            yield peer
        finally:
            server.close()
            for writer in peer._writers:
                writer.transport.abort()
            await anyio.lowlevel.checkpoint()

"""The least that a round trip with a flush costs here: an asyncio server that decides nothing, in a process of its own.

`python -m bench.floor SOCKET LOG` serves one connection: what comes is written to LOG, flushed, and sent back.
"""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

READY = b"ready\n"


class Echo(asyncio.Protocol):
    """Writes, flushes, answers; ends when its peer leaves."""

    def __init__(self, log: int, ended: asyncio.Event) -> None:
        self._log, self._ended = log, ended

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        os.write(self._log, data)
        os.fdatasync(self._log)
        self._transport.write(data)

    def connection_lost(self, exc: Exception | None) -> None:
        self._ended.set()


async def serve(path: str, log: int) -> None:
    """Serve until the first peer has left."""
    ended = asyncio.Event()
    server = await asyncio.get_running_loop().create_unix_server(lambda: Echo(log, ended), path)
    os.write(sys.stdout.fileno(), READY)
    async with server:
        await ended.wait()


@contextmanager
def served(folder: Path) -> Iterator[socket.socket]:
    """A connection to such a server, whose log lies in `folder`."""
    command = [
        sys.executable,
        "-m",
        "bench.floor",
        str(folder / "floor"),
        str(folder / "floor.log"),
    ]
    server = subprocess.Popen(command, stdout=subprocess.PIPE)
    try:
        assert server.stdout is not None
        assert server.stdout.readline() == READY
        with socket.socket(socket.AF_UNIX) as link:
            link.connect(str(folder / "floor"))
            yield link
        server.wait(10)
    finally:
        server.kill()
        server.wait()
        (folder / "floor").unlink(missing_ok=True)


def main() -> None:
    """The command line."""
    path, log = sys.argv[1:]
    handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    asyncio.run(serve(path, handle))


if __name__ == "__main__":
    main()

"""Somebody else at slated's socket: kills the hook before a tool call, leaves it hanging, or tells it nonsense."""

from __future__ import annotations

import os
import signal
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from slated import __version__
from slated.wire import rpc

Deed = Callable[[socket.socket], None]
HANG_S = 20.0
WELCOME = rpc.encode({"slate": 1, "version": __version__, "pid": 1})


def killing(link: socket.socket) -> None:
    """Kill whoever connected."""
    os.kill(_peer(link), signal.SIGKILL)


def _peer(link: socket.socket) -> int:
    size = struct.calcsize("3i")
    pid, _, _ = struct.unpack("3i", link.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))
    return int(pid)


def stopping(link: socket.socket) -> None:
    """Stop whoever connected, so that not even a deadline of its own ends it; let it go when we end."""
    pid = _peer(link)
    os.kill(pid, signal.SIGSTOP)
    link.settimeout(HANG_S)
    try:
        while link.recv(1 << 16):
            pass
    finally:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def hanging(link: socket.socket) -> None:
    """Never answer."""
    link.settimeout(HANG_S)
    while link.recv(1 << 16):
        pass


def babbling(link: socket.socket) -> None:
    """Greet as slated does, then half an answer."""
    link.sendall(WELCOME)
    link.sendall(b'{"jsonrpc":"2.0","id":1,"result":{"hookSpecificOutput":{"hookEventName":"PreTo')


def _one(link: socket.socket, deed: Deed, reached: list[bytes]) -> None:
    """Do it to the hook before a tool call; let every other event pass, so that there is a call."""
    data = b""
    while data.count(b"\n") < 2:
        more = link.recv(1 << 16)
        if not more:
            return
        data += more
    if b"PreToolUse" in data:
        reached.append(data)
        deed(link)
    else:
        link.sendall(WELCOME + rpc.encode({"jsonrpc": "2.0", "id": 1, "result": None}))


@contextmanager
def impostor(path: Path, deed: Deed) -> Iterator[list[bytes]]:
    """At the socket for as long as the context lasts; what it was asked before tool calls."""
    reached: list[bytes] = []
    path.parent.mkdir(mode=0o700, exist_ok=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as server:
        server.bind(str(path))
        server.listen(64)

        def serve() -> None:
            with suppress(OSError):
                while True:
                    link, _ = server.accept()
                    threading.Thread(target=one, args=(link,), daemon=True).start()

        def one(link: socket.socket) -> None:
            with link, suppress(OSError):
                _one(link, deed, reached)

        threading.Thread(target=serve, daemon=True).start()
        try:
            yield reached
        finally:
            server.shutdown(socket.SHUT_RDWR)

"""The daemon's side of the door: one socket, one instance, only this user, a greeting with limits."""

from __future__ import annotations

import fcntl
import json
import os
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import anyio
from anyio.abc import SocketAttribute, SocketListener, SocketStream

from slated.errors import Unavailable
from slated.wire import rpc
from slated.wire.peer import Peer, peer_of
from slated.wire.reach import HELLO_DEADLINE_S, HELLO_LIMIT, PROTOCOL

CONNECTIONS = 64
LEAVING_S = 0.5
WAY_OUT_S = 10.0


@dataclass(frozen=True, slots=True)
class Connection:
    """A greeted connection. All but `peer` is the client's own word.

    `first` are bytes that came right after its greeting; `share` names connections that want to be one.
    """

    stream: SocketStream
    peer: Peer
    first: bytes
    serial: int
    cwd: str = "/"
    argv: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    share: str = ""


Handler = Callable[[Connection], Awaitable[None]]


@asynccontextmanager
async def alone(path: str) -> AsyncIterator[None]:
    """Be the only daemon of the socket at `path`; a second one gets `unavailable.daemon_running`.

    Its lock is a file beside it with the daemon's pid inside. Who holds it may clear away a dead one's socket. One
    that is on its way out, its socket closed already, is waited for.
    """
    lock = os.open(
        path.removesuffix(".sock") + ".lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600
    )
    try:
        with anyio.move_on_after(WAY_OUT_S):
            while not _taken(lock) and not await _answers(path):  # noqa: ASYNC110 - flock has no event
                await anyio.sleep(0.05)
        if not _taken(lock):
            raise _running(lock)
        os.ftruncate(lock, 0)
        os.pwrite(lock, str(os.getpid()).encode(), 0)
        yield
    finally:
        os.close(lock)


def _taken(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


async def _answers(path: str) -> bool:
    try:
        async with await anyio.connect_unix(path):
            return True
    except OSError:
        return False


def _running(lock: int) -> Unavailable:
    holder = os.pread(lock, 20, 0).decode(errors="replace").strip()
    return Unavailable(
        "daemon_running",
        f"another daemon serves here already (pid {holder}).",
        next_step="use that one, or end it first",
    )


@asynccontextmanager
async def listening(path: str) -> AsyncIterator[SocketListener]:
    """A socket at `path`, mode 0600, for as long as the context lasts. To be used inside `alone`."""
    link = _bound(path)
    try:
        async with await SocketListener.from_socket(link) as listener:
            yield listener
    finally:
        link.close()
        _remove(path)


def _bound(path: str) -> socket.socket:
    """A listening socket. Bound under another name, it appears at its own with the right mode."""
    made = f"{path}.new"
    _remove(made)
    link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        link.bind(made)
        os.chmod(made, 0o600)
        link.listen(CONNECTIONS)
        link.setblocking(False)
        os.replace(made, path)
    except OSError:
        link.close()
        raise
    return link


def _remove(path: str) -> None:
    with suppress(FileNotFoundError):
        os.unlink(path)


class Door:
    """Lets connections in.

    `may_leave` says whether a client of another version may make us end when no other is in. `refused` is told of each
    peer that is not let in for what it is, and why. Neither may raise.
    """

    def __init__(
        self,
        *,
        version: str,
        may_leave: Callable[[], Awaitable[bool]] | None = None,
        refused: Callable[[Peer, str], None] | None = None,
        limit: int = CONNECTIONS,
    ) -> None:
        self._version = version
        self._may_leave = may_leave
        self._refused = refused or (lambda peer, why: None)
        self._limit = limit
        self._serial = 0
        self._inside = 0
        self.leaving = anyio.Event()
        self.changed = anyio.Event()

    @property
    def inside(self) -> int:
        """How many connections are served now."""
        return self._inside

    async def serve(self, listener: SocketListener, handle: Handler) -> None:
        """Serve every connection of this user until cancelled. `handle` must not raise."""
        async with anyio.create_task_group() as tasks:
            while True:
                stream = await listener.accept()
                tasks.start_soon(self._one, stream, handle)

    async def _one(self, stream: SocketStream, handle: Handler) -> None:
        async with stream:
            peer = peer_of(stream.extra(SocketAttribute.raw_socket))
            if peer.uid != os.getuid():
                self._refused(peer, "it is another user's")
                return
            hello, first = await _hello(stream)
            if hello is None:
                self._refused(peer, "it did not greet")
                return
            if not await self._welcome(stream, hello):
                return
            self._serial += 1
            connection = Connection(
                stream=stream,
                peer=peer,
                first=first,
                serial=self._serial,
                cwd=_text(hello.get("cwd"), "/"),
                argv=tuple(map(str, hello.get("argv") or ())),
                env={str(k): str(v) for k, v in (hello.get("env") or {}).items()},
                share=_text(hello.get("share")),
            )
            self._count(+1)
            try:
                await handle(connection)
            finally:
                self._count(-1)

    async def _empty(self) -> bool:
        """Whether nobody is in: a client that was replaced by a newer one may need a moment to be gone."""
        with anyio.move_on_after(LEAVING_S):
            while self._inside:
                await self.changed.wait()
        return not self._inside

    def _count(self, by: int) -> None:
        self._inside += by
        self.changed.set()
        self.changed = anyio.Event()

    async def _welcome(self, stream: SocketStream, hello: Mapping[str, Any]) -> bool:
        """Answer a hello; True if the connection may go on."""
        answer: dict[str, object] = {
            "slate": PROTOCOL,
            "version": self._version,
            "pid": os.getpid(),
        }
        if hello.get("version") != self._version:
            answer["refused"] = "version"
            answer["leaving"] = await self._empty() and (
                self._may_leave is None or await self._may_leave()
            )
        elif self._inside >= self._limit:
            answer["refused"] = "busy"
        try:
            await stream.send(rpc.encode(answer))
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            return False
        if answer.get("leaving"):
            self.leaving.set()
            # Until the whole process is gone: its peer waits for that before it starts another.
            await anyio.sleep(HELLO_DEADLINE_S)
        return "refused" not in answer


async def _hello(stream: SocketStream) -> tuple[dict[str, Any] | None, bytes]:
    """The first line and what came after it; None for a peer that does not greet in time or as it should."""
    data = b""
    with anyio.move_on_after(HELLO_DEADLINE_S):
        while b"\n" not in data and len(data) <= HELLO_LIMIT:
            try:
                data += await stream.receive(HELLO_LIMIT)
            except (anyio.EndOfStream, anyio.BrokenResourceError):
                return None, b""
    line, newline, rest = data.partition(b"\n")
    if not newline or len(line) > HELLO_LIMIT:
        return None, b""
    try:
        hello = json.loads(line)
    except ValueError:
        return None, b""
    fits = isinstance(hello, dict) and hello.get("slate") == PROTOCOL and _shaped(hello)
    return (hello, rest) if fits else (None, b"")


def _shaped(hello: Mapping[str, Any]) -> bool:
    return isinstance(hello.get("argv", []), list) and isinstance(hello.get("env", {}), dict)


def _text(value: object, default: str = "") -> str:
    return value if isinstance(value, str) else default

"""The daemon: holds one desk for the session and serves every connection with a lease and an MCP session of its own."""

from __future__ import annotations

import gc
import importlib
import logging
import os
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from typing import Final, Protocol

import anyio
import anyio.to_thread
from anyio.abc import TaskGroup, TaskStatus

from slate_desktop import __version__
from slate_desktop.errors import SlateError
from slated.toolspec import ToolSpec
from slated.wire import lifetime
from slated.wire.peer import Peer
from slated.wire.serve import Connection, Door, alone, listening

LINGER_S: Final = 600.0
SHARE_IDLE_S: Final = 600.0
"""How long the refs and the seat of a command line outlive its last verb."""

log = logging.getLogger(__name__)


class Held(Protocol):
    """What a daemon serves: tools, a context for each connection, and whether it may end when nobody is connected."""

    @property
    def registry(self) -> Sequence[ToolSpec]: ...

    def lease(self, peer: Peer) -> AbstractAsyncContextManager[object]: ...

    async def occupied(self) -> bool:
        """Whether application windows are open."""

    async def ended(self) -> str:
        """Wait until what is served is gone; says how. Never returns when that cannot happen."""


Opener = Callable[[], AbstractAsyncContextManager[Held]]


async def run(
    socket: str,
    opener: Opener,
    *,
    version: str = __version__,
    linger_s: float | None = None,
    ready_fd: int | None = None,
) -> int:
    """Serve until told to end; the exit code. `linger_s`: end after so long without connections and windows.

    `ready_fd` gets one line of JSON once connections are accepted, or why they cannot be.
    """
    try:
        async with alone(socket), opener() as held, listening(socket) as listener:
            door = Door(version=version, may_leave=partial(_may_leave, held, linger_s))
            lifetime.tell(ready_fd, {"ready": True})
            log.info("ready", extra={"socket": socket, "tools": len(held.registry)})
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(lifetime.end_on_signal, tasks)
                tasks.start_soon(_end_when_gone, held, tasks)
                tasks.start_soon(lifetime.end_when_left, door, tasks)
                if linger_s is not None:
                    tasks.start_soon(_end_when_idle, door, held, linger_s, tasks)
                await door.serve(listener, _Server(held, tasks, version).connection)
    except Exception as error:  # noqa: BLE001 - the border: told to whoever waits, and logged
        return lifetime.failed(ready_fd, error)
    return 0


# -- when it ends --------------------------------------------------------------------------------


async def _end_when_gone(held: Held, tasks: TaskGroup) -> None:
    log.error("desktop ended", extra={"cause": await held.ended()})
    tasks.cancel_scope.cancel()


async def _may_leave(held: Held, linger_s: float | None) -> bool:
    """Whether a daemon of another version may take over: applications of a private desktop would end with it."""
    try:
        return linger_s is None or not await held.occupied()
    except SlateError:
        return False


async def _end_when_idle(door: Door, held: Held, linger_s: float, tasks: TaskGroup) -> None:
    while True:
        with anyio.move_on_after(linger_s) as waited:
            await door.changed.wait()
        if waited.cancelled_caught and not door.inside and not await held.occupied():
            log.info("idle", extra={"seconds": linger_s})
            tasks.cancel_scope.cancel()


# -- connections ---------------------------------------------------------------------------------


class _Share:
    """A lease that several connections use one after the other, and the order of their calls."""

    def __init__(self, context: object) -> None:
        self.context = context
        self.order = anyio.Lock()
        self.users = 0
        self.changed = anyio.Event()


class _Server:
    """Serves connections: each with a lease, or with the one it shares with others of the same name."""

    def __init__(self, held: Held, tasks: TaskGroup, version: str) -> None:
        self._held = held
        self._tasks = tasks
        self._version = version
        self._shares: dict[str, _Share] = {}
        self._opening = anyio.Lock()

    async def connection(self, connection: Connection) -> None:
        """Serve one connection. Whatever fails in it ends it alone."""
        facts = {"serial": connection.serial, "pid": connection.peer.pid, "argv": connection.argv}
        log.info("open", extra=facts)
        try:
            async with self._context(connection) as (context, order):
                await self._serve(connection, context, order)
        except Exception:
            log.exception("connection failed", extra=facts)
        finally:
            log.info("closed", extra=facts)

    async def _serve(self, connection: Connection, context: object, order: anyio.Lock) -> None:
        from slate_desktop import mcp_server  # imported while the desktop started

        await mcp_server.serve_connection(
            connection.stream,
            self._held.registry,
            context,
            version=self._version,
            order=order,
            first=connection.first,
        )

    @asynccontextmanager
    async def _context(self, connection: Connection) -> AsyncIterator[tuple[object, anyio.Lock]]:
        if not connection.share:
            async with self._held.lease(connection.peer) as context:
                yield context, anyio.Lock()
            return
        async with self._opening:
            share = self._shares.get(connection.share) or await self._tasks.start(
                self._keep, connection
            )
            _count(share, +1)
        try:
            yield share.context, share.order
        finally:
            _count(share, -1)

    async def _keep(self, first: Connection, *, task_status: TaskStatus[_Share]) -> None:
        """Hold a shared lease, made for its first user, until nobody has used it for a while."""
        name = first.share
        try:
            async with self._held.lease(first.peer) as context:
                share = self._shares[name] = _Share(context)
                task_status.started(share)
                try:
                    await _unused(share)
                finally:
                    del self._shares[name]
        except Exception:
            if name not in self._shares:
                raise
            log.exception("share failed", extra={"share": name})


def _count(share: _Share, by: int) -> None:
    share.users += by
    share.changed.set()
    share.changed = anyio.Event()


async def _unused(share: _Share) -> None:
    while True:
        with anyio.move_on_after(SHARE_IDLE_S) as waited:
            await share.changed.wait()
        if waited.cancelled_caught and not share.users:
            return


# -- process -------------------------------------------------------------------------------------


def prepare() -> None:
    """Make this process a daemon: nothing may reach fd 1 but on purpose, and the log is lines of JSON on stderr."""
    sys.stdout.flush()
    os.dup2(2, 1)
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    logging.getLogger("mcp").setLevel(logging.WARNING)


async def imported(*names: str) -> None:
    """Import modules in a thread, while the event loop goes on with something else."""
    await anyio.to_thread.run_sync(_import, names)


def _import(names: Sequence[str]) -> None:
    # The SDK makes some hundred thousand objects that all stay: collecting among them only costs.
    gc.disable()
    try:
        for name in names:
            importlib.import_module(name)
        gc.freeze()
    finally:
        gc.enable()


class JsonLines(lifetime.JsonLines):
    """The same, with the id of the call that the task serves."""

    def format(self, record: logging.LogRecord) -> str:
        module = sys.modules.get("slate_desktop.mcp_server")
        if module is not None and (call := module.call_id.get()):
            record.call = call
        return super().format(record)

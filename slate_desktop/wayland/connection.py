"""One connection to a compositor, owned by the running event loop: send, dispatch, wait, close.

pywayland prints and forgets what a handler raises and turns fatal errors into -1 (its dispatcher and
display modules); here both are kept and raised by the next call. Requests go out through `send`,
handlers come in through `on`.
"""

from __future__ import annotations

import asyncio
import logging
import re
import socket
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from errno import ECONNRESET, EPIPE
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import anyio
from pywayland.client.display import Display
from pywayland.protocol_core.proxy import Proxy

from slate_desktop.errors import SlateError, compositor_gone

P = ParamSpec("P")
R = TypeVar("R")

log = logging.getLogger(__name__)

CONNECT_S = 2.0
REMEMBERED_REQUESTS = 16


class Connection:
    """A live connection. Every call raises `unavailable.compositor` once the compositor is gone."""

    def __init__(self, sock: socket.socket) -> None:
        """Take over a connected socket. Use `open` or `adopt`; they also close."""
        self._loop = asyncio.get_running_loop()
        self.display = Display(
            sock.detach()
        )  # by descriptor: libwayland would prefer WAYLAND_SOCKET over a path
        self.display.connect()
        self._owned: dict[int, Proxy[Any]] = {}
        self._requests: deque[str] = deque(maxlen=REMEMBERED_REQUESTS)
        self._failure: SlateError | None = None
        self._fault: Exception | None = None
        self._dispatched = anyio.Event()
        self._batch_ends: list[Callable[[], None]] = []
        self._fd = self.display.get_fd()
        self._loop.add_reader(self._fd, self._readable)

    @classmethod
    @asynccontextmanager
    async def open(cls, path: Path) -> AsyncIterator[Connection]:
        """Connect to the compositor's socket at `path` for the length of the block."""
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        sock.settimeout(CONNECT_S)
        try:
            sock.connect(str(path))
        except OSError as error:
            sock.close()
            raise compositor_gone(
                f"no compositor answers at {path} ({error.strerror or 'timed out'})."
            ) from error
        async with cls.adopt(sock) as connection:
            yield connection

    @classmethod
    @asynccontextmanager
    async def adopt(cls, sock: socket.socket) -> AsyncIterator[Connection]:
        """Use a socket that is already connected, for the length of the block."""
        connection = cls(sock)
        try:
            yield connection
        finally:
            connection.close()

    def close(self) -> None:
        """Destroy every proxy, youngest first, then disconnect. Safe twice, and after a failure."""
        if self.display.destroyed:
            return
        self._loop.remove_reader(self._fd)
        for proxy in reversed(list(self._owned.values())):
            self.destroy(proxy)
        if self._failure is None:
            self.display.flush()
        self.display.disconnect()
        self._fail(compositor_gone("the connection to the compositor is closed."))

    # -- objects
    # ------------------------------------------------------------------------------------------------------

    def send(self, request: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Queue a request (a bound method of a proxy). An object it creates is ours to destroy."""
        self.check()
        proxy: Proxy[Any] = request.__self__  # type: ignore[attr-defined]  # bound
        self._requests.append(f"{proxy.interface.name}.{request.__name__}")
        result = request(*args, **kwargs)
        if isinstance(result, Proxy):
            self._owned[id(result)] = result
        return result

    def adopt_object(self, proxy: Proxy[Any]) -> None:
        """Own an object that the compositor made and announced in an event."""
        # pywayland files such an object under whichever display has the oldest registry of the
        # process; with two connections that can be the wrong one, which would then destroy it
        # behind our back (its message module).
        if proxy._display is not self.display:
            proxy._display._children.discard(proxy)  # type: ignore[union-attr]  # every display has it
            proxy._display = self.display
            self.display._children.add(proxy)
        self._owned[id(proxy)] = proxy

    def destroy(self, proxy: Proxy[Any]) -> None:
        """Destroy an object of ours. Safe twice."""
        self._owned.pop(id(proxy), None)
        if not proxy.destroyed:
            proxy.destroy()

    def on(self, proxy: Proxy[Any], event: str, handler: Callable[..., None]) -> None:
        """Call `handler` with the event's arguments. What it raises, our next call raises."""

        proxy.dispatcher[event] = lambda _proxy, *args: self._guarded(handler, *args)

    # -- waiting
    # ------------------------------------------------------------------------------------------------------

    def on_batch(self, handler: Callable[[], None]) -> None:
        """Call `handler` after each batch of events: what the compositor did at once is whole then."""
        self._batch_ends.append(handler)

    def check(self) -> None:
        """Raise what went wrong: a fault of a handler once, a lost compositor for ever."""
        if self._failure is not None:
            raise self._failure
        if self._fault is not None:
            fault, self._fault = self._fault, None
            raise fault

    def flush(self) -> None:
        """Write what is queued. A compositor that has stopped reading counts as gone."""
        self.check()
        self._flush()
        self.check()

    def dispatch(self) -> None:
        """Handle everything that has arrived, without waiting. Never from inside a handler."""
        self.check()
        self._readable()
        self.check()

    async def until(self, holds: Callable[[], bool], deadline_s: float) -> bool:
        """Flush, then wait until `holds()`, asked after each batch; False if the deadline came."""
        self.flush()
        with anyio.move_on_after(deadline_s):
            while not holds():
                self.check()
                await self._dispatched.wait()
        self.check()
        return holds()

    async def sync(self, deadline_s: float = 2.0) -> None:
        """Wait until the compositor has handled every request so far and we its answers."""
        done: list[int] = []
        callback = self.send(self.display.sync)
        self.on(callback, "done", done.append)
        try:
            if not await self.until(lambda: bool(done), deadline_s):
                raise compositor_gone(f"the compositor did not answer within {deadline_s:g} s.")
        finally:
            self.destroy(callback)

    @property
    def last_requests(self) -> tuple[str, ...]:
        """Names of the last requests, oldest first: all that is known about a protocol error."""
        return tuple(self._requests)

    def _readable(self) -> None:
        try:
            self.display.read()
            self.display.dispatch(block=False)
        except RuntimeError:
            self._fail(self._reason())
        else:
            for handler in self._batch_ends:
                self._guarded(handler)
            self._flush()  # what handlers have asked for
        self._wake()

    def _guarded(self, handler: Callable[..., None], *args: object) -> None:
        try:
            handler(*args)
        except Exception as fault:  # noqa: BLE001  # kept for `check`
            self._fault = self._fault or fault

    def _flush(self) -> None:
        if self.display.flush() == -1:
            self._fail(compositor_gone("the compositor stopped reading or closed the connection."))

    def _reason(self) -> SlateError:
        try:
            self.display.dispatch(block=False)
        except RuntimeError as error:
            # The errno is only in the text; object and code of a protocol error are not exposed at
            # all.
            found = re.search(r"(\d+)\s*$", str(error))
            if found and int(found[1]) not in (EPIPE, ECONNRESET):
                return compositor_gone(
                    "the compositor refused a request and closed the connection."
                )
        return compositor_gone("the compositor closed the connection.")

    def _fail(self, failure: SlateError) -> None:
        if self._failure is None:
            self._failure = failure
            self._loop.remove_reader(self._fd)  # a closed socket stays readable for ever
            log.info("%s last requests: %s", failure.message, ", ".join(self._requests) or "none")
        self._wake()

    def _wake(self) -> None:
        self._dispatched.set()
        self._dispatched = anyio.Event()

"""The eyes: pictures of windows and outputs, and whether a window is at rest."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from contextlib import suppress
from dataclasses import replace

from pywayland.protocol.ext_image_capture_source_v1 import (
    ExtForeignToplevelImageCaptureSourceManagerV1Proxy,
    ExtOutputImageCaptureSourceManagerV1Proxy,
)

from slate_desktop.errors import SlateError, Stale, window_gone
from slate_desktop.image import upright
from slate_desktop.model import Handle, Pixels
from slate_desktop.wayland.buffer import Buffers
from slate_desktop.wayland.capture_session import CaptureSession, no_picture
from slate_desktop.wayland.globals import Globals
from slate_desktop.wayland.outputs import Outputs
from slate_desktop.wayland.toplevels import Toplevels

# A window that was hidden draws its last changes 20 to 40 ms after a session asks for pictures.
QUIET_S = 0.04
# A program is told of a key, or tells its new title, before it draws what comes of it.
REACTION_S = 0.1
# One that has drawn since was told; what it drew may still be of the moment before.
REACTED_S = 0.02
CURRENT_WITHIN_S = 0.25
FIRST_WITHIN_S = 1.0
# Between looks, a window that redraws all the time costs ten pictures a second at most.
LAZY_S = 0.1
KEPT_SESSIONS = 8
IDLE_S = 30.0


class _Watch:
    """A window that is looked at: its session, kept open, and who waits for its frames."""

    def __init__(self, globals_: Globals, buffers: Buffers, toplevels: Toplevels, handle: Handle):
        self._loop = asyncio.get_running_loop()
        self._later: asyncio.TimerHandle | None = None
        self._toplevels, self._handle = toplevels, handle
        self._waiting = 0
        self.used_at = self._loop.time()
        sources = globals_.bind(ExtForeignToplevelImageCaptureSourceManagerV1Proxy, 1)
        source = globals_.connection.send(sources.create_source, toplevels.capture_object(handle))
        self.session = CaptureSession(globals_, buffers, source, self._on_frame)

    @property
    def busy(self) -> bool:
        return self._waiting > 0

    @property
    def quiet_since(self) -> float | None:
        """Since when nothing is drawn although there may have been a reason to; None: nobody looked."""
        since, drawn_at = self.session.quiet_since, self.session.frame_at
        if since is None or drawn_at is None:
            return None
        stirred_at = self._toplevels.stirred_at(self._handle)
        return max(since, stirred_at + (REACTED_S if drawn_at > stirred_at else REACTION_S))

    async def quiet(self, quiet_s: float, deadline_s: float, *, since: float | None = None) -> bool:
        """Wait until no frame has come for `quiet_s`, counted from `since`, or else from the last reason to draw."""
        began = self.used_at = self._loop.time()
        self._waiting += 1
        try:
            while not self.session.gone:
                self.session.arm()
                now, begin = self._loop.time(), self.quiet_since
                if since is not None and self.session.quiet_since is not None:
                    begin = max(self.session.quiet_since, since)
                if begin is not None and now - begin >= quiet_s:
                    return True
                left_s = began + deadline_s - now
                if left_s <= 0:
                    return False
                rest_s = left_s if begin is None else begin + quiet_s - now
                await self.session.news(min(left_s, rest_s))
        finally:
            self._waiting -= 1
        raise window_gone("the window")

    async def first(self) -> None:
        """Wait for the first frame. Unavailable when none comes, Stale when the window goes."""
        deadline = self._loop.time() + FIRST_WITHIN_S
        self._waiting += 1
        try:
            while self.session.frame_at is None and not self.session.gone:
                if self._loop.time() >= deadline:
                    raise no_picture()
                self.session.arm()
                await self.session.news(deadline - self._loop.time())
        finally:
            self._waiting -= 1
        if self.session.gone:
            raise window_gone("the window")

    def pixels(self) -> Pixels:
        """The last frame. While the next one is awaited in vain, it is what the window shows now."""
        now, since = self._loop.time(), self.quiet_since
        if since is not None and now - since >= QUIET_S:
            return self.session.pixels(now)
        return replace(self.session.pixels(self.session.frame_at or now), current=False)

    def close(self) -> None:
        if self._later is not None:
            self._later.cancel()
        self.session.close()

    def _on_frame(self) -> None:
        if self._waiting:
            self.session.arm()
        else:
            self._later = self._loop.call_later(LAZY_S, self._arm_later)

    def _arm_later(self) -> None:
        with suppress(SlateError):  # a lost compositor is told to whoever looks next
            self.session.arm()


class WindowEyes:
    """Implements the `Eyes` port with ext-image-copy-capture."""

    def __init__(self, globals_: Globals, outputs: Outputs, toplevels: Toplevels) -> None:
        self._globals, self._outputs, self._toplevels = globals_, outputs, toplevels
        self._buffers = Buffers(globals_)
        self._watches: OrderedDict[Handle, _Watch] = OrderedDict()  # the most recent last
        self._loop = asyncio.get_running_loop()
        self._sweep = self._loop.call_later(IDLE_S, self._close_idle)

    async def window(self, handle: Handle, *, settle: bool = True) -> Pixels:
        """The window's surfaces, shadows and menus included.

        `settle` waits until no frame has come for 40 ms, at most 250; without it the last frame is
        taken. Stale when the window is gone, Unavailable when it gives no picture.
        """
        watch = await self._watch(handle)
        try:
            await watch.first()
            await watch.quiet(QUIET_S, CURRENT_WITHIN_S if settle else 0.0)
        except Stale:
            self._forget(handle)
            raise
        return watch.pixels()

    async def output(self, name: str) -> Pixels:
        """What an output shows, upright, in physical pixels. Unavailable when it gives no picture."""
        connection = self._globals.connection
        sources = self._globals.bind(ExtOutputImageCaptureSourceManagerV1Proxy, 1)
        source = connection.send(sources.create_source, self._outputs.find(name).proxy)
        session = CaptureSession(self._globals, self._buffers, source, lambda: None)
        deadline = self._loop.time() + FIRST_WITHIN_S
        try:
            while session.frame_at is None:
                left_s = deadline - self._loop.time()
                if session.gone or left_s <= 0:
                    raise no_picture()
                await session.news(left_s)
            return upright(session.pixels(session.frame_at), session.transform)
        finally:
            session.close()

    async def still(self, handle: Handle, *, quiet_s: float, deadline_s: float) -> bool:
        """Wait until the window has not been redrawn for `quiet_s` from now on; False at the
        deadline.
        """
        watch = await self._watch(handle)
        try:
            await watch.first()
            return await watch.quiet(quiet_s, deadline_s, since=self._loop.time())
        except Stale:
            self._forget(handle)
            raise

    def close(self) -> None:
        """End all sessions. Safe twice."""
        self._sweep.cancel()
        for handle in list(self._watches):
            self._forget(handle)
        self._buffers.close()

    async def _watch(self, handle: Handle) -> _Watch:
        self._globals.connection.dispatch()  # frames that have arrived count
        await self._toplevels.known(handle)
        watch = self._watches.get(handle)
        if watch is None or watch.session.gone:
            self._forget(handle)
            watch = self._watches[handle] = _Watch(
                self._globals, self._buffers, self._toplevels, handle
            )
        self._watches.move_to_end(handle)
        for old in [h for h, w in self._watches.items() if not w.busy and h != handle]:
            if len(self._watches) <= KEPT_SESSIONS:
                break
            self._forget(old)
        return watch

    def _forget(self, handle: Handle) -> None:
        watch = self._watches.pop(handle, None)
        if watch is not None:
            watch.close()

    def _close_idle(self) -> None:
        now = self._loop.time()
        for handle, watch in list(self._watches.items()):
            if not watch.busy and (watch.session.gone or now - watch.used_at > IDLE_S):
                self._forget(handle)
        self._sweep = self._loop.call_later(IDLE_S, self._close_idle)

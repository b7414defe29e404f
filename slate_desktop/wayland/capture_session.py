"""One capture session on one source: its constraints, one frame at a time, and the last picture."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

import anyio
from pywayland.protocol.ext_image_capture_source_v1 import ExtImageCaptureSourceV1Proxy
from pywayland.protocol.ext_image_copy_capture_v1 import (
    ExtImageCopyCaptureFrameV1Proxy,
    ExtImageCopyCaptureManagerV1Proxy,
)

from slate_desktop.errors import Unavailable
from slate_desktop.geometry import Size
from slate_desktop.model import Pixels
from slate_desktop.wayland.buffer import Buffer, Buffers
from slate_desktop.wayland.connection import Connection
from slate_desktop.wayland.globals import Globals

MOST_FAILURES = 10  # in a row; a window being resized fails a frame for each new size


@dataclass(slots=True)
class _Pending:
    """A frame that was asked for. `since` is when, on the loop's clock."""

    proxy: ExtImageCopyCaptureFrameV1Proxy
    buffer: Buffer
    since: float
    transform: int = 0


class CaptureSession:
    """Pictures of one source. The first comes at once, each further one when the source was
    redrawn.

    `on_frame` is called when a picture has come, or never will.
    """

    def __init__(
        self,
        globals_: Globals,
        buffers: Buffers,
        source: ExtImageCaptureSourceV1Proxy,
        on_frame: Callable[[], None],
    ) -> None:
        self.gone = False
        self.frame_at: float | None = None
        self._connection: Connection = globals_.connection
        self._clock = asyncio.get_running_loop().time
        self._buffers, self._source, self._on_frame = buffers, source, on_frame
        self._news = anyio.Event()
        self._size = Size(0, 0)
        self._formats: list[int] = []
        self._offered: list[int] = []
        self._pending: _Pending | None = None
        self._shown: Buffer | None = None
        self._transform = 0
        self._failures = 0
        manager = globals_.bind(ExtImageCopyCaptureManagerV1Proxy, 1)
        self._session = self._connection.send(manager.create_session, source, 0)
        self._connection.on(self._session, "buffer_size", self._on_size)
        self._connection.on(self._session, "shm_format", self._offered.append)
        self._connection.on(self._session, "done", self._on_constraints)
        self._connection.on(self._session, "stopped", self._on_stopped)
        self._connection.flush()

    @property
    def transform(self) -> int:
        """How the last picture is turned: a wl_output.transform number."""
        return self._transform

    @property
    def quiet_since(self) -> float | None:
        """Since when a frame is awaited that has not come; None before the first, or when none is."""
        if self._pending is None or self.frame_at is None:
            return None
        return max(self._pending.since, self.frame_at)

    def arm(self) -> None:
        """Ask for the next frame, if that has not been done. Nothing happens once the source is
        gone.
        """
        if self._pending is not None or self.gone or not self._formats:
            return
        buffer = self._buffers.take(self._size, self._formats)
        frame = self._connection.send(self._session.create_frame)
        pending = self._pending = _Pending(frame, buffer, self._clock())

        def turned(transform: int) -> None:
            pending.transform = transform

        self._connection.on(frame, "transform", turned)
        self._connection.on(frame, "ready", self._on_ready)
        self._connection.on(frame, "failed", self._on_failed)
        self._connection.send(frame.attach_buffer, buffer.proxy)
        self._connection.send(frame.damage_buffer, 0, 0, buffer.size.width, buffer.size.height)
        self._connection.send(frame.capture)
        self._connection.flush()

    async def news(self, within_s: float) -> None:
        """Wait until a frame came or never will, at most that long."""
        with anyio.move_on_after(within_s):
            await self._news.wait()
        self._connection.check()

    def pixels(self, taken_at: float) -> Pixels:
        """A copy of the last picture. Unavailable when none has come."""
        if self._shown is None:
            raise no_picture()
        return self._shown.pixels(taken_at)

    def close(self) -> None:
        """End it and give its buffers back. Safe twice, and after the source has gone."""
        self.gone = True
        pending, self._pending = self._pending, None
        if pending is not None:
            self._connection.destroy(pending.proxy)
            pending.buffer.close()  # the compositor may still draw into it: not to be used again
        shown, self._shown = self._shown, None
        if shown is not None:
            self._buffers.give(shown)
        self._connection.destroy(self._session)
        self._connection.destroy(self._source)

    def _on_size(self, width: int, height: int) -> None:
        self._size = Size(width, height)

    def _on_constraints(self) -> None:
        self._formats = list(self._offered)
        self._offered.clear()
        self.arm()

    def _on_stopped(self) -> None:
        self.gone = True
        self._tell()

    def _on_ready(self) -> None:
        pending = self._finish()
        if self._shown is not None:
            self._buffers.give(self._shown)
        self._shown, self._transform = pending.buffer, pending.transform
        self.frame_at = self._clock()
        self._failures = 0
        self._on_frame()
        self._tell()

    def _on_failed(self, _reason: int) -> None:
        # Most often the size has changed meanwhile; `done` of the new constraints came before.
        self._buffers.give(self._finish().buffer)
        self._failures += 1
        if self._failures > MOST_FAILURES:
            self._on_stopped()
        else:
            self.arm()

    def _finish(self) -> _Pending:
        pending, self._pending = self._pending, None
        assert pending is not None  # noqa: S101  # only frames that were asked for come or fail
        self._connection.destroy(pending.proxy)
        return pending

    def _tell(self) -> None:
        self._news.set()
        self._news = anyio.Event()


def no_picture() -> Unavailable:
    """The compositor gave no picture."""
    return Unavailable(
        "capture", "the compositor gave no picture of it in time", next_step="try again"
    )

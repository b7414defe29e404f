"""Shared memory that the compositor draws into, pooled, and its pixel formats made into rows of
BGRX.
"""

from __future__ import annotations

import mmap
import os
from collections import deque

from PIL import Image
from pywayland.protocol.wayland import WlBufferProxy, WlShmProxy

from slate_desktop.errors import Unavailable
from slate_desktop.geometry import Size
from slate_desktop.model import Pixels
from slate_desktop.wayland.connection import Connection
from slate_desktop.wayland.globals import Globals

# wl_shm's own numbers for the first two, DRM's letters for the rest; the value is Pillow's name for
# the bytes in memory. What alpha there is has been multiplied in, so it can be dropped.
_LAYOUTS = {
    1: "BGRX",  # XRGB8888
    0: "BGRX",  # ARGB8888
    0x34324258: "RGBX",  # XB24
    0x34324241: "RGBX",  # AB24
    0x34325842: "XRGB",  # BX24
    0x34324142: "XRGB",  # BA24
    0x34325852: "XBGR",  # RX24
    0x34324152: "XBGR",  # RA24
}
IDLE_BUFFERS = 3


def choose(formats: list[int]) -> int:
    """The best of the offered formats. Unavailable, naming them, when none is known."""
    for known in _LAYOUTS:
        if known in formats:
            return known
    names = ", ".join(_name(number) for number in formats) or "none"
    raise Unavailable(
        "capture_format", f"the compositor offers only pixel formats that are not known: {names}"
    )


def to_pixels(data: bytes, size: Size, *, stride: int, format_: int, taken_at: float) -> Pixels:
    """Rows of any known format as rows of BGRX."""
    layout = _LAYOUTS[format_]
    if layout != "BGRX":
        wh = (size.width, size.height)
        image = Image.frombuffer("RGB", wh, data, "raw", layout, stride, 1)
        data, stride = image.tobytes("raw", "BGRX"), size.width * 4
    return Pixels(size, stride, data, taken_at)


class Buffer:
    """One piece of memory shared with the compositor."""

    def __init__(self, connection: Connection, shm: WlShmProxy, size: Size, format_: int) -> None:
        self.size = size
        self.format = format_
        self.stride = size.width * 4
        self._connection = connection
        length = self.stride * size.height
        descriptor = os.memfd_create("slate-capture")
        try:
            os.ftruncate(descriptor, length)
            self._memory = mmap.mmap(descriptor, length)
            pool = connection.send(shm.create_pool, descriptor, length)
        finally:
            os.close(descriptor)  # libwayland keeps a copy of its own until it is sent
        self.proxy: WlBufferProxy = connection.send(
            pool.create_buffer, 0, size.width, size.height, self.stride, format_
        )
        connection.destroy(pool)

    def pixels(self, taken_at: float) -> Pixels:
        """A copy of what is in it now."""
        return to_pixels(
            self._memory[:], self.size, stride=self.stride, format_=self.format, taken_at=taken_at
        )

    def close(self) -> None:
        """Give the memory back. Safe twice."""
        self._connection.destroy(self.proxy)
        self._memory.close()


class Buffers:
    """Buffers to draw into, used again: a few idle ones are kept, the others unmapped."""

    def __init__(self, globals_: Globals) -> None:
        self._connection = globals_.connection
        self._shm = globals_.bind(WlShmProxy, 1)
        self._idle: deque[Buffer] = deque()

    def take(self, size: Size, formats: list[int]) -> Buffer:
        """A buffer of that size in the best of these formats."""
        format_ = choose(formats)
        for buffer in self._idle:
            if (buffer.size, buffer.format) == (size, format_):
                self._idle.remove(buffer)
                return buffer
        return Buffer(self._connection, self._shm, size, format_)

    def give(self, buffer: Buffer) -> None:
        """Take back a buffer that the compositor no longer draws into."""
        self._idle.append(buffer)
        while len(self._idle) > IDLE_BUFFERS:
            self._idle.popleft().close()

    def close(self) -> None:
        """Unmap the idle ones."""
        while self._idle:
            self._idle.pop().close()


def _name(format_: int) -> str:
    letters = format_.to_bytes(4, "little")
    return letters.decode() if letters.isalnum() else str(format_)

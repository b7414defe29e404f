"""The part of the X11 protocol that a window manager of one screen needs: requests and events as bytes. Pure.

Little-endian, as the connection asks for. Opcodes, masks and layouts: X Window System Protocol, version 11.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

REPLY, DESTROYED, UNMAPPED, MAP_ASKED, CONFIGURED, CONFIGURE_ASKED, ENTERED = (
    1,
    17,
    18,
    20,
    22,
    23,
    7,
)
TRANSIENT_FOR = 68  # the atom WM_TRANSIENT_FOR
WINDOW_ATOM = 33
# What is wanted of the root window: SubstructureRedirect, SubstructureNotify, StructureNotify.
OF_ROOT = 1 << 20 | 1 << 19 | 1 << 17
ENTER = 1 << 4
X, Y, WIDTH, HEIGHT, BORDER, STACK = 1, 2, 4, 8, 16, 64
ABOVE = 0
_POINTER_ROOT = 1
_LONG_EVENT = 35  # of extensions: the only event that can be longer than 32 bytes
COOKIE = b"MIT-MAGIC-COOKIE-1"


@dataclass(frozen=True, slots=True)
class Root:
    """The root window and its size in pixels."""

    id: int
    width: int
    height: int


def padded(data: bytes) -> bytes:
    """`data` filled up to a multiple of four bytes."""
    return data + bytes(-len(data) % 4)


def hello(cookie: bytes) -> bytes:
    """The first message of a connection."""
    head = struct.pack("<BxHHHHxx", ord("l"), 11, 0, len(COOKIE), len(cookie))
    return head + padded(COOKIE) + padded(cookie)


def welcome(data: bytes) -> tuple[Root, bytes] | None:
    """The root window from the server's first message, and what follows it; None while it is not complete.

    ConnectionError when the server refuses.
    """
    if len(data) < 8:
        return None
    status, length = data[0], 8 + 4 * struct.unpack_from("<H", data, 6)[0]
    if status != 1:
        raise ConnectionError("the X server refuses the connection")
    if len(data) < length:
        return None
    vendor_bytes, formats = struct.unpack_from("<H", data, 24)[0], data[29]
    screen = 40 + len(padded(bytes(vendor_bytes))) + 8 * formats
    (id_,) = struct.unpack_from("<I", data, screen)
    width, height = struct.unpack_from("<HH", data, screen + 20)
    return Root(id_, width, height), data[length:]


def messages(data: bytes) -> tuple[list[bytes], bytes]:
    """Whole events, replies and errors, and the rest."""
    found = []
    while len(data) >= 32:
        kind = data[0] & 0x7F
        long = kind in (REPLY, _LONG_EVENT)
        length = 32 + (4 * struct.unpack_from("<I", data, 4)[0] if long else 0)
        if len(data) < length:
            break
        found.append(data[:length])
        data = data[length:]
    return found, data


def watch(window: int, events: int) -> bytes:
    """ChangeWindowAttributes: which events we want of a window."""
    return struct.pack("<BxHIII", 2, 4, window, 0x800, events)


def map_window(window: int) -> bytes:
    """MapWindow."""
    return struct.pack("<BxHI", 8, 2, window)


def configure(window: int, values: dict[int, int]) -> bytes:
    """ConfigureWindow; `values` by mask bit."""
    mask = 0
    body = b""
    for bit in sorted(values):
        mask |= bit
        body += struct.pack("<I", values[bit] & 0xFFFFFFFF)
    return struct.pack("<BxHIHxx", 12, 3 + len(values), window, mask) + body


def focus(window: int) -> bytes:
    """SetInputFocus; when that window goes, to what the pointer is in."""
    return struct.pack("<BBHII", 42, _POINTER_ROOT, 3, window, 0)


def geometry(window: int) -> bytes:
    """GetGeometry."""
    return struct.pack("<BxHI", 14, 2, window)


def transient_for(window: int) -> bytes:
    """GetProperty of WM_TRANSIENT_FOR."""
    return struct.pack("<BxHIIIII", 20, 6, window, TRANSIENT_FOR, WINDOW_ATOM, 0, 1)


def atom(name: bytes) -> bytes:
    """InternAtom; the answer has its number in its third word."""
    body = struct.pack("<Hxx", len(name)) + padded(name)
    return struct.pack("<BBH", 16, 0, 1 + len(body) // 4) + body


def please(window: int, protocols: int, what: int) -> bytes:
    """SendEvent of a message of the window manager's: `what` is an atom, as WM_DELETE_WINDOW is."""
    event = struct.pack("<BBHIIII", 33, 32, 0, window, protocols, what, 0).ljust(32, b"\0")
    return struct.pack("<BxHII", 25, 11, window, 0) + event


def told(window: int, x: int, y: int, width: int, height: int) -> bytes:
    """SendEvent of a ConfigureNotify: where a window is, although nothing of what it asked was done."""
    event = struct.pack(
        "<BxHIIIhhHHHBx", CONFIGURED, 0, window, window, 0, x, y, width, height, 0, 0
    ).ljust(32, b"\0")
    return struct.pack("<BxHII", 25, 11, window, 1 << 17) + event

"""Memory shared with the compositor, and the formats that come in it."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from slate_desktop import image
from slate_desktop.errors import Unavailable
from slate_desktop.geometry import Rect, Size
from slate_desktop.wayland import buffer
from slate_desktop.wayland.buffer import Buffers, choose, to_pixels
from slate_desktop.wayland.connection import Connection
from slate_desktop.wayland.globals import Globals
from tests.fakes.camera import FakeCamera

pytestmark = pytest.mark.anyio

XRGB, ARGB = 1, 0
XR30 = int.from_bytes(b"XR30", "little")

# For each format, the bytes in memory of one pixel that is red 1, green 2, blue 3, and garbage
# where alpha is.
PIXEL = {
    XRGB: bytes((3, 2, 1, 9)),
    ARGB: bytes((3, 2, 1, 9)),
    int.from_bytes(b"XB24", "little"): bytes((1, 2, 3, 9)),
    int.from_bytes(b"AB24", "little"): bytes((1, 2, 3, 9)),
    int.from_bytes(b"BX24", "little"): bytes((9, 1, 2, 3)),
    int.from_bytes(b"BA24", "little"): bytes((9, 1, 2, 3)),
    int.from_bytes(b"RX24", "little"): bytes((9, 3, 2, 1)),
    int.from_bytes(b"RA24", "little"): bytes((9, 3, 2, 1)),
}


@pytest.mark.parametrize("format_", PIXEL)
def test_r45_every_format_gives_the_same_colours_and_no_alpha(format_: int) -> None:
    rows = b"".join(PIXEL[format_] * 3 + b"rubbish!" for _ in range(2))
    pixels = to_pixels(rows, Size(3, 2), stride=20, format_=format_, taken_at=5.0)
    assert pixels.taken_at == 5.0
    data, _ = image.encode(pixels, Rect(0, 0, 3, 2), Size(3, 2))
    picture = Image.open(BytesIO(data))
    assert (picture.mode, picture.tobytes()) == ("RGB", bytes((1, 2, 3)) * 6)


def test_the_format_that_needs_no_work_is_chosen() -> None:
    assert choose([XR30, ARGB, XRGB]) == XRGB
    assert choose([int.from_bytes(b"XB24", "little")]) == int.from_bytes(b"XB24", "little")


@pytest.mark.parametrize(
    ("offered", "said"), [([XR30], "XR30"), ([], "none"), ([2**32 - 1], "4294967295")]
)
def test_r46_formats_that_are_not_known_are_an_error_that_names_them(
    offered: list[int], said: str
) -> None:
    with pytest.raises(Unavailable, match=said) as raised:
        choose(offered)
    assert raised.value.code == "unavailable.capture_format"


def mapped() -> int:
    """How many capture buffers this process has in its address space."""
    return Path("/proc/self/maps").read_text().count("memfd:slate-capture")


@asynccontextmanager
async def pool() -> AsyncIterator[tuple[Buffers, Connection, FakeCamera]]:
    with FakeCamera.wired() as (sock, _, camera):
        async with Connection.adopt(sock) as connection:
            yield Buffers(await Globals.load(connection)), connection, camera


async def test_a_buffer_is_used_again_and_the_compositor_draws_into_its_memory() -> None:
    async with pool() as (buffers, connection, camera):
        first = buffers.take(Size(2, 1), [XRGB])
        await connection.sync()
        (made,) = camera.buffers.values()
        assert (made.width, made.height, made.stride, made.format) == (2, 1, 8, XRGB)
        os.pwrite(made.fd, b"abcdefgh", 0)
        assert first.pixels(1.0).data == b"abcdefgh"
        buffers.give(first)
        assert buffers.take(Size(2, 1), [XRGB]) is first
        buffers.give(first)
        assert buffers.take(Size(3, 1), [XRGB]) is not first
        assert buffers.take(Size(2, 1), [ARGB]) is not first


async def test_r111_buffers_that_are_not_used_are_unmapped() -> None:
    async with pool() as (buffers, connection, camera):
        many = [buffers.take(Size(n, 1), [XRGB]) for n in range(1, 10)]
        for each in many:
            buffers.give(each)
        await connection.sync()
        assert camera.peer.names().count("wl_buffer.destroy") == 9 - buffer.IDLE_BUFFERS
        assert mapped() == buffer.IDLE_BUFFERS
        buffers.close()
        buffers.close()
        assert mapped() == 0

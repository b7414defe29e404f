"""One capture session against a compositor that resizes, refuses, stops and dies."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import pytest
from pywayland.protocol.ext_image_capture_source_v1 import (
    ExtOutputImageCaptureSourceManagerV1Proxy,
)

from slate_desktop.errors import Unavailable
from slate_desktop.geometry import Size
from slate_desktop.wayland.buffer import Buffers
from slate_desktop.wayland.capture_session import MOST_FAILURES, CaptureSession
from slate_desktop.wayland.connection import Connection
from slate_desktop.wayland.globals import Globals
from slate_desktop.wayland.outputs import Outputs
from tests.fakes.camera import RED_BGRX, FakeCamera

pytestmark = pytest.mark.anyio


class Filmed:
    """A session on the first output, and a count of what it told."""

    def __init__(self, connection: Connection, session: CaptureSession, told: list[str]) -> None:
        self.connection, self.session, self.told = connection, session, told

    def waits(self) -> bool:
        """Whether a frame is awaited after the first."""
        return self.session.quiet_since is not None

    async def frames(self, count: int) -> None:
        with anyio.fail_after(5):
            while len(self.told) < count:
                await self.session.news(1)


@asynccontextmanager
async def filmed(**wish: object) -> AsyncIterator[tuple[Filmed, FakeCamera]]:
    with FakeCamera.wired() as (sock, _, camera):
        for name, value in wish.items():
            setattr(camera, name, value)
        async with Connection.adopt(sock) as connection:
            globals_ = await Globals.load(connection)
            outputs = Outputs(globals_)
            await connection.sync()
            manager = globals_.bind(ExtOutputImageCaptureSourceManagerV1Proxy, 1)
            source = connection.send(manager.create_source, outputs.find("SCREEN-1").proxy)
            told: list[str] = []
            buffers = Buffers(globals_)
            session = CaptureSession(globals_, buffers, source, lambda: told.append("frame"))
            yield Filmed(connection, session, told), camera
            session.close()
            session.close()
            buffers.close()


async def test_the_first_frame_comes_without_asking_and_the_next_when_it_was_redrawn() -> None:
    async with filmed() as (film, camera):
        assert not film.waits()
        with pytest.raises(Unavailable):
            film.session.pixels(1.0)
        await film.frames(1)
        pixels = film.session.pixels(1.0)
        assert (pixels.size, pixels.data) == (Size(8, 4), RED_BGRX * 32)
        film.session.arm()
        film.session.arm()
        await film.connection.sync()
        assert len(camera.waiting) == 1
        assert film.waits()
        camera.colour = b"\x01\x02\x03\x00"
        camera.draw()
        await film.frames(2)
        assert film.session.pixels(1.0).data == b"\x01\x02\x03\x00" * 32


async def test_a_frame_is_never_drawn_into_the_picture_that_is_shown() -> None:
    async with filmed() as (film, camera):
        await film.frames(1)
        for number in range(5):
            film.session.arm()
            await film.connection.sync()
            (awaited,) = camera.awaited()
            before = film.session.pixels(1.0).data
            os.pwrite(awaited.fd, b"\x09\x08\x07\x00" * 32, 0)
            assert film.session.pixels(1.0).data == before
            camera.draw()
            await film.frames(2 + number)
        assert len(camera.buffers) == 2


async def test_a_source_that_changes_its_size_is_captured_in_the_new_one() -> None:
    async with filmed() as (film, camera):
        await film.frames(1)
        film.session.arm()
        await film.connection.sync()
        camera.resize(16, 2)
        await film.connection.sync()
        await film.connection.sync()
        camera.draw()
        await film.frames(2)
        assert film.session.pixels(1.0).size == Size(16, 2)


async def test_frames_that_fail_are_asked_for_again_but_not_for_ever() -> None:
    async with filmed(fails=3) as (film, _):
        await film.frames(1)
        assert film.session.frame_at is not None
    async with filmed(fails=10_000) as (film, camera):
        with anyio.fail_after(5):
            while not film.session.gone:
                await film.session.news(1)
        assert (
            camera.peer.names().count("ext_image_copy_capture_frame_v1.capture")
            == MOST_FAILURES + 1
        )


async def test_a_source_that_goes_ends_the_session() -> None:
    async with filmed() as (film, camera):
        await film.frames(1)
        camera.stop()
        await film.session.news(1)
        assert film.session.gone
        film.session.arm()
        await film.connection.sync()
        assert camera.waiting == []
        film.session.pixels(1.0)  # what was seen last can still be read


async def test_a_format_that_is_not_known_is_named() -> None:
    async with filmed(formats=[int.from_bytes(b"XR30", "little")]) as (film, _):
        with pytest.raises(Unavailable, match="XR30"):
            await film.session.news(1)


async def test_a_compositor_that_dies_is_unavailable() -> None:
    async with filmed(draws_first=False) as (film, camera):
        camera.peer.close()
        with pytest.raises(Unavailable):
            await film.session.news(0.2)


async def test_r111_everything_a_session_made_is_destroyed() -> None:
    async with filmed() as (film, camera):
        await film.frames(1)
        film.session.arm()
        await film.connection.sync()
        film.session.close()
        await film.connection.sync()
        left = set(camera.peer.objects.values())
        assert not {name for name in left if "frame" in name or "session" in name}

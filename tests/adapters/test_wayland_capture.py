"""The eyes against a scripted compositor: freshness, stillness, windows that go, sessions that end."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import anyio
import pytest
from pywayland.protocol.wayland import WlSeatProxy

from slate_desktop.errors import Stale, Unavailable
from slate_desktop.geometry import Size
from slate_desktop.model import Handle
from slate_desktop.wayland import capture
from slate_desktop.wayland.capture import WindowEyes
from slate_desktop.wayland.connection import Connection
from slate_desktop.wayland.globals import Globals
from slate_desktop.wayland.outputs import Outputs
from slate_desktop.wayland.toplevels import Toplevels
from tests.fakes.camera import RED_BGRX, FakeCamera
from tests.fakes.wayland_desk import FakeDesk

pytestmark = pytest.mark.anyio

GREEN = b"\x00\xff\x00\x00"


@dataclass
class Sight:
    eyes: WindowEyes
    desk: FakeDesk
    camera: FakeCamera
    connection: Connection
    globals: Globals
    toplevels: Toplevels

    def later(self, delay_s: float, colour: bytes) -> None:
        """Redraw the window after a while."""

        def draw() -> None:
            self.camera.colour = colour
            self.camera.draw()

        asyncio.get_running_loop().call_later(delay_s, draw)


@asynccontextmanager
async def sight() -> AsyncIterator[Sight]:
    with FakeCamera.wired() as (sock, desk, camera):
        async with Connection.adopt(sock) as connection:
            globals_ = await Globals.load(connection)
            outputs, toplevels = Outputs(globals_), Toplevels(globals_)
            await connection.sync()
            eyes = WindowEyes(globals_, outputs, toplevels)
            yield Sight(eyes, desk, camera, connection, globals_, toplevels)
            eyes.close()
            eyes.close()


async def test_the_first_look_waits_for_what_a_hidden_window_draws_late() -> None:
    async with sight() as it:
        handle = it.desk.open("a", "app")
        it.later(0.02, GREEN)
        pixels = await it.eyes.window(handle)
        assert (pixels.data[:4], pixels.current, pixels.size) == (GREEN, True, Size(8, 4))


async def test_a_second_look_at_a_quiet_window_is_current_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(capture, "QUIET_S", 0.5)
    monkeypatch.setattr(capture, "CURRENT_WITHIN_S", 2)
    async with sight() as it:
        handle = it.desk.open("a", "app")
        await it.eyes.window(handle)
        await anyio.sleep(0.8)
        began = time.perf_counter()
        pixels = await it.eyes.window(handle)
        assert time.perf_counter() - began < 0.4
        assert pixels.current
        assert anyio.current_time() - pixels.taken_at < 0.4
        assert len(it.camera.sessions()) == 1


async def test_a_frame_that_has_arrived_but_was_not_read_yet_counts() -> None:
    async with sight() as it:
        handle = it.desk.open("a", "app")
        await it.eyes.window(handle)
        it.camera.colour = GREEN
        it.camera.draw()
        assert (await it.eyes.window(handle)).data[:4] == GREEN


async def test_a_window_that_never_rests_is_said_to_be_perhaps_old(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        capture, "QUIET_S", 0.2
    )  # far from the 10 ms between frames, on any machine
    async with sight() as it:
        handle = it.desk.open("a", "app")
        await it.eyes.window(handle)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(keep_drawing, it)
            await anyio.sleep(0.15)
            began = time.perf_counter()
            pixels = await it.eyes.window(handle)
            took = time.perf_counter() - began
            still = await it.eyes.still(handle, quiet_s=0.2, deadline_s=0.3)
            tasks.cancel_scope.cancel()
        assert not pixels.current
        assert 0.2 < took < 1
        assert still is False


async def keep_drawing(it: Sight) -> None:
    while True:
        it.camera.draw()
        await anyio.sleep(0.01)


async def test_a_window_nobody_looks_at_is_not_captured_at_every_redraw() -> None:
    async with sight() as it:
        handle = it.desk.open("a", "app")
        await it.eyes.window(handle)
        before = it.camera.frames
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(keep_drawing, it)
            await anyio.sleep(0.35)
            tasks.cancel_scope.cancel()
        assert it.camera.frames - before <= 5


async def test_r49_stillness_is_counted_from_the_call_so_that_a_late_reaction_is_seen() -> None:
    async with sight() as it:
        handle = it.desk.open("a", "app")
        await it.eyes.window(handle)
        await anyio.sleep(0.6)
        it.later(0.2, GREEN)
        began = time.perf_counter()
        assert await it.eyes.still(handle, quiet_s=0.6, deadline_s=4)
        assert time.perf_counter() - began > 0.75
        assert (await it.eyes.window(handle, settle=False)).data[:4] == GREEN


async def test_without_settling_the_last_frame_is_taken_as_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(capture, "QUIET_S", 0.5)
    async with sight() as it:
        handle = it.desk.open("a", "app")
        began = time.perf_counter()
        pixels = await it.eyes.window(handle, settle=False)
        assert time.perf_counter() - began < 0.4
        assert (pixels.data[:4], pixels.current) == (RED_BGRX, False)


async def test_r107_a_window_that_closes_during_the_capture_is_stale_and_nothing_crashes() -> None:
    async with sight() as it:
        handle = it.desk.open("a", "app")
        await it.eyes.window(handle)
        window = it.desk.windows[handle]

        def close() -> None:
            it.camera.stop()
            it.desk.peer.send(window.managed, "closed")
            it.desk.peer.send(window.listed, "closed")

        asyncio.get_running_loop().call_later(0.05, close)
        with pytest.raises(Stale) as raised:
            await it.eyes.still(handle, quiet_s=1, deadline_s=2)
        assert raised.value.code == "stale.window_gone"
        with pytest.raises(Stale):
            await it.eyes.window(handle)
        await it.connection.sync()
        assert it.camera.sessions() == []


async def test_a_window_that_is_not_known_is_stale() -> None:
    async with sight() as it:
        with pytest.raises(Stale):
            await it.eyes.window(Handle("nobody"))


async def test_a_window_that_gives_no_picture_is_unavailable_in_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(capture, "FIRST_WITHIN_S", 0.1)
    async with sight() as it:
        it.camera.draws_first = False
        handle = it.desk.open("a", "app")
        for look in (it.eyes.window(handle), it.eyes.output("SCREEN-1")):
            with pytest.raises(Unavailable) as raised:
                await look
            assert raised.value.code == "unavailable.capture"


async def test_several_looks_at_once_share_a_session() -> None:
    async with sight() as it:
        handle = it.desk.open("a", "app")
        async with anyio.create_task_group() as tasks:
            for _ in range(5):
                tasks.start_soon(it.eyes.window, handle)
        assert len(it.camera.sessions()) == 1


async def test_only_the_windows_looked_at_last_keep_a_session() -> None:
    async with sight() as it:
        handles = [it.desk.open(f"{n}", "app") for n in range(capture.KEPT_SESSIONS + 3)]
        for handle in handles:
            await it.eyes.window(handle, settle=False)
        await it.connection.sync()
        assert len(it.camera.sessions()) == capture.KEPT_SESSIONS


async def test_a_session_that_is_not_used_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capture, "IDLE_S", 0.1)
    async with sight() as it:
        await it.eyes.window(it.desk.open("a", "app"))
        await anyio.sleep(0.35)
        await it.connection.sync()
        assert it.camera.sessions() == []


async def test_r47_an_outputs_picture_comes_upright_and_leaves_no_session() -> None:
    async with sight() as it:
        it.camera.transform = 1
        pixels = await it.eyes.output("SCREEN-2")
        assert pixels.size == Size(4, 8)
        await it.connection.sync()
        assert it.camera.sessions() == []


async def test_r76_an_output_that_is_not_there_is_stale() -> None:
    async with sight() as it:
        with pytest.raises(Stale):
            await it.eyes.output("FALLBACK")


async def test_a_compositor_that_dies_during_a_look_is_unavailable() -> None:
    async with sight() as it:
        handle = it.desk.open("a", "app")
        await it.eyes.window(handle)
        asyncio.get_running_loop().call_later(0.02, it.desk.peer.close)
        with pytest.raises(Unavailable) as raised:
            await it.eyes.still(handle, quiet_s=0.2, deadline_s=0.5)
        assert raised.value.code == "unavailable.compositor"


@pytest.mark.parametrize("reason", ["title", "state", "keys", "pointer"])
async def test_a_window_with_a_reason_to_draw_is_given_the_time_to(reason: str) -> None:
    async with sight() as it:
        handle = it.desk.open("a", "app", activated=True)
        seat_name = it.desk.peer.add("wl_seat", 7)
        await it.eyes.window(handle)
        await anyio.sleep(capture.QUIET_S + capture.REACTION_S + 0.05)
        seat = it.globals.bind_offer(seat_name, WlSeatProxy, 7)
        match reason:
            case "title":
                it.desk.rename(handle, "a*")
            case "state":
                it.desk.deactivate_all()
            case "keys":
                it.toplevels.activate(handle, seat)
            case "pointer":
                it.toplevels.stir()
        it.later(0.03, GREEN)
        began = time.perf_counter()
        pixels = await it.eyes.window(handle)
        assert (pixels.data[:4], pixels.current) == (GREEN, True)
        assert time.perf_counter() - began < capture.CURRENT_WITHIN_S + 0.1


async def test_a_window_that_has_drawn_what_came_of_its_reason_is_waited_for_while_it_draws(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(capture, "REACTION_S", 5.0)
    async with sight() as it:
        handle = it.desk.open("a", "app", activated=True)
        await it.eyes.window(handle)
        it.toplevels.stir()
        it.later(0.005, b"\x00\x00\xff\x00")
        it.later(0.03, GREEN)
        pixels = await it.eyes.window(handle)
        assert (pixels.data[:4], pixels.current) == (GREEN, True)

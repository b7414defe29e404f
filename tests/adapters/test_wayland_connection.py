"""The connection against a scripted compositor: errors are kept, waits end, nothing is leaked."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path

import anyio
import pytest
from pywayland.protocol.wayland import WlCompositorProxy

from slate_desktop.wayland.connection import Connection
from slate_desktop.wayland.globals import Globals
from slated.errors import Unavailable
from tests.fakes.wayland_peer import Peer, wired

pytestmark = pytest.mark.anyio

Wire = tuple[socket.socket, Peer]


@pytest.fixture
async def wire() -> AsyncIterator[Wire]:
    """A socket and the compositor behind it."""
    with wired(("wl_compositor", 6)) as pair:
        yield pair


async def test_a_round_trip_ends_when_everything_before_it_was_handled(wire: Wire) -> None:
    async with Connection.adopt(wire[0]) as connection:
        await connection.sync()
        assert wire[1].names() == ["wl_display.sync"]


async def test_a_silent_compositor_is_unavailable_after_the_deadline(wire: Wire) -> None:
    sock, peer = wire
    peer.silent = True
    async with Connection.adopt(sock) as connection:
        started = time.monotonic()
        with pytest.raises(Unavailable, match=r"did not answer within 0\.05 s") as caught:
            await connection.sync(deadline_s=0.05)
        assert caught.value.code == "unavailable.compositor"
        assert time.monotonic() - started < 1


async def test_a_closed_socket_is_unavailable_at_once_for_everyone_who_waits(wire: Wire) -> None:
    sock, peer = wire
    peer.silent = True
    codes: list[str] = []

    async def wait() -> None:
        with pytest.raises(Unavailable) as caught:
            await connection.sync(deadline_s=5)
        codes.append(caught.value.code)

    async with Connection.adopt(sock) as connection:
        started = time.monotonic()
        async with anyio.create_task_group() as tasks:
            for _ in range(3):
                tasks.start_soon(wait)
            await anyio.wait_all_tasks_blocked()
            peer.close()
        assert codes == ["unavailable.compositor"] * 3
        assert time.monotonic() - started < 1
        with pytest.raises(Unavailable):
            connection.flush()


async def test_a_closed_socket_does_not_spin(wire: Wire) -> None:
    sock, peer = wire
    async with Connection.adopt(sock) as connection:
        await connection.sync()
        peer.close()
        used = time.process_time()
        await anyio.sleep(0.2)
        assert time.process_time() - used < 0.1
        assert not asyncio.get_running_loop().remove_reader(connection.display.get_fd())


@pytest.mark.parametrize("blamed", ["wl_display", "wl_compositor"])
async def test_a_protocol_error_is_told_from_a_hang_up_and_keeps_the_last_requests(
    wire: Wire, blamed: str
) -> None:
    sock, peer = wire
    async with Connection.adopt(sock) as connection:
        globals_ = await Globals.load(connection)
        compositor = globals_.bind(WlCompositorProxy, 6)
        connection.send(compositor.create_surface)
        peer.silent = True
        peer.answers["wl_compositor.create_surface"] = lambda _: peer.fail(
            peer.object_of(blamed), 0, "no"
        )
        with pytest.raises(Unavailable, match="refused a request"):
            await connection.sync()
        assert connection.last_requests[-3:] == (
            "wl_registry.bind",
            "wl_compositor.create_surface",
            "wl_display.sync",
        )


async def test_only_the_last_sixteen_requests_are_remembered(wire: Wire) -> None:
    async with Connection.adopt(wire[0]) as connection:
        for _ in range(20):
            await connection.sync()
        assert connection.last_requests == ("wl_display.sync",) * 16


async def test_what_a_handler_raises_is_raised_by_the_next_wait_and_only_once(wire: Wire) -> None:
    async with Connection.adopt(wire[0]) as connection:
        callback = connection.send(connection.display.sync)

        def broken(_serial: int) -> None:
            raise LookupError("a fault of ours")

        connection.on(callback, "done", broken)
        with pytest.raises(LookupError, match="a fault of ours"):
            await connection.sync()
        await connection.sync()
        connection.destroy(callback)


async def test_r107_destroying_twice_is_harmless(wire: Wire) -> None:
    sock, peer = wire
    async with Connection.adopt(sock) as connection:
        globals_ = await Globals.load(connection)
        surface = connection.send(globals_.bind(WlCompositorProxy, 6).create_surface)
        connection.destroy(surface)
        connection.destroy(surface)
        await connection.sync()
        assert peer.names().count("wl_surface.destroy") == 1
        connection.close()
        connection.close()


async def test_objects_go_youngest_first_and_none_outlives_the_connection(wire: Wire) -> None:
    sock, peer = wire
    async with Connection.adopt(sock) as connection:
        globals_ = await Globals.load(connection)
        compositor = globals_.bind(WlCompositorProxy, 6)
        surfaces = [connection.send(compositor.create_surface) for _ in range(3)]
    assert all(surface.destroyed for surface in surfaces)
    assert compositor.destroyed
    await anyio.sleep(0.01)
    destroyed = [r.object for r in peer.requests if r.name == "destroy"]
    assert destroyed == sorted(destroyed, reverse=True)
    assert len(destroyed) == 3


async def test_a_call_after_the_end_is_unavailable(wire: Wire) -> None:
    async with Connection.adopt(wire[0]) as connection:
        pass
    with pytest.raises(Unavailable):
        await connection.sync()


async def test_no_compositor_at_the_address_is_unavailable(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="no compositor answers") as caught:
        async with Connection.open(tmp_path / "nobody"):
            pass
    assert caught.value.code == "unavailable.compositor"


async def test_a_connection_is_opened_by_the_address_it_was_given() -> None:
    with tempfile.TemporaryDirectory() as directory, socket.socket(socket.AF_UNIX) as listener:
        path = Path(directory) / "w"
        listener.bind(str(path))
        listener.listen()
        async with Connection.open(path) as connection:
            accepted, _ = listener.accept()
            peer = Peer(accepted, [])
            await connection.sync()
            peer.close()


async def test_r111_a_thousand_round_trips_leave_nothing_behind(wire: Wire) -> None:
    async with Connection.adopt(wire[0]) as connection:
        await connection.sync()
        before = len(os.listdir("/proc/self/fd")), len(connection._owned)
        for _ in range(1000):
            await connection.sync()
        assert (len(os.listdir("/proc/self/fd")), len(connection._owned)) == before


EXIT = """
import asyncio, os, signal, socket, sys
from slate_desktop.wayland.connection import Connection
from slate_desktop.wayland.globals import Globals
from tests.fakes.wayland_peer import wired

async def main():
    loop = asyncio.get_running_loop()
    with wired(("wl_compositor", 6)) as (sock, peer):
        async with Connection.adopt(sock) as connection:
            await Globals.load(connection)
            for _ in range(50):
                connection.send(connection.display.sync)
            loop.add_signal_handler(signal.SIGTERM, asyncio.current_task().cancel)
            os.kill(os.getpid(), signal.SIGTERM)
            await asyncio.sleep(5)

try:
    asyncio.run(main())
except asyncio.CancelledError:
    sys.exit(0)
sys.exit(3)
"""


def test_r108_ending_with_round_trips_in_flight_is_no_crash() -> None:
    root = Path(__file__).parents[2]
    for _ in range(5):
        ended = subprocess.run([sys.executable, "-c", EXIT], cwd=root, timeout=20, check=False)
        assert ended.returncode == 0

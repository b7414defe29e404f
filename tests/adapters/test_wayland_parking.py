"""The parking window of a seat on the wire: small, named, drawn at the size it is told, taken down."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from slate_desktop.model import PARKING_APP_ID
from slate_desktop.wayland.connection import Connection
from slate_desktop.wayland.globals import Globals
from slate_desktop.wayland.parking import Parking
from slate_desktop.wayland.toplevels import Toplevels
from tests.fakes.wayland_desk import FakeDesk
from tests.fakes.wayland_peer import Request

pytestmark = pytest.mark.anyio

TITLE = "Slate: transient-7 rests here"


class Bench:
    """A parking window on a scripted desk."""

    def __init__(self, desk: FakeDesk, connection: Connection, parking: Parking) -> None:
        self.desk, self.connection, self.parking = desk, connection, parking

    def sent(self, *interfaces: str) -> list[Request]:
        """What arrived at objects of these interfaces."""
        return [r for r in self.desk.peer.requests if r.interface in interfaces]


@asynccontextmanager
async def parked(*, shown: bool = True) -> AsyncIterator[Bench]:
    """The window, as soon as it is asked for; `shown`: the compositor maps it."""
    with FakeDesk.wired() as (sock, desk):
        if not shown:
            desk.peer.answers["xdg_surface.ack_configure"] = lambda _: None
        async with Connection.adopt(sock) as connection:
            globals_ = await Globals.load(connection)
            parking = Parking(globals_, Toplevels(globals_), "transient-7")
            yield Bench(desk, connection, parking)


async def test_it_is_found_in_the_window_list_by_its_own_name() -> None:
    async with parked() as it:
        assert await it.parking.mapped()
        (title,) = [r.arguments for r in it.sent("xdg_toplevel") if r.name == "set_title"]
        (app_id,) = [r.arguments for r in it.sent("xdg_toplevel") if r.name == "set_app_id"]
        assert (title, app_id) == ((TITLE,), (PARKING_APP_ID,))
        handle = it.parking.handle
        assert handle is not None
        it.desk.open("Slate: transient-8 rests here", PARKING_APP_ID)
        it.desk.open(TITLE, "another.app")
        await it.connection.sync()
        assert it.parking.handle == handle


async def test_it_names_itself_before_its_first_commit_and_draws_only_after_configure() -> None:
    async with parked() as it:
        await it.parking.mapped()
        words = [r.name for r in it.sent("wl_surface", "xdg_toplevel", "xdg_surface")]
        assert words == [
            "get_toplevel",
            "set_app_id",
            "set_title",
            "commit",
            "ack_configure",
            "attach",
            "damage",
            "commit",
        ]


async def test_it_is_drawn_as_large_as_it_is_told_and_small_if_it_may_choose() -> None:
    async with parked() as it:
        await it.parking.mapped()
        role, window = (it.desk.peer.object_of(name) for name in ("xdg_surface", "xdg_toplevel"))
        it.desk.peer.answers["xdg_surface.ack_configure"] = lambda _: None  # mapped already
        for width, height in ((1280, 800), (0, 0)):
            it.desk.peer.send(window, "configure", width, height, b"")
            it.desk.peer.send(role, "configure", 9)
        await it.connection.sync()
        await it.connection.sync()
        sizes = [r.arguments for r in it.sent("wp_viewport") if r.name == "set_destination"]
        assert sizes == [(64, 64), (1280, 800), (64, 64)]
        assert [r.arguments for r in it.sent("xdg_surface") if r.name == "ack_configure"][1:] == [
            (9,),
            (9,),
        ]


async def test_it_answers_pings_so_that_it_never_counts_as_hung() -> None:
    async with parked() as it:
        await it.parking.mapped()
        it.desk.peer.send(it.desk.peer.object_of("xdg_wm_base"), "ping", 77)
        await it.connection.sync()
        await it.connection.sync()
        assert [r.arguments for r in it.sent("xdg_wm_base") if r.name == "pong"] == [(77,)]


async def test_its_one_grey_pixel_is_in_memory_that_is_handed_over() -> None:
    async with parked() as it:
        await it.connection.sync()
        (pool,) = it.sent("wl_shm")
        _, descriptor, size = pool.arguments
        assert os.pread(descriptor, size + 1, 0) == b"\x40\x40\x40\xff"


async def test_a_window_that_is_never_shown_is_not_waited_for_for_ever() -> None:
    async with parked(shown=False) as it:
        assert not await it.parking.mapped(deadline_s=0.05)
        assert it.parking.handle is None


async def test_it_is_taken_down_once_the_window_before_its_surface() -> None:
    async with parked() as it:
        await it.parking.mapped()
        mark = len(it.desk.peer.requests)
        it.parking.close()
        it.parking.close()
        await it.connection.sync()
        gone = [r.interface for r in it.desk.peer.requests[mark:] if r.name == "destroy"]
        assert gone == ["xdg_toplevel", "xdg_surface", "wp_viewport", "wl_surface", "wl_buffer"]

"""Outputs by name against a scripted compositor: places, comings and goings."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import pytest

from slate_desktop.geometry import Rect
from slate_desktop.wayland.connection import Connection
from slate_desktop.wayland.globals import Globals
from slate_desktop.wayland.outputs import Outputs
from slated.errors import Stale, Unavailable
from tests.fakes.wayland_desk import GLOBALS, OUTPUTS, FakeDesk
from tests.fakes.wayland_peer import wired

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def seen() -> AsyncIterator[tuple[Outputs, FakeDesk, Connection]]:
    """Two outputs beside each other, known."""
    with FakeDesk.wired() as (sock, desk):
        async with Connection.adopt(sock) as connection:
            outputs = Outputs(await Globals.load(connection))
            await outputs.known("SCREEN-2")
            yield outputs, desk, connection


async def test_outputs_are_found_by_name_with_their_place_in_the_layout() -> None:
    async with seen() as (outputs, _, _):
        assert outputs.find("SCREEN-1").rect == Rect(0, 0, 1280, 720)
        assert outputs.find("SCREEN-2").rect == Rect(1280, 0, 1280, 720)
        with pytest.raises(Stale, match="no output SCREEN-3") as caught:
            outputs.find("SCREEN-3")
        assert caught.value.code == "stale.output_gone"


async def test_an_output_that_goes_is_told_while_its_objects_still_live() -> None:
    async with seen() as (outputs, desk, connection):
        gone: list[tuple[str, bool]] = []
        outputs.on_gone(lambda output: gone.append((output.name, output.proxy.destroyed)))
        proxy = outputs.find("SCREEN-2").proxy
        desk.unplug("SCREEN-2")
        await connection.sync()
        assert gone == [("SCREEN-2", False)]
        assert proxy.destroyed
        with pytest.raises(Stale) as caught:
            await outputs.known("SCREEN-2", deadline_s=0.01)
        assert caught.value.code == "stale.output_gone"
        assert outputs.find("SCREEN-1").rect == Rect(0, 0, 1280, 720)


async def test_an_output_plugged_in_later_is_waited_for() -> None:
    async with seen() as (outputs, desk, connection):
        desk.unplug("SCREEN-2")
        await connection.sync()
        with anyio.fail_after(5):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(outputs.known, "SCREEN-2", 5)
                await anyio.lowlevel.checkpoint()
                desk.plug("SCREEN-2")
        assert outputs.find("SCREEN-2").rect == Rect(*OUTPUTS["SCREEN-2"])


async def test_an_output_that_is_moved_and_resized_is_where_it_is_now() -> None:
    async with seen() as (outputs, desk, connection):
        place = desk.place_of("SCREEN-2")
        desk.peer.send(place, "logical_position", -1920, 40)
        await connection.sync()
        assert outputs.find("SCREEN-2").rect == Rect(-1920, 40, 1280, 720)
        desk.peer.send(place, "logical_size", 1920, 1080)
        await connection.sync()
        assert outputs.find("SCREEN-2").rect == Rect(-1920, 40, 1920, 1080)


async def test_an_output_whose_size_is_not_announced_yet_is_none_yet() -> None:
    with FakeDesk.wired() as (sock, desk):
        desk.peer.answers["zxdg_output_manager_v1.get_xdg_output"] = lambda _: None
        async with Connection.adopt(sock) as connection:
            outputs = Outputs(await Globals.load(connection))
            await connection.sync()
            with pytest.raises(Stale):
                outputs.find("SCREEN-1")


async def test_a_compositor_that_does_not_tell_places_is_named_so() -> None:
    with wired(*[(name, n) for name, n in GLOBALS if name != "zxdg_output_manager_v1"]) as (
        sock,
        _,
    ):
        async with Connection.adopt(sock) as connection:
            globals_ = await Globals.load(connection)
            with pytest.raises(Unavailable, match="zxdg_output_manager_v1"):
                Outputs(globals_)

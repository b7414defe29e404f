"""The clipboard of one seat against a scripted compositor."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

import anyio
import pytest
from pywayland.protocol.wayland import WlSeatProxy

from slate_desktop.wayland.clipboard import CHUNK_BYTES, SeatClipboard
from slate_desktop.wayland.connection import Connection
from slate_desktop.wayland.globals import Globals
from slated.errors import BadRequest, Unavailable
from tests.fakes.wayland_peer import Peer, Request, wired

pytestmark = pytest.mark.anyio

MANAGER, DEVICE = "ext_data_control_manager_v1", "ext_data_control_device_v1"
SOURCE, OFFER = "ext_data_control_source_v1", "ext_data_control_offer_v1"


@dataclass
class Pair:
    """Our clipboard, its connection, and the compositor."""

    peer: Peer
    connection: Connection
    clipboard: SeatClipboard

    async def select(self, *types: str) -> int:
        """Someone copied something that comes in these types; the offer's id."""
        device, offer = self.peer.object_of(DEVICE), self.peer.new(OFFER)
        self.peer.send(device, "data_offer", offer)
        for type_ in types:
            self.peer.send(offer, "offer", type_)
        self.peer.send(device, "selection", offer)
        await self.connection.sync()
        return offer

    def given(self, data: bytes, *, whole: bool = True) -> None:
        """What the owner of the clipboard writes when it is asked."""

        def answer(request: Request) -> None:
            descriptor = request.arguments[1]
            os.write(descriptor, data)
            if whole:
                os.close(descriptor)

        self.peer.answers[f"{OFFER}.receive"] = answer


@asynccontextmanager
async def paired() -> AsyncIterator[Pair]:
    with wired(("wl_seat", 7), (MANAGER, 1)) as (sock, peer):
        async with Connection.adopt(sock) as connection, anyio.create_task_group() as tasks:
            globals_ = await Globals.load(connection)
            seat = globals_.bind(WlSeatProxy, 7)
            clipboard = SeatClipboard(globals_, seat, tasks)
            await connection.sync()
            yield Pair(peer, connection, clipboard)
            tasks.cancel_scope.cancel()


async def test_nothing_is_there_until_somebody_copies() -> None:
    async with paired() as pair:
        await pair.connection.sync()
        assert list(pair.clipboard.types) == []
        await pair.select("text/plain", "text/html")
        assert list(pair.clipboard.types) == ["text/plain", "text/html"]
        pair.peer.send(pair.peer.object_of(DEVICE), "selection", 0)
        await pair.connection.sync()
        assert list(pair.clipboard.types) == []
        assert OFFER not in pair.peer.objects.values()


async def test_a_newer_copy_takes_the_place_of_the_older_one() -> None:
    async with paired() as pair:
        first = await pair.select("text/plain")
        await pair.select("image/png")
        await pair.connection.sync()
        assert pair.clipboard.types == ("image/png",)
        assert first not in pair.peer.objects


async def test_content_is_read_unchanged() -> None:
    async with paired() as pair:
        await pair.select("text/plain")
        pair.given(b"\x00\xffx\n")
        assert await pair.clipboard.read("text/plain", limit=100, deadline_s=2) == b"\x00\xffx\n"


async def test_a_type_that_is_not_offered_is_not_asked_for() -> None:
    async with paired() as pair:
        await pair.select("text/plain")
        with pytest.raises(BadRequest):
            await pair.clipboard.read("image/png", limit=100, deadline_s=2)
        assert f"{OFFER}.receive" not in pair.peer.names()


async def test_more_than_the_limit_is_refused() -> None:
    async with paired() as pair:
        await pair.select("text/plain")
        pair.given(b"x" * 101)
        with pytest.raises(BadRequest):
            await pair.clipboard.read("text/plain", limit=100, deadline_s=2)


@pytest.mark.promise("every-call-has-a-deadline")
async def test_an_owner_that_never_ends_is_given_up() -> None:
    async with paired() as pair:
        await pair.select("text/plain")
        pair.given(b"half", whole=False)
        with anyio.fail_after(2), pytest.raises(Unavailable):
            await pair.clipboard.read("text/plain", limit=100, deadline_s=0.05)


async def test_what_is_offered_is_given_to_whoever_pastes() -> None:
    async with paired() as pair:
        data = os.urandom(3 * CHUNK_BYTES + 7)
        await pair.clipboard.offer({"text/plain": data, "text/html": b"<b>"})
        names = pair.peer.names()
        assert names.count(f"{SOURCE}.offer") == 2
        assert names[-2] == f"{DEVICE}.set_selection"
        hears, says = os.pipe2(os.O_NONBLOCK)
        pair.peer.send(pair.peer.object_of(SOURCE), "send", "text/plain", says)
        os.close(says)
        got = bytearray()
        with anyio.fail_after(2):
            while True:
                with suppress(BlockingIOError):
                    chunk = os.read(hears, CHUNK_BYTES)
                    got += chunk
                    if not chunk and got:
                        break
                await anyio.sleep(0.001)
        os.close(hears)
        assert got == data


async def test_a_source_that_was_replaced_is_destroyed_and_an_empty_offer_empties() -> None:
    async with paired() as pair:
        await pair.clipboard.offer({"text/plain": b"x"})
        source = pair.peer.object_of(SOURCE)
        pair.peer.send(source, "cancelled")
        await pair.connection.sync()
        await pair.connection.sync()
        assert source not in pair.peer.objects
        await pair.clipboard.offer({})
        last = [r for r in pair.peer.requests if r.name == "set_selection"][-1]
        assert last.arguments == (0,)


async def test_what_is_merely_marked_is_nobodys_business() -> None:
    async with paired() as pair:
        device, offer = pair.peer.object_of(DEVICE), pair.peer.new(OFFER)
        pair.peer.send(device, "data_offer", offer)
        pair.peer.send(offer, "offer", "text/plain")
        pair.peer.send(device, "primary_selection", offer)
        await pair.connection.sync()
        await pair.connection.sync()
        assert pair.clipboard.types == ()
        assert offer not in pair.peer.objects


async def test_closing_twice_is_safe() -> None:
    async with paired() as pair:
        await pair.select("text/plain")
        pair.clipboard.close()
        pair.clipboard.close()
        await pair.connection.sync()
        assert DEVICE not in pair.peer.objects.values()

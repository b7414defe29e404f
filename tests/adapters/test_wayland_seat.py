"""Transient seats against a scripted compositor: made, denied, losing their devices, given back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from slate_desktop.wayland import seat
from slate_desktop.wayland.connection import Connection
from slate_desktop.wayland.globals import Globals
from slate_desktop.wayland.seat import Seat, TransientSeat, restore_person
from slated.errors import Unavailable
from tests.fakes.wayland_desk import GLOBALS, FakeDesk
from tests.fakes.wayland_peer import wired

pytestmark = pytest.mark.anyio

CREATE = "ext_transient_seat_manager_v1.create"
DESTROY = "ext_transient_seat_v1.destroy"


@asynccontextmanager
async def desk() -> AsyncIterator[tuple[FakeDesk, Globals]]:
    """A scripted desk and its registry."""
    with FakeDesk.wired() as (sock, it):
        async with Connection.adopt(sock) as connection:
            yield it, await Globals.load(connection)


def capabilities(it: FakeDesk, mask: int) -> None:
    it.peer.send(it.peer.object_of("wl_seat"), "capabilities", mask)


async def test_a_seat_is_bound_by_the_number_it_came_with_and_known_by_name() -> None:
    async with desk() as (it, globals_):
        first = await TransientSeat.make(globals_)
        second = await TransientSeat.make(globals_)
        assert (first.name, second.name) == ("transient-1", "transient-2")
        binds = [r.arguments for r in it.peer.requests if r.name == "bind"]
        names = [name for name, interface, *_ in binds if interface == "wl_seat"]
        assert names == [len(GLOBALS) + 1, len(GLOBALS) + 2]


async def test_a_named_seat_is_found_among_all_and_the_others_are_let_go() -> None:
    async with desk() as (it, globals_):
        transient = await TransientSeat.make(globals_)
        found = await Seat.named(globals_, transient.name)
        assert found.global_name == transient.global_name
        assert found.proxy is not transient.proxy
        found.close()
        with pytest.raises(Unavailable, match="no seat slate-1") as caught:
            await Seat.named(globals_, "slate-1")
        assert caught.value.code == "unavailable.seat"
        await globals_.connection.sync()
        binds = [r for r in it.peer.requests if r.name == "bind" and r.arguments[1] == "wl_seat"]
        assert len(binds) == 3  # its own, and one for each time it was looked at by name


async def test_a_denied_seat_is_unavailable_and_its_request_taken_back() -> None:
    async with desk() as (it, globals_):
        it.denies = True
        with pytest.raises(Unavailable, match="denied") as caught:
            await TransientSeat.make(globals_)
        assert caught.value.code == "unavailable.seat"
        await globals_.connection.sync()
        assert it.peer.names().count(DESTROY) == 1


async def test_a_compositor_that_does_not_answer_is_not_waited_for_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(seat, "MADE_S", 0.05)
    async with desk() as (it, globals_):
        it.peer.answers[CREATE] = lambda _: None
        with pytest.raises(Unavailable, match="made no seat") as caught:
            await TransientSeat.make(globals_)
        assert caught.value.code == "unavailable.compositor"


async def test_a_compositor_without_seats_of_our_own_is_named_so() -> None:
    with wired(("wl_seat", 9)) as (sock, _):
        async with Connection.adopt(sock) as connection:
            globals_ = await Globals.load(connection)
            with pytest.raises(Unavailable, match="ext_transient_seat_manager_v1") as caught:
                await TransientSeat.make(globals_)
            assert caught.value.code == "unavailable.protocol"


async def test_losing_all_devices_is_told_and_nothing_else_is() -> None:
    async with desk() as (it, globals_):
        made = await TransientSeat.make(globals_)
        lost: list[int] = []
        made.lost = lambda: lost.append(made.capabilities)
        for mask in (0, 1, 3, 2):
            capabilities(it, mask)
        await globals_.connection.sync()
        assert (made.capabilities, lost) == (2, [])
        capabilities(it, 0)
        capabilities(it, 0)
        await globals_.connection.sync()
        assert lost == [0]


async def test_a_seat_is_given_back_once() -> None:
    async with desk() as (it, globals_):
        made = await TransientSeat.make(globals_)
        made.close()
        made.close()
        await globals_.connection.sync()
        assert it.peer.names().count(DESTROY) == 1


async def test_the_person_gets_their_window_back_by_a_seat_that_lives_for_a_moment() -> None:
    async with desk() as (it, globals_):
        mark = len(it.peer.requests)
        restore_person(globals_)
        await globals_.connection.sync()
        sent = [str(r) for r in it.peer.requests[mark:] if r.interface.startswith("ext_")]
        assert sent == [CREATE, DESTROY]

"""The registry against a scripted compositor."""

from __future__ import annotations

import pytest
from pywayland.protocol.ext_transient_seat_v1 import ExtTransientSeatManagerV1Proxy
from pywayland.protocol.wayland import WlCompositorProxy, WlSeatProxy

from slate_desktop.wayland.connection import Connection
from slate_desktop.wayland.globals import Globals, Offer
from slated.errors import Unavailable
from tests.fakes.wayland_peer import wired

pytestmark = pytest.mark.anyio


async def test_a_protocol_that_is_not_offered_is_named_with_the_sway_that_has_it() -> None:
    with wired(("wl_compositor", 6)) as (sock, _):
        async with Connection.adopt(sock) as connection:
            globals_ = await Globals.load(connection)
            with pytest.raises(Unavailable, match="ext_transient_seat_manager_v1") as caught:
                globals_.bind(ExtTransientSeatManagerV1Proxy, 1)
            assert "sway 1.12" in caught.value.message
            assert caught.value.code == "unavailable.protocol"


async def test_the_lower_of_both_versions_is_bound_and_only_once() -> None:
    with wired(("wl_compositor", 3)) as (sock, peer):
        async with Connection.adopt(sock) as connection:
            globals_ = await Globals.load(connection)
            assert globals_.bind(WlCompositorProxy, 6) is globals_.bind(WlCompositorProxy, 6)
            await connection.sync()
            (bind,) = [r for r in peer.requests if r.name == "bind"]
            assert bind.arguments[1:3] == ("wl_compositor", 3)


async def test_a_global_that_went_is_no_longer_offered() -> None:
    with wired(("wl_compositor", 6)) as (sock, peer):
        async with Connection.adopt(sock) as connection:
            globals_ = await Globals.load(connection)
            bound = globals_.bind(WlCompositorProxy, 6)
            peer.remove(1)
            await connection.sync()
            assert bound.destroyed
            with pytest.raises(Unavailable):
                globals_.bind(WlCompositorProxy, 6)


async def test_globals_are_watched_from_the_first_to_the_last() -> None:
    with wired(("wl_seat", 9), ("wl_compositor", 6)) as (sock, peer):
        async with Connection.adopt(sock) as connection:
            globals_ = await Globals.load(connection)
            added: list[Offer] = []
            removed: list[int] = []
            globals_.watch(WlSeatProxy, added.append, removed.append)
            second = peer.add("wl_seat", 8)
            peer.add("wl_shm", 1)
            peer.remove(1)
            await connection.sync()
            assert added == [Offer(1, "wl_seat", 9), Offer(second, "wl_seat", 8)]
            assert removed == [1]

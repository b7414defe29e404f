"""Both window lists become one, whatever order their news comes in."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from slate_desktop.model import Handle
from slate_desktop.wayland.connection import Connection
from slate_desktop.wayland.globals import Globals
from slate_desktop.wayland.toplevels import Toplevels
from slated.errors import Stale
from tests.fakes.wayland_desk import FakeDesk

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def watched() -> AsyncIterator[tuple[FakeDesk, Connection, Toplevels]]:
    """A desk and its windows as we see them."""
    with FakeDesk.wired() as (sock, desk):
        async with Connection.adopt(sock) as connection:
            toplevels = Toplevels(await Globals.load(connection))
            await connection.sync()
            yield desk, connection, toplevels


async def test_a_window_is_known_by_its_identifier_with_the_words_of_both_lists() -> None:
    async with watched() as (desk, connection, toplevels):
        handle = desk.open("A title", "app", activated=True)
        await toplevels.known(handle)
        assert toplevels.handles == (handle,)
        assert (toplevels.title(handle), toplevels.app_id(handle)) == ("A title", "app")
        assert toplevels.activated(handle)
        assert toplevels.activated_handles() == {handle}
        desk.deactivate_all()
        await connection.sync()
        assert not toplevels.activated(handle)


async def test_windows_of_equal_title_pair_in_the_order_they_were_announced() -> None:
    async with watched() as (desk, connection, toplevels):
        # As at the start: one list as a whole, then the other.
        for name in ("one", "two"):
            desk.announce_listed(name, "the same", "app")
        first = desk.announce_managed("the same", "app")
        second = desk.announce_managed("the same", "app")
        await connection.sync()
        assert [*toplevels.handles] == ["one", "two"]
        assert first != second
        desk.peer.send(second, "closed")
        await connection.sync()
        assert [*toplevels.handles] == ["one"]


async def test_a_title_that_changes_meanwhile_is_waited_for() -> None:
    async with watched() as (desk, connection, toplevels):
        listed = desk.announce_listed("one", "before", "app")
        desk.announce_managed("after", "app")
        await connection.sync()
        assert [*toplevels.handles] == []
        desk.peer.send(listed, "title", "after")
        desk.peer.send(listed, "done")
        await connection.sync()
        assert [*toplevels.handles] == ["one"]


async def test_an_x11_window_has_its_class_in_one_list_only() -> None:
    async with watched() as (desk, connection, toplevels):
        desk.announce_listed("one", "xterm", "")
        desk.announce_managed("xterm", "XTerm")
        await connection.sync()
        assert toplevels.app_id(Handle("one")) == "XTerm"


async def test_a_window_that_closes_before_it_is_paired_leaves_no_half_behind() -> None:
    async with watched() as (desk, connection, toplevels):
        listed = desk.announce_listed("one", "same", "app")
        desk.peer.send(listed, "closed")
        managed = desk.announce_managed("same", "app")
        desk.peer.send(managed, "closed")
        desk.announce_listed("two", "same", "app")
        desk.announce_managed("same", "app")
        await connection.sync()
        assert [*toplevels.handles] == ["two"]


@pytest.mark.parametrize("first", ["listed", "managed"])
async def test_a_closed_window_is_gone_whichever_list_says_so_first(first: str) -> None:
    async with watched() as (desk, connection, toplevels):
        handle = desk.open("a", "app", activated=True)
        await toplevels.known(handle)
        desk.peer.send(getattr(desk.windows[handle], first), "closed")
        await connection.sync()
        assert not toplevels.activated(handle)
        with pytest.raises(Stale) as caught:
            toplevels.title(handle)
        assert caught.value.code == "stale.window_gone"
        second = "managed" if first == "listed" else "listed"
        desk.peer.send(getattr(desk.windows[handle], second), "closed")
        await connection.sync()
        assert toplevels.activated_handles() == frozenset()


async def test_a_window_that_never_comes_is_stale_after_the_deadline() -> None:
    async with watched() as (_, _, toplevels):
        with pytest.raises(Stale) as caught:
            await toplevels.known(Handle("none"), deadline_s=0.01)
        assert caught.value.code == "stale.window_gone"


async def test_watchers_hear_of_changes_until_they_stop() -> None:
    async with watched() as (desk, connection, toplevels):
        heard: list[int] = []

        def note() -> None:
            heard.append(len(toplevels.handles))

        toplevels.watch(note)
        desk.open("a", "app")
        await connection.sync()
        assert heard[-1] == 1
        toplevels.unwatch(note)
        toplevels.unwatch(note)
        heard.clear()
        desk.open("b", "app")
        await connection.sync()
        assert heard == []


async def test_a_window_is_found_by_its_words() -> None:
    async with watched() as (desk, connection, toplevels):
        handle = desk.open("a", "app")
        await connection.sync()
        assert toplevels.by_title("app", "a") == handle
        assert toplevels.by_title("app", "b") is None

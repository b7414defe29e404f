"""What is done to the background at sway's events, on a scripted sway that keeps count of its outputs."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import anyio
import pytest

from slate_desktop.geometry import Size
from slate_desktop.swayipc.background import Background
from slate_desktop.swayipc.codec import Event
from slate_desktop.swayipc.ipc import Events, Ipc
from slate_desktop.swayipc.keeper import Keeper
from tests.fakes.sway_peer import SwayPeer, sway_peer
from tests.fakes.sway_screens import Screens, screen
from tests.fakes.sway_tree import box, window

pytestmark = pytest.mark.anyio

DEADLINE_S = 5.0


@dataclass
class Kept:
    """A background that is kept."""

    screens: Screens
    peer: SwayPeer
    home: str

    async def tell(self, event: Event, change: str, **more: Any) -> None:
        """What sway announces."""
        await self.peer.emit(event, {"change": change, **more})

    async def until(self, look: Callable[[], bool]) -> None:
        """Wait until it is so: a peer tells nobody."""
        with anyio.fail_after(DEADLINE_S):
            while not look():  # noqa: ASYNC110  # see above
                await anyio.sleep(0.01)


@asynccontextmanager
async def kept() -> AsyncIterator[Kept]:
    screens = Screens(screen())
    async with sway_peer(screens.answers) as peer, anyio.create_task_group() as tasks:
        ipc, events = Ipc(peer.path), Events(peer.path)
        background = Background(ipc, Size(1280, 800))
        home = await background.ensure()
        keeper, subscribed = Keeper(events, background), anyio.Event()
        tasks.start_soon(lambda: events.run(started=subscribed.set))
        await subscribed.wait()
        tasks.start_soon(keeper.run)
        peer.asked.clear()
        yield Kept(screens, peer, home)
        tasks.cancel_scope.cancel()
        await ipc.close()


async def test_a_window_that_has_come_keeps_its_output_and_one_that_has_gone_gives_it_back() -> (
    None
):
    async with kept() as it:
        it.screens.open(window(10))
        await it.tell(Event.WINDOW, "new")
        await it.until(lambda: it.screens.spaces["agent"] == [] and len(it.screens.names) == 4)
        it.screens.shut(10)
        await it.tell(Event.WINDOW, "close")
        home = next(o for o in it.screens.outputs if o["name"] == it.home)
        await it.until(lambda: home["current_workspace"] == "agent")


async def test_what_a_window_calls_itself_is_no_reason_to_look() -> None:
    async with kept() as it:
        for change in ("title", "urgent", "focus"):
            await it.tell(Event.WINDOW, change)
        await it.tell(Event.WORKSPACE, "init")
        await it.tell(Event.WINDOW, "move")
        await it.until(lambda: bool(it.peer.asked))
        assert len([kind for kind, _ in it.peer.asked if kind == 4]) == 1


async def test_after_a_reload_places_are_said_again() -> None:
    async with kept() as it:
        it.screens.outputs[1]["rect"] = box(1280, 0, 1280, 800)
        await it.tell(Event.WORKSPACE, "reload")
        await it.until(lambda: it.screens.outputs[1]["rect"] == box(0, 5800, 1280, 800))


async def test_a_home_that_is_gone_is_made_anew() -> None:
    async with kept() as it:
        it.screens.run(f"output {it.home} unplug")
        await it.tell(Event.OUTPUT, "unspecified")
        await it.until(lambda: len(it.screens.names) == 2 and "agent" in it.screens.spaces)


async def test_only_a_person_who_comes_to_us_from_a_screen_of_theirs_is_brought_back() -> None:
    async with kept() as it:
        agent, mine = {"name": "agent"}, {"name": "1", "output": "DP-1"}
        await it.tell(Event.WORKSPACE, "focus", current=agent, old={"name": "x", "output": it.home})
        await it.tell(Event.WORKSPACE, "focus", current={"name": "2"}, old=mine)
        await it.tell(Event.WORKSPACE, "focus", current=agent, old=None)
        it.screens.outputs[1]["nodes"][0]["focused"] = True
        await it.tell(Event.WORKSPACE, "focus", current=agent, old=mine)
        await it.until(lambda: "focus output DP-1" in it.peer.commands())
        assert it.peer.commands().count("nop") == 1


async def test_a_failure_is_made_good_by_the_next_event() -> None:
    async with kept() as it:
        it.screens.open(window(10))
        it.screens.open(window(11))
        it.screens.refuses = "[con_id"
        await it.tell(Event.WINDOW, "new")
        await it.until(lambda: any("con_id" in words for words in it.peer.commands()))
        it.screens.refuses = ""
        await it.tell(Event.WINDOW, "new")
        await it.until(lambda: it.screens.spaces["agent"] == [])
        assert sorted(ids for ids in it.screens.spaces.values() if ids) == [[10], [11]]

"""How the windows of the background get outputs of their own, on a scripted sway that keeps count of them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from slate_desktop.geometry import Size
from slate_desktop.swayipc.background import Background
from slate_desktop.swayipc.berths import MOST, SPARE, own_name
from slate_desktop.swayipc.codec import Ask
from slate_desktop.swayipc.ipc import Events, Ipc
from slate_desktop.swayipc.windows import SwayWindows
from tests.fakes.sway_peer import SwayPeer, sway_peer
from tests.fakes.sway_screens import Screens, screen
from tests.fakes.sway_tree import box, root, window

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def background_on(screens: Screens) -> AsyncIterator[tuple[Background, SwayPeer]]:
    async with sway_peer(screens.answers) as peer:
        ipc = Ipc(peer.path)
        yield Background(ipc, Size(1280, 800)), peer
        await ipc.close()


async def test_each_window_that_comes_has_an_output_of_its_own_and_none_is_moved() -> None:
    screens = Screens(screen())
    async with background_on(screens) as (background, peer):
        await background.ensure()
        for id_ in (10, 11, 12):
            screens.open(window(id_))
            await background.settle(quiet=True)
        assert screens.spaces["agent"] == []
        assert sorted(ids for ids in screens.spaces.values() if ids) == [[10], [11], [12]]
        assert not [command for command in peer.commands() if "con_id" in command]
        assert background.outputs == set(screens.names) - {"DP-1"}
        tops = sorted(node["rect"]["y"] for node in screens.outputs)
        assert tops == [0, 5800, 8600, 11400, 14200, 17000]


async def test_while_something_starts_outputs_come_only_for_windows_that_share_one() -> None:
    screens = Screens(screen())
    async with background_on(screens) as (background, _):
        await background.ensure()
        screens.open(window(10))
        await background.settle()
        assert len(background.outputs) == 1
        screens.open(window(11))
        await background.settle()
        assert len(background.outputs) == 2
        assert sorted(ids for ids in screens.spaces.values() if ids) == [[10], [11]]
        await background.settle(quiet=True)
        assert len(background.outputs) == 2 + 1 + SPARE
        screens.open(window(12))
        await background.settle()
        assert screens.spaces["agent"] == []
        assert len(background.outputs) == 2 + 1 + SPARE


async def test_windows_that_come_at_once_are_taken_apart() -> None:
    screens = Screens(screen())
    async with background_on(screens) as (background, _):
        await background.ensure()
        for id_ in (10, 11, 12):
            screens.open(window(id_))
        await background.settle(quiet=True)
        assert sorted(ids for ids in screens.spaces.values() if ids) == [[10], [11], [12]]
        assert screens.spaces["agent"] == []


async def test_outputs_whose_windows_have_gone_are_taken_away_but_for_a_spare() -> None:
    screens = Screens(screen())
    async with background_on(screens) as (background, _):
        home = await background.ensure()
        for id_ in (10, 11, 12):
            screens.open(window(id_))
        await background.settle(quiet=True)
        for id_ in (10, 11, 12):
            screens.shut(id_)
            await background.settle(quiet=True)
        assert len(screens.names) == 2 + SPARE
        assert next(o for o in screens.outputs if o["name"] == home)["current_workspace"] == "agent"
        await background.close()
        assert screens.names == ["DP-1"]


async def test_with_a_window_left_its_output_stays_and_the_one_for_new_windows() -> None:
    screens = Screens(screen())
    async with background_on(screens) as (background, _):
        home = await background.ensure()
        for id_ in (10, 11):
            screens.open(window(id_))
        await background.settle(quiet=True)
        (kept,) = [
            o["name"] for o in screens.outputs if screens.spaces[o["current_workspace"]] == [11]
        ]
        screens.shut(10)
        await background.close()
        assert screens.names == ["DP-1", home, kept]
        assert screens.spaces == {"1": [], "agent": [], own_name(kept): [11]}
        assert not await background.lost()  # what is closed is not made anew
        assert await background.ensure() == home
        assert background.outputs == {home, kept}


async def test_the_limit_of_outputs_is_kept_and_a_place_that_becomes_free_is_taken() -> None:
    screens = Screens(screen())
    async with background_on(screens) as (background, _):
        await background.ensure()
        for id_ in range(10, 10 + MOST + 1):
            screens.open(window(id_))
        await background.settle(quiet=True)
        assert len(background.outputs) == MOST
        assert len(screens.spaces["agent"]) == 2
        screens.shut(10)
        await background.settle(quiet=True)
        assert max(len(ids) for ids in screens.spaces.values()) == 1


async def test_where_no_more_outputs_can_be_made_windows_share_and_nothing_fails() -> None:
    screens = Screens(screen())
    async with background_on(screens) as (background, peer):
        await background.ensure()
        screens.can_create = False
        for id_ in (10, 11):
            screens.open(window(id_))
        await background.settle(quiet=True)
        assert screens.spaces["agent"] == [10, 11]
        peer.asked.clear()
        tree = root(*screens.outputs)
        assert not background.crowded(tree, [])  # it is not tried again at each look
        await background.settle(quiet=True)
        assert peer.commands() == []


async def test_a_window_that_closes_before_it_is_moved_is_no_failure() -> None:
    screens = Screens(screen())
    async with background_on(screens) as (background, peer):
        await background.ensure()
        for id_ in (10, 11):
            screens.open(window(id_))

        def run(words: str) -> object:
            if "con_id=11" in words and 11 in screens.spaces["agent"]:
                screens.shut(11)
                return [{"success": False, "error": "No matching node."}]
            return screens.run(words)

        peer.answers[Ask.RUN_COMMAND] = run
        await background.settle(quiet=True)
        assert [ids for ids in screens.spaces.values() if ids] == [[10]]


async def test_the_window_of_a_lost_output_gets_another() -> None:
    screens = Screens(screen())
    async with background_on(screens) as (background, _):
        await background.ensure()
        for id_ in (10, 11):
            screens.open(window(id_))
        await background.settle(quiet=True)
        (name,) = [
            o["name"] for o in screens.outputs if screens.spaces[o["current_workspace"]] == [11]
        ]
        screens.run(f"output {name} unplug")
        assert screens.outputs[0]["nodes"][1]["name"] == own_name(name)
        await background.settle(quiet=True)
        assert sorted(ids for ids in screens.spaces.values() if ids) == [[10], [11]]
        assert screens.outputs[0]["nodes"] == [screens.outputs[0]["nodes"][0]]


@pytest.mark.parametrize("known", [True, False])
async def test_r76_without_any_output_left_windows_are_taken_in_by_the_next(known: bool) -> None:
    screens = Screens(screen())
    async with background_on(screens) as (background, peer):
        home = await background.ensure()
        screens.open(window(10))
        screens.run("output DP-1 unplug")
        if not known:
            screens.counter += 1  # somebody else's output, which has gone again
        screens.run(f"output {home} unplug")
        peer.asked.clear()
        assert await background.ensure() != home
        await background.settle(quiet=True)
        assert [ids for ids in screens.spaces.values() if ids] == [[10]]
        assert screens.spaces["agent"] == []
        assert peer.commands().count("create_output") <= 4


async def test_another_output_is_home_when_home_is_lost_and_goes_when_all_is_over() -> None:
    screens = Screens(screen())
    async with background_on(screens) as (background, _):
        home = await background.ensure()
        screens.open(window(10))
        await background.settle(quiet=True)
        screens.run(f"output {home} unplug")
        assert await background.lost()
        assert await background.ensure() != home
        await background.settle(quiet=True)
        assert [ids for ids in screens.spaces.values() if ids] == [[10]]
        screens.shut(10)
        await background.close()
        assert screens.names == ["DP-1"]


async def test_windows_that_cannot_be_taken_apart_are_listed_all_the_same() -> None:
    screens = Screens(screen())
    async with background_on(screens) as (background, peer):
        await background.ensure()
        for id_ in (10, 11):
            screens.open(window(id_))
        screens.refuses = "[con_id"
        ipc = Ipc(peer.path)
        seen = await SwayWindows(ipc, Events(peer.path), background).desktop()
        await ipc.close()
        assert {w.id for w in seen.windows} == {10, 11}


async def test_a_screen_is_pinned_again_only_where_it_has_moved() -> None:
    screens = Screens(screen())
    async with background_on(screens) as (background, peer):
        await background.ensure()
        peer.asked.clear()
        screens.open(window(10))
        await background.settle(quiet=True)
        assert not [command for command in peer.commands() if "DP-1" in command]
        screens.outputs[0]["rect"] = box(0, 100, 1280, 800)
        screens.open(window(11))
        await background.settle(quiet=True)
        assert "output DP-1 position 0 100" in peer.commands()

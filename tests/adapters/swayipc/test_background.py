"""How the agent's output is found, made and left, on a scripted sway that keeps count of its
outputs.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from slate_desktop.errors import Unavailable
from slate_desktop.geometry import Size
from slate_desktop.model import PARKING_APP_ID
from slate_desktop.swayipc.background import RULES, Background
from slate_desktop.swayipc.ipc import Ipc
from tests.fakes.sway_peer import SwayPeer, sway_peer
from tests.fakes.sway_screens import Screens, screen
from tests.fakes.sway_tree import box, output, window, workspace

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def background_on(screens: Screens) -> AsyncIterator[tuple[Background, SwayPeer]]:
    async with sway_peer(screens.answers) as peer:
        ipc = Ipc(peer.path)
        yield Background(ipc, Size(1280, 800)), peer
        await ipc.close()


async def test_a_new_background_stands_far_below_everything_after_the_screens_were_pinned() -> None:
    screens = Screens(screen())
    async with background_on(screens) as (background, peer):
        assert background.outputs == frozenset()
        peer_name = await background.ensure()
        assert background.outputs == {peer_name}
        commands = peer.commands()
        assert commands.index("output DP-1 position 0 0") < commands.index("create_output")
        assert f"output {peer_name} mode --custom 1280x800 position 0 5800" in commands
        assert 'assign [sandbox_engine="^dev.slate$"] workspace agent' in commands
        assert 'no_focus [app_id="^dev.slate.parking$"]' in commands
        assert not any("," in command for command in commands)


@pytest.mark.parametrize("counter", [0, 1, 7])
async def test_r75_the_name_of_a_new_output_is_learned_not_guessed(counter: int) -> None:
    screens = Screens(screen(), counter=counter)
    async with background_on(screens) as (background, _):
        name = await background.ensure()
    assert screens.names == ["DP-1", name]
    assert screens.outputs[1]["current_workspace"] == "agent"


async def test_r76_a_session_without_any_output_gets_its_background() -> None:
    screens = Screens(counter=0)
    async with background_on(screens) as (background, _):
        assert await background.ensure() == "HEADLESS-1"


async def test_a_background_that_is_there_is_used_and_not_taken_away() -> None:
    far = output(5, "HEADLESS-2", workspace(6, "agent"), rect=box(6280, 0, 1280, 800))
    screens = Screens(screen(name="HEADLESS-1"), far)
    async with background_on(screens) as (background, peer):
        assert await background.ensure() == "HEADLESS-2"
        assert "create_output" not in peer.commands()
        await background.close()
    assert screens.names == ["HEADLESS-1", "HEADLESS-2"]


async def test_a_headless_screen_of_the_persons_is_never_taken_for_the_background() -> None:
    screens = Screens(screen(window(10), name="HEADLESS-1", shows="agent"))
    async with background_on(screens) as (background, peer):
        with pytest.raises(Unavailable, match="shown on a screen of the person's"):
            await background.ensure()
        assert background.outputs == frozenset()
        assert peer.commands() == []


async def test_r78_windows_of_a_lost_background_are_brought_home_one_by_one() -> None:
    lost = workspace(8, "agent", window(10), window(11))
    screens = Screens(output(3, "DP-1", workspace(4, "1"), lost))
    async with background_on(screens) as (background, peer):
        await background.ensure()
        moves = [command for command in peer.commands() if "con_id" in command]
    assert moves == [
        *(f"[con_id={n}] move container to workspace agent-moving" for n in (11, 10)),
        *(f"[con_id={n}] move container to workspace agent" for n in (11, 10)),
    ]


async def test_r78_an_output_that_did_not_get_the_workspace_is_not_kept() -> None:
    screens = Screens(screen())
    screens.meant_for = {f"HEADLESS-{number}": "2" for number in range(9)}
    async with background_on(screens) as (background, _):
        with pytest.raises(Unavailable, match="did not get its workspace"):
            await background.ensure()
    assert screens.names == ["DP-1"]


async def test_a_compositor_that_can_make_no_output_says_so() -> None:
    screens = Screens(screen())
    screens.can_create = False
    async with background_on(screens) as (background, _):
        with pytest.raises(Unavailable):
            await background.ensure()


async def test_after_a_reload_everything_is_said_again() -> None:
    screens = Screens(screen())
    async with background_on(screens) as (background, peer):
        name = await background.ensure()
        peer.asked.clear()
        screens.outputs[1]["rect"] = box(1280, 0, 1280, 720)
        await background.redo()
        assert screens.outputs[1]["rect"] == box(0, 5800, 1280, 800)
        assert f"workspace agent output {name}" in peer.commands()
        assert 'no_focus [sandbox_engine="^dev.slate$"]' in peer.commands()


async def test_a_background_that_was_unplugged_is_unavailable() -> None:
    screens = Screens(screen())
    async with background_on(screens) as (background, _):
        await background.ensure()
        del screens.outputs[1]
        with pytest.raises(Unavailable, match="output is gone"):
            await background.redo()
        assert background.outputs == frozenset()


async def test_r76_a_background_that_was_unplugged_is_made_anew_when_that_is_asked() -> None:
    screens = Screens(screen())
    async with background_on(screens) as (background, _):
        first = await background.ensure()
        assert not await background.lost()
        del screens.outputs[1]
        assert await background.lost()
        assert await background.ensure() != first
        assert not await background.lost()


async def test_workspaces_of_the_persons_are_given_back_to_a_screen_and_ours_stay() -> None:
    screens = Screens(screen())
    async with background_on(screens) as (background, peer):
        await background.give_back()  # there is none yet
        await background.ensure()
        screens.outputs[1]["nodes"] += [
            workspace(20, "agenda", window(10)),
            workspace(21, "agent-moving", window(11)),
            workspace(22, "5", focused=True),
            workspace(23, "6"),
        ]
        peer.asked.clear()
        await background.give_back()
        assert peer.commands() == [
            "nop",
            "[con_id=10] move workspace to output DP-1",
            "focus output DP-1",
        ]


async def test_a_person_whom_sway_has_put_into_our_workspace_is_brought_back() -> None:
    screens = Screens(screen())
    async with background_on(screens) as (background, peer):
        await background.ensure()
        screens.outputs[1]["nodes"][0]["nodes"] = [window(10, focused=True)]
        peer.asked.clear()
        await background.give_back()
        assert peer.commands() == ["nop", "focus output DP-1"]


async def test_without_a_screen_there_is_nowhere_to_give_anything_back_to() -> None:
    screens = Screens(counter=0)
    async with background_on(screens) as (background, peer):
        await background.ensure()
        screens.outputs[0]["nodes"] += [workspace(20, "5", window(10))]
        peer.asked.clear()
        await background.give_back()
        assert peer.commands() == ["nop"]


async def test_an_empty_background_of_ours_is_taken_away_and_one_with_a_window_stays() -> None:
    screens = Screens(screen())
    async with background_on(screens) as (background, _):
        name = await background.ensure()
        screens.outputs[1]["nodes"][0]["nodes"] = [window(10)]
        await background.close()
        assert screens.names == ["DP-1", name]
        assert await background.ensure() == name
        screens.outputs[1]["nodes"][0]["nodes"] = [window(11, app_id=PARKING_APP_ID)]
        await background.close()
        assert screens.names == ["DP-1", name]


async def test_a_person_is_brought_back_to_the_screen_they_came_from() -> None:
    screens = Screens(screen(), output(7, "DP-2", workspace(8, "2"), rect=box(1280, 0, 1280, 800)))
    async with background_on(screens) as (background, peer):
        home = await background.ensure()
        assert not background.visited("agenda", "DP-2")
        assert background.visited("agent", "DP-2")
        assert not background.visited("agent-3", home)  # a seat of ours, from window to window
        screens.outputs[2]["nodes"][0]["focused"] = True
        await background.give_back()
        assert peer.commands()[-1] == "focus output DP-2"


async def test_an_output_name_that_is_not_plain_stops_it_before_any_command() -> None:
    screens = Screens(screen(name="DP-1; exec x"))
    async with background_on(screens) as (background, peer):
        with pytest.raises(Unavailable) as raised:
            await background.ensure()
        assert raised.value.code == "unavailable.output_name"
        assert peer.commands() == []


async def test_the_configuration_we_ship_says_the_same_rules() -> None:
    shipped = (Path(__file__).parents[3] / "sway/slate.conf").read_text().splitlines()
    assert set(RULES) <= set(shipped)

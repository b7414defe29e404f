"""What is asked of sway to change a window, and that nothing a window says of itself gets there."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

from slate_desktop.errors import BadRequest, Stale, Unavailable
from slate_desktop.geometry import Rect, Size
from slate_desktop.model import WindowId
from slate_desktop.swayipc.background import Background
from slate_desktop.swayipc.codec import Ask
from slate_desktop.swayipc.ipc import Events, Ipc
from slate_desktop.swayipc.windows import SwayWindows
from tests.fakes.sway_peer import SwayPeer, sway_peer
from tests.fakes.sway_tree import box, output, root, window, workspace

pytestmark = pytest.mark.anyio

EVIL = "a, kill; exec touch /x\"] [con_id=3] 'kill"
FAR = box(0, 5800, 1280, 800)
COMMAND = re.compile(
    r"nop|unmark dev\.slate"
    r"|\[con_id=\d+\] (kill|(floating|fullscreen) (en|dis)able|split[hv]|mark --add dev\.slate"
    r"|layout (splith|splitv|tabbed|stacking)|move container to mark dev\.slate"
    r"|move container to workspace agent(-arranging|-\d+)?"
    r"|resize set width \d+ px height \d+ px|move absolute position -?\d+ px -?\d+ px)"
)


def tree(*background: dict[str, Any], person: Sequence[dict[str, Any]] = ()) -> dict[str, Any]:
    """Windows of the background that were arranged on one output; new ones would come to the other."""
    return root(
        output(3, "DP-1", workspace(4, "1", *person)),
        output(5, "HEADLESS-2", workspace(6, "agent-2", *background), rect=FAR),
        output(7, "HEADLESS-3", workspace(8, "agent"), rect=box(0, 8600, 1280, 800)),
    )


@asynccontextmanager
async def windows_of(seen: dict[str, Any]) -> AsyncIterator[tuple[SwayWindows, SwayPeer]]:
    """The adapter on a peer that shows this tree, its background known."""
    outputs = [node | {"active": True} for node in seen["nodes"][1:]]
    answers: dict[int, object] = {Ask.GET_TREE: seen, Ask.GET_SEATS: [], Ask.GET_OUTPUTS: outputs}
    async with sway_peer(answers) as peer:
        ipc = Ipc(peer.path)
        background = Background(ipc, Size(1280, 800))
        await background.ensure()
        peer.asked.clear()
        yield SwayWindows(ipc, Events(peer.path), background), peer
        assert all(COMMAND.fullmatch(command) for command in peer.commands())
        await ipc.close()


def ids(*numbers: int) -> list[WindowId]:
    return [WindowId(number) for number in numbers]


async def test_looking_gives_the_current_seat_back_to_the_person() -> None:
    async with windows_of(tree(window(10))) as (windows, peer):
        seen = await windows.desktop()
        assert [w.id for w in seen.windows] == [10]
        assert peer.asked == [(0, "nop"), (4, ""), (101, "")]


async def test_r86_a_window_whose_title_is_not_utf8_is_listed_as_all_others() -> None:
    seen = tree(window(10, "Actualit#s"), window(11, "plain"))
    async with windows_of(seen) as (windows, peer):
        peer.answers[Ask.GET_TREE] = json.dumps(seen).encode().replace(b"#", b"\xe9")
        titles = [w.title for w in (await windows.desktop()).windows]
        assert titles == ["Actualit\ufffds", "plain"]
        assert json.loads(json.dumps(titles)) == titles


@pytest.mark.parametrize("layout", ["side-by-side", "stacked", "tabbed", "grid", "floating"])
async def test_r79_titles_with_commas_quotes_and_brackets_never_reach_a_command(
    layout: str,
) -> None:
    evil = [window(n, EVIL, app_id=EVIL) for n in range(10, 15)]
    async with windows_of(tree(*evil)) as (windows, peer):
        await windows.close(WindowId(10))
        await windows.reshape(
            WindowId(11), rect=Rect(5, 5900, 300, 200), floating=True, fullscreen=False
        )
        await windows.to_background(WindowId(12))
        await windows.arrange(ids(10, 11, 12, 13, 14), layout)
        assert all(COMMAND.fullmatch(command) for command in peer.commands())
        assert len(peer.commands()) > 15


async def test_closing_asks_and_a_window_that_is_gone_is_stale() -> None:
    async with windows_of(tree(window(10))) as (windows, peer):
        await windows.close(WindowId(10))
        assert peer.commands() == ["[con_id=10] kill"]
        peer.answers[0] = [{"success": False, "error": "No matching node."}]
        with pytest.raises(Stale) as raised:
            await windows.close(WindowId(99))
        assert raised.value.code == "stale.window_gone"


async def test_a_rect_is_the_content_so_border_and_title_are_added() -> None:
    floating = window(
        10,
        type="floating_con",
        rect=box(100, 6025, 306, 203),
        window_rect=box(3, 0, 300, 200),
        deco_rect=box(100, 6000, 306, 25),
    )
    async with windows_of(tree(floating)) as (windows, peer):
        await windows.reshape(WindowId(10), rect=Rect(200, 6100, 400, 300))
        assert peer.commands()[-2:] == [
            "[con_id=10] resize set width 406 px height 328 px",
            "[con_id=10] move absolute position 197 px 6075 px",
        ]


async def test_a_program_that_passes_over_its_new_size_is_told_of_another_in_between() -> None:
    """sway tells of changes only; Firefox, just started, draws on as large as it was."""
    floating = window(
        10, type="floating_con", rect=box(200, 6100, 400, 300), geometry=box(0, 0, 1204, 772)
    )
    async with windows_of(tree(floating)) as (windows, peer):
        await windows.reshape(WindowId(10), rect=Rect(200, 6100, 400, 300))
        sizes = [command for command in peer.commands() if "resize" in command]
        assert sizes == [
            "[con_id=10] resize set width 400 px height 299 px",
            "[con_id=10] resize set width 400 px height 300 px",
        ]


async def test_a_floating_window_that_falls_back_from_fullscreen_is_brought_back_to_it() -> None:
    small = window(10, type="floating_con", rect=box(0, 5800, 400, 300))
    async with windows_of(tree(small)) as (windows, peer):
        await windows.reshape(WindowId(10), fullscreen=True)
        said = [command for command in peer.commands() if "fullscreen" in command]
        assert said[:3] == [f"[con_id=10] fullscreen {way}able" for way in ("en", "dis", "en")]


async def test_a_tiled_window_is_not_given_a_place() -> None:
    async with windows_of(tree(window(10))) as (windows, peer):
        await windows.reshape(WindowId(10), rect=Rect(0, 5800, 400, 300))
        assert peer.commands()[-1] == "[con_id=10] resize set width 400 px height 300 px"


async def test_a_window_is_not_moved_off_its_output_where_sway_would_give_it_to_another() -> None:
    async with windows_of(tree(window(10, type="floating_con"))) as (windows, peer):
        with pytest.raises(BadRequest) as raised:
            await windows.reshape(WindowId(10), rect=Rect(0, 0, 400, 300))
        assert raised.value.code == "bad_request.off_output"
        assert set(peer.commands()) == {"nop"}


async def test_only_background_windows_are_arranged() -> None:
    async with windows_of(tree(window(10), person=[window(11)])) as (windows, peer):
        for asked, layout in ((ids(10, 11), "grid"), (ids(10), "heap"), ([], "grid")):
            with pytest.raises(BadRequest):
                await windows.arrange(asked, layout)
        with pytest.raises(Stale):
            await windows.arrange(ids(10, 99), "grid")
        assert set(peer.commands()) == {"nop"}


async def test_r78_a_window_that_did_not_arrive_on_the_background_is_an_error() -> None:
    async with windows_of(tree(window(10), person=[window(11)])) as (windows, _):
        await windows.to_background(WindowId(10))
        with pytest.raises(Unavailable, match="did not put"):
            await windows.to_background(WindowId(11))

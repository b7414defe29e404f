"""When all that sway's tree says is shown, as far as a change of our own parking windows tells."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest

from slate_desktop.errors import Unavailable
from slate_desktop.model import PARKING_APP_ID
from slate_desktop.swayipc import ripple as rippling
from slate_desktop.swayipc.codec import Ask
from slate_desktop.swayipc.ipc import Ipc
from slate_desktop.swayipc.ripple import Ripple
from tests.fakes.sway_peer import SwayPeer, sway_peer
from tests.fakes.sway_tree import output, root, window, workspace

pytestmark = pytest.mark.anyio


class Sway:
    """One that puts a change into effect only at the look of that number after it."""

    def __init__(self, *, late: int = 0, parked: bool = True) -> None:
        self.late, self.parked = late, parked
        self.width, self.asked, self.looks = 2, 2, 0

    def command(self, payload: str) -> Any:
        if "border pixel" in payload:
            self.asked, self.looks = int(payload.split()[-1]), 0
        return [{"success": True}]

    def tree(self, _payload: str) -> Any:
        if self.looks >= self.late:
            self.width = self.asked
        self.looks += 1
        ours = window(9, app_id=PARKING_APP_ID, current_border_width=self.width)
        others = window(10, current_border_width=self.asked)
        return root(output(5, "A", workspace(6, "agent", *([ours] if self.parked else []), others)))


@asynccontextmanager
async def rippled(sway: Sway) -> AsyncIterator[tuple[Ripple, SwayPeer]]:
    answers: dict[int, Callable[[str], Any]] = {
        Ask.RUN_COMMAND: sway.command,
        Ask.GET_TREE: sway.tree,
    }
    async with sway_peer(dict(answers)) as peer:
        ipc = Ipc(peer.path)
        yield Ripple(ipc), peer
        await ipc.close()


async def test_it_has_passed_at_the_look_at_which_its_width_is_in_effect() -> None:
    sway = Sway(late=3)
    async with rippled(sway) as (ripple, peer):
        await ripple.passed()
        assert sway.looks == 4
        assert peer.commands() == [f'[app_id="^{PARKING_APP_ID}$"] border pixel {sway.asked}'] + (
            ["nop"] * 3
        )


async def test_each_has_another_width_than_the_one_before_and_than_sway_gives() -> None:
    sway = Sway()
    async with rippled(sway) as (ripple, _):
        widths = []
        for _number in range(130):
            await ripple.passed()
            widths.append(sway.width)
        assert all(before != after for before, after in itertools.pairwise(widths))
        assert 2 not in widths


async def test_several_at_once_take_turns() -> None:
    async with rippled(Sway(late=1)) as (ripple, _), anyio.create_task_group() as tasks:
        for _number in range(5):
            tasks.start_soon(ripple.passed)


async def test_without_a_window_of_ours_there_is_nothing_to_wait_for() -> None:
    sway = Sway(late=1000, parked=False)
    async with rippled(sway) as (ripple, _):
        await ripple.passed()
        assert sway.looks == 1


async def test_a_compositor_that_never_finishes_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rippling, "_SHOWN_S", 0.05)
    async with rippled(Sway(late=100_000)) as (ripple, _):
        with pytest.raises(Unavailable) as caught:
            await ripple.passed()
        assert caught.value.code == "unavailable.layout"

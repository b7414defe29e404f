"""Reloads under both kinds of seat: no key goes astray, and a named seat keeps all it has."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from slate_desktop.errors import Unavailable
from slate_desktop.geometry import Point
from slate_desktop.headless.program import SwayProgram
from slate_desktop.keys import text_bursts
from slate_desktop.model import Button, Handle, PointerMove, PointerPress
from slate_desktop.settings import NAMED_SEAT
from slate_desktop.wayland.hands import SeatHands
from tests.live.bed import stage as stages
from tests.live.bed.arms import armed
from tests.live.bed.patience import until_it_says
from tests.live.bed.program import Program
from tests.live.bed.stage import SCREEN, Stage
from tests.soak import reload

pytestmark = pytest.mark.anyio

CLICK = (PointerPress(Button.LEFT, down=True), PointerPress(Button.LEFT, down=False))


@pytest.fixture
async def own_stage(sway_program: SwayProgram) -> AsyncIterator[Stage]:
    """A session of its own: a reload would make the other tests' seats lose their devices."""
    async with stages.staged(sway_program) as stage:
        yield stage


async def test_with_a_named_seat_reloads_are_no_event_and_no_key_goes_astray(
    sway_program: SwayProgram,
) -> None:
    done = await reload.soak(sway_program, NAMED_SEAT, 8, 1)
    assert done.reloads == 8
    assert (done.stray, done.stopped, done.wrong) == (0, 0, 0)
    assert done.sent == done.arrived > 0


async def test_with_a_transient_seat_a_reload_stops_the_strokes_and_the_next_ones_arrive(
    sway_program: SwayProgram,
) -> None:
    """A key that was on its way may reach the person's window; how often, `make soak-reload` measures."""
    done = await reload.soak(sway_program, None, 8, 2)
    assert done.reloads == 8
    assert done.wrong == 0
    assert done.sent == done.arrived > 0


async def shown(window: Program) -> bool:
    """Whether the compositor has drawn it: in its tree a window is earlier than under a pointer."""
    return int((await window.ask("state"))["frames"]) > 0


async def click(hands: SeatHands, x: int, y: int) -> None:
    await hands.pointer(SCREEN, [PointerMove(Point(x, y)), *CLICK])


@pytest.mark.parametrize("named", [None, NAMED_SEAT])
async def test_after_a_reload_clicks_land_where_they_did(
    sway_program: SwayProgram, named: str | None
) -> None:
    """sway forgets without a word which output a pointer is bound to."""
    async with reload.rig(sway_program, named) as (stage, hands):
        window = await stage.window("bed.hit")
        await until_it_says(lambda: shown(window), True, "the window is drawn")
        for x in (100, 200, 300):
            window.take()
            await click(hands, x, 150)
            await window.event("button", pressed=True, at=[x, 150])
            stage.sway.run("reload")
            if named is None:
                await window.event("capabilities", seat=hands.seat, value=0)


async def test_a_named_seat_outlives_the_daemon_and_a_program_hears_the_next_one(
    sway_program: SwayProgram,
) -> None:
    """Toolkits ignore seats younger than themselves: this one is as old as sway."""
    async with reload.rig(sway_program, NAMED_SEAT) as (stage, hands):
        window = await stage.window("bed.old")
        assert hands.seat == NAMED_SEAT
        window.take()
        hands.close()
        await window.event("capabilities", seat=NAMED_SEAT, value=0)
        async with armed(stage, named=NAMED_SEAT) as arms:
            # Keys that come before a program has met a keyboard are lost to it.
            await window.event("capabilities", seat=NAMED_SEAT, value=3)
            handle = Handle((await stage.shows("bed.old"))["foreign_toplevel_identifier"])
            assert await arms.hands.focus(handle)
            await window.event("key_enter", seat=NAMED_SEAT)
            await arms.hands.keys(handle, text_bursts("next")[0])
            state = await window.ask("state")
            assert state["seats"][NAMED_SEAT]["text"] == "next"


async def test_a_sway_without_the_named_seat_says_what_to_do(own_stage: Stage) -> None:
    async with armed(own_stage) as arms:
        with pytest.raises(Unavailable) as caught:
            await arms.seats.make(NAMED_SEAT)
        assert caught.value.code == "unavailable.seat"
        assert "slate-seat.conf" in caught.value.next_step


async def test_a_daemon_told_to_use_the_named_seat_gives_it_to_the_first_agent(
    sway_program: SwayProgram, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stages, "DAEMON", [*stages.DAEMON, "--seats", "named"])
    config = reload.NAMED_CONFIG.read_text(encoding="utf-8")
    async with (
        stages.staged(sway_program, extra_config=config) as stage,
        stages.daemon(stage),
        stage.connected() as first,
        stage.connected() as second,
    ):
        window = await stage.window("bed.hit")
        await until_it_says(lambda: shown(window), True, "the window is drawn")
        assert (await first.ok("desktop_status")).outcome["seat"] == NAMED_SEAT
        assert (await second.ok("desktop_status")).outcome["seat"] != NAMED_SEAT
        for x in (40, 90):
            await first.ok("desktop_click", target="bed.hit", x=x, y=50, observe="none")
            await window.event("button", pressed=True, at=[x, 50], seat=NAMED_SEAT)
            stage.sway.run("reload")

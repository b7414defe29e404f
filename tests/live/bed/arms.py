"""Seats of an agent on the stage, without a daemon: what they need, and what windows heard of them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from slate_desktop.keys import text_bursts
from slate_desktop.model import (
    Handle,
)
from slate_desktop.swayipc.background import RULES
from slate_desktop.wayland.connection import Connection
from slate_desktop.wayland.globals import Globals
from slate_desktop.wayland.hands import SeatHands, Seats
from slate_desktop.wayland.outputs import Outputs
from slate_desktop.wayland.toplevels import Toplevels
from tests.live.bed.program import Program
from tests.live.bed.stage import Stage

GUARD = [32, 0, 32, 0]
"""The modifiers at rest: Mod3 alone."""


@dataclass(frozen=True)
class Arms:
    """Seats on a stage, made before what the test starts."""

    stage: Stage
    connection: Connection
    toplevels: Toplevels
    seats: Seats
    hands: SeatHands

    def handle(self, name: str) -> Handle:
        """The window of that app id or title, as the tree calls it."""
        window = self.stage.sway.window(name)
        assert window is not None
        return Handle(window["foreign_toplevel_identifier"])

    async def type(self, name: str, text: str) -> None:
        """Focus and type."""
        handle = self.handle(name)
        assert await self.hands.focus(handle)
        for burst in text_bursts(text):
            await self.hands.keys(handle, burst)

    def id(self, name: str) -> int:
        """Its container id."""
        window = self.stage.sway.window(name)
        assert window is not None
        return int(window["id"])

    def to_background(self, name: str) -> None:
        """Move a window out of the person's sight."""
        self.stage.sway.run(f"[con_id={self.id(name)}] move container to workspace agent")


@asynccontextmanager
async def armed(stage: Stage, *, named: str | None = None) -> AsyncIterator[Arms]:
    """A connection with one seat: a new one, or sway's own of that name."""
    for rule in RULES:
        stage.sway.run(rule)
    async with Connection.open(stage.session.wayland_socket) as connection:
        globals_ = await Globals.load(connection)
        outputs, toplevels = Outputs(globals_), Toplevels(globals_)
        seats = Seats(globals_, outputs, toplevels)
        yield Arms(stage, connection, toplevels, seats, await seats.make(named))
        seats.close()


async def heard(window: Program, arms: Arms) -> str:
    """What our seat typed into a scriptable window."""
    state = await window.ask("state")
    return str(state["seats"].get(arms.hands.seat, {}).get("text", ""))

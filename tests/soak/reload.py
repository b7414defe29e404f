"""Reloads sway while an agent types in the background and the person's windows come and go: where the keys went.

`python -m tests.soak.reload [--count 200] [--seed N]`: count is the reloads, with seats of each kind.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import anyio
import anyio.to_thread

from slate_desktop.headless.program import SwayProgram
from slate_desktop.keys import text_bursts
from slate_desktop.model import Handle
from slate_desktop.settings import NAMED_SEAT
from slate_desktop.swayipc.background import RULES
from slate_desktop.wayland.connection import Connection
from slate_desktop.wayland.globals import Globals
from slate_desktop.wayland.hands import SeatHands, Seats
from slate_desktop.wayland.outputs import Outputs
from slate_desktop.wayland.toplevels import Toplevels
from slated.errors import Unavailable
from tests.live.bed.finding import find
from tests.live.bed.patience import WAIT_S
from tests.live.bed.program import ROOT, Program
from tests.live.bed.stage import Stage, staged
from tests.live.bed.tree import Sway

TARGET, PERSONS = "bed.target", "bed.persons"
LETTERS = "abcdefghijklmnopqrstuvwxyz"
NAMED_CONFIG = ROOT / "sway" / "slate-seat.conf"


@dataclass(slots=True)
class Count:
    """What happened: reloads, keys handed to the compositor without an error and keys that arrived in the target, keys
    in the person's windows by whatever seat, bursts that a reload stopped, and texts that differ though no error came.
    """

    reloads: int = 0
    sent: int = 0
    arrived: int = 0
    stray: int = 0
    stopped: int = 0
    wrong: int = 0
    finished: bool = False


@asynccontextmanager
async def rig(program: SwayProgram, named: str | None) -> AsyncIterator[tuple[Stage, SeatHands]]:
    """A stage whose rules outlive a reload, and one seat on it."""
    config = "\n".join([*RULES, *([_seat_config()] if named else [])])
    async with (
        staged(program, extra_config=config) as stage,
        Connection.open(stage.session.wayland_socket) as connection,
    ):
        globals_ = await Globals.load(connection)
        seats = Seats(globals_, Outputs(globals_), Toplevels(globals_))
        yield stage, await seats.make(named)
        seats.close()


def _seat_config() -> str:
    return Path(NAMED_CONFIG).read_text(encoding="utf-8")


async def soak(program: SwayProgram, named: str | None, count: int, seed: int) -> Count:
    """Type in the target until sway has been reloaded that often."""
    async with rig(program, named) as (stage, hands):
        person, target = await stage.person(), await stage.window(TARGET)
        node = await stage.shows(TARGET)
        stage.sway.run(f"[con_id={node['id']}] move container to workspace agent")
        await person.ask("open", title="first", app_id=PERSONS)
        done = Count()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_reload, stage, done, count, random.Random(seed))
            tasks.start_soon(_come_and_go, person, done)
            await _type_on(
                hands, Handle(node["foreign_toplevel_identifier"]), target, done, seed + 1
            )
        done.stray += _keys(await person.ask("state"), "")
        return done


async def _type_on(
    hands: SeatHands, handle: Handle, target: Program, done: Count, seed: int
) -> None:
    dice = random.Random(seed)
    while not done.finished:
        text = "".join(dice.choices(LETTERS, k=dice.randint(1, 60)))
        await target.ask("forget")
        try:
            for burst in text_bursts(text):
                await hands.keys(handle, burst)
        except Unavailable:
            done.stopped += 1
            await _focus(hands, handle)
            continue
        done.sent += len(text)
        seats = (await target.ask("state"))["seats"]
        heard = str(seats.get(hands.seat, {}).get("text", ""))
        done.arrived += len(heard)
        done.wrong += heard != text
        done.stray += _keys(seats, hands.seat)


async def _focus(hands: SeatHands, handle: Handle) -> None:
    """Try until the seat is there again."""
    with anyio.fail_after(WAIT_S):
        for _ in range(100):
            with suppress(Unavailable):
                if await hands.focus(handle):
                    return
            await anyio.sleep(0.02)


async def _reload(stage: Stage, done: Count, count: int, dice: random.Random) -> None:
    """From a thread and over a socket of its own, so that reloads come in the middle of bursts."""
    sway = Sway(str(stage.session.sway_socket))
    try:
        while done.reloads < count:
            await anyio.sleep(dice.uniform(0.3, 0.7))
            await anyio.to_thread.run_sync(sway.run, "reload")
            done.reloads += 1
        await anyio.sleep(0.3)
    finally:
        done.finished = True
        sway.close()


async def _come_and_go(person: Program, done: Count) -> None:
    """The person's windows: each new one takes the focus of every seat. The person types nothing."""
    while not done.finished:
        await person.ask("open", title="more", app_id=PERSONS)
        await anyio.sleep(0.15)
        await person.ask("close_last")


def _keys(seats: dict[str, dict[str, int]], besides: str) -> int:
    """Keys that windows heard, of all seats but one."""
    return sum(facts["keys"] for name, facts in seats.items() if name != besides)


def main() -> None:
    """Both kinds of seat; exits 0 when no key of a named seat went astray and no text was wrong, 2 without sway."""
    parser = argparse.ArgumentParser(description="Reloads sway while an agent types.")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000)
    chosen = parser.parse_args()
    sway = find()
    if isinstance(sway, str):
        print(sway, file=sys.stderr)
        sys.exit(2)
    print(f"seed {chosen.seed}", flush=True)
    transient = anyio.run(soak, sway, None, chosen.count, chosen.seed)
    print(f"transient seat: {transient}", flush=True)
    named = anyio.run(soak, sway, NAMED_SEAT, chosen.count, chosen.seed)
    print(f"named seat: {named}", flush=True)
    held = not named.stray and not named.wrong and not named.stopped and not transient.wrong
    print("held" if held else "BROKEN", flush=True)
    sys.exit(0 if held else 1)


if __name__ == "__main__":
    main()

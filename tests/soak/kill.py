"""Kills the daemon in the middle of a chord or of a long text, again and again, and looks at
what is left behind.

`python -m tests.soak.kill [--count 50] [--seed N]`
"""

from __future__ import annotations

import os
import signal
from typing import Any

from tests.live.bed.patience import until, until_it_says
from tests.live.bed.program import Program, ProgramFault
from tests.live.bed.stage import Stage
from tests.live.bed.whereabouts import daemon_pid, end_daemon
from tests.soak.run import main

TARGET, PERSON, SEAT = "bed.target", "bed.person", "seat0"
LONG = "the quick brown fox jumps over the lazy dog " * 80
AGAIN = "still here"


async def soak(stage: Stage, count: int, seed: int) -> bool:
    """`count` rounds, alternating chord and text; prints what each broken round left behind."""
    person, mine = await stage.person(), await stage.window(PERSON)
    await person.ask("layout", layout="de")
    await person.ask("copy", text="the person's own")
    await person.ask("move", x=40, y=50)
    clean = 0
    try:
        for number in range(count):
            faults = await _round(stage, person, mine, number)
            clean += not faults
            for fault in faults:
                print(f"round {number}: {fault}", flush=True)
    finally:
        await end_daemon(stage.session.runtime_dir)
    print(f"{clean}/{count} clean after SIGKILL of the daemon", flush=True)
    return clean == count


async def _round(stage: Stage, person: Program, mine: Program, number: int) -> list[str]:
    """One life of a daemon, its death in the middle of a call, and the next life's first call."""
    async with stage.connected() as agent:
        # The window is opened after the daemon: toolkits take input only from seats older than
        # themselves.
        target = await stage.window(TARGET)
        stage.focus(PERSON)
        before = await _belongings(person, mine)
        seats = len(stage.sway.seats())
        target.take()
        if number % 2:
            call = await agent.post("desktop_type", target=TARGET, text=LONG, observe="none")
        else:
            call = await agent.post("desktop_key", target=TARGET, keys=["ctrl+shift+a"], hold_s=5)
        try:
            await target.event("key", pressed=True)
        except ProgramFault:
            await stage_without(stage, target)
            return [f"no key came, the call was answered {(await agent.answer(call)).verdict!r}"]
        victim = daemon_pid(stage.session.runtime_dir)
        assert victim is not None
        os.kill(victim, signal.SIGKILL)
        reply = await agent.answer(call)
    faults = (
        []
        if reply.code == "unavailable.daemon"
        else [f"the open call was answered {reply.verdict!r}"]
    )
    async with stage.connected() as agent:
        await target.ask("forget")
        reply = await agent.call("desktop_type", target=TARGET, text=AGAIN, observe="none")
        if reply.error:
            faults.append(f"the next session's first call: {reply.verdict}")
        after = await _belongings(person, mine)
        faults += [
            f"{what} was {before[what]!r}, is {after[what]!r}"
            for what in before
            if before[what] != after[what]
        ]
        if (now := len(stage.sway.seats())) != seats:
            faults.append(f"there were {seats} seats, now {now}")
        faults += await _held(target)
    await stage_without(stage, target)
    return faults


async def _belongings(person: Program, mine: Program) -> dict[str, Any]:
    """What is the person's: keymap, layouts, focus, pointer, clipboard, and what is held down on
    their seat.
    """
    seat = (await mine.ask("state"))["seats"][SEAT]
    held = {
        name: seat[name] for name in ("focused", "modifiers", "down", "text", "pointer", "motions")
    }
    return {**await person.ask("report"), **held}


async def _held(target: Program) -> list[str]:
    """Keys and modifiers that stayed down in the target, and whether the new life's text
    arrived.
    """

    async def text() -> str:
        return "".join(facts["text"] for facts in (await target.ask("state"))["seats"].values())

    faults = []
    try:
        await until_it_says(text, AGAIN, "the next session's text")
    except TimeoutError as late:
        faults.append(str(late))
    for facts in (await target.ask("state"))["seats"].values():
        if facts["down"]:
            faults.append(f"keys {facts['down']} are still down on {facts['seat']}")
    return faults


async def stage_without(stage: Stage, target: Program) -> None:
    """Take the target away again."""
    await target.ask("close")
    await until(lambda: stage.sway.window(TARGET) is None, "the target is gone")


if __name__ == "__main__":
    main("Kills the daemon in mid-call and looks at what is left.", soak, count=50)

"""A person opens windows, runs bindings and modes, a launcher and the lock screen, while an
agent types elsewhere.

`python -m tests.soak.person [--count 100] [--seed N]`: count is the windows the person opens;
the agent types until 50 keys per window have arrived.
"""

from __future__ import annotations

import random
import signal
import subprocess
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import anyio
from anyio.abc import Process

from tests.live.bed.agent import Agent
from tests.live.bed.patience import SLOW, until
from tests.live.bed.program import Program
from tests.live.bed.stage import Stage, daemon
from tests.soak.run import main
from tests.soak.strings import difference
from tests.soak.witness import Bindings, bindings, keys_sent_to, times_left

TARGET, SEAT = "bed.target", "seat0"
KEYS_PER_WINDOW = 50
# Every letter the agent types is bound in the person's mode: a key that reached their seat there
# would be counted.
LETTERS = "abcdefghijklmnopqrstuvwxyz"
MODE = ["mode resize bindsym Escape mode default"] + [
    f"mode resize bindsym {key} nop resize-{key}" for key in LETTERS
]
BINDINGS = [
    "bindsym Mod4+1 workspace p1",
    "bindsym Mod4+2 workspace p2",
    "bindsym Mod4+r mode resize",
]
HELD_S = 2.6  # longer than the 2 s a call waits for a prompt to go away


@dataclass(slots=True)
class Count:
    """What should have happened by the person's own hand, and what went wrong."""

    ran: Counter[str] = field(default_factory=Counter)
    modes: Counter[str] = field(default_factory=Counter)
    typed: str = ""
    faults: list[str] = field(default_factory=list)
    answered: Counter[str] = field(default_factory=Counter)
    delivered: int = 0
    finished: bool = False


async def soak(stage: Stage, count: int, seed: int) -> bool:
    """Open everything in the order of a real desktop: daemon, then windows."""
    async with daemon(stage):
        return await run(stage, count, seed)


async def run(stage: Stage, count: int, seed: int) -> bool:
    """The same against a daemon that runs already."""
    for command in [*MODE, *BINDINGS]:
        stage.sway.run(command)
    agent, person, target = await stage.agent(), await stage.person(), await stage.window(TARGET)
    window = await stage.shows(TARGET)
    stage.sway.run(f"[con_id={window['id']}] move container to workspace agent")
    stage.sway.run("workspace p1")
    done = Count()
    async with bindings(stage) as seen:
        with TemporaryDirectory(prefix="slate-soak-") as directory:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(
                    _type_on, agent, target, done, count * KEYS_PER_WINDOW, random.Random(seed)
                )
                await _live(stage, person, done, Path(directory), count)
                done.finished = True
        await _compare(person, target, done, seen)
    held = not done.faults and done.delivered >= count * KEYS_PER_WINDOW
    print(f"agent: {done.delivered} keys in its target; answers {dict(done.answered)}")
    print(f"person: {count} windows, bindings {dict(done.ran)}, modes {dict(done.modes)}")
    for fault in done.faults:
        print(f"FAULT {fault}")
    print("held" if held else "BROKEN", flush=True)
    return held


async def _type_on(
    agent: Agent, target: Program, done: Count, keys: int, dice: random.Random
) -> None:
    """Type pieces until the person is finished and all keys have arrived; check each piece in
    the target at once.
    """
    await target.ask("forget")
    while not done.finished or done.delivered < keys:
        text = "".join(dice.choices(LETTERS, k=dice.randint(1, 100)))
        reply = await agent.call("desktop_type", target=TARGET, text=text, observe="none")
        arrived = await _arrived(target)
        await target.ask("forget")
        done.delivered += len(arrived)
        done.answered[reply.code or "typed"] += 1
        if not reply.error and arrived != text:
            done.faults.append(f"a piece said to be typed was not: {difference(text, arrived)}")
        if reply.error and not text.startswith(arrived):
            done.faults.append(f"the target holds what nobody typed: {difference(text, arrived)}")
        if reply.error and not reply.code.startswith("unavailable."):
            done.faults.append(f"an answer that was not unavailable: {reply.verdict}")
            done.finished = True
            return


async def _arrived(target: Program) -> str:
    seats = (await target.ask("state"))["seats"]
    return "".join(facts["text"] for name, facts in seats.items() if name != SEAT)


async def _live(stage: Stage, person: Program, done: Count, directory: Path, count: int) -> None:
    """The person's day: a window at a time, and now and then something that takes the keyboard."""
    for number in range(count):
        await person.ask("open", title=f"p{number}", app_id="bed.person")
        await _type(person, done, LETTERS[number % 26])
        if number % 5 == 4:
            for _ in range(4):
                await person.ask("close_last")
        if number % 10 == 3:
            await _bind(person, done, "super+2", "workspace p2")
            await _bind(person, done, "super+1", "workspace p1")
        if number % 10 == 6:
            await _resize(person, done)
        if number % 25 == 12:
            await _launcher(stage, person, done, directory / f"fuzzel{number}")
        if number % 50 == 24:
            await _lock(stage, person, done, directory / f"swaylock{number}")
        await anyio.sleep(0.05)


async def _type(person: Program, done: Count, text: str) -> None:
    await person.ask("type", text=text)
    done.typed += text


async def _bind(person: Program, done: Count, chord: str, command: str) -> None:
    await person.ask("chord", chord=chord)
    done.ran[command] += 1


async def _resize(person: Program, done: Count) -> None:
    """Enter the mode, stay in it a while, use it once, leave it."""
    await _bind(person, done, "super+r", "mode resize")
    await anyio.sleep(0.5)
    await _bind(person, done, "l", "nop resize-l")
    await _bind(person, done, "Escape", "mode default")
    done.modes.update(("resize", "default"))


async def _launcher(stage: Stage, person: Program, done: Count, log: Path) -> None:
    """Open fuzzel, leave it open, choose an entry; nobody but the person may have typed into it."""
    chosen = log.with_suffix(".out")
    async with _watched(
        stage, ["fuzzel", "--dmenu"], log, "alpha\nomega wx\nzeta\n", chosen
    ) as fuzzel:
        await until(
            lambda: stage.sway.focus() == 0, "the launcher has the keyboard", deadline_s=20 * SLOW
        )
        await anyio.sleep(HELD_S)
        if fuzzel.returncode is not None:
            left, keys = times_left(log), keys_sent_to(log)
            done.faults.append(f"the launcher closed; a seat left it {left} times, {keys} keys")
            return
        await person.ask("type", text="wx\n")
        with anyio.move_on_after(5 * SLOW):
            await fuzzel.wait()
    if (got := chosen.read_text().strip()) != "omega wx":
        done.faults.append(f"the launcher was steered: it chose {got!r}")
    if (keys := keys_sent_to(log)) != 3:
        done.faults.append(f"the launcher was sent {keys} keys, the person typed 3")
    await until(lambda: stage.sway.focus() != 0, "the person has their focus back")


async def _lock(stage: Stage, person: Program, done: Count, log: Path) -> None:
    """Lock the screen, let it be, unlock it; not one key may have reached it."""
    async with _watched(
        stage, ["swaylock", "-c", "202020"], log, "", log.with_suffix(".out")
    ) as lock:
        await until(
            lambda: stage.sway.focus() == 0 or _locked(log),
            "the session is locked",
            deadline_s=20 * SLOW,
        )
        await anyio.sleep(HELD_S)
        lock.send_signal(signal.SIGUSR1)  # how swaylock is told to unlock without a password
        with anyio.move_on_after(5 * SLOW):
            await lock.wait()
    if keys := keys_sent_to(log):
        done.faults.append(f"the lock screen was sent {keys} keys")
    await _type(person, done, "u")


def _locked(log: Path) -> bool:
    return b"ext_session_lock_v1" in log.read_bytes() and b".locked()" in log.read_bytes()


@asynccontextmanager
async def _watched(
    stage: Stage, argv: list[str], log: Path, stdin: str, output: Path
) -> AsyncIterator[Process]:
    """A program that prints every event it gets, and is gone afterwards."""
    env = {**stage.env, "WAYLAND_DEBUG": "1"}
    with log.open("wb") as errors, output.open("wb") as out:
        process = await anyio.open_process(
            argv, stdin=subprocess.PIPE, stdout=out, stderr=errors, env=env
        )
    assert process.stdin is not None
    await process.stdin.send(stdin.encode() or b"\n")
    await process.stdin.aclose()
    async with process:
        try:
            yield process
        finally:
            if process.returncode is None:
                process.kill()


async def _compare(person: Program, target: Program, done: Count, seen: Bindings) -> None:
    """The person's windows, bindings and modes against what the person did."""
    await until(
        lambda: sum(seen.ran.values()) >= sum(done.ran.values()), "sway has told of every binding"
    )
    if seen.ran != done.ran:
        done.faults.append(f"bindings ran {dict(seen.ran)}, the person struck {dict(done.ran)}")
    if seen.modes != done.modes:
        done.faults.append(f"modes {dict(seen.modes)}, the person's were {dict(done.modes)}")
    for name, facts in (await person.ask("state")).items():
        wanted = done.typed if name == SEAT else ""
        if facts["text"] != wanted:
            done.faults.append(
                f"{name} in the person's windows: {difference(wanted, facts['text'])}"
            )
        if name != SEAT and facts["keys"]:
            done.faults.append(f"{name} struck {facts['keys']} keys in the person's windows")
    stray = (await target.ask("state"))["seats"][SEAT]["keys"]
    if stray:
        done.faults.append(f"{stray} keys of the person's in the agent's target")


if __name__ == "__main__":
    main("Counts stray keys while a person and an agent work side by side.", soak, count=100)

"""Clicks random elements by ref across five toolkits, with rows re-sorted, inserted, renamed in place, made anew and
covered by a dialog between look and click; no other widget may ever be hit.

`python -m tests.soak.elements [--count 200] [--seed N]`
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import anyio
import anyio.to_thread

from tests.live.bed import program
from tests.live.bed.agent import Agent
from tests.live.bed.patience import START_S, until
from tests.live.bed.rows_web import Page, chromium, firefox
from tests.live.bed.stage import Stage, daemon
from tests.soak.run import main

Ask = Callable[..., Awaitable[Any]]
TOOLKITS = ("gtk3", "gtk4", "qt", "firefox", "chromium")
NAMES = [a + b for a in ("An", "Bo", "Cy", "Di", "Ed") for b in ("na", "bby", "ril", "tta")]
CHANGES = ("nothing", "sort", "insert", "rename", "anew", "dialog")
# What leaves the widget there and reachable: of these, 95 in 100 must hit.
THERE = ("nothing", "sort", "insert")
HITS = 0.95
REF = re.compile(r'^(e\d+) push button "Pick" in "([^"]*)"', re.MULTILINE)
ARRIVE_S = 3.0


async def soak(stage: Stage, count: int, seed: int) -> bool:
    """All five toolkits, one after the other; prints a line for each."""
    async with daemon(stage):
        return await run(stage, count, seed)


async def run(stage: Stage, count: int, seed: int, toolkits: tuple[str, ...] = TOOLKITS) -> bool:
    """The same against a daemon that runs already."""
    agent, dice = await stage.agent(), random.Random(seed)
    held = []
    for kind in toolkits:
        async with _opened(stage, kind) as (title, ask):
            held.append(await _clicks(agent, kind, title, ask, dice, -(-count // len(toolkits))))
    return all(held)


@asynccontextmanager
async def _opened(stage: Stage, kind: str) -> AsyncIterator[tuple[str, Ask]]:
    """A program with rows: part of its title, and its end of the conversation."""
    if kind not in ("firefox", "chromium"):
        title = f"bed rows {kind}"
        running = program.running(
            "rows", kind, title, tasks=stage.tasks, env=stage.env, log=stage.log, first="clicked"
        )
        async with running as it:
            await stage.shows(title, deadline_s=START_S)
            yield title, it.ask
        return
    with TemporaryDirectory(prefix="slate-soak-", ignore_cleanup_errors=True) as directory:
        page = Page()
        command = {"firefox": firefox, "chromium": chromium}[kind]
        try:
            await stage.start(command(Path(directory) / "profile", page.url))
            shown = partial(_titled, stage, "bed rows")
            await until(shown, f"{kind} shows the page", deadline_s=START_S)

            async def ask(verb: str, **arguments: object) -> Any:
                work = partial(page.ask, verb, **arguments)
                return await anyio.to_thread.run_sync(work)

            yield "bed rows", ask
        finally:
            page.close()


def _titled(stage: Stage, title: str) -> bool:
    return any(title in str(window["name"]) for window in stage.sway.windows())


async def _clicks(
    agent: Agent, kind: str, title: str, ask: Ask, dice: random.Random, count: int
) -> bool:
    told: Counter[str] = Counter()
    wrong: list[str] = []
    for number in range(count):
        change = CHANGES[number % len(CHANGES)]
        names = dice.sample(NAMES, 6)
        await ask("rows", names=names)
        refs = await _refs(agent, title, names)
        name = dice.choice(sorted(refs))
        await _changed(ask, change, name, names, dice)
        reply = await agent.call("desktop_element_click", element=refs[name], observe="none")
        clicked = await _clicked(ask, expected=not reply.error)
        fate = _fate(name, clicked, reply.code, change)
        told[f"{change}: {fate}"] += 1
        if fate not in ("hit", "stale", "refused"):
            wrong.append(f"{change}: {name} -> {clicked}, {reply.text[:200]}")
        await ask("dialog", open=False)
    there = sum(
        told[f"{change}: {fate}"] for change in THERE for fate in ("hit", "stale", "refused")
    )
    hits = sum(told[f"{change}: hit"] for change in THERE)
    share = hits / there if there else 0.0
    print(
        f"{kind}: {count} clicks, {len(wrong)} wrong, {share:.0%} of what was there hit; {dict(told)}"
    )
    for line in wrong:
        print(f"  {line}")
    return not wrong and share >= HITS


async def _refs(agent: Agent, title: str, names: list[str]) -> dict[str, str]:
    """The ref of each row's button, once all rows are told."""
    refs: dict[str, str] = {}
    with anyio.move_on_after(START_S):
        while set(refs) != set(names):
            reply = await agent.call("desktop_elements", target=title, query="Pick", role="button")
            refs = {name: ref for ref, name in REF.findall(reply.text) if name in names}
            if set(refs) != set(names):
                await anyio.sleep(0.05)
    assert set(refs) == set(names), f"not all rows are listed: {reply.text}"
    return refs


async def _changed(ask: Ask, change: str, name: str, names: list[str], dice: random.Random) -> None:
    match change:
        case "sort":
            await ask("sort", names=dice.sample(names, len(names)))
        case "insert":
            await ask("insert", name="Zoe", at=dice.randrange(len(names)))
        case "rename":
            await ask("rename", old=name, new="Zoe")
        case "anew":
            await ask("rows", names=dice.sample(names, len(names)))
        case "dialog":
            await ask("dialog", open=True)


async def _clicked(ask: Ask, *, expected: bool) -> list[str]:
    clicked: list[str] = await ask("clicked")
    # No question is ever given up halfway: its answer would be taken for that of the next.
    deadline = anyio.current_time() + (ARRIVE_S if expected else 0.1)
    while not clicked and anyio.current_time() < deadline:
        await anyio.sleep(0.02)
        clicked = await ask("clicked")
    return clicked


def _fate(name: str, clicked: list[str], code: str, change: str) -> str:
    """What became of a click: hit, refused as stale, refused because something lies over it, or a fault."""
    if clicked and change == "dialog":
        return "behind a modal dialog"
    if clicked == [name] and change != "rename":
        return "hit"
    if clicked:
        return "wrong widget"
    if code.startswith("stale."):
        return "stale"
    if code in ("unavailable.obstructed", "unavailable.disabled") and change == "dialog":
        return "refused"
    return "lost"


if __name__ == "__main__":
    main("click 200 elements by ref while their lists change", soak, count=200)

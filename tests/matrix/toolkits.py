"""What works in which toolkit, each cell measured from the application's side.

`python -m tests.matrix.toolkits [--only "GTK 3"] [--column click] [--write docs/toolkits.md]`
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio

from tests.live.bed.finding import Missing, find
from tests.live.bed.kits.opened import KINDS, WEB, opened
from tests.live.bed.program import Program
from tests.live.bed.stage import Stage, daemon, staged
from tests.matrix.points import written
from tests.matrix.trial import No, Trial
from tests.matrix.trials import COLUMNS, COVER, DESK, SEAT0

PERSON, PHRASE, GAP_S = "bed.person", "the person writes on ", 0.02
CELL_S = 60.0
# What may not be a no, anywhere.
ALWAYS = (
    *("click", "double click", "right click", "type ASCII", "type Unicode", "chord"),
    *("scroll both axes", "capture covered", "capture hidden", SEAT0),
)
ELEMENTS = ("list", "read", "click element", "set text", "wait")
WITH_ELEMENTS = ("GTK 3", "GTK 4", "Qt 5", "Qt 6", "Firefox", "Chromium")

Row = dict[str, str]


async def row(stage: Stage, kind: str, columns: Sequence[str]) -> Row:
    """One toolkit: a person at work, an agent that opens the application, and each column."""
    stage.sway.run(f"workspace {DESK}")
    person = await stage.person()
    for name in (COVER, PERSON):
        await person.ask("open", app_id=name, title=name)
        await stage.shows(name)
    stage.sway.run(f'[app_id="{COVER}"] floating enable, resize set 80 px 60 px, move position 0 0')
    stage.focus(PERSON)
    await person.ask("move", x=200, y=200)
    await person.ask("copy", text="the person's")
    agent = await stage.agent()
    await person.ask("forget")
    before = await person.ask("report")
    pointer = (await person.ask("state"))["seat0"]["pointer"]
    await person.ask("keep_typing", phrase=PHRASE, gap_s=GAP_S)
    cells: Row = {}
    async with opened(stage, agent, kind) as app:
        trial = Trial(stage, agent, person, app)
        await put(trial)
        for name in columns:
            if name != SEAT0:
                cells[name] = await cell(trial, name)
        if SEAT0 in columns:
            cells[SEAT0] = await untouched(person, before, pointer)
    return cells


async def put(trial: Trial) -> None:
    """In its place; a page also says where it is in its window."""
    await trial.back()
    if trial.app.kind in WEB:
        trial.app.corner = await corner(trial)
        await trial.app.look()


async def corner(trial: Trial) -> tuple[float, float]:
    """Where a page is in its window: the page says where it sees a pointer whose place in the window is known."""
    for step in range(50):
        x, y = 300 + step, 250
        await trial.agent.ok("desktop_move", target=trial.app.ref, x=x - 20, y=y, observe="none")
        await trial.agent.ok("desktop_move", target=trial.app.ref, x=x, y=y, observe="none")
        seen = await trial.app.ask("mouse")
        if seen is not None:
            return x - seen[0], y - seen[1]
        await anyio.sleep(0.1)
    raise TimeoutError(f"{trial.app.kind}: the page sees no pointer")


async def cell(trial: Trial, name: str) -> str:
    """`yes`, or `no: ` and why."""
    try:
        await trial.app.ask("forget")
        with anyio.fail_after(CELL_S):
            await COLUMNS[name](trial)
    except (No, AssertionError, TimeoutError) as no:
        return f"no: {no}".replace("\n", " ").replace("|", "/")[:300]
    return "yes"


async def untouched(person: Program, before: dict[str, Any], pointer: list[float]) -> str:
    """Whether all that a person has is theirs still: text, focus, keymap, clipboard, pointer."""
    typed = await person.ask("stop_typing")
    heard = (await person.ask("state"))["seat0"]
    after = await person.ask("report")
    wrong = [
        f"{name} was {before[name]}, is {after[name]}"
        for name in before
        if before[name] != after[name]
    ]
    if heard["text"] != typed:
        wrong.append(f"of {len(typed)} characters typed {len(heard['text'])} came")
    if heard["pointer"] != pointer or heard["motions"]:
        wrong.append(f"the pointer was at {pointer}, is at {heard['pointer']}")
    if not typed:
        wrong.append("the person typed nothing")
    return "no: " + "; ".join(wrong) if wrong else "yes"


async def measure(stage: Stage, kinds: Sequence[str], columns: Sequence[str]) -> dict[str, Row]:
    """All rows; a daemon is running."""
    found = {}
    for kind in kinds:
        began = time.monotonic()
        try:
            found[kind] = await row(stage, kind, columns)
        except Missing as missing:
            print(f"{kind}: {missing}", file=sys.stderr)
            continue
        finally:
            await stage.sweep()
        for name, what in found[kind].items():
            if what != "yes":
                print(f"{kind}, {name}: {what}", flush=True)
        yes = sum(what == "yes" for what in found[kind].values())
        print(f"{kind}: {yes}/{len(columns)} in {time.monotonic() - began:.0f} s", flush=True)
    return found


def table(found: dict[str, Row], columns: Sequence[str]) -> str:
    """The cells as Markdown: a row a toolkit."""
    lines = ["| | " + " | ".join(columns) + " |", "|---|" + "---|" * len(columns)]
    for kind, cells in found.items():
        lines.append(f"| {kind} | " + " | ".join(cells[name] for name in columns) + " |")
    return "\n".join(lines)


def broken(found: dict[str, Row]) -> list[str]:
    """The cells that may not be a no and are one."""
    return [
        f"{kind}, {name}"
        for kind, cells in found.items()
        for name, what in cells.items()
        if what != "yes" and (name in ALWAYS or (name in ELEMENTS and kind in WITH_ELEMENTS))
    ]


def main() -> None:
    """Measure the table; exits 0 when no cell is a no that may not be one, 1 else, 2 when there is no sway."""
    parser = argparse.ArgumentParser(description="Measures what works in which toolkit.")
    parser.add_argument("--only", action="append", choices=KINDS, help="this toolkit")
    parser.add_argument("--column", action="append", choices=[*COLUMNS, SEAT0], help="this column")
    parser.add_argument("--write", type=Path, help="the document that holds the table")
    chosen = parser.parse_args()
    sway = find()
    if isinstance(sway, str):
        print(sway, file=sys.stderr)
        sys.exit(2)
    kinds, columns = chosen.only or KINDS, chosen.column or [*COLUMNS, SEAT0]

    async def run() -> dict[str, Row]:
        async with staged(sway) as stage, daemon(stage):
            return await measure(stage, kinds, columns)

    found = anyio.run(run)
    print(table(found, columns), flush=True)
    if chosen.write is not None:
        chosen.write.write_text(written(chosen.write.read_text(), table(found, columns)))
    wrong = broken(found)
    for name in wrong:
        print(f"may not be a no: {name}", file=sys.stderr)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()

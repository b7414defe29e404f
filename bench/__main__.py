"""Measures everything and writes the tables: `python -m bench [--rounds 20] [--only driver] [--no-write]`;
exit code 1 if a bound is missed.
"""

from __future__ import annotations

import argparse
import platform
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import anyio
from anyio import from_thread, to_thread

from bench import gate, store, undo
from bench.client import Server
from bench.driver import FAR, NEAR, PROGRAM, Driver, Side, rival
from bench.rows import ROUNDS, Result, Row, measure, table
from bench.scenes import FRONT, Scenes
from bench.trees import measured
from slate_desktop.headless.program import SwayProgram
from tests.live.bed.finding import find
from tests.live.bed.program import ROOT
from tests.live.bed.stage import Stage, staged
from tests.live.bed.whereabouts import end_daemon

# Programs answer a tree in tenths of a second, and always the same.
TREE_ROUNDS = 10
# Each of them makes or looks at up to 100,000 files.
UNDO_ROUNDS = 5
PAGE = ROOT / "docs" / "benchmarks.md"
HEAD = """# Benchmarks

Medians of {rounds} rounds, ours and theirs in turn, on one headless sway {sway} ({machine}).
Believe the ratios, not the milliseconds. Written by `make bench`.

"""


REASONS = """
*gate, an act on disk* is bound by what the disk takes to flush: where that is 0.15 ms, a server on asyncio that
decides nothing has used the bound up (the row in brackets). [Decision 34](decisions/0034-quick-grades.md) says where
the rest goes.
"""
SECTION = "## Against cua-driver"
AGAINST = (
    SECTION
    + """ 0.37.0

The nearest server of this kind for sway. Rounds in turn, each server on a sway of its own with equal windows; what
arrived is the window's own count. It acts through the person's seat, so its window has to have their focus. Its checks
and pauses are left as they come. Of our time in the last row 0.14 s are the wait for the window's reaction.

"""
)


async def run(sway: SwayProgram, rounds: int) -> list[Result]:
    """All rows against single tools, on one stage."""
    with TemporaryDirectory(prefix="slate-bench-") as directory:
        async with staged(sway, conscience=False) as stage:
            runtime = stage.session.runtime_dir
            ending = partial(from_thread.run, end_daemon, runtime)
            # The first connection starts the daemon, as for a person: before any application.
            scenes = await to_thread.run_sync(Scenes, stage, sway, Path(directory), ending)
            try:
                await scenes.open()
                results = [await to_thread.run_sync(_row, row, rounds) for row in scenes.rows()]
                scenes.check()
                results.append(await to_thread.run_sync(scenes.tokens))
                results.insert(-1, await to_thread.run_sync(_row, scenes.cold_row(), rounds))
                results += await measured(stage, min(rounds, TREE_ROUNDS))
            finally:
                await end_daemon(runtime)
    return results


async def against(sway: SwayProgram, rounds: int) -> tuple[list[Result], str]:
    """All rows against the other server, and its section of the page."""
    with TemporaryDirectory(prefix="slate-bench-") as directory:
        made = partial(rival, sway=sway, directory=Path(directory))
        async with (
            staged(sway, conscience=False) as stage,
            staged(sway, conscience=False, background=False) as other,
            _side(stage, _ours) as ours,
            _side(other, made) as theirs,
        ):
            driver = await to_thread.run_sync(Driver, ours, theirs)
            rows = driver.rows()
            results = [await to_thread.run_sync(_row, row, rounds) for row in rows]
            await to_thread.run_sync(driver.check)
            tables = [
                table(results).splitlines(),
                await to_thread.run_sync(driver.arrived),
                await to_thread.run_sync(driver.elsewhere),
            ]
    return results, AGAINST + "\n\n".join("\n".join(lines) for lines in tables) + "\n"


def _ours(stage: Stage) -> Server:
    server = Server(FRONT, env=stage.slate_env, log=stage.log)
    server.initialize()
    return server


@asynccontextmanager
async def _side(stage: Stage, made: Callable[[Stage], Server]) -> AsyncIterator[Side]:
    """A server, then the two windows; the person looks at the near one."""
    server = await to_thread.run_sync(made, stage)
    try:
        windows = {}
        for name in (FAR, NEAR):
            await stage.clear()
            windows[name] = await stage.window(name)
        yield Side(stage, server, windows[NEAR], windows[FAR])
    finally:
        server.close()
        await end_daemon(stage.session.runtime_dir)


def _row(row: Row, rounds: int) -> Result:
    result = measure(row, rounds)
    print(table([result]).splitlines()[-1], flush=True)
    return result


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Measures Slate against the usual tools.")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--no-write", action="store_true", help="leave docs/benchmarks.md as it is")
    parser.add_argument("--only", choices=("tools", "driver"), help="one of the tables")
    chosen = parser.parse_args()
    sway = find()
    if isinstance(sway, str) or not PROGRAM.exists():
        print(sway if isinstance(sway, str) else "run bench/rivals.sh first", file=sys.stderr)
        sys.exit(2)
    results: list[Result] = []
    parts = PAGE.read_text(encoding="utf-8").partition(SECTION)
    first, second = parts[0], f"{parts[1]}{parts[2]}"
    if chosen.only != "driver":
        results += anyio.run(run, sway, chosen.rounds)
        with TemporaryDirectory(prefix="slate-bench-") as folder:
            results += store.results(Path(folder), 5 * chosen.rounds)
        results += gate.results(2 * chosen.rounds)
        for result in undo.results(min(chosen.rounds, UNDO_ROUNDS)):
            print(table([result]).splitlines()[-1], flush=True)
            results.append(result)
        machine = f"{platform.machine()}, Python {platform.python_version()}"
        version = ".".join(map(str, sway.version))
        head = HEAD.format(rounds=chosen.rounds, sway=version, machine=machine)
        first = f"{head}{table(results)}\n{REASONS}"
    if chosen.only != "tools":
        more, second = anyio.run(against, sway, chosen.rounds)
        results += more
        print(f"\n{second}")
    print(f"\n{table(results)}")
    if not chosen.no_write:
        PAGE.write_text(f"{first.rstrip()}\n\n{second}", encoding="utf-8")
    sys.exit(0 if all(result.kept for result in results) else 1)


if __name__ == "__main__":
    main()

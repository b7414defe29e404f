"""Measures everything and writes the table: `python -m bench [--rounds 20] [--no-write]`; exit
code 1 if a bound is missed.
"""

from __future__ import annotations

import argparse
import platform
import sys
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import anyio
from anyio import from_thread, to_thread

from bench import store
from bench.rows import ROUNDS, Result, Row, measure, table
from bench.scenes import Scenes
from bench.trees import measured
from tests.live.bed.finding import find
from tests.live.bed.program import ROOT
from tests.live.bed.stage import staged
from tests.live.bed.whereabouts import end_daemon

# Programs answer a tree in tenths of a second, and always the same.
TREE_ROUNDS = 10
PAGE = ROOT / "docs" / "benchmarks.md"
HEAD = """# Benchmarks

Medians of {rounds} rounds, ours and theirs in turn, on one headless sway {sway} ({machine}).
Believe the ratios, not the milliseconds. Written by `make bench`.

"""


async def run(rounds: int) -> tuple[list[Result], str]:
    """All rows on one stage, and the version of its sway."""
    sway = find()
    if isinstance(sway, str):
        print(sway, file=sys.stderr)
        sys.exit(2)
    with TemporaryDirectory(prefix="slate-bench-") as directory:
        async with staged(sway) as stage:
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
    return results, ".".join(map(str, sway.version))


def _row(row: Row, rounds: int) -> Result:
    result = measure(row, rounds)
    print(table([result]).splitlines()[-1], flush=True)
    return result


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Measures Slate against the usual tools.")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--no-write", action="store_true", help="leave docs/benchmarks.md as it is")
    chosen = parser.parse_args()
    results, sway = anyio.run(run, chosen.rounds)
    with TemporaryDirectory(prefix="slate-bench-") as folder:
        results += store.results(Path(folder), 5 * chosen.rounds)
    text = table(results)
    print(f"\n{text}")
    if not chosen.no_write:
        machine = f"{platform.machine()}, Python {platform.python_version()}"
        head = HEAD.format(rounds=chosen.rounds, sway=sway, machine=machine)
        PAGE.write_text(f"{head}{text}\n", encoding="utf-8")
    sys.exit(0 if all(result.kept for result in results) else 1)


if __name__ == "__main__":
    main()

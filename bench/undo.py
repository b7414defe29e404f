"""Undo against the usual tools: first protection and `cp -a`, later marks and plans and `find -printf`, and a limit on
snapshots: `python -m bench.undo [--rounds 5]`; exit code 1 if a bound is missed.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from bench.rows import Result, Row, measure, table
from slated.snapshots.btrfs import Snapshots
from slated.snapshots.pictures import Limits
from slated.snapshots.planning import Selection
from slated.snapshots.timeline import Call
from slated.snapshots.undo import Undo
from tests.fakes import loop_rooms

LIMITS = Limits(entries=200_000, bytes=4_000_000_000, floor=0)
SNAPSHOT_MS = 20.0
IMAGE_BYTES = 2 << 30
_numbers = count(1)


def grow(top: Path, files: int) -> None:
    """A tree of so many files in directories of 50, sizes as in a source tree: 5 kB on average."""
    dice = random.Random(files)
    for number in range(files):
        folder = top / f"d{number // 1000}" / f"e{number // 50}"
        if not number % 50:
            folder.mkdir(parents=True)
        (folder / f"file{number}.txt").write_bytes(dice.randbytes(int(dice.expovariate(1 / 5000))))


def listed(*trees: Path) -> None:
    """What find reports of all a plan compares."""
    for tree in trees:
        with open(os.devnull, "wb") as nowhere:
            command = ["find", str(tree), "-printf", r"%p %i %C@ %T@ %s %m %l\n"]
            subprocess.run(command, check=True, stdout=nowhere)


def protect(undo: Undo, tree: Path) -> tuple[str, str]:
    name = f"c{next(_numbers)}"
    undo.protect(Call("t", 1, name, 0, None, (f"{tree}/",)))
    return "t", name


def first_row(top: Path, tree: Path) -> Row:
    """The first protection, into a store that has seen nothing."""

    def ours() -> Path:
        place = top / f"place{next(_numbers)}"
        undo = Undo(place, [str(tree)], limits=LIMITS)
        protect(undo, tree)
        undo.close()
        return place

    def theirs() -> None:
        target = top / f"copy{next(_numbers)}"
        subprocess.run(["cp", "-a", str(tree), str(target)], check=True)
        made.append(target)

    made: list[Path] = []

    def clean() -> None:
        while made:
            shutil.rmtree(made.pop())

    drop = shutil.rmtree
    return Row(
        "undo: first protection of 10,000 files (copies)", "cp -a", 2.5, ours, theirs, clean,
        undo=lambda place: drop(str(place)), warm_up=1,
    )  # fmt: skip


def later_rows(undo: Undo, tree: Path, files: int) -> list[Row]:
    """What each further mark costs, and a plan of a task that changed nothing."""
    call = protect(undo, tree)
    undo.settle(*call)
    kind = "snapshots" if isinstance(undo.roots[str(tree)], Snapshots) else "copies"
    # A plan holds a snapshot against the tree; copies know the tree as it was by heart.
    compared = (tree, tree) if kind == "snapshots" else (tree,)
    rows = [
        Row(
            f"undo: plan over {files:,} unchanged files ({kind})", "find -printf", 3.0,
            lambda: undo.plan(Selection("t")), lambda: listed(*compared), warm_up=1,
        )
    ]  # fmt: skip
    if kind == "copies":
        rows.append(
            Row(
                f"undo: rescan of {files:,} files before a call (copies)", "find -printf", 2.0,
                lambda: undo.settle(*protect(undo, tree)), lambda: listed(tree, tree), warm_up=1,
            )
        )  # fmt: skip
    return rows


def snapshot_result(undo: Undo, tree: Path, rounds: int) -> Result:
    """A whole mark, bookkeeping on disk included, against its limit; a file is written before each."""
    times = []
    for number in range(rounds + 1):
        (tree / f"written{number}").write_bytes(b"x" * 100_000)
        start = time.perf_counter()
        call = protect(undo, tree)
        times.append((time.perf_counter() - start) * 1e3)
        undo.settle(*call)
    ours = statistics.median(times[1:])
    name = "undo: mark of a home of 100,000 files (snapshots)"
    return Result(name, "limit", ours, SNAPSHOT_MS, ours / SNAPSHOT_MS, 1.0)


def results(rounds: int) -> Iterator[Result]:
    """All rows; those on btrfs only where an image can be mounted."""
    with tempfile.TemporaryDirectory(prefix="slate-bench-") as name:
        top = Path(name)
        small, large = top / "small", top / "large"
        grow(small, 10_000)
        yield measure(first_row(top, small), rounds)
        grow(large, 100_000)
        for tree, files in ((small, 10_000), (large, 100_000)):
            undo = Undo(top / f"state{files}", [str(tree)], limits=LIMITS)
            for row in later_rows(undo, tree, files):
                yield measure(row, rounds)
            undo.close()
    with loop_rooms.mounted("btrfs", IMAGE_BYTES) as mount:
        if isinstance(mount, str):
            print(f"no rows for snapshots: {mount}", file=sys.stderr)
            return
        home = mount / "home"
        subprocess.run(["btrfs", "subvolume", "create", home], check=True, capture_output=True)
        grow(home, 100_000)
        os.sync()
        undo = Undo(home / ".slate", [str(home)], limits=LIMITS)
        for row in later_rows(undo, home, 100_000):
            yield measure(row, rounds)
        yield snapshot_result(undo, home, max(rounds, 10))
        undo.close()


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Measures undo against the usual tools.")
    parser.add_argument("--rounds", type=int, default=5)
    found = []
    for result in results(parser.parse_args().rounds):
        print(table([result]).splitlines()[-1], flush=True)
        found.append(result)
    sys.exit(0 if all(result.kept for result in found) else 1)


if __name__ == "__main__":
    main()

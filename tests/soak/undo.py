"""Random work of three tasks, a person and background writers in one tree, overlapping, then undo against an oracle;
and undo killed at random points, then resumed.

`python -m tests.soak.undo [--seeds 200] [--kills 200] [--large 1] [--first 1] [--on here btrfs]`
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from slated.errors import SlateError
from slated.snapshots import timeline
from slated.snapshots.timeline import Call
from tests.fakes import loop_rooms
from tests.fakes.undo_bed import Bed, make_home, on_btrfs
from tests.soak.undo_deeds import Deeds
from tests.soak.undo_kill import ENDS, calls_of, kill
from tests.soak.undo_oracle import Oracle, Run, States, actual, differing, states

TASKS = ("t", "u", "v")
LARGE = 100_000
IMAGE_BYTES = 8 << 30
HOURS_S = 24 * 3600
SAID = 10


class World:
    """One seed: a bed, its oracle, and the calls that run."""

    def __init__(self, room: Path, seed: int, size: int, files: int) -> None:
        self.dice = random.Random(seed)
        self.bed = Bed(room)
        self.oracle = Oracle(room, partial=not on_btrfs(room), large=bool(files))
        self.deeds = Deeds(room, self.dice)
        self.deeds.build(size)
        self.deeds.grow(files)
        self.open: dict[str, tuple[str, Run]] = {}
        self.staying: list[tuple[str, str, Run]] = []
        self.count = 0
        self.changes = 0

    def step(self) -> None:
        """One thing that happens: a call begins or ends, or somebody changes something."""
        choice = self.dice.random()
        idle = [task for task in TASKS if task not in self.open]
        if choice < 0.12 and idle:
            self.begin(self.dice.choice(idle))
        elif choice < 0.24 and self.open:
            self.end(self.dice.choice(sorted(self.open)))
        elif choice < 0.26 and self.staying:
            task, call, run = self.staying.pop()
            self.bed.undo.marks.ended(task, call)
            run.until = len(self.oracle.marks)
        elif choice < 0.36:
            self.person()
        elif choice < 0.42:
            self.deeds.background()
            self.changes += 1
        elif self.open:
            self.work()
        elif self.staying:
            self.deeds.deed()
            self.changes += 1

    def begin(self, task: str) -> None:
        self.count += 1
        name = f"c{self.count}"
        only = None
        targets: tuple[str, ...] = (f"{self.bed.home}/",)
        files = self.deeds.paths(0o100000)
        if files and self.dice.random() < 0.2:
            whole = self.dice.choice(files)
            only = os.path.relpath(whole, self.bed.home)
            targets = (whole,)
        self.bed.undo.protect(Call(task, 1 + self.count // 10, name, 0, None, targets, bool(only)))
        self.open[task] = (name, Run(task, self.oracle.mark(only), only=only))
        self.oracle.runs.append(self.open[task][1])

    def end(self, task: str) -> None:
        name, run = self.open.pop(task)
        stays = run.only is None and self.dice.random() < 0.15
        self.bed.undo.settle(task, name, outlived=stays)
        run.end = self.oracle.mark(run.only)
        if stays:
            run.until = 1 << 30
            self.staying.append((task, name, run))

    def work(self) -> None:
        """A change by some task at work; an edit tool only writes its file."""
        run = self.open[self.dice.choice(sorted(self.open))][1]
        if run.only is None:
            self.deeds.deed()
            self.changes += 1
            return
        path = self.bed.home / run.only
        if path.is_file() and not path.is_symlink() and path.stat().st_nlink == 1:
            path.write_bytes(self.dice.randbytes(5))
            self.changes += 1

    def person(self) -> None:
        """The person edits; what they edit is known when tasks are at work."""
        since = len(self.oracle.marks) - 1
        self.changes += 1
        for path in self.deeds.deed():
            if self.open or self.staying:
                self.bed.undo.marks.edited(path, time.time_ns())
                short = os.path.relpath(path, self.bed.home)
                self.oracle.edits.append((since, short))

    def finish(self) -> None:
        for task in sorted(self.open):
            self.end(task)
        for task, call, run in self.staying:
            self.bed.undo.marks.ended(task, call)
            run.until = len(self.oracle.marks)
        self.staying.clear()


def one(room: Path, seed: int, ops: int, size: int, files: int = 0) -> list[str]:
    """All faults of one seed: `ops` changes to a tree of about `size` odd things and so many plain files."""
    world = World(room, seed, size, files)
    try:
        while world.changes < ops:
            world.step()
        world.finish()
        faults = []
        tasks = sorted({run.task for run in world.oracle.runs})
        before = states(room)
        for task in tasks:
            faults += [f"undo of {task}: {fault}" for fault in _undo(world, task, before)]
        return faults
    finally:
        world.bed.undo.close()


def _undo(world: World, task: str, now: States) -> list[str]:
    """Undo and redo of one task; `now` is the tree before any of that, to which each redo returns."""
    room = world.bed.home
    then, before_links = actual(room)
    expected = world.oracle.expect(task, now)
    try:
        done = world.bed.take_back(task)
    except SlateError as error:
        return [f"{error.code}: {error.message}", *differing(then, actual(room)[0])]
    tree, links = actual(room)
    faults = differing(expected.tree, tree)
    if links != expected.links:
        faults.append(f"links {sorted(map(sorted, links ^ expected.links))}")
    left = {path or ".": reason for path, reason in world.bed.left(done).items()}
    if left != expected.left:
        odd = {p for p in left.keys() | expected.left.keys() if left.get(p) != expected.left.get(p)}
        faults.append(f"left: { {p: (expected.left.get(p), left.get(p)) for p in sorted(odd)} }")
    if done.task:
        world.bed.redo()
        again, joined = actual(room)
        faults += [f"redo: {fault}" for fault in differing(then, again)]
        faults += ["redo: other links"] * (joined != before_links)
    return faults


@contextmanager
def _room() -> Iterator[Path]:
    """An empty home; where the tests run on btrfs, a subvolume."""
    top = Path(tempfile.mkdtemp(prefix="slate-soak-", dir=os.environ.get("SLATE_UNDO_ROOM")))
    yield make_home(top)
    # What is left of snapshots is read-only and goes with the image.
    shutil.rmtree(top, ignore_errors=True)


def run(
    seeds: int, kills: int, *, ops: int = 500, size: int = 120, large: int = 0, first: int = 1
) -> bool:
    """Prints each fault and a sum; whether there was none."""
    # Edits here are reported at once by the clock of the marks: no slack, which would share more than it must.
    timeline.CLOCK_SLACK_NS = 0
    bad = 0
    for seed in range(first, first + seeds + large):
        with _room() as room:
            faults = one(room, seed, ops, size, LARGE if seed >= first + seeds else 0)
        bad += bool(faults)
        for fault in faults[:10]:
            print(f"seed {seed}: {fault}", flush=True)
        if (done := seed - first + 1) % SAID == 0:
            print(f"{done} seeds done, {bad} with a mismatch", flush=True)
    ends: Counter[str] = Counter()
    for seed in range(first, first + kills):
        with _room() as room:
            calls = calls_of(room, seed)
        with _room() as room:
            end = kill(room, seed, calls)
        if end not in ENDS:
            print(f"kill {seed}: {end}", flush=True)
        ends[end if end in ENDS else "fault"] += 1
    print(
        f"{seeds + large - bad}/{seeds + large} seeds without a mismatch ({large} of {LARGE:,} files); "
        f"killed: {dict(ends)}",
        flush=True,
    )
    return not bad and "fault" not in ends


def _elsewhere(kind: str, arguments: list[str]) -> bool:
    """The same on a file system of its own, as a user without rights."""
    with loop_rooms.mounted(kind, IMAGE_BYTES) as mount:
        if isinstance(mount, str):
            print(f"{kind}: {mount}", file=sys.stderr)
            return False
        print(f"on {kind}, as a plain user:", flush=True)
        command = ["-m", "tests.soak.undo", "--on", "here", *arguments]
        done = loop_rooms.as_nobody(mount, command, {}, timeout_s=HOURS_S, show=True)
        return not done.returncode


def main() -> None:
    parser = argparse.ArgumentParser(description="Undo against an oracle, and under SIGKILL.")
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--large", type=int, default=1, help=f"seeds more with {LARGE:,} files")
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument(
        "--on", nargs="+", choices=("here", *loop_rooms.KINDS), default=["here", "btrfs"]
    )
    chosen = parser.parse_args()
    good = True
    for kind in chosen.on:
        if kind == "here":
            good &= run(chosen.seeds, chosen.kills, large=chosen.large, first=chosen.first)
        else:
            numbers = {
                "seeds": chosen.seeds,
                "kills": chosen.kills,
                "large": chosen.large,
                "first": chosen.first,
            }
            words = [word for key, value in numbers.items() for word in (f"--{key}", str(value))]
            good &= _elsewhere(kind, words)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()

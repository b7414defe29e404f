"""Undo and its resuming, killed at random points by SIGKILL: what is found afterwards, and whether all goes on."""

from __future__ import annotations

import os
import random
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from tests.fakes.undo_bed import Bed, Picture, differences
from tests.soak.undo_deeds import Deeds
from tests.soak.undo_oracle import differing

SIZE = 60
ENDS = ("before", "before resumed", "after", "after resumed")


class Scene:
    """A tree as it was at first and as a task made it, with undo closed."""

    def __init__(self, room: Path, seed: int) -> None:
        self.bed = Bed(room)
        deeds = Deeds(room, random.Random(seed))
        deeds.build(SIZE)
        self.start = self.bed.picture()
        self.bed.act("t", lambda: [deeds.deed() for _ in range(SIZE)])
        self.changed = self.bed.picture()
        self.bed.undo.close()

    def killed(self, act: Callable[[Bed], Callable[[], object]], after: int) -> bool:
        """Whether a process was killed while it did what `act` prepares, after so many calls into C."""
        child = os.fork()
        if child == 0:
            code = 1
            try:
                self.bed.undo = self.bed.open()
                doing = act(self.bed)
                with _dying(after):
                    doing()
                code = 0
            finally:
                os._exit(code)
        status = os.waitpid(child, 0)[1]
        if status not in (0, signal.SIGKILL):
            raise RuntimeError(f"undo failed by itself: {status}")
        return status == signal.SIGKILL


@contextmanager
def _dying(after: int) -> Iterator[None]:
    left = [after]

    def count(_frame: FrameType, event: str, _what: object) -> None:
        if event == "c_call":
            left[0] -= 1
            if not left[0]:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.setprofile(count)
    try:
        yield
    finally:
        sys.setprofile(None)


def _undoing(bed: Bed) -> Callable[[], object]:
    plan = bed.plan()
    return lambda: bed.undo.apply(plan)


def _resuming(bed: Bed) -> Callable[[], object]:
    return bed.undo.resume


def calls_of(room: Path, seed: int) -> int:
    """How many calls into C a whole undo of this seed makes."""
    scene = Scene(room, seed)
    bed = scene.bed
    bed.undo = bed.open()
    doing = _undoing(bed)
    made = [0]

    def count(_frame: FrameType, event: str, _what: object) -> None:
        made[0] += event == "c_call"

    sys.setprofile(count)
    try:
        doing()
    finally:
        sys.setprofile(None)
    bed.undo.close()
    return made[0]


def kill(room: Path, seed: int, calls: int) -> str:
    """One undo, killed and resumed, every second time killed again while it resumes; one of ENDS, or what is wrong."""
    scene = Scene(room, seed)
    bed = scene.bed
    dice = random.Random(-seed)
    if not scene.killed(_undoing, dice.randint(1, calls - 1)):
        return "not killed"
    if seed % 2:
        scene.killed(_resuming, dice.randint(1, calls))
    bed.undo = bed.open()
    pending = bed.undo.pending()
    bed.undo.resume()
    now = bed.picture()
    try:
        for name, wanted in (("before", scene.changed), ("after", scene.start)):
            if not differences(wanted, now):
                return _goes_on(scene, now) or f"{name}{' resumed' if pending else ''}"
    finally:
        bed.undo.close()
    return f"fault: {differing(scene.start, now)} {differing(scene.changed, now)}"


def _goes_on(scene: Scene, now: Picture) -> str:
    """What is wrong with the next task and its undo, and with what the person then undoes."""
    bed = scene.bed
    files = [path for path in bed.home.rglob("*") if path.is_file() and not path.is_symlink()]
    files = [path for path in files if bed.place not in path.parents]

    def deed() -> None:
        for path in files:
            with open(path, "ab") as file:
                file.write(b"more")

    bed.act("u", deed)
    bed.take_back("u")
    if found := differences(now, bed.picture()):
        return f"fault: the next task is not taken back: {list(found)[:5]}"
    if not differences(scene.changed, now):
        bed.take_back("t")
        if found := differences(scene.start, bed.picture()):
            return f"fault: the task is not taken back: {list(found)[:5]}"
    return ""

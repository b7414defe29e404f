"""A small home with undo over it, tasks that act in it, and an independent picture of a tree with its metadata."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable
from itertools import count
from pathlib import Path

from slated.snapshots import subvolume
from slated.snapshots.apply import Result
from slated.snapshots.pictures import Limits
from slated.snapshots.planning import Selection, Undoing
from slated.snapshots.timeline import Call
from slated.snapshots.undo import Undo

LIMITS = Limits(entries=200_000, bytes=500_000_000, floor=0)
Picture = dict[str, tuple[object, ...]]


def on_btrfs(folder: Path) -> bool:
    """Whether a directory is on btrfs, where undo takes snapshots."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        return subvolume.file_system(handle) is not None
    finally:
        os.close(handle)


def make_home(folder: Path) -> Path:
    """A new empty home in a directory; on btrfs it is a subvolume."""
    if not on_btrfs(folder):
        (folder / "home").mkdir()
        return folder / "home"
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        subvolume.create(handle, "home")
    finally:
        os.close(handle)
    return folder / "home"


class Bed:
    """`home` is the root, undo's own state is inside of it."""

    def __init__(self, home: Path, limits: Limits = LIMITS) -> None:
        self.home = home
        self.place = home / ".slate"
        self.limits = limits
        self.running: set[str] = set()
        self._numbers = count(1)
        self.undo = self.open()

    def open(self) -> Undo:
        """Undo as after a start of its daemon."""
        return Undo(
            self.place, [str(self.home)], limits=self.limits, running=self.running.__contains__
        )

    def restart(self) -> None:
        self.undo.close()
        self.undo = self.open()

    def begin(
        self, task: str, *targets: str, prompt: int = 1, exact: bool = False
    ) -> tuple[str, str]:
        """The mark before a call; targets are relative to home, all of home when there are none."""
        name = f"c{next(self._numbers)}"
        paths = tuple(f"{self.home}/{target}" for target in targets) or (f"{self.home}/",)
        self.undo.protect(Call(task, prompt, name, 0, None, paths, exact))
        return task, name

    def end(self, call: tuple[str, str], *, outlived: bool = False) -> None:
        self.undo.settle(*call, outlived=outlived)

    def act(self, task: str, deed: Callable[[], object], *targets: str, prompt: int = 1) -> None:
        """One whole call."""
        call = self.begin(task, *targets, prompt=prompt)
        deed()
        self.end(call)

    def plan(
        self, task: str = "t", *, last: bool = False, only: str = "", include: str = ""
    ) -> Undoing:
        only_paths = (f"{self.home}/{only}",) if only else ()
        named = (f"{self.home}/{include}",) if include else ()
        return self.undo.plan(Selection(task, last=last, only=only_paths, include=named))

    def take_back(self, task: str = "t", *, last: bool = False, include: str = "") -> Result:
        return self.undo.apply(self.plan(task, last=last, include=include))

    def redo(self) -> Result:
        return self.undo.apply(self.undo.redo())

    def left(self, done: Result | Undoing) -> dict[str, str]:
        """Paths that were left, with the reason."""
        lists = (
            done.left if isinstance(done, Result) else {r: p.left for r, p in done.plans.items()}
        )
        return {item.path: item.reason.value for items in lists.values() for item in items}

    def done(self, done: Result | Undoing) -> dict[str, str]:
        """Paths that go back, with what happens to them."""
        if isinstance(done, Result):
            steps = [step for steps in done.steps.values() for step in steps]
        else:
            steps = [step for plan in done.plans.values() for step in plan.steps]
        return {step.path: step.action.value for step in steps if not step.quiet}

    def picture(self) -> Picture:
        return picture(self.home, skip=".slate")


def picture(top: Path, skip: str = "") -> Picture:
    """Everything below a directory, by means of its own: content, mode, owner, times, attributes, links, holes."""
    inodes: dict[int, list[str]] = {}
    found: Picture = {}
    for folder, folders, names in os.walk(top):
        if skip in folders and Path(folder) == top:
            folders.remove(skip)
        for name in [*folders, *names]:
            path = os.path.join(folder, name)
            facts = os.lstat(path)
            short = os.path.relpath(path, top)
            found[short] = facts_of(path, facts)
            if not stat.S_ISDIR(facts.st_mode) and facts.st_nlink > 1:
                inodes.setdefault(facts.st_ino, []).append(short)
    found["."] = facts_of(str(top), os.lstat(top))
    for number, names in enumerate(sorted(sorted(group) for group in inodes.values())):
        for name in names:
            found[name] = (*found[name], number)
    return found


def facts_of(path: str, facts: os.stat_result) -> tuple[object, ...]:
    """Mode, owner, group, mtime, content and attributes of what stands at a path."""
    mode = facts.st_mode
    content: object = None
    if stat.S_ISREG(mode):
        data = Path(path).read_bytes()
        content = (hashlib.md5(data, usedforsecurity=False).hexdigest(), facts.st_size)
    elif stat.S_ISLNK(mode):
        content = os.readlink(path)
    names = os.listxattr(path, follow_symlinks=False)
    attributes = {name: os.getxattr(path, name, follow_symlinks=False) for name in names}
    times = facts.st_mtime_ns
    return (mode, facts.st_uid, facts.st_gid, times, content, tuple(sorted(attributes.items())))


def differences(one: Picture, two: Picture) -> dict[str, tuple[object, object]]:
    """Paths that differ between two pictures, with both sides."""
    return {
        path: (one.get(path), two.get(path))
        for path in sorted(one.keys() | two.keys())
        if one.get(path) != two.get(path)
    }

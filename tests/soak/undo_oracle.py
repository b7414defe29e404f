"""What an undo must do, by brute force: full pictures of the tree at every mark, and the rules written down again."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from tests.fakes.undo_bed import Picture, facts_of

SKIP = ".slate"
OLD_NS = 1_000_000_000


Identity = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class State:
    """A path at a mark: `raw` changes with every touch, `facts` are what a person could see."""

    raw: tuple[int, ...]
    mode: int
    mtime_ns: int
    facts: tuple[object, ...]
    inode: int

    @property
    def folder(self) -> bool:
        return stat.S_ISDIR(self.mode)

    @property
    def identity(self) -> Identity:
        """What a file keeps when it is moved."""
        return self.inode, self.mtime_ns, self.raw[3]

    @property
    def file(self) -> bool:
        return stat.S_ISREG(self.mode)

    def same(self, other: State) -> bool:
        """Equal to a person; times of directories are not told."""
        return self.facts == other.facts and (self.folder or self.mtime_ns == other.mtime_ns)


States = dict[str, State]


def states(home: Path, known: States | None = None) -> States:
    """All paths below home, and home itself as ".".

    Of a large tree, what is `known` and had its last change a second ago or more is not read again.
    """
    found: States = {}
    old = time.time_ns() - OLD_NS
    for path, whole in _listed(home):
        facts = os.lstat(whole)
        raw = (facts.st_ino, facts.st_ctime_ns, facts.st_mtime_ns, facts.st_size)
        before = known.get(path) if known else None
        if before and before.raw == raw and facts.st_ctime_ns < old:
            found[path] = before
            continue
        mode, uid, gid, _, content, attributes = facts_of(whole, facts)
        seen = (mode, uid, gid, content, attributes)
        found[path] = State(raw, facts.st_mode, facts.st_mtime_ns, seen, facts.st_ino)
    return found


def _listed(home: Path) -> Iterator[tuple[str, str]]:
    yield ".", str(home)
    cut = len(str(home)) + 1
    for folder, folders, names in os.walk(home):
        if SKIP in folders and folder == str(home):
            folders.remove(SKIP)
        for name in [*folders, *names]:
            whole = os.path.join(folder, name)
            yield whole[cut:], whole


@dataclass(slots=True)
class Run:
    """One call of a task: the numbers of the marks around it, and what it may touch (None: anything)."""

    task: str
    begin: int
    end: int | None = None
    only: str | None = None
    until: int | None = None
    """Up to which mark a process of it lived on."""


@dataclass(slots=True)
class _Story:
    """What happened to one path so far: since when it is the task's, and what speaks against it."""

    start: int | None = None
    timed: int | None = None
    left: str = ""
    times_lost: bool = False

    def tell(self, at: int, whose: str, only_times: bool) -> None:
        begun = self.start is not None or self.timed is not None
        if only_times:
            if whose != "own":
                self.times_lost = self.times_lost or begun
            elif not begun:
                self.timed = at
        elif whose == "other":
            if self.start is not None and not self.left:
                self.left = "changed later"
        else:
            if self.start is None:
                self.start = at if self.timed is None else self.timed
            if whose == "shared":
                self.left = "shared"


def _only_times(before: State | None, after: State | None) -> bool:
    if before is None or after is None or not before.folder:
        return False
    return before.same(after) and before.inode == after.inode


@dataclass(slots=True)
class Oracle:
    """Marks are numbered from 0 in order; `edits` are (mark before, path) of the person."""

    home: Path
    partial: bool = True
    """Marks of an edit tool look at its file and the directories above alone, as copies do."""
    marks: list[States] = field(default_factory=list)
    scopes: list[str | None] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    edits: list[tuple[int, str]] = field(default_factory=list)

    large: bool = False
    """Too large to be read anew at each mark."""

    def mark(self, only: str | None = None) -> int:
        self.marks.append(states(self.home, self.marks[-1] if self.large and self.marks else None))
        self.scopes.append(only if self.partial else None)
        return len(self.marks) - 1

    def expect(self, task: str, now: States) -> Expected:
        """What the undo of a whole task makes of the tree as it is `now`."""
        mine = [run for run in self.runs if run.task == task]
        first = min(run.begin for run in mine)
        line = [*enumerate(self.marks[first:], first), (len(self.marks), now)]
        verdicts = {}
        stood: dict[str, set[Identity]] = {}
        for path in sorted(set().union(*(states for _, states in line))):
            seen = [(at, states.get(path)) for at, states in line if self._looked(path, at)]
            stood[path] = {it.identity for _, it in seen if it and it.file}
            if verdict := self._verdict(path, seen, task):
                verdicts[path] = verdict
        return _settled(verdicts, now, self.marks, stood)

    def _looked(self, path: str, at: int) -> bool:
        only = self.scopes[at] if at < len(self.scopes) else None
        return only is None or only == path or _above(path, only)

    def _verdict(
        self, path: str, seen: list[tuple[int, State | None]], task: str
    ) -> Verdict | None:
        story = _Story()
        for (at, before), (then, after) in pairwise(seen):
            if before is after:
                continue
            if before and after and (before.raw, before.facts) == (after.raw, after.facts):
                continue
            spans = {self._whose(path, step, task) for step in range(at, then)}
            whose = spans.pop() if len(spans) == 1 else "shared"
            story.tell(at, whose, _only_times(before, after))
        origin = story.start if story.start is not None else story.timed
        if origin is None or (story.start is None and story.times_lost):
            return None
        return Verdict(origin, dict(seen)[origin], story.left, story.times_lost)

    def _whose(self, path: str, at: int, task: str) -> str:
        """Of a change between the marks `at` and `at + 1`."""
        busy = [r for r in self.runs if r.begin <= at and (r.end is None or r.end > at)]
        busy = [r for r in busy if r.only is None or r.only == path or _above(path, r.only)]
        stay = [r for r in self.runs if r.end is not None and r.end <= at and (r.until or 0) > at]
        mine = any(r.task == task for r in busy)
        if not mine and not any(r.task == task for r in stay):
            return "other"
        if not mine or any(r.task != task for r in (*busy, *stay)):
            return "shared"
        if any(mark == at and (path == p or _above(p, path)) for mark, p in self.edits):
            return "shared"
        return "own"


@dataclass(frozen=True, slots=True)
class Verdict:
    """Where a path would go back to, and why it does not ("" when it does)."""

    mark: int
    before: State | None
    left: str
    times_lost: bool


@dataclass(frozen=True, slots=True)
class Expected:
    """The tree after the undo, without link sets, these apart, and what must be listed as left."""

    tree: dict[str, tuple[object, ...]]
    links: set[frozenset[str]]
    left: dict[str, str]


def _above(path: str, inner: str) -> bool:
    return path == "." or inner.startswith(path + "/")


def _settled(
    verdicts: dict[str, Verdict], now: States, marks: list[States], stood: dict[str, set[Identity]]
) -> Expected:
    left: dict[str, str] = {}
    back = {}
    for path, verdict in verdicts.items():
        if not verdict.left:
            back[path] = verdict
        elif _differs(verdict, now.get(path)):
            left[path] = verdict.left
    for path, reason in _with_names(back, verdicts, now).items():
        del back[path]
        left[path] = reason
    while blocked := _last_of(back, verdicts, now, stood) or _blocked(back, now):
        for path in blocked:
            if _differs(back.pop(path), now.get(path)):
                left[path] = "in the way"
    final = {path: _after(path, back, now) for path in {*now, *back}}
    tree = {path: _seen(state, path, back, now) for path, state in final.items() if state}
    return Expected(tree, _joined(final, back, now, marks), left)


def _last_of(
    back: dict[str, Verdict],
    verdicts: dict[str, Verdict],
    now: States,
    stood: dict[str, set[Identity]],
) -> list[str]:
    """Paths at which a file would go that had stood at a path that is left, and is not there any more."""
    moved: set[Identity] = set()
    for path in verdicts.keys() - back.keys():
        there = now.get(path)
        moved |= {it for it in stood.get(path, ()) if not there or it[0] != there.inode}
    found = []
    for path, verdict in back.items():
        before, there = verdict.before, now.get(path)
        if there and there.file and there.identity in moved:
            stays = before and (before.inode == there.inode or _same_bytes(before, there))
            found += [] if stays else [path]
    return found


def _same_bytes(one: State, two: State) -> bool:
    return one.file and two.file and one.facts[3] == two.facts[3]


def _differs(verdict: Verdict, there: State | None) -> bool:
    if verdict.before is None or there is None:
        return verdict.before is not there
    return not verdict.before.same(there)


def _joined(
    final: dict[str, State | None], back: dict[str, Verdict], now: States, marks: list[States]
) -> set[frozenset[str]]:
    """Which paths are one file after the undo."""
    kept: dict[tuple[object, ...], tuple[object, ...]] = {}
    for path, it in back.items():
        before, there = it.before, now.get(path)
        if before and there and before.inode == there.inode and before.same(there):
            kept["then", it.mark, before.inode] = ("now", there.inode)
        for other, old in marks[it.mark].items() if before else ():
            still = now.get(other)
            if before and old.inode == before.inode and still and still.raw == old.raw:
                kept["then", it.mark, before.inode] = ("now", old.inode)
    keys: dict[tuple[object, ...], set[str]] = {}
    for path, state in final.items():
        if state and not state.folder:
            key: tuple[object, ...] = ("now", state.inode)
            if path in back:
                key = ("then", back[path].mark, state.inode)
            keys.setdefault(kept.get(key, key), set()).add(path)
    return {frozenset(group) for group in keys.values() if len(group) > 1}


def _with_names(
    back: dict[str, Verdict], verdicts: dict[str, Verdict], now: States
) -> dict[str, str]:
    """Of files changed in place, the names that stay because another name of the same file does."""
    staying: dict[int, str] = {}
    for path, state in sorted(now.items()):
        if path not in back and not state.folder:
            left = verdicts[path].left if path in verdicts else "changed later"
            staying.setdefault(state.inode, left)
    found = {}
    for path, verdict in back.items():
        before, there = verdict.before, now.get(path)
        in_place = before and there and before.inode == there.inode and not before.same(there)
        if in_place and there and there.inode in staying:
            found[path] = staying[there.inode]
    return found


def _after(path: str, back: dict[str, Verdict], now: States) -> State | None:
    return back[path].before if path in back else now.get(path)


def _blocked(back: dict[str, Verdict], now: States) -> list[str]:
    holding: set[str] = set()
    for path in now:
        if _after(path, back, now):
            holding.update(_ancestors(path))
    held, homeless = [], []
    for path, verdict in back.items():
        before, there = verdict.before, now.get(path)
        above = os.path.dirname(path) or "."
        over = _after(above, back, now)
        acts = before is not None and (there is None or not before.same(there))
        if there and there.folder and not (before and before.folder) and path in holding:
            held.append(path)
        elif path != "." and acts and not (over and over.folder) and not _stays(before, there):
            homeless.append(path)
    # What is in a directory that stays has its place.
    return held or homeless


def _stays(before: State | None, there: State | None) -> bool:
    """Whether only attributes change in place."""
    return bool(before and there and before.folder and there.folder)


def _ancestors(path: str) -> Iterator[str]:
    while path := os.path.dirname(path):
        yield path


def _seen(state: State, path: str, back: dict[str, Verdict], now: States) -> tuple[object, ...]:
    times = state.mtime_ns
    there = now.get(path)
    if path in back and back[path].times_lost and state.folder and there and there.folder:
        times = there.mtime_ns
    return (*state.facts, times)


def actual(home: Path) -> tuple[dict[str, tuple[object, ...]], set[frozenset[str]]]:
    """The tree as it is, in the form of Expected."""
    found = states(home)
    groups: dict[int, set[str]] = {}
    for path, state in found.items():
        if not state.folder:
            groups.setdefault(state.inode, set()).add(path)
    tree = {path: (*state.facts, state.mtime_ns) for path, state in found.items()}
    return tree, {frozenset(group) for group in groups.values() if len(group) > 1}


def differing(one: Picture, two: Picture, limit: int = 8) -> list[str]:
    paths: Collection[str] = sorted(one.keys() | two.keys())
    found = [path for path in paths if one.get(path) != two.get(path)]
    return [f"{path!r}: {one.get(path)} / {two.get(path)}" for path in found[:limit]]

"""Makes the plan of an undo from marks: the present is looked at, histories are read, contents compared."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from slated.errors import BadRequest, Unavailable
from slated.snapshots import content, walk
from slated.snapshots.entries import Entry, Kind, below, same_content
from slated.snapshots.marks import Marks, absolute, relative, root_of
from slated.snapshots.pictures import Pictures, Progress, Uncovered
from slated.snapshots.plan import Around, Candidate, Identity, Plan, Reason, build, choose, identity
from slated.snapshots.store import Store
from slated.snapshots.timeline import UNDO, Call, Point, Timeline, changes


@dataclass(frozen=True, slots=True)
class Selection:
    """What to take back: of a task, its last prompt (`last`), what follows a mark (`to`), or all.

    `only` restricts it to absolute paths and what is below; `include` names paths that are shared or changed later
    and shall go back all the same.
    """

    task: str
    last: bool = False
    to: int | None = None
    only: tuple[str, ...] = ()
    include: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Undoing:
    """One undo, to be previewed or applied: for each root its plan, made at the mark `now`."""

    selection: Selection
    calls: tuple[Call, ...]
    now: int
    plans: Mapping[str, Plan]
    unseen: tuple[Uncovered, ...] = ()


class Planner:
    """Makes plans over `roots`. Blocking."""

    def __init__(self, store: Store, marks: Marks, roots: Mapping[str, Pictures]) -> None:
        self._store = store
        self._marks = marks
        self._roots = roots

    def plan(self, selection: Selection, progress: Progress = lambda _seen: None) -> Undoing:
        """What would happen; nothing is changed but a mark taken.

        Raises BadRequest when the task has no such calls.
        """
        calls = self._chosen(selection)
        targets = sorted({target for call in calls for target in call.targets})
        opaque = any(not call.exact for call in calls)
        now, uncovered = self._marks.take(targets, everywhere=opaque, urgent=True)
        timeline = self._store.timeline()
        plans: dict[str, Plan] = {}
        unseen = list(uncovered)
        for root, pictures in self._roots.items():
            since = min(call.before for call in calls)
            histories, missed = pictures.history(since, now, progress)
            self._fold(root, histories, calls)
            unseen.extend(Uncovered(absolute(root, u.path), u.why) for u in missed)
            holes = {hole.path for hole in missed}
            plans[root] = self._one(root, histories, timeline, (selection, calls, now, holes))
        return Undoing(selection, tuple(calls), now, plans, tuple(dict.fromkeys(unseen)))

    def _chosen(self, selection: Selection) -> list[Call]:
        timeline = self._store.timeline()
        calls = [call for call in timeline.calls if call.task == selection.task]
        if not calls:
            raise BadRequest("undo.task", f"Undo knows no call of task {selection.task}.")
        if selection.last:
            last = max(call.prompt for call in calls)
            calls = [call for call in calls if call.prompt == last]
        if selection.to is not None:
            calls = [call for call in calls if call.before >= selection.to]
        if not calls:
            raise BadRequest("undo.mark", "The task has no call after that mark.")
        oldest = timeline.marks[0].number if timeline.marks else 0
        if any(call.before < oldest for call in calls):
            raise Unavailable(
                "undo.expired",
                "What was there before the first of these calls is not kept any more.",
                next_step=f"Undo what came later: `--last`, or `--to {oldest}`.",
            )
        return calls

    def _one(
        self,
        root: str,
        histories: Mapping[str, Sequence[Point]],
        timeline: Timeline,
        what: tuple[Selection, Sequence[Call], int, set[str]],
    ) -> Plan:
        selection, calls, now, present = what
        last = {path: points[-1].entry for path, points in histories.items() if points}
        missing = [path for path, it in last.items() if not it or it.kind is not Kind.DIRECTORY]
        present = {*present, *(path for path, it in last.items() if it)}
        pictures = self._roots[root]
        candidates = choose(root, histories, timeline, selection.task, calls)
        if selection.only:
            only = self._inside(root, selection.only)
            candidates = [c for c in candidates if _wanted(c, only)]
        full = _in_use(root, [_full(pictures, candidate, now) for candidate in candidates])
        named = self._inside(root, selection.include)
        include = {c.path for c in full if any(below(c.path, top) for top in named)}
        present |= _inside(root, full)
        moved = {path: _moved(points) for path, points in histories.items()}
        stood = {path: _files(points) for path, points in histories.items()}
        around = Around(frozenset(present), frozenset(missing), moved, now, stood)
        return build(full, include, pictures.links, around)

    def _inside(self, root: str, paths: Sequence[str]) -> list[str]:
        return [relative(root, path) for path in paths if root_of(path, self._roots) == root]

    def _fold(self, root: str, histories: dict[str, list[Point]], calls: Collection[Call]) -> None:
        """Take undos out of the histories: what an undo took back did not happen, and neither did the undo."""
        number = self._store.root(root)
        own = {call.after for call in calls if call.task.startswith(UNDO)}
        for after, path, mark in self._store.folds(number):
            points = histories.get(path)
            if points is None or after in own:
                continue
            end = next((point for point in points if point.mark == after), None)
            if end is None:
                continue
            kept = [point for point in points if point.mark <= mark]
            back = Point(after, end.entry, joined=True)
            histories[path] = [*kept, back, *(p for p in points if p.mark > after)]


def _wanted(candidate: Candidate, only: Collection[str]) -> bool:
    """Whether a path is among those, or is a directory that is gone and has to come back for one of them."""
    if any(below(candidate.path, top) for top in only):
        return True
    before, now = candidate.before, candidate.now
    gone = now is None and before is not None and before.kind is Kind.DIRECTORY
    return gone and any(below(top, candidate.path) for top in only)


def _inside(root: str, candidates: Sequence[Candidate]) -> set[str]:
    """What is right now in directories that may have to go, looked at or not."""
    found: set[str] = set()
    handle = walk.open_root(root)
    try:
        for it in candidates:
            goes = it.before is None or it.before.kind is not Kind.DIRECTORY
            if it.path and goes and it.now and it.now.kind is Kind.DIRECTORY:
                found.update(f"{it.path}/{name}" for name in _names(handle, it.path))
    finally:
        os.close(handle)
    return found


def _names(root: int, path: str) -> list[str]:
    """The names in a directory; where they cannot be read, one that is none."""
    try:
        handle = walk.open_below(root, path, walk.DIRECTORY)
    except PermissionError:
        return ["?"]
    except OSError:
        return []
    try:
        return os.listdir(handle)
    finally:
        os.close(handle)


def _files(points: Sequence[Point]) -> frozenset[Identity]:
    """The files that stood at a path."""
    entries = (point.entry for point in points)
    return frozenset(identity(it) for it in entries if it and it.kind is Kind.FILE)


def _moved(points: Sequence[Point]) -> int:
    """The mark by which the last thing had happened to a path that was not taken back since; 0 for none."""
    return max((two.mark for _, two in changes(points)), default=0)


def _full(pictures: Pictures, candidate: Candidate, now: int) -> Candidate:
    def looked(mark: int, entry: Entry | None) -> Entry | None:
        return pictures.full(mark, candidate.path, entry) if entry else None

    return replace(
        candidate,
        before=looked(candidate.mark, candidate.before),
        now=looked(now, candidate.now),
    )


def _in_use(root: str, candidates: Sequence[Candidate]) -> list[Candidate]:
    """The same, but for files that a program is about to write to: of what it writes into one that was replaced or
    deleted, nothing would be left.
    """
    found = []
    handle = walk.open_root(root)
    try:
        for it in candidates:
            if it.now and not it.reason and _replaced(it.before, it.now) and _written(handle, it):
                it = replace(it, reason=Reason.IN_USE, why="a program has it open for writing")
            found.append(it)
    finally:
        os.close(handle)
    return found


def _replaced(before: Entry | None, now: Entry) -> bool:
    """Whether a file has to make room for other bytes or for nothing."""
    return now.kind is Kind.FILE and not (before and same_content(before, now))


def _written(root: int, it: Candidate) -> bool:
    try:
        with walk.at(root, it.path) as (handle, name):
            return content.is_written(handle, name, it.now.ino if it.now else 0)
    except OSError:
        return False

"""Who was at work between two marks: calls, known edits of the person, processes that outlived a call. Pure."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise

from slated.snapshots.entries import Entry, below, touched

UNDO = "undo:"
"""How the tasks of undos themselves begin."""
CLOCK_SLACK_NS = 50_000_000
"""How far apart the clocks of a mark and of a reported edit may be."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A moment of which undo has a picture; numbers only grow. Times are wall clock, nanoseconds."""

    number: int
    started_ns: int
    done_ns: int


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a task between its marks; `after` is None while it runs.

    `targets` are what it was known to change when it began: absolute paths; one with a slash at its end means
    everything below it, too. `exact` is true when it can change nothing else: an edit tool. `until` is the mark
    up to which a process it left behind lived: None while one still lives, `after` when there is none.
    """

    task: str
    prompt: int
    call: str
    before: int
    after: int | None
    targets: tuple[str, ...] = ()
    exact: bool = False
    until: int | None = None

    def may_touch(self, path: str) -> bool:
        """Whether this call can have changed an absolute path."""
        return not self.exact or self.knows(path)

    def knows(self, path: str) -> bool:
        """Whether an absolute path is among its targets; a new file also changes directories above it."""
        if any(top.startswith(path.rstrip("/") + "/") for top in self.targets):
            return True
        return any(
            path == top.rstrip("/") or (top.endswith("/") and path.startswith(top))
            for top in self.targets
        )


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of an absolute path (and what is below it) that is known to be the person's."""

    path: str
    at_ns: int


@dataclass(frozen=True, slots=True)
class Point:
    """What a path was at a mark; None is nothing. Only marks that looked there have a point.

    `joined`: it went back there, so between the point before and this one nothing happened.
    """

    mark: int
    entry: Entry | None
    joined: bool = False


class Whose(StrEnum):
    """Whose a change between two marks is, seen from one task."""

    OWN = "own"
    SHARED = "shared"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Timeline:
    """Marks, calls and edits in order."""

    marks: Sequence[Mark]
    calls: Sequence[Call]
    edits: Sequence[Edit] = ()
    _numbers: list[int] = field(init=False)
    _place: dict[int, int] = field(init=False)
    _busy: dict[tuple[int, int], tuple[tuple[Call, ...], tuple[Call, ...]]] = field(init=False)

    def __post_init__(self) -> None:
        numbers = [mark.number for mark in self.marks]
        object.__setattr__(self, "_numbers", numbers)
        object.__setattr__(self, "_place", {number: at for at, number in enumerate(numbers)})
        object.__setattr__(self, "_busy", {})

    def whose(
        self, path: str, start: int, end: int, task: str, chosen: Iterable[Call]
    ) -> tuple[Whose, str]:
        """Whose a change of `path` between the marks `start` and `end` is, and with whom it is shared.

        Own: at every moment in between, one of the `chosen` calls ran that was known to change it, and nobody else
        could have done it. Elsewhere a save of the person is as likely as anything that a command does unasked.
        """
        picked = set(chosen)
        alone, mine, beside = True, False, ""
        first, last = bisect_left(self._numbers, start), bisect_left(self._numbers, end)
        for low, high in zip(
            self._numbers[first:last], self._numbers[first + 1 : last + 1], strict=True
        ):
            running, lingering = self._at_work(low, high)
            running = tuple(call for call in running if call.may_touch(path))
            own = [call for call in running if call in picked]
            others = [call for call in (*running, *lingering) if call.task != task]
            unpicked = [call for call in running if call.task == task and call not in picked]
            mine = mine or bool(own) or any(call.task == task for call in lingering)
            known = any(call.knows(path) for call in own)
            if known and not others and not unpicked:
                continue
            alone = False
            beside = beside or self._names(own, others, unpicked, lingering)
        if not mine:
            return Whose.OTHER, ""
        if edit := self._edited(path, start, end):
            return Whose.SHARED, f"the person edited {'it' if edit.path == path else edit.path}"
        return (Whose.OWN, "") if alone else (Whose.SHARED, beside)

    def _names(
        self,
        own: Sequence[Call],
        others: Sequence[Call],
        unpicked: Sequence[Call],
        lingering: Sequence[Call],
    ) -> str:
        if others:
            return f"task {others[0].task} was at work too"
        if unpicked:
            return "another call of this task was at work too"
        if own:
            return "it lies outside of what this task's calls were known to change"
        if lingering:
            return f"a process of call {lingering[0].call} was still running"
        return "it was not looked at between this task's calls and others'"

    def _at_work(self, low: int, high: int) -> tuple[tuple[Call, ...], tuple[Call, ...]]:
        """The calls that ran between two neighbouring marks, and those of which a process was still there."""
        if found := self._busy.get((low, high)):
            return found
        running, lingering = [], []
        for call in self.calls:
            if call.before >= high:
                continue
            if call.after is None or call.after >= high:
                running.append(call)
            elif call.until is None or call.until > low:
                lingering.append(call)
        self._busy[low, high] = tuple(running), tuple(lingering)
        return self._busy[low, high]

    def _edited(self, path: str, start: int, end: int) -> Edit | None:
        since = self.marks[self._place[start]].started_ns - CLOCK_SLACK_NS
        until = self.marks[self._place[end]].done_ns + CLOCK_SLACK_NS
        for edit in self.edits:
            if since <= edit.at_ns <= until and below(path, edit.path):
                return edit
        return None

    def since(self, number: int) -> list[int]:
        """The marks from `number` on."""
        return self._numbers[bisect_right(self._numbers, number - 1) :]


def changes(points: Sequence[Point]) -> list[tuple[Point, Point]]:
    """The neighbours among the points of a path between which something happened to it."""
    return [
        (one, two)
        for one, two in pairwise(points)
        if not two.joined and touched(one.entry, two.entry)
    ]

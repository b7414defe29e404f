"""What a kind of picture of a root (btrfs snapshot, copies) must be able to do, and the words both speak."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from slated.snapshots.entries import Entry
from slated.snapshots.timeline import Point

YOUNG_NS = 20_000_000
"""Two changes of a file within one tick of the kernel's clock have the same ctime; a tick is at most 10 ms."""
Progress = Callable[[int], None]
"""Told now and then how many entries were looked at so far."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Something a call may change, relative to its root. `tree`: with everything below it."""

    path: str
    tree: bool = False


@dataclass(frozen=True, slots=True)
class Limits:
    """What copies may cost: entries and bytes on disk of one tree, and bytes that stay free."""

    entries: int = 20_000
    bytes: int = 500_000_000
    floor: int = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Uncovered:
    """A place whose changes could not be taken back, relative to its root, and why."""

    path: str
    why: str


@dataclass(frozen=True, slots=True)
class Marked:
    """A mark to take a picture at: its number and when taking it began; `urgent` also on a nearly full disk."""

    number: int
    started_ns: int
    urgent: bool = False


class Pictures(Protocol):
    """Pictures of one root, taken at marks. Blocking. Paths are relative to the root, which is "".

    `whole`: a picture is of all of the root and costs next to nothing.
    """

    whole: bool

    def covers(self, path: str) -> str:
        """Why a change of `path` could not be taken back; "" when it could."""
        ...

    def take(self, mark: Marked, targets: Sequence[Scope]) -> tuple[Uncovered, ...]:
        """Take a picture of the targets; what of them is not in it."""
        ...

    def history(
        self, since: int, now: int, progress: Progress
    ) -> tuple[dict[str, list[Point]], tuple[Uncovered, ...]]:
        """Each path that something happened to from the mark `since` to the mark `now`, and what was not seen."""
        ...

    def full(self, mark: int, path: str, entry: Entry) -> Entry:
        """The entry of a picture with the name of its content and with its attributes."""
        ...

    def links(self, mark: int, entry: Entry) -> tuple[str, ...]:
        """The paths that were the file of this entry at a mark."""
        ...

    def reading(self, mark: int, path: str, entry: Entry) -> AbstractContextManager[int]:
        """The content of a file as it was, open for reading."""
        ...

    def close(self) -> None:
        """Let go of what is open."""
        ...

    def forget(self, before: int) -> None:
        """Let go of the pictures of marks below `before`, in small steps."""
        ...

    def sweep(self) -> tuple[str, ...]:
        """Remove what forgotten pictures took on disk, going on where something cannot be removed; what failed."""
        ...

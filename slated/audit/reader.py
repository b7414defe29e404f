"""Reads the log while it is written: its files, records by what they are about, new ones as they come, a judgement."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from slated import files
from slated.audit.anchors import Witness
from slated.audit.lines import Anchor, decode, segment_first, segment_name
from slated.audit.verify import Fault, Judgement, judge
from slated.errors import Unavailable


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which records: each part that is given must fit. `tool` is the start of a name; `since` is an ISO time."""

    task: str = ""
    tool: str = ""
    tier: str = ""
    kind: str = ""
    since: str = ""

    def fits(self, record: Mapping[str, object]) -> bool:
        """Whether a record is wanted."""
        pairs = ((self.task, "task"), (self.tier, "tier"), (self.kind, "kind"))
        return (
            all(not wanted or record.get(key) == wanted for wanted, key in pairs)
            and str(record.get("tool", "")).startswith(self.tool)
            and str(record.get("t", "")) >= self.since
        )


def firsts(directory: Path) -> list[int]:
    """The numbers of the first lines of the log's files, in order; none when there is no log."""
    if not directory.is_dir():
        return []
    with files.opened(directory, create=False) as handle:
        found = (segment_first(name) for name in files.names(handle))
        return sorted(first for first in found if first is not None)


def _open(directory: Path, first: int) -> IO[bytes]:
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        return open(os.open(directory / segment_name(first), flags), "rb")
    except OSError as error:
        raise files.disk_error(f"Cannot read {segment_name(first)}", error) from error


def records(directory: Path, wanted: Wanted) -> Iterator[dict[str, Any]]:
    """The records that are wanted, oldest first. What is no line of a log is passed over (`verify` tells)."""
    for first in firsts(directory):
        with _open(directory, first) as file:
            for line in file:
                record = decode(line)
                if record is not None and wanted.fits(record):
                    yield record


class Follower:
    """Gives what was appended since it was asked last. A line that is still being written waits for its end."""

    def __init__(self, directory: Path, wanted: Wanted) -> None:
        self._directory, self._wanted = directory, wanted
        there = firsts(directory)
        self._first = there[-1] if there else 1
        self._at = (directory / segment_name(self._first)).stat().st_size if there else 0

    def more(self) -> list[dict[str, Any]]:
        """The wanted records that are new."""
        found: list[dict[str, Any]] = []
        for first in firsts(self._directory):
            if first < self._first:
                continue
            if first > self._first:
                self._first, self._at = first, 0
            with _open(self._directory, first) as file:
                file.seek(self._at)
                data = file.read()
            whole = data[: data.rfind(b"\n") + 1]
            self._at += len(whole)
            lines = (decode(line) for line in whole.splitlines())
            found += [r for r in lines if r is not None and self._wanted.fits(r)]
        return found


def judged(directory: Path, witnesses: Mapping[str, Witness]) -> Judgement:
    """The judgement of a whole log; witnesses that cannot be asked are left out."""
    told: dict[str, Sequence[Anchor]] = {}
    for name, witness in witnesses.items():
        anchors = witness.read() if directory.is_dir() else None
        if anchors is not None:
            told[name] = anchors
    with ExitStack() as stack:
        parts = [
            (segment_name(first), first, stack.enter_context(_open(directory, first)))
            for first in firsts(directory)
        ]
        made = judge(parts, told)
    if not parts:
        made.faults.append(Fault("", 0, "there is no log"))
    return made


def export(directory: Path, write: Callable[[bytes], object]) -> int:
    """Hand out every line as it stands, in order, so that a copy can be judged elsewhere; how many bytes."""
    size = 0
    for first in firsts(directory):
        with _open(directory, first) as file:
            while data := file.read(1 << 20):
                write(data)
                size += len(data)
    if size == 0:
        raise Unavailable("audit", "there is no audit log yet.")
    return size

"""The one writer of the audit log: appends, groups flushes, rotates, and repairs what a crash left."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import anyio
import anyio.lowlevel
import anyio.to_thread

from slated import files
from slated.audit.anchors import Anchors
from slated.audit.lines import Anchor, Head, decode, digest, encode, segment_first, segment_name
from slated.audit.segment import Segment
from slated.errors import Unavailable

SEGMENT_BYTES = 16 << 20
LINE_BYTES = 64 << 10
"""What a record may take; the summaries in it are cut long before that."""
INLINE_S = 0.01
"""Up to so long a flush is waited for in place: handing it to a thread costs more than a fast disk takes."""
_TAIL = 1 << 20


def now() -> str:
    """The time as the log has it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class Log:
    """An open log. One object per machine and directory: `opened` holds its lock."""

    def __init__(self, directory: int, *, segment_bytes: int, clock: Callable[[], str]) -> None:
        self._directory = directory
        self._segment_bytes = segment_bytes
        self._clock = clock
        self._flushing: anyio.Event | None = None
        self._usual_s = 0.0
        self.head, self.id, self._segment, cut = _recovered(directory)
        if self.id == "":
            self.id = secrets.token_hex(8)
            self._write({"kind": "segment", "log": self.id})
        if cut:
            self._write({"kind": "repair", "cut_bytes": cut})

    def append(self, record: Mapping[str, object]) -> int:
        """Write a record; its line number. It outlives this process, though not yet a power cut (see `flush`).

        Raises `unavailable.audit`, and then the log is as it was.
        """
        if self._segment.size >= self._segment_bytes and self._flushing is None:
            self._rotate()
        return self._write(record)

    def _write(self, record: Mapping[str, object]) -> int:
        line, head = encode({"t": self._clock(), **record}, self.head)
        if len(line) > LINE_BYTES:
            raise Unavailable("audit", "nothing was done: a record of the audit log is too long.")
        self._segment.write(line)
        self.head = head
        return head.count

    def _rotate(self) -> None:
        """Go on in a new file. The chain goes on too: its first line names the last one of the old file."""
        self._segment.sync()
        fresh = Segment(self._directory, segment_name(self.head.count + 1), create=True)
        self._segment.close()
        self._segment = fresh
        self._write({"kind": "segment", "log": self.id})

    async def flush(self) -> None:
        """Return when everything appended so far is on disk. Callers that wait together share one flush.

        Raises `unavailable.audit`; what was appended then stays in the log and is tried again by the next flush.
        """
        segment = self._segment
        wanted = segment.size
        await (
            anyio.lowlevel.checkpoint()
        )  # whoever is ready to write does so first, and shares this flush
        while segment.synced < wanted:
            if self._flushing is not None:
                await self._flushing.wait()
            elif self._usual_s < INLINE_S:
                self._timed(segment)
            else:
                self._flushing = anyio.Event()
                try:
                    await anyio.to_thread.run_sync(self._timed, segment)
                finally:
                    self._flushing.set()
                    self._flushing = None

    def _timed(self, segment: Segment) -> None:
        began = time.perf_counter()
        try:
            segment.sync()
        finally:
            self._usual_s += (time.perf_counter() - began - self._usual_s) / 8

    @property
    def synced(self) -> bool:
        """Whether nothing waits for a flush."""
        return self._segment.synced >= self._segment.size

    def anchor(self) -> Anchor:
        """The head as something to tell others. Flush first: an anchor must not be ahead of the disk."""
        return Anchor(self.id, self.head, self._clock())

    def close(self) -> None:
        """Flush and let go of the file."""
        self._segment.close()


@asynccontextmanager
async def opened(
    directory: Path,
    *,
    segment_bytes: int = SEGMENT_BYTES,
    clock: Callable[[], str] = now,
    lock_s: float = 2.0,
) -> AsyncIterator[Log]:
    """The log in `directory` (made if need be; its parent must exist), for one process at a time.

    Raises `unavailable.audit` when another process writes it or it cannot be written.
    """
    handle = files.open_directory(directory.parent, directory.name, create=True)
    try:
        with files.locked(handle, "lock", deadline_s=lock_s, busy=_busy):
            log = Log(handle, segment_bytes=segment_bytes, clock=clock)
            try:
                yield log
            finally:
                log.close()
    finally:
        os.close(handle)


def _busy() -> Unavailable:
    return Unavailable(
        "audit", "another process writes this audit log.", next_step="end the other slated"
    )


async def tell(log: Log, anchors: Anchors) -> None:
    """Flush, then anchor the head; one that is anchored already is not anchored again."""
    await log.flush()
    await anyio.to_thread.run_sync(partial(anchors.put, log.anchor()))


# -- what a former process left ------------------------------------------------------------------


def _recovered(directory: int) -> tuple[Head, str, Segment, int]:
    """The head, the log's id ("" when it has no line yet), the file to go on with, and how many torn bytes were cut."""
    found = sorted(n for name in files.names(directory) if (n := segment_first(name)) is not None)
    if not found:
        return Head(), "", Segment(directory, segment_name(1), create=True), 0
    cut = files.cut_torn_tail(directory, segment_name(found[-1]))
    current = Segment(directory, segment_name(found[-1]), create=False)
    head = _tip(directory, found)
    identity = _identity(directory, found)
    if current.size == 0 and identity:  # a crash between making the file and its first line
        line, head = encode({"t": now(), "kind": "segment", "log": identity}, head)
        current.write(line)
    return head, identity, current, cut


def _tip(directory: int, firsts: list[int]) -> Head:
    """The head that the last whole line makes, be it damaged or not: `verify` tells, we go on behind it."""
    for first in reversed(firsts):
        data = _last_line(directory, segment_name(first))
        if data is None:
            continue
        record = decode(data)
        count = record["n"] if record else first - 1 + _count(directory, segment_name(first))
        return Head(count, digest(data))
    return Head()


def _identity(directory: int, firsts: list[int]) -> str:
    for first in reversed(firsts):
        data = files.read_file(directory, segment_name(first), limit=LINE_BYTES, head=True) or b""
        record = decode(data.partition(b"\n")[0]) or {}
        if isinstance(record.get("log"), str):
            return str(record["log"])
    return ""


def _last_line(directory: int, name: str) -> bytes | None:
    handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=directory)
    try:
        size = os.fstat(handle).st_size
        data = os.pread(handle, min(size, _TAIL), max(0, size - _TAIL))
    finally:
        os.close(handle)
    return data[:-1].rpartition(b"\n")[2] if data else None


def _count(directory: int, name: str) -> int:
    handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=directory)
    with open(handle, "rb") as file:
        return sum(chunk.count(b"\n") for chunk in iter(partial(file.read, _TAIL), b""))

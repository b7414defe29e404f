"""The hash-chained record of what happened to a workspace or a candidate: append, read, verify."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Protocol

from slated import files

NAME = "activity.jsonl"
GENESIS = hashlib.sha256(b"GENESIS").hexdigest()
_LARGEST = 64 * 1024 * 1024


class Person(Protocol):
    """Who is at the other end: a person, or something inside a task."""

    def present(self, deed: str) -> str:
        """The person's subject, such as `user:local-1000`.

        Raises Refused when the peer is not shown to be a person; `deed` says what for.
        """
        ...


def read(directory: int) -> list[dict[str, object]]:
    """All records, oldest first. Raises Unavailable (`damaged`) where the chain does not hold.

    A last line without its end was never acknowledged and is left out.
    """
    return _scanned(directory)[0]


def _scanned(directory: int) -> tuple[list[dict[str, object]], str]:
    data = files.read_file(directory, NAME, limit=_LARGEST) or b""
    records: list[dict[str, object]] = []
    prior = GENESIS
    for number, line in enumerate(data[: data.rfind(b"\n") + 1].split(b"\n")[:-1], 1):
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            record = None
        if (
            not isinstance(record, dict)
            or record.get("n") != number
            or record.get("prior") != prior
        ):
            raise files.damaged(
                NAME,
                f"line {number} does not follow from the one before",
                next_step="Restore the file from a backup; nothing is written to it until then.",
            )
        prior = hashlib.sha256(line).hexdigest()
        records.append(record)
    return records, prior


def append(directory: int, record: Mapping[str, object]) -> None:
    """Add one record; on disk when this returns. The caller holds the lock of the directory."""
    records, prior = _scanned(directory)
    files.cut_torn_tail(directory, NAME)
    line = json.dumps({"n": len(records) + 1, "prior": prior, **record}, separators=(",", ":"))
    files.append_line(directory, NAME, line.encode())

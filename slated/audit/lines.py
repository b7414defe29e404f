"""One line of the log as bytes: a record that names its number and the hash of the line before it. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

GENESIS = "0" * 64
"""What the first line of a log names as the hash before it."""


@dataclass(frozen=True, slots=True)
class Head:
    """The end of a log: how many lines it has, and the SHA-256 of the last one's bytes (hex)."""

    count: int = 0
    hash: str = GENESIS


@dataclass(frozen=True, slots=True)
class Anchor:
    """A head that was told to somebody else: `log` is the id of the log, `time` an ISO time."""

    log: str
    head: Head
    time: str


def digest(line: bytes) -> str:
    """The hash of a line, which has no line end."""
    return hashlib.sha256(line).hexdigest()


def encode(record: Mapping[str, object], head: Head) -> tuple[bytes, Head]:
    """A record as the line that follows `head`, without line end, and the head it makes."""
    whole = {"n": head.count + 1, "prev": head.hash, **record}
    line = json.dumps(whole, separators=(",", ":")).encode()
    return line, Head(head.count + 1, digest(line))


def decode(line: bytes) -> dict[str, Any] | None:
    """The record of a line; None for what is no line of a log."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    fits = isinstance(record, dict) and isinstance(record.get("prev"), str)
    return record if fits and type(record.get("n")) is int else None


def segment_name(first: int) -> str:
    """The file that starts with line number `first`."""
    return f"{first:012d}.jsonl"


def segment_first(name: str) -> int | None:
    """The number of the first line of a file of the log; None for another file."""
    stem, dot, ending = name.partition(".")
    plain = len(stem) == 12 and stem.isascii() and stem.isdigit()
    return int(stem) if plain and dot and ending == "jsonl" else None


def anchor_record(anchor: Anchor) -> dict[str, object]:
    """An anchor as JSON."""
    return {
        "log": anchor.log,
        "n": anchor.head.count,
        "hash": anchor.head.hash,
        "t": anchor.time,
    }


def anchor_of(record: object) -> Anchor | None:
    """The anchor in a JSON value; None if there is none."""
    match record:
        case {"log": str(log), "n": int(count), "hash": str(hash_), "t": str(time)}:
            return Anchor(log, Head(count, hash_), time)
        case _:
            return None

"""Which undo copies still hold the files of a directory, for whoever must say so when something was to be forgotten."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path

from slated.snapshots.store import BUSY_S, NAME, told

_FOLDER = "snapshots"
_MOST = 20
_PICTURES = (
    "SELECT name, started FROM picture JOIN mark ON number = mark WHERE root = ? ORDER BY mark"
)
_ENTRIES = (
    # Of what is kept since a mark that was dropped, when it was last changed.
    "SELECT path, coalesce(started, ctime) FROM entry LEFT JOIN mark ON number = since"
    " WHERE root = ? AND content <> '' AND substr(path, 1, ?) = ? ORDER BY since"
)


def held(place: Path, directory: Path) -> list[str]:
    """The copies in undo's own `place` that hold files of `directory`, one line each; at most 20 and how many more.

    None where there is no undo. Raises Unavailable when its database cannot be read.
    """
    if not (place / NAME).exists():
        return []
    with told(), closing(_opened(place / NAME)) as db:
        found = list(_found(db, place, os.path.realpath(directory)))
    rest = [f"{len(found) - _MOST} more"] if len(found) > _MOST else []
    return [*found[:_MOST], *rest]


def _opened(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=BUSY_S)


def _found(db: sqlite3.Connection, place: Path, directory: str) -> Iterator[str]:
    for number, raw in db.execute("SELECT number, path FROM root").fetchall():
        root = os.fsdecode(raw)
        below = os.path.relpath(directory, root)
        if below.startswith(".."):
            continue
        for name, started in db.execute(_PICTURES, (number,)).fetchall():
            # A subvolume of its own is an empty directory in the snapshot around it.
            if _has_files(place / _FOLDER / str(number) / name / below):
                yield f"snapshot of {root} from {_time(started)}"
        start = b"" if below == "." else os.fsencode(f"{below}/")
        for path, started in db.execute(_ENTRIES, (number, len(start), start)).fetchall():
            yield f"copy of {root}/{os.fsdecode(path)} from {_time(started)}"


def _has_files(directory: Path) -> bool:
    with suppress(OSError), os.scandir(directory) as entries:
        return any(entry.is_file(follow_symlinks=False) for entry in entries)
    return False


def _time(ns: int) -> str:
    return datetime.fromtimestamp(ns // 1_000_000_000, UTC).isoformat()

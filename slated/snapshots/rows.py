"""What the store keeps of one root pictured by copies: what stood at each path from which mark to which."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Mapping

from slated.snapshots.entries import Entry, below, parent, touched
from slated.snapshots.pictures import YOUNG_NS, Uncovered
from slated.snapshots.store import Store, entry_of_row, row_of
from slated.snapshots.timeline import Point
from slated.snapshots.walk import Signature, Trees

NEVER = -1
"""A ctime no file has: the entry is to be looked into again."""
_MANY = 1000
_CURRENT = (
    "SELECT rowid, path, mode, uid, gid, size, mtime, ctime, ino, nlink, rdev, target, content, xattrs, flaw "
    "FROM entry WHERE root = ? AND until IS NULL"
)
_INSERT = "INSERT INTO entry VALUES (?, ?, ?, NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_TOUCHED = (
    "SELECT path, since, until, mode, uid, gid, size, mtime, ctime, ino, nlink, rdev, target, content, xattrs, flaw "
    "FROM entry WHERE root = ?1 AND path IN ("
    "SELECT path FROM entry WHERE root = ?1 AND since > ?2 AND since <= ?3 UNION "
    "SELECT path FROM entry WHERE root = ?1 AND until > ?2 AND until <= ?3"
    ") AND since <= ?3 AND (until IS NULL OR until > ?2) ORDER BY path, since"
)
_SCOPES = "SELECT mark, path, tree FROM scope WHERE root = ? AND mark BETWEEN ? AND ? ORDER BY mark"
_HOLES = "SELECT mark, path FROM hole WHERE root = ? AND mark BETWEEN ? AND ? ORDER BY mark"
# Of a mark that was pruned, everything is old.
_KNOWN = (
    "SELECT path, ino, ctime, size, mode, coalesce(started, 1 << 62) FROM entry LEFT JOIN mark ON number = since "
    "WHERE root = ? AND until IS NULL AND flaw = ''"
)
_Spans = list[tuple[int, int | None, Entry]]


class Rows:
    """The rows of the root that has this number. Paths are relative to it."""

    def __init__(self, store: Store, number: int) -> None:
        self._store = store
        self._number = number

    def known(self) -> Trees:
        """What stood where at the last look; entries that were too young then are to be looked into again."""
        known: Trees = {}
        with self._store.reading() as db:
            for raw, ino, ctime, size, mode, started in db.execute(_KNOWN, (self._number,)):
                path = os.fsdecode(raw)
                old = ctime if ctime < started - YOUNG_NS else NEVER
                found: Signature = (ino % (1 << 64), old, size, mode)
                if path:
                    known.setdefault(parent(path), {})[path.rpartition("/")[2]] = found
        return known

    def save(self, mark: int, standing: Mapping[str, Entry | None]) -> None:
        """What stands at these paths from a mark on, None for nothing; what is no change is left out."""
        ended, added = [], []
        with self._store.writing() as db:
            current = self._current(db, standing)
            for path, new in standing.items():
                row, old = current.get(path, (0, None))
                if old and new and not touched(old, new) and old.flaw == new.flaw:
                    continue
                if old:
                    ended.append((mark, row))
                if new:
                    added.append((self._number, os.fsencode(path), mark, *row_of(new)))
            db.executemany("UPDATE entry SET until = ? WHERE rowid = ?", ended)
            db.executemany(_INSERT, added)

    def _current(
        self, db: sqlite3.Connection, paths: Mapping[str, object]
    ) -> dict[str, tuple[int, Entry]]:
        if len(paths) > _MANY:
            rows = db.execute(_CURRENT, (self._number,)).fetchall()
        else:
            one = f"{_CURRENT} AND path = ?"
            rows = [
                row for path in paths for row in db.execute(one, (self._number, os.fsencode(path)))
            ]
        return {os.fsdecode(row[1]): (row[0], entry_of_row(row[2:])) for row in rows}

    def looked(
        self, mark: int, scopes: Iterable[tuple[str, bool]], holes: Iterable[Uncovered]
    ) -> None:
        """Where a mark looked: paths, with True for all below, and the places in there that it could not see."""
        raw = [(mark, self._number, os.fsencode(path), tree) for path, tree in scopes]
        unseen = [(mark, self._number, os.fsencode(hole.path), hole.why) for hole in holes]
        with self._store.writing() as db:
            db.executemany("INSERT INTO scope VALUES (?, ?, ?, ?)", raw)
            db.executemany("INSERT INTO hole VALUES (?, ?, ?, ?)", unseen)

    def history(self, since: int, now: int) -> dict[str, list[Point]]:
        """Each path that something happened to, with what it was at the marks that looked there."""
        with self._store.reading() as db:
            scopes, holes = self._scopes(db, since, now)
            rows = db.execute(_TOUCHED, (self._number, since, now)).fetchall()
        spans: dict[str, _Spans] = {}
        for raw, start, end, *rest in rows:
            entry = entry_of_row(tuple(rest))
            spans.setdefault(os.fsdecode(raw), []).append((start, end, entry))
        return {path: _points(path, span, scopes, holes) for path, span in spans.items()}

    def _scopes(
        self, db: sqlite3.Connection, since: int, now: int
    ) -> tuple[dict[int, tuple[set[str], list[str]]], dict[int, list[str]]]:
        scopes: dict[int, tuple[set[str], list[str]]] = {}
        span = (self._number, since, now)
        for mark, raw, tree in db.execute(_SCOPES, span):
            singles, trees = scopes.setdefault(mark, (set(), []))
            if tree:
                trees.append(os.fsdecode(raw))
            else:
                singles.add(os.fsdecode(raw))
        holes: dict[int, list[str]] = {}
        for mark, raw in db.execute(_HOLES, span):
            holes.setdefault(mark, []).append(os.fsdecode(raw))
        return scopes, holes

    def links(self, mark: int, entry: Entry) -> tuple[str, ...]:
        """The paths that were the file of an entry at a mark."""
        with self._store.reading() as db:
            rows = db.execute(
                "SELECT path FROM entry WHERE root = ? AND ino = ? AND nlink > 1 AND since <= ? "
                "AND (until IS NULL OR until > ?)",
                (self._number, row_of(entry)[6], mark, mark),
            ).fetchall()
        return tuple(sorted(os.fsdecode(row[0]) for row in rows))

    def forget(self, before: int) -> None:
        """Drop what is of use to no mark from `before` on."""
        for table, old in (("entry", "until <= ?"), ("scope", "mark < ?"), ("hole", "mark < ?")):
            self._store.drop(table, f"root = ? AND {old}", (self._number, before))

    def contents(self) -> set[str]:
        """The names of all contents that any root may still ask for."""
        with self._store.reading() as db:
            return {row[0] for row in db.execute("SELECT DISTINCT content FROM entry")}


def _points(
    path: str,
    spans: _Spans,
    scopes: dict[int, tuple[set[str], list[str]]],
    holes: dict[int, list[str]],
) -> list[Point]:
    found = []
    for mark, (singles, trees) in scopes.items():
        if path not in singles:
            if not any(below(path, top) for top in trees):
                continue
            if any(path != hole and below(path, hole) for hole in holes.get(mark, ())):
                continue
        entry = next(
            (e for start, end, e in spans if start <= mark and (end is None or mark < end)), None
        )
        found.append(Point(mark, entry))
    return found

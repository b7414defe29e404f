"""The database of undo: marks, calls, known edits, and for copies what stood at each path from which mark to which."""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from slated import files
from slated.errors import Unavailable
from slated.snapshots.entries import Entry
from slated.snapshots.timeline import Call, Edit, Mark, Timeline

NAME = "undo.sqlite"
BUSY_S = 5.0
_SCHEMA = """
CREATE TABLE mark (number INTEGER PRIMARY KEY AUTOINCREMENT, started INTEGER NOT NULL, done INTEGER NOT NULL);
CREATE TABLE call (
  id INTEGER PRIMARY KEY, task TEXT NOT NULL, prompt INTEGER NOT NULL, call TEXT NOT NULL, before INTEGER NOT NULL,
  after INTEGER, until INTEGER, exact INTEGER NOT NULL, targets BLOB NOT NULL, UNIQUE (task, call));
CREATE TABLE edit (path BLOB NOT NULL, at INTEGER NOT NULL);
CREATE TABLE root (number INTEGER PRIMARY KEY, path BLOB NOT NULL UNIQUE);
CREATE TABLE picture (mark INTEGER NOT NULL, root INTEGER NOT NULL, name TEXT NOT NULL, facts TEXT NOT NULL);
CREATE TABLE scope (mark INTEGER NOT NULL, root INTEGER NOT NULL, path BLOB NOT NULL, tree INTEGER NOT NULL);
CREATE TABLE hole (mark INTEGER NOT NULL, root INTEGER NOT NULL, path BLOB NOT NULL, why TEXT NOT NULL);
CREATE TABLE entry (
  root INTEGER NOT NULL, path BLOB NOT NULL, since INTEGER NOT NULL, until INTEGER, mode INTEGER NOT NULL,
  uid INTEGER NOT NULL, gid INTEGER NOT NULL, size INTEGER NOT NULL, mtime INTEGER NOT NULL, ctime INTEGER NOT NULL,
  ino INTEGER NOT NULL, nlink INTEGER NOT NULL, rdev INTEGER NOT NULL, target BLOB NOT NULL, content TEXT NOT NULL,
  xattrs TEXT NOT NULL, flaw TEXT NOT NULL);
CREATE INDEX entry_path ON entry (root, path, since);
CREATE INDEX entry_since ON entry (root, since);
CREATE UNIQUE INDEX entry_now ON entry (root, path) WHERE until IS NULL;
CREATE INDEX entry_until ON entry (root, until) WHERE until IS NOT NULL;
CREATE INDEX entry_link ON entry (root, ino) WHERE nlink > 1;
CREATE TABLE fold (after INTEGER NOT NULL, root INTEGER NOT NULL, path BLOB NOT NULL, mark INTEGER NOT NULL);
PRAGMA user_version = 1;
"""
_AT_ONCE = 1000
_CALLS = "SELECT task, prompt, call, before, after, targets, exact, until FROM call ORDER BY id"
_CALL = (
    "SELECT task, prompt, call, before, after, targets, exact, until FROM call "
    "WHERE task = ? AND call = ?"
)
Row = tuple[int, int, int, int, int, int, int, int, int, bytes, str, str, str]


class Store:
    """The database below the private directory `place`. Blocking; calls from several threads take turns."""

    def __init__(self, place: Path) -> None:
        self._guard = threading.RLock()
        self.returns = 0
        """How often something written was taken back: what was learnt while writing it is not so."""
        with files.opened(place.parent, place.name, create=True) as handle:
            if files.signature(handle, NAME) is None:
                files.create_file(handle, NAME, b"")
        with told():
            self.db = sqlite3.connect(
                place / NAME, timeout=BUSY_S, isolation_level=None, check_same_thread=False
            )
            try:
                self.db.execute("PRAGMA journal_mode = WAL")
                self.db.execute("PRAGMA synchronous = FULL")
                version = self.db.execute("PRAGMA user_version").fetchone()[0]
                if version == 0:
                    self.db.executescript(f"BEGIN IMMEDIATE;{_SCHEMA}COMMIT;")
                elif version != 1:
                    raise files.damaged(NAME, "a later Slate wrote it", next_step="Update Slate.")
            except BaseException:
                self.db.close()
                raise

    def close(self) -> None:
        with self._guard:
            self.db.close()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction: on disk when this ends, or gone with the failure; inside of another, a part of that."""
        with self._guard, told():
            inside = self.db.in_transaction
            if inside:
                yield self.db
                return
            self.db.execute("BEGIN IMMEDIATE")
            try:
                yield self.db
                self.db.execute("COMMIT")
            except BaseException:
                self.returns += 1
                if self.db.in_transaction:
                    self.db.execute("ROLLBACK")
                raise

    @contextmanager
    def trying(self) -> Iterator[sqlite3.Connection]:
        """A part of a transaction that goes back alone when it fails."""
        with self.writing() as db:
            db.execute("SAVEPOINT part")
            try:
                yield db
            except BaseException:
                self.returns += 1
                db.execute("ROLLBACK TO part")
                raise

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        with self._guard, told():
            yield self.db

    def drop(self, table: str, where: str, values: tuple[int, ...]) -> None:
        """Delete rows in steps that keep nobody waiting long."""
        some = f"SELECT rowid FROM {table} WHERE {where} LIMIT {_AT_ONCE}"  # noqa: S608 words of ours
        gone = _AT_ONCE
        while gone == _AT_ONCE:
            with self.writing() as db:
                gone = db.execute(f"DELETE FROM {table} WHERE rowid IN ({some})", values).rowcount  # noqa: S608

    def root(self, path: str) -> int:
        """The number of a root, given on first use."""
        with self.writing() as db:
            db.execute("INSERT OR IGNORE INTO root (path) VALUES (?)", (os.fsencode(path),))
            row = db.execute("SELECT number FROM root WHERE path = ?", (os.fsencode(path),))
            return int(row.fetchone()[0])

    def timeline(self) -> Timeline:
        """Everything known about who was at work when."""
        with self.reading() as db:
            marks = [Mark(*row) for row in db.execute("SELECT * FROM mark ORDER BY number")]
            rows = db.execute(_CALLS).fetchall()
            edits = [Edit(os.fsdecode(p), at) for p, at in db.execute("SELECT path, at FROM edit")]
        return Timeline(marks, [call_of(row) for row in rows], edits)

    def call(self, task: str, call: str) -> Call | None:
        with self.reading() as db:
            row = db.execute(_CALL, (task, call)).fetchone()
        return call_of(row) if row else None

    def folds(self, root: int) -> list[tuple[int, str, int]]:
        """What undos did, latest first: after which mark, to which path, and which mark it went back to."""
        with self.reading() as db:
            rows = db.execute(
                "SELECT after, path, mark FROM fold WHERE root = ? ORDER BY after DESC", (root,)
            ).fetchall()
        return [(after, os.fsdecode(path), mark) for after, path, mark in rows]


def call_of(row: Sequence[object]) -> Call:
    task, prompt, call, before, after, targets, exact, until = row
    paths = tuple(os.fsdecode(p) for p in bytes(targets).split(b"\0") if p)  # type: ignore[call-overload]  # a row is untyped
    return Call(
        str(task), _int(prompt), str(call), _int(before), None if after is None else _int(after),
        paths, bool(exact), None if until is None else _int(until),
    )  # fmt: skip


def _int(value: object) -> int:
    if not isinstance(value, int):
        raise files.damaged(NAME, "a number is no number", next_step=f"Move {NAME} aside.")
    return value


def joined(paths: Iterable[str]) -> bytes:
    """Paths as one value; a path holds no zero byte."""
    return b"\0".join(os.fsencode(path) for path in paths)


def row_of(entry: Entry) -> Row:
    xattrs = json.dumps({key: value.hex() for key, value in entry.xattrs}) if entry.xattrs else ""
    return (
        entry.mode, entry.uid, entry.gid, entry.size, entry.mtime_ns, entry.ctime_ns, _signed(entry.ino),
        entry.nlink, _signed(entry.rdev), os.fsencode(entry.target), entry.content, xattrs, entry.flaw,
    )  # fmt: skip


def entry_of_row(row: Row) -> Entry:
    mode, uid, gid, size, mtime, ctime, ino, nlink, rdev, target, name, xattrs, flaw = row
    pairs: Mapping[str, str] = json.loads(xattrs) if xattrs else {}
    return Entry(
        mode, uid, gid, size, mtime, ctime, ino % (1 << 64), nlink, rdev % (1 << 64), os.fsdecode(target),
        name, tuple((key, bytes.fromhex(value)) for key, value in pairs.items()), flaw,
    )  # fmt: skip


def _signed(number: int) -> int:
    return number - (1 << 64) if number >= 1 << 63 else number


@contextmanager
def told() -> Iterator[None]:
    """Failures of SQLite in our words."""
    try:
        yield
    except sqlite3.OperationalError as error:
        code = error.sqlite_errorcode & 0xFF
        why = {sqlite3.SQLITE_FULL: "the disk is full", sqlite3.SQLITE_BUSY: "it is busy"}.get(code)
        why = why or "it cannot be read or written"
        raise Unavailable(
            "disk", f"{NAME}: {why}.", next_step="Check the space and owner of Slate's state."
        ) from error
    except sqlite3.DatabaseError as error:
        raise files.damaged(NAME, "SQLite cannot read it", next_step="Move it aside.") from error

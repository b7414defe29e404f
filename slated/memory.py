"""What a person's agents remember: one SQLite file per user, ranked recall in any script, real forgetting.

Blocking; the daemon calls it on a worker thread.
"""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
import threading
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from slated import files
from slated.errors import BadRequest, Bug, Unavailable
from slated.redact import redact

NAME = "memory.sqlite"
LONGEST_TEXT = 4_000
MOST_RECALLED = 50
BUSY_S = 1.5
# Scripts written without spaces between words are indexed by pairs of characters.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
_RUNS = re.compile(rf"([{_UNSPACED}]+)|([^\W{_UNSPACED}]+)")

MIGRATIONS: tuple[str, ...] = (
    """
    CREATE TABLE memories (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        scope TEXT NOT NULL,
        digest BLOB NOT NULL,
        text TEXT NOT NULL,
        origins TEXT NOT NULL,
        created_at TEXT NOT NULL,
        UNIQUE (scope, digest)
    );
    CREATE VIRTUAL TABLE found USING fts5 (words, pairs, singles, tokenize = 'unicode61');
    """,
)


@dataclass(frozen=True, slots=True)
class Memory:
    """One memory: data with its origins, never an instruction, whatever it says."""

    id: int
    scope: str
    text: str
    origins: tuple[str, ...]
    created_at: str

    def shown(self) -> dict[str, object]:
        """The form a caller reads."""
        return {
            "id": self.id,
            "scope": self.scope,
            "origin": list(self.origins),
            "createdAt": self.created_at,
            "text": self.text,
        }


@dataclass(frozen=True, slots=True)
class Forgotten:
    """How many memories are gone from rows, index and files, and which undo copies still hold them."""

    count: int
    copies: tuple[str, ...]


class MemoryStore:
    """The memories below the directory `data`, which is made 0700. Close it when done.

    `copies` names undo copies of that directory, for `forget` to be honest about.
    """

    def __init__(
        self,
        data: Path,
        *,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        copies: Callable[[], Sequence[str]] = tuple,
        migrations: Sequence[str] = MIGRATIONS,
    ) -> None:
        self._path = data / NAME
        self._now = now
        self._copies = copies
        self._guard = threading.Lock()
        with files.opened(data.parent, data.name, create=True) as place:
            if files.signature(place, NAME) is None:
                files.create_file(place, NAME, b"")
            if (files.read_file(place, NAME, limit=6, head=True) or b"SQLite") != b"SQLite":
                raise _damaged("it is not a database")
        with _told():
            self._db = sqlite3.connect(
                self._path, timeout=BUSY_S, isolation_level=None, check_same_thread=False
            )
            try:
                _prepare(self._db, migrations)
            except BaseException:
                self._db.close()
                raise

    def close(self) -> None:
        """Fold the write-ahead log in and let go of the file."""
        with self._guard:
            self._db.close()

    def remember(self, text: str, *, scope: str, origin: str) -> Memory:
        """Keep the text with secrets masked. The same text in the same scope is one memory with both origins."""
        kept = _checked(text)
        digest = hashlib.sha256(kept.encode()).digest()
        with self._writing() as db:
            row = db.execute(
                "SELECT id, origins FROM memories WHERE scope = ? AND digest = ?", (scope, digest)
            ).fetchone()
            if row:
                known = json.loads(row[1])
                if origin not in known:
                    known.append(origin)
                    db.execute(
                        "UPDATE memories SET origins = ? WHERE id = ?", (json.dumps(known), row[0])
                    )
                number = int(row[0])
            else:
                number = self._insert(db, scope, digest, kept, origin)
            return _memory(db.execute(_ONE, (number,)).fetchone())

    def _insert(
        self, db: sqlite3.Connection, scope: str, digest: bytes, text: str, origin: str
    ) -> int:
        at = self._now().astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        cursor = db.execute(
            "INSERT INTO memories (scope, digest, text, origins, created_at) VALUES (?, ?, ?, ?, ?)",
            (scope, digest, text, json.dumps([origin]), at),
        )
        number = int(cursor.lastrowid or 0)
        db.execute(
            "INSERT INTO found (rowid, words, pairs, singles) VALUES (?, ?, ?, ?)",
            (number, *_indexed(text)),
        )
        return number

    def recall(
        self, query: str, *, scopes: Sequence[str] | None = None, limit: int = 8
    ) -> list[Memory]:
        """The best matches first; none is an empty list. Any word may match, more words rank higher."""
        sought = _sought(query)
        if not sought:
            return []
        given = None if scopes is None else json.dumps(list(scopes))
        with self._reading() as db:
            rows = db.execute(_FOUND, (sought, given, max(1, min(limit, MOST_RECALLED)))).fetchall()
        return [_memory(row) for row in rows]

    def each(self, *, scopes: Sequence[str] | None = None) -> list[Memory]:
        """All of them, oldest first, for the person."""
        given = None if scopes is None else json.dumps(list(scopes))
        with self._reading() as db:
            rows = db.execute(_ALL, (given,)).fetchall()
        return [_memory(row) for row in rows]

    def forget(self, *, ids: Sequence[int] = (), text: str | None = None) -> Forgotten:
        """Remove memories by id, or every memory in any scope that has exactly this text.

        Raises BadRequest (`no_memory`) when that is none, and Bug (`not_forgotten`) when a trace is left.
        """
        digest = hashlib.sha256(redact(text.strip()).encode()).digest() if text is not None else b""
        return self._remove(ids, digest, None)

    def reset(self, scope: str) -> Forgotten:
        """Remove everything of one scope; other scopes stay."""
        return self._remove((), b"", scope)

    def _remove(self, ids: Sequence[int], digest: bytes, scope: str | None) -> Forgotten:
        with self._writing() as db:
            rows = db.execute(_CHOSEN, (json.dumps(list(ids)), digest, scope)).fetchall()
            if not rows:
                raise BadRequest(
                    "no_memory",
                    "No memory matches; nothing was removed.",
                    next_step="Recall first.",
                )
            for number, _ in rows:
                db.execute("DELETE FROM found WHERE rowid = ?", (number,))
                db.execute("DELETE FROM memories WHERE id = ?", (number,))
            # Before 3.42 FTS5 only marks deleted terms; merging all segments is what drops them.
            db.execute("INSERT INTO found (found) VALUES ('optimize')")
        with self._reading() as db:
            db.execute("VACUUM")
            _fold(db)
            kept = {row[0] for row in db.execute("SELECT text FROM memories")}
        self._check([text for _, text in rows if not any(text in other for other in kept)])
        return Forgotten(len(rows), tuple(self._copies()))

    def _check(self, texts: Sequence[str]) -> None:
        for path in (self._path, Path(f"{self._path}-wal")):
            data = path.read_bytes() if path.exists() else b""
            # Shorter texts occur in the schema or by chance; their rows and index entries are gone as well.
            if any(len(text) >= 12 and text.encode() in data for text in texts):
                raise Bug(
                    "not_forgotten",
                    f"{path.name} still holds what was to be forgotten.",
                    next_step="Stop other programs that hold the file open and forget again.",
                )

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._reading() as db:
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
            except BaseException:
                db.execute("ROLLBACK")
                raise
            db.execute("COMMIT")

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with self._guard, _told():
            yield self._db


_FOUND = (
    "SELECT m.id, m.scope, m.text, m.origins, m.created_at"
    " FROM found JOIN memories AS m ON m.id = found.rowid WHERE found MATCH ?1"
    " AND (?2 IS NULL OR m.scope IN (SELECT value FROM json_each(?2)))"
    " ORDER BY found.rank LIMIT ?3"
)
_ALL = (
    "SELECT id, scope, text, origins, created_at FROM memories"
    " WHERE ?1 IS NULL OR scope IN (SELECT value FROM json_each(?1)) ORDER BY id"
)
_ONE = "SELECT id, scope, text, origins, created_at FROM memories WHERE id = ?"
_CHOSEN = (
    "SELECT id, text FROM memories"
    " WHERE id IN (SELECT value FROM json_each(?)) OR digest = ? OR scope = ?"
)


def _prepare(db: sqlite3.Connection, migrations: Sequence[str]) -> None:
    for pragma in (
        "journal_mode = WAL",
        "synchronous = FULL",
        "secure_delete = ON",
        "temp_store = MEMORY",
    ):
        db.execute(f"PRAGMA {pragma}")
    if db.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
        raise _damaged("its pages do not fit together")
    version = int(db.execute("PRAGMA user_version").fetchone()[0])
    if version > len(migrations):
        raise Unavailable(
            "newer",
            f"{NAME} was written by a newer Slate (schema {version}, this one knows {len(migrations)}).",
            next_step="Update Slate.",
        )
    for number, steps in enumerate(migrations[version:], version + 1):
        # One transaction a version: a crash leaves the old schema or the new one.
        db.execute("BEGIN IMMEDIATE")
        try:
            if int(db.execute("PRAGMA user_version").fetchone()[0]) < number:
                for step in filter(str.strip, steps.split(";")):
                    db.execute(step)
                db.execute(f"PRAGMA user_version = {number}")
        except BaseException:
            db.execute("ROLLBACK")
            raise
        db.execute("COMMIT")


def _fold(db: sqlite3.Connection) -> None:
    with closing(db.execute("PRAGMA wal_checkpoint(TRUNCATE)")) as cursor:
        if cursor.fetchone()[0]:
            raise Unavailable(
                "busy",
                "Another program reads the memory; its log still holds old pages.",
                next_step="Forget again in a moment.",
            )


@contextmanager
def _told() -> Iterator[None]:
    """SQLite's failures in our words."""
    try:
        yield
    except sqlite3.OperationalError as error:
        code = error.sqlite_errorcode & 0xFF
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise Unavailable("busy", "The memory is in use.", next_step="Call again.") from error
        why = (
            "the disk is full"
            if code == sqlite3.SQLITE_FULL
            else "the file cannot be read or written"
        )
        raise Unavailable("disk", f"{NAME}: {why}.", next_step="Check the disk.") from error
    except sqlite3.DatabaseError as error:
        raise _damaged("SQLite cannot read it") from error


def _damaged(why: str) -> Unavailable:
    return files.damaged(
        NAME,
        why,
        next_step=f"Restore {NAME} from a backup, or move it and its -wal file away to start anew.",
    )


def _checked(text: str) -> str:
    kept = text.strip()
    if not kept or len(kept) > LONGEST_TEXT:
        raise BadRequest(
            "text",
            f"A memory is 1 to {LONGEST_TEXT} characters.",
            next_step="Say one thing in each.",
        )
    try:
        kept.encode()
    except UnicodeEncodeError as error:
        raise BadRequest("not_unicode", "The text holds half a character.") from error
    return redact(kept)


def _indexed(text: str) -> tuple[str, str, str]:
    words: list[str] = []
    pairs: list[str] = []
    singles: list[str] = []
    for run, word in _RUNS.findall(unicodedata.normalize("NFKC", text).casefold()):
        if word:
            words.append(word)
        else:
            singles += run
            # A gap of its own keeps pairs of two runs from forming a phrase.
            pairs += (*_pairs(run), "\u2400")
    return " ".join(words), " ".join(pairs), " ".join(singles)


def _pairs(run: str) -> list[str]:
    return [run[at : at + 2] for at in range(len(run) - 1)]


def _sought(query: str) -> str:
    parts = []
    for run, word in _RUNS.findall(unicodedata.normalize("NFKC", query[:1000]).casefold()):
        if word:
            parts.append(f'words:"{word}"*')
        elif len(run) == 1:
            parts.append(f'singles:"{run}"')
        else:
            parts += (f'pairs:"{pair}"' for pair in _pairs(run))
    return " OR ".join(dict.fromkeys(parts[:64]))


def _memory(row: Sequence[object]) -> Memory:
    number, scope, text, origins, at = row
    return Memory(int(str(number)), str(scope), str(text), tuple(json.loads(str(origins))), str(at))

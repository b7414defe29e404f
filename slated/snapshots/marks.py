"""Marks: what was there before and after each call, taken on every root that the call can reach."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from slated.errors import BadRequest, Refused, SlateError, Unavailable
from slated.snapshots.pictures import Marked, Pictures, Scope, Uncovered
from slated.snapshots.store import Store, joined
from slated.snapshots.timeline import UNDO, Call


@dataclass(frozen=True, slots=True)
class Protected:
    """A call that may now run. `uncovered` are absolute paths of its targets that undo could not bring back, and why.

    `mark` is where its changes begin.
    """

    mark: int
    uncovered: tuple[Uncovered, ...]


class Marks:
    """Takes marks on `roots`, by absolute path. Blocking; marks are taken one after the other."""

    def __init__(
        self,
        store: Store,
        roots: Mapping[str, Pictures],
        *,
        now_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self._store = store
        self._roots = roots
        self._now_ns = now_ns
        self._turn = threading.RLock()

    def protect(self, call: Call, *, urgent: bool = False) -> Protected:
        """Take the mark before a call. `call.before` is ignored; the targets must be absolute and without `..`.

        Raises Unavailable when a picture could not be taken: the call is then not protected at all. A second call of
        the same name in the same task is BadRequest.
        """
        if self._store.call(call.task, call.call):
            raise BadRequest("undo.call", f"Call {call.call} of this task has its mark already.")
        # One transaction for all of a mark: each one costs a flush of the disk.
        with self._turn, self._store.trying() as db:
            mark, uncovered = self.take(call.targets, everywhere=not call.exact, urgent=urgent)
            db.execute(
                "INSERT INTO call (task, prompt, call, before, after, until, exact, targets) "
                "VALUES (?, ?, ?, ?, NULL, NULL, ?, ?)",
                (call.task, call.prompt, call.call, mark, call.exact, joined(call.targets)),
            )
        return Protected(mark, uncovered)

    @contextmanager
    def together(self) -> Iterator[None]:
        """One transaction for the marks that are taken inside; those before a failure are kept."""
        failure: SlateError | None = None
        with self._turn, self._store.writing():
            try:
                yield
            except SlateError as error:
                failure = error
        if failure is not None:
            raise failure

    def settle(self, task: str, call: str, *, outlived: bool = False) -> int:
        """Take the mark after a call; `outlived` when a process it started still runs."""
        with self._turn:
            known = self._store.call(task, call)
            if known is None:
                raise BadRequest("undo.call", f"There is no mark before call {call}.")
            if known.after is not None:
                return known.after
            with self._store.writing() as db:
                mark = self._after(known)
                db.execute(
                    "UPDATE call SET after = ?, until = ? WHERE task = ? AND call = ?",
                    (mark, None if outlived else mark, task, call),
                )
        return mark

    def _after(self, call: Call) -> int:
        """The mark after a call, also on a nearly full disk, and without pictures where there can be none: a call
        that never ends could not be taken back, and all that follows would be shared with it.
        """
        try:
            with self._store.trying():
                return self.take(call.targets, everywhere=not call.exact, urgent=True)[0]
        except (Unavailable, Refused):
            return self.take((), everywhere=False)[0]

    def ended(self, task: str, call: str) -> None:
        """The last process that had outlived a call is gone; the next mark to come ends its time."""
        with self._turn, self._store.writing() as db:
            last = db.execute("SELECT max(number) FROM mark").fetchone()[0]
            db.execute(
                "UPDATE call SET until = ? WHERE task = ? AND call = ? AND until IS NULL "
                "AND after IS NOT NULL",
                (last + 1, task, call),
            )

    def edited(self, path: str, at_ns: int) -> None:
        """The person changed an absolute path, or something below it, at a wall clock time."""
        with self._store.writing() as db:
            db.execute("INSERT INTO edit VALUES (?, ?)", (os.fsencode(path), at_ns))

    def open_undos(self) -> set[str]:
        """The tasks of undos that have no mark at their end."""
        with self._store.reading() as db:
            rows = db.execute("SELECT task FROM call WHERE after IS NULL").fetchall()
        return {row[0] for row in rows if row[0].startswith(UNDO)}

    def drop(self, task: str) -> None:
        """Forget the calls of a task that did nothing."""
        with self._store.writing() as db:
            db.execute("DELETE FROM call WHERE task = ?", (task,))

    def close_left_open(self, running: Callable[[str], bool]) -> int:
        """After a start: settle the calls of tasks that run no more; how many."""
        with self._store.reading() as db:
            rows = db.execute("SELECT task, call FROM call WHERE after IS NULL").fetchall()
        left = [row for row in rows if not row[0].startswith(UNDO) and not running(row[0])]
        for task, call in left:
            self.settle(task, call)
        return len(left)

    def lingering(self) -> list[tuple[str, str]]:
        """Settled calls, by task and name, of which a process was still there when that was last known."""
        with self._store.reading() as db:
            return db.execute(
                "SELECT task, call FROM call WHERE until IS NULL AND after IS NOT NULL"
            ).fetchall()

    def take(
        self, targets: Iterable[str], *, everywhere: bool, urgent: bool = False
    ) -> tuple[int, tuple[Uncovered, ...]]:
        """A mark with pictures of the targets, and `everywhere` of each root that costs nothing to picture."""
        by_root, uncovered = self.sorted(targets)
        with self._turn, self._store.writing() as db:
            started = self._now_ns()
            number = _new_mark(db, started)
            for root, pictures in self._roots.items():
                wanted = by_root.get(root, ())
                if not wanted and not (everywhere and pictures.whole):
                    continue
                missed = pictures.take(Marked(number, started, urgent), wanted)
                uncovered.extend(Uncovered(absolute(root, u.path), u.why) for u in missed)
            done = self._now_ns()
            db.execute("UPDATE mark SET done = ? WHERE number = ?", (done, number))
        return number, tuple(uncovered)

    def sorted(self, targets: Iterable[str]) -> tuple[dict[str, list[Scope]], list[Uncovered]]:
        """Targets by root, and those that are below none."""
        by_root: dict[str, list[Scope]] = {}
        outside = []
        for target in targets:
            path = target.rstrip("/") or target[:1]
            root = root_of(path, self._roots)
            if root is None:
                outside.append(Uncovered(path, "it is outside of what undo protects"))
            else:
                inner = relative(root, path)
                by_root.setdefault(root, []).append(Scope(inner, target.endswith("/")))
        return by_root, outside


def _new_mark(db: sqlite3.Connection, started: int) -> int:
    done = db.execute("INSERT INTO mark (started, done) VALUES (?, ?)", (started, started))
    return int(done.lastrowid or 0)


def root_of(path: str, roots: Iterable[str]) -> str | None:
    """The innermost root that holds an absolute path."""
    if not path.startswith("/") or any(part in (".", "..") for part in path.split("/")):
        raise BadRequest("undo.path", "Paths for undo are absolute and without dots.")
    holding = [root for root in roots if path == root or path.startswith(root.rstrip("/") + "/")]
    return max(holding, key=len, default=None)


def relative(root: str, path: str) -> str:
    return path[len(root.rstrip("/")) :].strip("/")


def absolute(root: str, path: str) -> str:
    return f"{root.rstrip('/')}/{path}" if path else root


def roots_in_order(roots: Sequence[str]) -> list[str]:
    """Roots without trailing slashes, each once."""
    return list(dict.fromkeys(root.rstrip("/") or "/" for root in roots))

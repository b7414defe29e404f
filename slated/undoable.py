"""Undo over the directories that the person's rules name: opened on first use, again when they change; its reach."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from slated.errors import SlateError
from slated.policy.facts import WHOLE, Cover
from slated.policy.rules import Rules
from slated.rulefile import RuleFile
from slated.snapshots import walk
from slated.snapshots.marks import relative, root_of
from slated.snapshots.pictures import Limits
from slated.snapshots.retention import Keep
from slated.snapshots.store import NAME
from slated.snapshots.undo import Undo

CLOSE_S: Final = 10.0
"""How long an end waits for work under way; what then still runs is cut off, as by a crash."""
FRESH_S: Final = 5.0
"""How long an answer about a whole directory counts: one call asks several times."""
_MB: Final = 1_000_000
_DAY_NS: Final = 86_400 * 1_000_000_000
Setup = tuple[tuple[str, ...], tuple[str, ...], int]


class Undoable:
    """The undo of one person. Its own state is in `place`; `skip` are directories that it leaves alone.

    Blocking, for worker threads; any number at once.
    """

    def __init__(self, rules: RuleFile, place: Path, *, skip: Sequence[str] = ()) -> None:
        self._rules, self._place, self._skip = rules, place, tuple(skip)
        self._guard = threading.Condition()
        self._undo: Undo | None = None
        self._setup: Setup | None = None
        self._users = 0
        self._known: dict[str, tuple[float, Cover]] = {}
        self.problem = ""
        """Why it cannot be used, as far as is known."""

    @contextmanager
    def using(self) -> Iterator[Undo]:
        """The undo, open for as long as the context lasts. Raises `unavailable` when it cannot be opened."""
        with self._guard:
            undo = self._opened()
            self._users += 1
        try:
            yield undo
        finally:
            with self._guard:
                self._users -= 1
                self._guard.notify_all()

    def open(self) -> None:
        """Be ready for `using`, which then takes no time. Raises `unavailable`."""
        with self.using():
            return

    def _opened(self) -> Undo:
        wanted = self._wanted()
        # What is in use stays as it is; whoever comes when nobody uses it gets the new directories.
        if self._undo is not None and (wanted == self._setup or self._users):
            return self._undo
        self._close()
        roots, skip, floor = wanted
        try:
            self._undo = Undo(self._place, roots, skip=skip, limits=Limits(floor=floor))
        except SlateError as error:
            self.problem = error.message
            raise
        self._setup, self.problem = wanted, ""
        return self._undo

    def _wanted(self) -> Setup:
        rules = self._rules.rules()
        roots = (os.path.realpath(root) for root in rules.roots())
        skip = (os.path.realpath(path) for path in (*self._skip, *rules.left_out()))
        there = tuple(dict.fromkeys(root for root in roots if os.path.isdir(root)))
        return there, tuple(dict.fromkeys(skip)), rules.file.undo.free_megabytes * _MB

    def _close(self) -> None:
        undo, self._undo = self._undo, None
        self._known.clear()
        if undo is not None:
            undo.close()

    def close(self) -> None:
        """Let go of everything, once nobody uses it any more."""
        with self._guard:
            if self._guard.wait_for(lambda: not self._users, CLOSE_S):
                self._close()

    def told(self) -> dict[str, object]:
        """The directories that the person means, and what is wrong, if that is known."""
        return {"roots": list(self._rules.rules().roots()), "problem": self.problem}

    @property
    def there(self) -> bool:
        """Whether anything was ever protected."""
        return (self._place / NAME).exists()

    def keep(self) -> Keep:
        """How long pictures are kept."""
        return keep(self._rules.rules())

    # -- reach -----------------------------------------------------------------------------------

    def covers(self, path: str) -> Cover:
        """Whether a change of `path` could be undone: the policy's Reach."""
        head, _, last = path.rpartition("/")
        try:
            with self.using() as undo:
                if last in WHOLE or os.path.isdir(path):
                    return self._tree(undo, (head or "/") if last in WHOLE else path, last in WHOLE)
                return undo.covers(path)
        except (SlateError, OSError) as error:
            return Cover(False, f"undo cannot be used: {error}")

    def _tree(self, undo: Undo, path: str, inside: bool) -> Cover:
        """A directory with all that is in it; `inside`: itself it stays."""
        if path in undo.roots and not inside:
            return Cover(False, f"{path} is itself the top of what undo protects")
        asked, known = time.monotonic(), self._known.get(path)
        if known is not None and asked - known[0] < FRESH_S:
            return known[1]
        if path in undo.roots:
            why = self._top(undo, path)
            cover = Cover(not why, f"{path}: {why}" if why else f"undo covers {path}")
        else:
            cover = undo.covers(path)
            cover = cover if cover.covered else Cover(False, _about(path, cover.reason))
        self._known[path] = asked, cover
        return cover

    def _top(self, undo: Undo, root: str) -> str:
        """Why everything below a root could not be taken back; "" if it could."""
        if undo.roots[root].whole:
            return ""
        limits = Limits()
        budget = walk.Budget(limits.entries, limits.bytes)
        skip = {
            relative(root, p) for p in (str(self._place), *self._wanted()[1]) if root_of(p, [root])
        }
        handle = walk.open_root(root)
        try:
            seen = walk.Walk(os.fstat(handle).st_dev, skip, budget).over(handle, "", {})
        except walk.TooLarge:
            return f"it is above {limits.entries:,} files or {limits.bytes // _MB:,} MB"
        finally:
            os.close(handle)
        return f"{seen.holes[0].path}: {seen.holes[0].why}" if seen.holes else ""


def _about(path: str, reason: str) -> str:
    return reason if path in reason else f"{path}: {reason}"


def keep(rules: Rules) -> Keep:
    """How long pictures are kept, by the person's rules."""
    given = rules.file.undo
    return Keep(
        tasks=given.keep_tasks,
        age_ns=given.keep_days * _DAY_NS,
        bytes=given.keep_megabytes * _MB,
        floor=given.free_megabytes * _MB,
    )

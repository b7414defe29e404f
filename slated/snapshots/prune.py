"""Drops marks that are not kept: in small steps, files at idle priority, going on where one cannot be dropped."""

from __future__ import annotations

import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from slated.snapshots.blobs import Blobs
from slated.snapshots.pictures import Pictures
from slated.snapshots.retention import Keep, further, wanted
from slated.snapshots.store import Store


@dataclass(slots=True)
class Pruned:
    """How many marks are gone, and what could not be dropped."""

    marks: int = 0
    failed: list[str] = field(default_factory=list)


class Pruner:
    """Prunes the pictures of `roots`; who holds `turn` is reading them. Blocking."""

    def __init__(
        self,
        store: Store,
        blobs: Blobs,
        roots: Mapping[str, Pictures],
        turn: AbstractContextManager[object],
    ) -> None:
        self._turn = turn
        self._store = store
        self._blobs = blobs
        self._roots = roots

    def prune(self, keep: Keep, now_ns: int) -> Pruned:
        """Drop what is not kept. Works on a full disk; what a failure left is tried again the next time."""
        done = Pruned()
        timeline = self._store.timeline()
        cut = wanted(timeline.marks, timeline.calls, keep, now_ns)
        # Files go at idle priority, rows do not: calls wait for the database, and must not wait for an idle thread.
        with ThreadPoolExecutor(1, "slate-prune", _idle) as idle:
            self._drop(cut, done, idle)
            for step in further(timeline.calls, cut):
                if not idle.submit(self._too_much, keep).result():
                    break
                self._drop(step, done, idle)
        done.failed = list(dict.fromkeys(done.failed))
        return done

    def _too_much(self, keep: Keep) -> bool:
        if self._blobs.size() > keep.bytes:
            return True
        for root in self._roots:
            facts = os.statvfs(root)
            if facts.f_bavail * facts.f_frsize < keep.floor:
                return True
        return False

    def _drop(self, before: int, done: Pruned, idle: ThreadPoolExecutor) -> None:
        # Marks first: cut off after that, pictures are left that nobody asks for, and never marks without pictures.
        with self._store.writing() as db:
            done.marks += db.execute("DELETE FROM mark WHERE number < ?", (before,)).rowcount
            db.execute("DELETE FROM fold WHERE after < ?", (before,))
            db.execute("DELETE FROM edit WHERE at < (SELECT min(started) FROM mark) - 1000000000")
            # A task keeps its calls as long as one of them can be taken back, so that a part is not taken for it all.
            db.execute(
                "DELETE FROM call WHERE task NOT IN (SELECT task FROM call WHERE after IS NULL "
                "OR until IS NULL OR max(after, until) >= ?)",
                (before,),
            )
        for pictures in self._roots.values():
            with self._turn:
                pictures.forget(before)
            done.failed.extend(idle.submit(pictures.sweep).result())


def _idle() -> None:
    """Let everybody else go first; Linux gives an idle thread idle disk time, too."""
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))

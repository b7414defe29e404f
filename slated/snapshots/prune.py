"""Drops marks that are not kept: in small steps, at idle priority, going on where one cannot be dropped."""

from __future__ import annotations

import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
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
    """Prunes the pictures of `roots`. Blocking."""

    def __init__(self, store: Store, blobs: Blobs, roots: Mapping[str, Pictures]) -> None:
        self._store = store
        self._blobs = blobs
        self._roots = roots

    def prune(self, keep: Keep, now_ns: int) -> Pruned:
        """Drop what is not kept. Works on a full disk; what a failure left is tried again the next time."""
        done = Pruned()
        with ThreadPoolExecutor(1, "slate-prune", _idle) as idle:
            idle.submit(self._prune, keep, now_ns, done).result()
        return done

    def _prune(self, keep: Keep, now_ns: int, done: Pruned) -> None:
        timeline = self._store.timeline()
        cut = wanted(timeline.marks, timeline.calls, keep, now_ns)
        self._drop(cut, done)
        for step in further(timeline.calls, cut):
            if not self._too_much(keep):
                break
            self._drop(step, done)

    def _too_much(self, keep: Keep) -> bool:
        if self._blobs.size() > keep.bytes:
            return True
        for root in self._roots:
            facts = os.statvfs(root)
            if facts.f_bavail * facts.f_frsize < keep.floor:
                return True
        return False

    def _drop(self, before: int, done: Pruned) -> None:
        for pictures in self._roots.values():
            done.failed.extend(pictures.forget(before))
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


def _idle() -> None:
    """Let everybody else go first; Linux gives an idle thread idle disk time, too."""
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))

"""Undo as the daemon sees it: protect, settle, plan, apply, resume, redo, reach and retention over the roots."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from slated import files
from slated.errors import BadRequest
from slated.policy.facts import Cover
from slated.snapshots import btrfs, journal
from slated.snapshots.apply import Applier, Result
from slated.snapshots.blobs import Blobs
from slated.snapshots.copies import Copies
from slated.snapshots.marks import Marks, Protected, relative, root_of, roots_in_order
from slated.snapshots.pictures import Limits, Pictures, Progress
from slated.snapshots.planning import Planner, Selection, Undoing
from slated.snapshots.prune import Pruned, Pruner
from slated.snapshots.retention import Keep
from slated.snapshots.store import Store
from slated.snapshots.timeline import UNDO, Call, Timeline

_LIMITS = Limits()


class Undo:
    """Undo over `roots` (absolute directories, from here on by their paths without links), its own state in the
    private directory `place`.

    `skip` are absolute directories that no picture holds; `place` is always one. `running` says whether a task is at
    work. Blocking: the daemon calls it on a worker thread. Each method has its effect on disk when it returns, or
    raises one of the five kinds of SlateError.
    """

    def __init__(
        self,
        place: Path,
        roots: Sequence[str],
        *,
        skip: Sequence[str] = (),
        limits: Limits = _LIMITS,
        running: Callable[[str], bool] = lambda _task: False,
        now_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self._running = running
        btrfs.make_place(place)
        with files.opened(place.parent, place.name, create=True):
            self._store = Store(place)
        self._blobs = Blobs(place)
        self.roots: dict[str, Pictures] = {}
        real = roots_in_order([os.path.realpath(root) for root in roots])
        apart = [os.path.realpath(path) for path in (str(place), *skip)]
        for root in real:
            outside = [other for other in real if other != root]
            inner = [relative(root, p) for p in (*apart, *outside) if root_of(p, [root])]
            self.roots[root] = self._pictures(place, root, inner, limits)
        self.marks = Marks(self._store, self.roots, now_ns=now_ns)
        self._planner = Planner(self._store, self.marks, self.roots)
        self._applier = Applier(place, self._store, self.marks, self.roots)
        # Snapshots stay open between looks: one plan, undo or clean-up at a time. Marks need not wait for these.
        self._turn = threading.RLock()
        self._pruner = Pruner(self._store, self._blobs, self.roots, self._turn)
        self._place = place
        self._now_ns = now_ns
        self._applier.tidy()

    def _pictures(self, place: Path, root: str, skip: Sequence[str], limits: Limits) -> Pictures:
        if btrfs.usable(root, place):
            return btrfs.Snapshots(root, self._store, place, skip=skip, floor=limits.floor)
        return Copies(root, self._store, self._blobs, skip=skip, limits=limits)

    def close(self) -> None:
        for pictures in self.roots.values():
            pictures.close()
        self._blobs.close()
        self._store.close()

    def covers(self, path: str) -> Cover:
        """Whether a change of `path` (absolute, links followed) could be undone: the policy's Reach."""
        try:
            root = root_of(path, self.roots)
        except BadRequest as error:
            return Cover(False, error.message)
        if root is None:
            return Cover(False, f"undo does not cover {path}")
        why = self.roots[root].covers(relative(root, path))
        return Cover(not why, why or f"undo covers {root}")

    def protect(self, call: Call) -> Protected:
        """The mark before a call of a task; see Marks.protect."""
        return self.marks.protect(call)

    def settle(self, task: str, call: str, *, outlived: bool = False) -> int:
        """The mark after a call; see Marks.settle."""
        return self.marks.settle(task, call, outlived=outlived)

    def together(self) -> AbstractContextManager[None]:
        """One flush of the disk for several marks; see Marks.together."""
        return self.marks.together()

    def plan(self, selection: Selection, progress: Progress = lambda _seen: None) -> Undoing:
        """What an undo would do; preview and apply both take this object."""
        with self._turn:
            return self._planner.plan(selection, progress)

    def apply(self, undoing: Undoing, progress: Progress = lambda _done: None) -> Result:
        """Do what a plan says, all of it or nothing."""
        with self._turn:
            return self._applier.apply(undoing, self._running, progress)

    def redo(self, progress: Progress = lambda _seen: None) -> Undoing:
        """The plan that takes the last undo back."""
        done = [call for call in self._store.timeline().calls if call.task.startswith(UNDO)]
        folded = self._folded()
        changed = [call for call in done if call.after in folded]
        if not changed:
            raise BadRequest("undo.redo", "There is no undo to take back.")
        return self.plan(Selection(changed[-1].task), progress)

    def _folded(self) -> set[int]:
        with self._store.reading() as db:
            # Of an undo that gave up, everything is what it was at its own mark.
            rows = db.execute(
                "SELECT DISTINCT fold.after FROM fold JOIN call ON call.after = fold.after "
                "WHERE fold.mark < call.before"
            )
            return {row[0] for row in rows}

    def prune(self, keep: Keep) -> Pruned:
        """Drop marks that are not kept; see Pruner."""
        return self._pruner.prune(keep, self._now_ns())

    def timeline(self) -> Timeline:
        """Marks and calls that are kept, undos among them."""
        return self._store.timeline()

    def size(self) -> int:
        """Bytes that copies take."""
        return self._blobs.size()

    def pending(self) -> bool:
        """Whether an undo was cut off and waits for `resume`."""
        return bool(journal.pending(self._place))

    def resume(self) -> list[Result]:
        """Finish what was cut off."""
        with self._turn:
            return self._applier.resume()

"""Applies a plan: protects itself first, stages, does the steps, remembers; and finishes what was cut off."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType

from slated import files
from slated.errors import Refused, SlateError, Stale, Unavailable
from slated.files import disk_error
from slated.snapshots import journal, walk
from slated.snapshots.commit import Readings, Site
from slated.snapshots.entries import Entry, Kind, parent, shown
from slated.snapshots.journal import Job, Journal, State
from slated.snapshots.marks import Marks, absolute
from slated.snapshots.pictures import Pictures, Progress
from slated.snapshots.plan import Action, Left, Step
from slated.snapshots.planning import Undoing
from slated.snapshots.staged import Reading
from slated.snapshots.store import Store
from slated.snapshots.timeline import UNDO, Call

LOCK = "undo.lock"
LOCK_DEADLINE_S = 5.0
Running = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Result:
    """What an undo did. Paths are absolute. `task` is what takes this undo back ("" when nothing was done).

    `lost` are attributes that could not be set, `kept` files that somebody writes or wrote to while they were
    replaced. `newer` are paths that came back and were written to before an undo that failed could take them away.
    """

    task: str
    steps: Mapping[str, tuple[Step, ...]]
    left: Mapping[str, tuple[Left, ...]]
    lost: tuple[tuple[str, str], ...] = ()
    kept: tuple[str, ...] = ()
    newer: tuple[str, ...] = ()


class Applier:
    """Applies plans; its journal is below `place`. Blocking."""

    def __init__(
        self, place: Path, store: Store, marks: Marks, roots: Mapping[str, Pictures]
    ) -> None:
        self._place = place
        self._store = store
        self._marks = marks
        self._roots = roots

    def apply(
        self, undoing: Undoing, running: Running, progress: Progress = lambda _done: None
    ) -> Result:
        """Do what the plan says, all of it or nothing.

        Raises Refused while the task runs or an earlier undo is unfinished, Stale when a path is not what the plan
        saw, Unavailable when the disk is full or read-only; in each case the tree is as it was.
        """
        left = {root: plan.left for root, plan in undoing.plans.items()}
        steps = {root: plan.steps for root, plan in undoing.plans.items() if plan.steps}
        task = undoing.selection.task
        with self._alone():
            if any(call.after is None for call in undoing.calls) or running(task):
                raise Refused(
                    "undo.running",
                    f"Task {task} is still at work.",
                    next_step="End the task, or wait until it is done, then undo.",
                )
            if journal.pending(self._place):
                raise _unfinished()
            if not steps:
                return Result("", {}, left)
            self._tidy()
            record = self._begin(undoing, steps)
            done = self._run(record, progress)
        return replace(done, left=left)

    def _begin(self, undoing: Undoing, steps: Mapping[str, tuple[Step, ...]]) -> Journal:
        """Protect what is about to change and write the journal; without that, no trace of the undo."""
        name = secrets.token_hex(6)
        felt = {root: self._siblings(undoing, root) for root in steps}
        siblings = [absolute(root, path) for root in felt for path in felt[root]]
        try:
            before = self._protect(name, steps, siblings)
            jobs = tuple(
                replace(self._job(root, name, steps[root]), felt=felt[root])
                for root in sorted(steps)
            )
            record = Journal(name, UNDO + name, before, State.STAGING, jobs)
            journal.write(self._place, record)
        except BaseException:
            self._tidy()
            raise
        return record

    def resume(self) -> list[Result]:
        """Finish undos that were cut off: those that had begun to change something; the others leave no trace."""
        with self._alone():
            try:
                done = [self._resume(record) for record in journal.pending(self._place)]
            except OSError as error:
                raise _told(error, "Undo could not be finished") from error
            self._tidy()
            return done

    def tidy(self) -> None:
        """After a start: forget undos that were cut off before they had a journal. Not while one is at work."""
        with suppress(Unavailable), self._alone(deadline_s=0):
            self._tidy()

    def _tidy(self) -> None:
        """An undo without a journal changed nothing; left open, it would be at work in all that follows."""
        known = {record.task for record in journal.pending(self._place)}
        for task in self._marks.open_undos() - known:
            self._marks.drop(task)

    @contextmanager
    def _alone(self, deadline_s: float = LOCK_DEADLINE_S) -> Iterator[None]:
        with (
            files.opened(self._place.parent, self._place.name, create=True) as handle,
            files.locked(handle, LOCK, deadline_s=deadline_s),
        ):
            yield

    def _siblings(self, undoing: Undoing, root: str) -> tuple[str, ...]:
        """The other names of files with several: these feel it when one of them comes or goes."""
        found: set[str] = set()
        for step in undoing.plans[root].steps:
            looks = [(step.mark, step.before), (undoing.now, step.now)]
            if step.link_to:
                looks.append((undoing.now, _standing(root, step)))
            for mark, entry in looks:
                if entry and entry.nlink > 1:
                    found.update(self._roots[root].links(mark, entry))
        return tuple(sorted(found - {step.path for step in undoing.plans[root].steps}))

    def _protect(
        self, name: str, steps: Mapping[str, Iterable[Step]], siblings: Iterable[str]
    ) -> int:
        """The undo's own mark: everything it is about to change, so that it can be taken back."""
        paths = [absolute(root, s.path) for root, list_ in steps.items() for s in list_]
        targets = tuple(dict.fromkeys((*paths, *siblings, *steps)))
        call = Call(UNDO + name, 0, name, 0, None, targets, exact=True)
        protected = self._marks.protect(call, urgent=True)
        there = {absolute(root, s.path) for root, list_ in steps.items() for s in list_ if s.now}
        if missed := [u for u in protected.uncovered if u.path in there]:
            raise Unavailable(
                "undo.unprotected",
                f"{shown(missed[0].path)}: {missed[0].why}; undo could not be taken back.",
                next_step="Leave that path out with --only, or see to it and undo again.",
            )
        return protected.mark

    def _job(self, root: str, name: str, steps: tuple[Step, ...]) -> Job:
        """What must be known of the root before anything changes."""
        own = {step.path: step for step in steps}
        handle = walk.open_root(root)
        try:
            facts = os.fstat(handle)
            times: dict[str, int] = {}
            opened: dict[str, int] = {}
            for path in {"", *(parent(s.path) for s in steps if s.path), *_moved_away(steps)}:
                try:
                    there = walk.look(handle, path) if path else facts
                except PermissionError as error:
                    raise _closed(absolute(root, path)) from error
                if there is None or not stat.S_ISDIR(there.st_mode):
                    continue
                if path not in own:
                    times[path] = there.st_mtime_ns
                if os.geteuid() and there.st_mode & 0o300 != 0o300:
                    if path not in own or there.st_uid != os.geteuid():
                        raise _closed(absolute(root, path))
                    opened[path] = there.st_mode
        finally:
            os.close(handle)
        return Job(
            root, facts.st_dev, facts.st_ino, walk.STAGING + name, steps, times=times, opened=opened
        )

    def _run(self, record: Journal, progress: Progress) -> Result:
        with ExitStack() as open_sites:
            sites: list[Site] = []
            try:
                for job in record.jobs:
                    site = Site(job)
                    open_sites.callback(site.close)
                    sites.append(site)
                    site.open_staging()
                    self._check([site])
                    site.stage(self._readings(job), progress)
                self._check(sites)
                record = replace(record, jobs=tuple(site.job for site in sites))
                record = self._now(record, State.COMMITTING)
            except BaseException as error:
                self._abandon(record, sites)
                raise _told(error) from error
            return self._commit(record, sites)

    def _check(self, sites: list[Site]) -> None:
        if moved := [absolute(site.job.root, path) for site in sites for path in site.drifted()]:
            raise _moved(moved)

    def _commit(self, record: Journal, sites: list[Site]) -> Result:
        try:
            for site in sites:
                site.forward()
        except BaseException as error:
            record = self._now(record, State.RETURNING)
            returned = self._return(record, sites)
            if returned.newer:
                raise _stays(returned, _told(error)) from error
            raise _told(error) from error
        return self._finish(self._now(record, State.CLOSING), sites)

    def _return(self, record: Journal, sites: list[Site]) -> Result:
        try:
            for site in reversed(sites):
                site.back()
        except OSError as error:
            raise Unavailable(
                "undo.stuck",
                f"Undo failed half way and could not be taken back. {_told(error, 'Cannot go on')}",
                next_step="See to the cause, then run `slate undo --resume`.",
            ) from error
        return self._abandon(record, sites)

    def _abandon(self, record: Journal, sites: list[Site]) -> Result:
        for site in sites:
            site.clear(back=True)
        after = self._marks.settle(record.task, record.name)
        newer = {site.job.root: site.newer for site in sites}
        self._remember(record, after, returned=True, newer=newer)
        journal.drop(self._place, record.name)
        return Result("", {}, {}, kept=_kept(sites), newer=_absolute(newer))

    def _remember(
        self,
        record: Journal,
        after: int,
        *,
        returned: bool,
        newer: Mapping[str, Sequence[str]] = MappingProxyType({}),
    ) -> None:
        """What is now as it was at which mark; directories whose names changed are as they were, like their times."""
        with self._store.writing() as db:
            for job in record.jobs:
                number = db.execute(
                    "SELECT number FROM root WHERE path = ?", (os.fsencode(job.root),)
                ).fetchone()[0]
                marks = dict.fromkeys([*job.times, *job.felt], record.before)
                marks |= {s.path: record.before if returned else s.mark for s in job.steps}
                for path in newer.get(job.root, ()):
                    marks.pop(path, None)
                db.executemany(
                    "INSERT INTO fold VALUES (?, ?, ?, ?)",
                    [(after, number, os.fsencode(path), mark) for path, mark in marks.items()],
                )

    def _finish(self, record: Journal, sites: list[Site]) -> Result:
        for site in sites:
            site.clear(back=False)
        after = self._marks.settle(record.task, record.name)
        self._remember(record, after, returned=False)
        journal.drop(self._place, record.name)
        lost = [(absolute(s.job.root, path), what) for s in sites for path, what in s.lost]
        steps = {job.root: job.steps for job in record.jobs}
        return Result(record.task, steps, {}, tuple(dict.fromkeys(lost)), _kept(sites))

    def _resume(self, record: Journal) -> Result:
        call = self._store.call(record.task, record.name)
        if call and call.after is not None:
            # Cut off when the root was cleared already: clearing it again would be a change nobody made.
            closing = record.state is State.CLOSING
            self._remember(record, call.after, returned=not closing)
            journal.drop(self._place, record.name)
            steps = {job.root: job.steps for job in record.jobs} if closing else {}
            return Result(record.task if closing else "", steps, {})
        with ExitStack() as open_sites:
            sites = []
            for job in record.jobs:
                site = Site(job)
                open_sites.callback(site.close)
                sites.append(site)
                site.open_staging()
            if record.state is State.COMMITTING:
                return self._commit(record, sites)
            if record.state is State.CLOSING:
                return self._finish(record, sites)
            if record.state is State.RETURNING:
                return self._return(record, sites)
            return self._abandon(record, sites)

    def _now(self, record: Journal, state: State) -> Journal:
        record = replace(record, state=state)
        journal.write(self._place, record)
        return record

    def _readings(self, job: Job) -> Readings:
        pictures = self._roots[job.root]

        def of(step: Step) -> Reading:
            if step.before is None:
                raise ValueError(step.path)
            return partial(pictures.reading, step.mark, step.path, step.before)

        return of


def _standing(root: str, step: Step) -> Entry | None:
    """The file that a step gives one more name; an undo may have made it anew since the mark."""
    handle = walk.open_root(root)
    try:
        facts = walk.look(handle, step.link_to)
    finally:
        os.close(handle)
    return walk.bare(facts) if facts else None


def _moved_away(steps: Iterable[Step]) -> Iterator[str]:
    """Directories that are moved themselves, which takes the right to write in them, too."""
    for step in steps:
        if step.now and step.now.kind is Kind.DIRECTORY and step.action is not Action.ATTRIBUTES:
            yield step.path


def _kept(sites: Iterable[Site]) -> tuple[str, ...]:
    return _absolute({site.job.root: site.kept for site in sites})


def _absolute(paths: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    return tuple(absolute(root, path) for root, inner in paths.items() for path in inner)


def _stays(returned: Result, error: BaseException) -> Stale:
    """Undo was taken back but for what the person wrote to meanwhile."""
    rest = f" and {len(returned.newer) - 1} more" if len(returned.newer) > 1 else ""
    beside = (
        f" What stood there before is kept: {shown(returned.kept[0])}." if returned.kept else ""
    )
    return Stale(
        "undo.changed",
        f"Undo was taken back ({error}), but {shown(returned.newer[0])}{rest} had come back and was written to"
        f" since: it stays.{beside}",
        next_step="Look at a new preview.",
    )


def _told(error: BaseException, what: str = "Undo changed nothing") -> BaseException:
    """A failure in our words; what is no failure of the disk as it is."""
    if isinstance(error, OSError) and not isinstance(error, SlateError):
        name = os.fsdecode(error.filename) if isinstance(error.filename, str | bytes) else ""
        return disk_error(f"{what}; {shown(name)}" if name else what, error)
    return error


def _unfinished() -> Refused:
    return Refused(
        "undo.pending",
        "An earlier undo was cut off.",
        next_step="Finish it with `slate undo --resume`, then undo.",
    )


def _closed(path: str) -> Refused:
    return Refused(
        "undo.read_only",
        f"The directory {shown(path)} is read-only or closed; undo changed nothing.",
        next_step="Make it writable, or leave it out with --only.",
    )


def _moved(paths: list[str]) -> Stale:
    rest = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    return Stale(
        "undo.changed",
        f"{shown(paths[0])}{rest} changed since the preview; undo changed nothing.",
        next_step="Look at a new preview.",
    )

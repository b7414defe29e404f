"""Does the steps of one root: staged first, then swapped in one by one, each of them undone again if one fails.

How far a job came is read off the tree itself: a path that stands for the inode that was staged for it is done.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace

from slated import syscalls
from slated.errors import Stale, Unavailable
from slated.snapshots import parked, staged, walk
from slated.snapshots.entries import Entry, Kind, below, parent, shown, touched
from slated.snapshots.journal import Job
from slated.snapshots.pictures import Progress
from slated.snapshots.plan import Action, Step
from slated.snapshots.staged import Reading

Readings = Callable[[Step], Reading]
_MAKES = {Action.RESTORE, Action.RECREATE}


class Site:
    """One root with the steps to do there. Close it when done."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.lost: list[tuple[str, str]] = []
        """Paths and attributes that could not be brought back."""
        self.kept: list[str] = []
        """Places of files that somebody writes or wrote to while they were being replaced."""
        self.newer: list[str] = []
        """Paths at which somebody wrote to what had come back, before it was to go again: it stays."""
        self._linked: set[int] = set()
        """Inodes that got a name in staging, which moves their ctime."""
        self._root = walk.open_root(job.root)
        self._staging = -1
        facts = os.fstat(self._root)
        if (facts.st_dev, facts.st_ino) != (job.device, job.inode):
            os.close(self._root)
            raise walk.no_root(job.root)

    def close(self) -> None:
        for handle in (self._staging, self._root):
            if handle >= 0:
                os.close(handle)
        self._staging = self._root = -1

    @contextmanager
    def _at(self, path: str) -> Iterator[tuple[int, str]]:
        with walk.at(self._root, path) as place:
            yield place

    def drifted(self) -> list[str]:
        """The paths that are not what the plan says they are now."""
        found = []
        for step in self.job.steps:
            now = self._now(step.path)
            planned = step.now and replace(step.now, content="", target="", xattrs=())
            if planned and now and planned.kind is now.kind is Kind.DIRECTORY:
                moved = (planned.ino, planned.mode) != (now.ino, now.mode)
            else:
                if planned and now and now.ino in self._linked:
                    planned = replace(planned, ctime_ns=now.ctime_ns, nlink=now.nlink)
                moved = touched(planned, now)
            if moved:
                found.append(step.path)
        return found

    def _now(self, path: str) -> Entry | None:
        """What stands at a path; nothing, too, where its directory is yet to be opened."""
        try:
            facts = walk.look(self._root, path) if path else os.fstat(self._root)
        except PermissionError:
            return None
        return walk.bare(facts) if facts else None

    def open_staging(self) -> None:
        """Open or make the place where things are staged."""
        with suppress(FileExistsError):
            os.mkdir(self.job.staging, 0o700, dir_fd=self._root)
        self._staging = os.open(self.job.staging, walk.DIRECTORY, dir_fd=self._root)

    def stage(self, readings: Readings, progress: Progress) -> Job:
        """Make everything that steps put back; the job with the inodes that were made."""
        self._try_swap()
        inodes: list[int] = []
        first: dict[tuple[int, tuple[str, ...]], int] = {}
        for number, step in enumerate(self.job.steps):
            if step.action not in _MAKES or step.before is None:
                inodes.append(0)
                continue
            name = str(number)
            links = (step.mark, step.links)
            if step.link_to:
                self._link_kept(step, name)
                facts = os.stat(name, dir_fd=self._staging, follow_symlinks=False)
                self._linked.add(facts.st_ino)
                kept = (facts.st_size, facts.st_mtime_ns)
                if kept != (step.before.size, step.before.mtime_ns):
                    raise _moved(step)
            elif step.links and links in first:
                os.link(str(first[links]), name, src_dir_fd=self._staging, dst_dir_fd=self._staging)
            else:
                first[links] = number
                lost = staged.make(self._staging, name, step.before, readings(step))
                self.lost.extend((step.path, what) for what in lost)
            facts = os.stat(name, dir_fd=self._staging, follow_symlinks=False)
            inodes.append(facts.st_ino)
            progress(number + 1)
        syscalls.flush(self._root)
        self.job = replace(self.job, staged=tuple(inodes))
        return self.job

    def _link_kept(self, step: Step, name: str) -> None:
        with self._at(step.link_to) as (handle, kept):
            os.link(kept, name, src_dir_fd=handle, dst_dir_fd=self._staging, follow_symlinks=False)

    def _try_swap(self) -> None:
        """Find out before anything changes whether this file system can swap names."""
        for name in ("a", "b"):
            os.mkdir(name, 0o700, dir_fd=self._staging)
        try:
            syscalls.swap(self._staging, "a", self._staging, "b")
        except OSError as error:
            raise Unavailable(
                "undo.swap",
                f"The file system of {shown(self.job.root)} cannot swap two names.",
                next_step="Undo is not possible on this file system.",
            ) from error
        finally:
            for name in ("a", "b"):
                os.rmdir(name, dir_fd=self._staging)

    def forward(self) -> None:
        """Do every step that is not done. Raises Stale, Refused or OSError at the first that cannot be."""
        for path in sorted(self.job.opened):
            self._chmod(path, stat.S_IMODE(self.job.opened[path]) | 0o700)
        for number, step in self._order():
            if step.action is Action.DELETE:
                self._delete(number, step)
            elif step.action in _MAKES:
                self._put(number, step)
            elif step.before and step.before.kind is not Kind.DIRECTORY:
                self._dress(step, step.now, step.before)
        self._dress_directories(back=False)
        syscalls.flush(self._root)

    def back(self) -> None:
        """Take every step back that is done, but for what somebody wrote to since."""
        self._open_made()
        for number, step in reversed(self._order()):
            if step.action is Action.DELETE:
                self._undelete(number, step)
            elif step.action in _MAKES:
                self._unput(number, step)
            elif step.now and step.now.kind is not Kind.DIRECTORY:
                try:
                    self._dress(step, step.now, step.now)
                except Stale:
                    self.newer.append(step.path)
        self._dress_directories(back=True)
        syscalls.flush(self._root)

    def _open_made(self) -> None:
        """A directory that came back read-only must give up again what came back in it."""
        for number, step in enumerate(self.job.steps):
            before = step.before if self.job.staged[number] else None
            if before and before.kind is Kind.DIRECTORY and self._done(number, step):
                self._chmod(step.path, stat.S_IMODE(before.mode) | stat.S_IRWXU)

    def _order(self) -> list[tuple[int, Step]]:
        """Deletes that make room for another kind first, then what comes back from the top down, then deletes."""
        numbered = list(enumerate(self.job.steps))
        room = {
            step.path
            for _, step in numbered
            if step.action is Action.RESTORE
            and step.now
            and step.now.kind is Kind.DIRECTORY
            and step.before
            and step.before.kind is not Kind.DIRECTORY
        }
        early, rest, late = [], [], []
        for number, step in numbered:
            if step.action is not Action.DELETE:
                rest.append((number, step))
            elif room and any(above in room for above in _above(step.path)):
                early.append((number, step))
            else:
                late.append((number, step))
        return [*reversed(early), *rest, *reversed(late)]

    def _done(self, number: int, step: Step) -> bool:
        facts = walk.look(self._root, step.path)
        return facts is not None and facts.st_ino == self.job.staged[number]

    def _put(self, number: int, step: Step) -> None:
        if self._done(number, step):
            return
        name = str(number)
        with self._at(step.path) as (handle, last):
            if step.now is None:
                syscalls.move(self._staging, name, handle, last)
                return
            syscalls.swap(self._staging, name, handle, last)
            if not parked.is_taken(self._staging, name, step.now):
                syscalls.swap(self._staging, name, handle, last)
                raise _moved(step)

    def _unput(self, number: int, step: Step) -> None:
        if not self._done(number, step) or step.before is None:
            return
        name = str(number)
        with self._at(step.path) as (handle, last):

            def back_and_forth() -> None:
                if step.now is not None:
                    syscalls.swap(self._staging, name, handle, last)
                elif parked.lies(self._staging, name):
                    syscalls.move(self._staging, name, handle, last)
                else:
                    syscalls.move(handle, last, self._staging, name)

            back_and_forth()
            if not parked.is_made(self._staging, name, step.before):
                back_and_forth()
                self.newer.append(step.path)

    def _delete(self, number: int, step: Step) -> None:
        name = str(number)
        if step.now is None:
            return
        if parked.lies(self._staging, name) and parked.is_taken(self._staging, name, step.now):
            # Done before a crash; where it was may be no directory any more.
            return
        with self._at(step.path) as (handle, last):
            if not parked.lies(self._staging, name):
                syscalls.move(handle, last, self._staging, name)
            if not parked.is_taken(self._staging, name, step.now):
                syscalls.move(self._staging, name, handle, last)
                raise _moved(step)

    def _undelete(self, number: int, step: Step) -> None:
        name = str(number)
        # Where a file stays that somebody wrote to, what was in the directory before it has no place.
        if parked.lies(self._staging, name) and not self._stays(step.path):
            with self._at(step.path) as (handle, last):
                syscalls.move(self._staging, name, handle, last)

    def _dress(self, step: Step, there: Entry | None, wanted: Entry | None) -> None:
        if there is None or wanted is None:
            return

        def fits(facts: os.stat_result) -> bool:
            # After a crash it may have its times already.
            times = {there.mtime_ns, wanted.mtime_ns, step.before.mtime_ns if step.before else 0}
            return (facts.st_ino, facts.st_size) == (
                there.ino,
                there.size,
            ) and facts.st_mtime_ns in times

        with self._at(step.path) as (handle, last):
            lost = staged.dress(handle, last, wanted, fits=fits)
        self.lost.extend((step.path, what) for what in lost)

    def _dress_directories(self, *, back: bool) -> None:
        """Give directories their attributes and times, the deepest first."""
        wanted: dict[str, Entry] = {}
        for step in self.job.steps:
            entry = self._directory_after(step, back=back)
            if entry and entry.kind is Kind.DIRECTORY:
                wanted[step.path] = entry
        own = {step.path for step in self.job.steps}
        paths = {*wanted, *self.job.times, *self.job.opened}
        for path in sorted(
            paths, key=lambda path: (path.count("/"), path != "", path), reverse=True
        ):
            if path in wanted:
                with self._at(path) as (handle, last):
                    lost = staged.dress(handle, last, wanted[path])
                    self.lost.extend((path, what) for what in lost)
                continue
            if path in own:
                # It is no directory any more.
                continue
            if path in self.job.opened:
                self._chmod(path, self.job.opened[path])
            if path in self.job.times:
                self._touch(path, self.job.times[path])

    def _directory_after(self, step: Step, *, back: bool) -> Entry | None:
        """What is at a path when all steps are done or taken back."""
        if not back or step.path in self.newer:
            return step.before
        return None if self._stays(step.path) else step.now

    def _chmod(self, path: str, mode: int) -> None:
        with self._at(path) as (handle, last):
            node = os.open(last, walk.PASSAGE, dir_fd=handle)
            try:
                os.chmod(f"/proc/self/fd/{node}", stat.S_IMODE(mode))
            finally:
                os.close(node)

    def _touch(self, path: str, mtime_ns: int) -> None:
        with suppress(OSError):
            handle = walk.open_below(self._root, path)
            try:
                facts = os.fstat(handle)
                os.utime(f"/proc/self/fd/{handle}", ns=(facts.st_atime_ns, mtime_ns))
            finally:
                os.close(handle)

    def _stays(self, path: str) -> bool:
        return any(below(path, newer) for newer in self.newer)

    def clear(self, *, back: bool) -> None:
        """Remove what is left of staging, but nothing that somebody wrote to or that has no place to go back to;
        then the root's own time.
        """
        if self._staging < 0:
            # It could not even be made.
            return
        for number, step in enumerate(self.job.steps):
            if step.now and step.action is not Action.ATTRIBUTES:
                self._clear_one(str(number), step.path, step.now, back=back)
        kept = {os.path.basename(place) for place in self.kept}
        if kept:
            parked.remove_others(self._staging, kept)
        os.close(self._staging)
        self._staging = -1
        if not kept:
            parked.remove_tree(self._root, self.job.staging)
        if "" in self.job.times:
            self._touch("", self.job.times[""])
        for step in self.job.steps:
            entry = step.now if back else step.before
            if step.path == "" and entry:
                self._touch("", entry.mtime_ns)

    def _clear_one(self, name: str, path: str, now: Entry, *, back: bool) -> None:
        if back:
            gone = not (self._stays(path) and parked.lies(self._staging, name))
        else:
            gone = parked.discard(self._staging, name, now)
        if not gone:
            self.kept.append(f"{self.job.staging}/{name}")


def _above(path: str) -> Iterator[str]:
    while path := parent(path):
        yield path


def _moved(step: Step) -> Stale:
    return Stale(
        "undo.changed",
        f"{shown(step.path)} changed while undo was at work.",
        next_step=staged.AGAIN,
    )

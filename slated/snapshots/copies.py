"""Pictures of a root on any file system: what stood where, mark by mark, in the store, and the bytes as copies."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from slated.errors import Refused, Unavailable
from slated.files import disk_error
from slated.snapshots import content, walk
from slated.snapshots.blobs import Blobs
from slated.snapshots.entries import Entry, ancestors, below, parent
from slated.snapshots.pictures import YOUNG_NS, Limits, Marked, Progress, Scope, Uncovered
from slated.snapshots.rows import NEVER, Rows
from slated.snapshots.store import Store
from slated.snapshots.timeline import Point
from slated.snapshots.walk import Budget, Trees, Walk

_TRIES = 3


@dataclass(slots=True)
class _Taking:
    """One picture being taken."""

    mark: Marked
    uncovered: list[Uncovered]
    scopes: set[tuple[str, bool]]
    copied: int = 0
    standing: dict[str, Entry | None] = field(default_factory=dict)
    """What stands at paths that were looked into."""
    folder: tuple[str, int] = ("", -1)
    """The directory that was looked into last, open."""

    def directory(self, root: int, path: str) -> int:
        """The directory that holds a path, opened once for all entries in a row."""
        above = parent(path)
        if self.folder[1] < 0 or self.folder[0] != above:
            opened = walk.open_below(root, above)
            self.close()
            self.folder = (above, opened)
        return self.folder[1]

    def close(self) -> None:
        if self.folder[1] >= 0:
            os.close(self.folder[1])
        self.folder = ("", -1)


def _look(handle: int, name: str) -> os.stat_result | None:
    try:
        return os.stat(name, dir_fd=handle, follow_symlinks=False)
    except FileNotFoundError:
        return None


def _looked_again(root: int, path: str) -> os.stat_result | None:
    """What stands at a path that a listing did not have; nothing where only the listing can be had."""
    try:
        return walk.look(root, path)
    except PermissionError:
        return None


class Copies:
    """Pictures of the root directory `path`; `skip` are directories in it that no picture holds."""

    whole = False

    def __init__(
        self, path: str, store: Store, blobs: Blobs, *, skip: Sequence[str], limits: Limits
    ) -> None:
        self.path = path
        self._blobs = blobs
        self._skip = frozenset(skip)
        self._limits = limits
        self._store = store
        self._returns = store.returns
        self._rows = Rows(store, store.root(path))
        self._known: Trees | None = None

    def close(self) -> None:
        self._known = None

    def covers(self, path: str) -> str:
        root = walk.open_root(self.path)
        try:
            if why := walk.kept_out(root, path, self._skip):
                return why
            facts = walk.look(root, path)
            if facts is None or not stat.S_ISDIR(facts.st_mode):
                return self._room(facts.st_blocks * 512 if facts else 0)
            budget = self._budget()
            with walk.at(root, path) as (handle, name):
                tree = os.open(name, walk.DIRECTORY, dir_fd=handle)
            try:
                seen = Walk(os.fstat(root).st_dev, self._skip, budget).over(tree, path, {})
            finally:
                os.close(tree)
            if seen.holes:
                return f"{seen.holes[0].path}: {seen.holes[0].why}"
            return self._room(self._limits.bytes - budget.bytes)
        except walk.TooLarge:
            return self._too_large()
        except Refused as refused:
            return refused.message
        except OSError as error:
            return walk.unreadable(error)
        finally:
            os.close(root)

    def _room(self, needed: int) -> str:
        facts = os.statvfs(self.path)
        if facts.f_bavail * facts.f_frsize - needed < self._limits.floor:
            return "the disk is too full for copies"
        if needed > self._limits.bytes:
            return self._too_large()
        return ""

    def _too_large(self) -> str:
        return (
            f"it is above {self._limits.entries:,} files or {self._limits.bytes // 1_000_000:,} MB"
        )

    def _budget(self) -> Budget:
        return Budget(self._limits.entries, self._limits.bytes)

    def take(self, mark: Marked, targets: Sequence[Scope]) -> tuple[Uncovered, ...]:
        if not mark.urgent and (why := self._room(0)):
            return tuple(Uncovered(target.path, why) for target in targets)
        root = walk.open_root(self.path)
        try:
            taking = _Taking(mark, [], set())
            try:
                for target in targets:
                    self._target(root, target, taking)
            finally:
                taking.close()
            self._rows.save(mark.number, taking.standing)
            self._rows.looked(mark.number, taking.scopes, taking.uncovered)
            if taking.copied:
                self._blobs.sync()
        except BaseException as error:
            # What is known in memory may now be more than what the store holds.
            self._known = None
            if isinstance(error, OSError) and not isinstance(error, Unavailable | Refused):
                raise disk_error("Cannot keep a copy", error) from error
            raise
        finally:
            os.close(root)
        return tuple(taking.uncovered)

    def _target(self, root: int, target: Scope, taking: _Taking) -> None:
        if why := walk.kept_out(root, target.path, self._skip) if target.path else "":
            taking.uncovered.append(Uncovered(target.path, why))
            return
        # Directories that a call makes on its way to a new file are its changes, too.
        for above in ("", *ancestors(target.path)):
            self._single(root, above, taking)
        if target.tree and self._tree(root, target.path, taking):
            return
        self._single(root, target.path, taking)

    def _tree(self, root: int, path: str, taking: _Taking) -> bool:
        """Take in a whole tree; False when it is no directory or too large, which is then told."""
        facts = walk.look(root, path) if path else os.fstat(root)
        if facts is None or not stat.S_ISDIR(facts.st_mode):
            taking.scopes.add((path, True))
            self._vanish(root, path, taking)
            return False
        device = os.fstat(root).st_dev
        young = taking.mark.started_ns - YOUNG_NS
        trees = self._load()
        try:
            handle = walk.open_below(root, path, walk.DIRECTORY)
        except OSError as error:
            taking.uncovered.append(Uncovered(path, walk.unreadable(error)))
            return False
        try:
            seen = Walk(device, self._skip, self._budget()).over(handle, path, trees)
        except walk.TooLarge:
            taking.uncovered.append(Uncovered(path, self._too_large()))
            return False
        finally:
            os.close(handle)
        self._single(root, path, taking)
        taking.scopes.add((path, True))
        taking.uncovered.extend(Uncovered(hole.path, hole.why) for hole in seen.holes)
        blocked = [hole.path for hole in seen.holes]
        for name in seen.gone:
            if not any(name != hole and below(name, hole) for hole in blocked):
                # A name that was replaced at that moment can be missing in a list.
                self._update(root, name, _looked_again(root, name), taking)
        known_trees = [name for name in trees if below(name, path)]
        for name in known_trees:
            if name not in seen.trees and not any(below(name, hole) for hole in blocked):
                del trees[name]
        trees.update(seen.trees)
        for name, facts in seen.changed:
            self._update(root, name, facts, taking)
            if facts.st_ctime_ns >= young:
                self._distrust(name)
        return True

    def _vanish(self, root: int, path: str, taking: _Taking) -> None:
        """There is no directory here any more, so nothing of what was in it."""
        trees = self._load()
        for name in [name for name in trees if below(name, path)]:
            for inner in trees.pop(name):
                self._update(root, f"{name}/{inner}", None, taking)

    def _distrust(self, path: str) -> None:
        """Look into this entry again next time, whatever its ctime says."""
        names = self._load().get(parent(path), {})
        name = path.rpartition("/")[2]
        if name in names:
            inode, _, size, mode = names[name]
            names[name] = (inode, NEVER, size, mode)

    def _single(self, root: int, path: str, taking: _Taking) -> None:
        if (path, False) in taking.scopes:
            return
        taking.scopes.add((path, False))
        try:
            facts = walk.look(root, path) if path else os.fstat(root)
        except PermissionError as error:
            taking.uncovered.append(Uncovered(path, walk.unreadable(error)))
            return
        name = path.rpartition("/")[2]
        if path:
            names = self._load().setdefault(parent(path), {})
            if facts is None:
                names.pop(name, None)
            else:
                found = (facts.st_ino, facts.st_ctime_ns, facts.st_size, facts.st_mode)
                if names.get(name) == found:
                    return
                names[name] = found
        self._update(root, path, facts, taking)
        if facts and facts.st_ctime_ns >= taking.mark.started_ns - YOUNG_NS:
            self._distrust(path)

    def _update(self, root: int, path: str, facts: os.stat_result | None, taking: _Taking) -> None:
        """Take in what stands at a path from this mark on."""
        taking.standing[path] = self._entry(root, path, facts, taking) if facts else None

    def _entry(self, root: int, path: str, facts: os.stat_result, taking: _Taking) -> Entry | None:
        seen: os.stat_result | None = facts
        try:
            handle, name = taking.directory(root, path), path.rpartition("/")[2] or "."
            for _ in range(_TRIES):
                if seen is None:
                    return None
                if found := self._looked(handle, name, seen, taking):
                    return found
                # It is being written, or another stands at its name by now: only a look tells whether one does.
                seen = _look(handle, name)
        except FileNotFoundError:
            return None
        except OSError as error:
            why = walk.unreadable(error)
            taking.uncovered.append(Uncovered(path, why))
            return replace(walk.bare(facts), flaw=why)
        return replace(walk.bare(seen or facts), flaw="it was being written while it was copied")

    def _looked(
        self, handle: int, name: str, facts: os.stat_result, taking: _Taking
    ) -> Entry | None:
        """What an entry is and holds; None when it was not that all the time."""
        try:
            if not stat.S_ISREG(facts.st_mode):
                return walk.entry_of(facts, handle, name)
            if (
                facts.st_blocks * 512 > self._limits.bytes
                or facts.st_size > 16 * self._limits.bytes
            ):
                return replace(walk.entry_of(facts, handle, name), flaw=self._too_large())
            with content.reading(handle, name, facts.st_ino) as file:
                kept = self._blobs.keep(file, facts.st_size)
                xattrs = walk.attributes_of(file)
                after = os.fstat(file)
        except FileNotFoundError:
            return None
        taking.copied += 1
        steady = (after.st_ctime_ns, after.st_size) == (facts.st_ctime_ns, facts.st_size)
        return walk.bare(facts, kept, xattrs) if steady else None

    def _load(self) -> Trees:
        if self._known is None or self._returns != self._store.returns:
            self._returns = self._store.returns
            self._known = self._rows.known()
        return self._known

    def history(
        self, since: int, now: int, progress: Progress
    ) -> tuple[dict[str, list[Point]], tuple[Uncovered, ...]]:
        found = self._rows.history(since, now)
        progress(len(found))
        return found, ()

    def full(self, mark: int, path: str, entry: Entry) -> Entry:
        return entry

    def links(self, mark: int, entry: Entry) -> tuple[str, ...]:
        return self._rows.links(mark, entry)

    @contextmanager
    def reading(self, mark: int, path: str, entry: Entry) -> Iterator[int]:
        with self._blobs.reading(entry.content, entry.size) as file:
            yield file

    def forget(self, before: int) -> None:
        self._rows.forget(before)

    def sweep(self) -> tuple[str, ...]:
        return self._blobs.sweep(self._rows.contents).failed

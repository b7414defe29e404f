"""Pictures of a root that is a btrfs subvolume of the person's: read-only snapshots, taken and removed without rights.

Which path changed when is found by walking the first and the last snapshot, and the others where these differ.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from slated import files
from slated.errors import Refused, Unavailable
from slated.files import disk_error
from slated.snapshots import content, subvolume, walk
from slated.snapshots.entries import Entry, Kind, parent, shown
from slated.snapshots.pictures import YOUNG_NS, Marked, Progress, Scope, Uncovered
from slated.snapshots.store import Store
from slated.snapshots.timeline import Point
from slated.snapshots.walk import Seen, Walk

_FOLDER = "snapshots"
_PROBE = "probe"
_OPEN_AT_ONCE = 100
_OWN_DRIFT = 2


def usable(root: str, place: Path) -> bool:
    """Whether this user can snapshot `root` into `place` and remove the snapshot again: tried, not guessed."""
    try:
        source = walk.open_root(root)
    except Unavailable:
        return False
    try:
        if not subvolume.is_top(source) or os.fstat(source).st_uid not in {os.geteuid()}:
            return os.geteuid() == 0 and subvolume.is_top(source) and _tried(source, place)
        return _tried(source, place)
    finally:
        os.close(source)


def _tried(source: int, place: Path) -> bool:
    with files.opened(place, _FOLDER, create=True) as folder:
        if subvolume.file_system(folder) != subvolume.file_system(source):
            return False
        name = f"{_PROBE}-{os.getpid()}"
        try:
            subvolume.create(folder, name)
            subvolume.remove(folder, name)
        except OSError:
            return False
    return True


def make_place(place: Path) -> None:
    """Make Slate's own place a subvolume of its own where that is possible, so that no snapshot holds a copy of it."""
    parent_handle = files.open_directory(place.parent, create=True)
    try:
        if not place.exists() and subvolume.file_system(parent_handle):
            subvolume.create(parent_handle, place.name)
            os.chmod(place, files.PRIVATE_DIR)
    except OSError as error:
        raise disk_error(f"Cannot make {shown(str(place))}", error) from error
    finally:
        os.close(parent_handle)


def _untouched(now: subvolume.Info, taken: str) -> bool:
    """Whether a snapshot is what was taken.

    The kernel itself may write to a new snapshot once, in the transaction after the one that made it, to drop files
    that were unlinked and still open (btrfs_orphan_cleanup); another commit can come in between. What is not the
    kernel's own work also moves the time of the last change.
    """
    uuid, generation, changed = (*taken.split(" "), "", "")[:3]
    if (now.uuid, now.changed) != (uuid, changed):
        return False
    return now.read_only and 0 <= now.generation - int(generation) <= _OWN_DRIFT


@dataclass(frozen=True, slots=True)
class _Looking:
    """The paths found so far, the first and the last snapshot, and the directories that were looked into."""

    paths: set[str]
    ends: tuple[walk.Trees, walk.Trees]
    looked: set[str]


class Snapshots:
    """Snapshots of the subvolume `path`, kept below `place`; `floor` are bytes that stay free."""

    whole = True

    def __init__(
        self, path: str, store: Store, place: Path, *, skip: Sequence[str], floor: int
    ) -> None:
        self.path = path
        self._store = store
        self._skip = frozenset(skip)
        self._floor = floor
        self._number = store.root(path)
        self._folder = files.open_directory(place, _FOLDER, str(self._number), create=True)
        self._open: OrderedDict[int, int] = OrderedDict()
        self._links: dict[int, dict[int, list[str]]] = {}

    def close(self) -> None:
        while self._open:
            os.close(self._open.popitem()[1])
        os.close(self._folder)

    def covers(self, path: str) -> str:
        root = walk.open_root(self.path)
        try:
            return walk.kept_out(root, path, self._skip) or self._room()
        except OSError as error:
            return walk.unreadable(error)
        finally:
            os.close(root)

    def _room(self) -> str:
        facts = os.statvfs(self.path)
        full = facts.f_bavail * facts.f_frsize < self._floor
        return "the disk is too full for snapshots" if full else ""

    def take(self, mark: Marked, targets: Sequence[Scope]) -> tuple[Uncovered, ...]:
        if not mark.urgent and (why := self._room()):
            return tuple(Uncovered(target.path, why) for target in targets)
        root = walk.open_root(self.path)
        # A mark that a crash took back leaves its snapshot, and its number is given again.
        name = f"{mark.number}.{secrets.token_hex(4)}"
        try:
            subvolume.snapshot(root, self._folder, name)
            handle = os.open(name, walk.DIRECTORY, dir_fd=self._folder)
            facts = subvolume.info(handle)
            os.close(handle)
            with self._store.writing() as db:
                db.execute(
                    "INSERT INTO picture VALUES (?, ?, ?, ?)",
                    (
                        mark.number,
                        self._number,
                        name,
                        f"{facts.uuid} {facts.generation} {facts.changed}",
                    ),
                )
            missed = [(t.path, walk.kept_out(root, t.path, self._skip)) for t in targets]
        except OSError as error:
            if isinstance(error, Unavailable | Refused):
                raise
            raise disk_error("Cannot take a snapshot", error) from error
        finally:
            os.close(root)
        return tuple(Uncovered(path, why) for path, why in missed if why and path)

    def _at(self, mark: int) -> int:
        """The snapshot of a mark as a descriptor; refused when it is not what was taken."""
        if mark in self._open:
            self._open.move_to_end(mark)
            return self._open[mark]
        with self._store.reading() as db:
            row = db.execute(
                "SELECT name, facts FROM picture WHERE root = ? AND mark = ?", (self._number, mark)
            ).fetchone()
        if row is None:
            raise Unavailable("undo.gone", f"There is no snapshot of mark {mark} any more.")
        try:
            handle = os.open(row[0], walk.DIRECTORY, dir_fd=self._folder)
        except OSError as error:
            raise disk_error(f"Cannot open the snapshot of mark {mark}", error) from error
        if not _untouched(subvolume.info(handle), row[1]):
            os.close(handle)
            raise Unavailable(
                "undo.tampered",
                f"The snapshot of mark {mark} was changed since it was taken.",
                next_step="Do not trust it; take files out of it by hand if you must.",
            )
        self._open[mark] = handle
        if len(self._open) > _OPEN_AT_ONCE:
            os.close(self._open.popitem(last=False)[1])
        return handle

    def history(
        self, since: int, now: int, progress: Progress
    ) -> tuple[dict[str, list[Point]], tuple[Uncovered, ...]]:
        marks = self._marks(since, now)
        if len(marks) < 2:
            return {}, ()
        first, last = marks[0][0], marks[-1][0]
        before = self._walk(first, {}, None)
        progress(sum(map(len, before.trees.values())))
        after = self._walk(last, before.trees, marks[0][1] - YOUNG_NS)
        paths = {"", *(path for path, _ in after.changed), *after.gone}
        between = [mark for mark, _ in marks[1:-1]]
        looking = _Looking(paths, (before.trees, after.trees), set())
        for path in sorted(paths) if between else ():
            self._look_into(path, between, looking)
        progress(len(paths))
        holes = {hole.path: hole.why for hole in (*before.holes, *after.holes)}
        missed = tuple(Uncovered(path, why) for path, why in sorted(holes.items()))
        return {path: self._points(path, marks) for path in paths}, missed

    def _marks(self, since: int, now: int) -> list[tuple[int, int]]:
        with self._store.reading() as db:
            return db.execute(
                "SELECT number, started FROM picture JOIN mark ON number = mark "
                "WHERE root = ? AND number >= ? AND number <= ? ORDER BY number",
                (self._number, since, now),
            ).fetchall()

    def _walk(self, mark: int, known: walk.Trees, young_ns: int | None) -> Seen:
        handle = self._at(mark)
        found = Walk(os.fstat(handle).st_dev, self._skip, None, young_ns)
        return found.over(handle, "", known)

    def _look_into(self, path: str, marks: Sequence[int], looking: _Looking) -> None:
        """Add what a directory held in between that neither the first nor the last snapshot has just like that."""
        if path in looking.looked:
            return
        looking.looked.add(path)
        known = [trees.get(path, {}) for trees in looking.ends]
        prefix = f"{path}/" if path else ""
        for mark in marks:
            for name, found in self._listing(mark, path).items():
                if any(names.get(name) == found for names in known):
                    continue
                looking.paths.add(prefix + name)
                # What is a file at one mark can be a directory at the next.
                if stat.S_ISDIR(found[3]):
                    self._look_into(prefix + name, marks, looking)

    def _listing(self, mark: int, path: str) -> walk.Names:
        root = self._at(mark)
        try:
            handle = walk.open_below(root, path, walk.DIRECTORY)
        except (OSError, Refused):
            return {}
        try:
            one = Walk(os.fstat(root).st_dev, self._skip, flat=True)
            return one.over(handle, path, {}).trees.get(path, {})
        finally:
            os.close(handle)

    def _points(self, path: str, marks: Sequence[tuple[int, int]]) -> list[Point]:
        points: list[Point] = []
        young = False
        for mark, started in marks:
            try:
                entry = self._entry(mark, path)
            except PermissionError:
                if not self._absent(mark, path):
                    continue
                entry = None
            if entry and entry.kind is Kind.FILE:
                was_young, young = young, entry.ctime_ns >= started - YOUNG_NS
                if young or was_young:
                    entry = self.full(mark, path, entry)
            points.append(Point(mark, entry))
        return points

    def _entry(self, mark: int, path: str) -> Entry | None:
        """What a path was at a mark. Raises PermissionError where a directory above cannot be entered."""
        root = self._at(mark)
        try:
            facts = walk.look(root, path) if path else os.fstat(root)
            if facts is None or facts.st_dev != os.fstat(root).st_dev:
                return None
            with walk.at(root, path) as (handle, name):
                return walk.entry_of(facts, handle, name)
        except Refused:
            return None
        except OSError as error:
            if error.errno in {errno.EACCES, errno.EPERM}:
                raise
            return None

    def _absent(self, mark: int, path: str) -> bool:
        """Whether a directory that can be listed and not searched does not have a name."""
        try:
            handle = walk.open_below(self._at(mark), parent(path), walk.DIRECTORY)
        except OSError:
            return False
        try:
            return path.rpartition("/")[2] not in os.listdir(handle)
        finally:
            os.close(handle)

    def full(self, mark: int, path: str, entry: Entry) -> Entry:
        if entry.kind is not Kind.FILE or entry.content:
            return entry
        try:
            with self.reading(mark, path, entry) as file:
                return replace(entry, content=content.digest(file, entry.size))
        except OSError as error:
            return replace(entry, flaw=walk.unreadable(error))

    def links(self, mark: int, entry: Entry) -> tuple[str, ...]:
        if mark not in self._links:
            found: dict[int, list[str]] = {}
            for path, facts in self._walk(mark, {}, None).changed:
                if facts.st_nlink > 1 and stat.S_ISREG(facts.st_mode):
                    found.setdefault(facts.st_ino, []).append(path)
            self._links[mark] = found
        return tuple(sorted(self._links[mark].get(entry.ino, ())))

    @contextmanager
    def reading(self, mark: int, path: str, entry: Entry) -> Iterator[int]:
        with walk.at(self._at(mark), path) as (handle, name):
            file = os.open(name, content.READ, dir_fd=handle)
        try:
            yield file
        finally:
            os.close(file)

    def forget(self, before: int) -> None:
        with self._store.reading() as db:
            rows = db.execute(
                "SELECT mark FROM picture WHERE root = ? AND mark < ?", (self._number, before)
            ).fetchall()
        for (mark,) in rows:
            self._links.pop(mark, None)
            if handle := self._open.pop(mark, 0):
                os.close(handle)
        self._store.drop("picture", "root = ? AND mark < ?", (self._number, before))

    def sweep(self) -> tuple[str, ...]:
        fresh = os.open(".", walk.DIRECTORY, dir_fd=self._folder)
        try:
            there = os.listdir(fresh)
        finally:
            os.close(fresh)
        # Listed first, and the marks read in a turn of our own: a snapshot being taken has its mark by then.
        with self._store.writing() as db:
            rows = db.execute("SELECT name FROM picture WHERE root = ?", (self._number,)).fetchall()
        failed = []
        for name in sorted({*there} - {row[0] for row in rows}, key=_mark_of):
            try:
                subvolume.remove(self._folder, name)
            except OSError as error:
                why = disk_error("not removed", error).message
                failed.append(f"snapshot of mark {_mark_of(name)}: {why}")
        return tuple(failed)


def _mark_of(name: str) -> int:
    """Of a snapshot by its name."""
    number = name.partition(".")[0]
    return int(number) if number.isdigit() else 0

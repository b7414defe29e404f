"""Looks at trees by directory descriptors: opens below a root without following links, lists, finds what differs.

Nothing here leaves the file system of the root: other mounts and nested subvolumes are holes.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace

from slated.errors import Refused, Unavailable
from slated.files import disk_error
from slated.snapshots.entries import Attributes, Entry, Kind, below, shown

DEEPEST = 200
"""Directories inside each other; each costs a descriptor while it is walked."""
STAGING = ".slate-undo-"
"""What undo puts at the top of a root while it works; part of no picture."""
_TRIES = 3
_OTHER_DEVICE = "it is another file system or subvolume"
DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
PASSAGE = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC

Signature = tuple[int, int, int, int]
"""Inode, ctime, size, mode."""
Names = dict[str, Signature]
Trees = dict[str, Names]
"""For each directory, by its path from the root, what it holds."""


class TooLarge(Exception):
    """A tree is above its budget of entries or bytes."""


@dataclass(frozen=True, slots=True)
class Hole:
    """A place that was not looked into, and why."""

    path: str
    why: str


@dataclass(slots=True)
class Budget:
    """What a walk may still meet; below zero it ends. Bytes are what files take on disk."""

    entries: int
    bytes: int

    def take(self, facts: os.stat_result) -> None:
        self.entries -= 1
        if facts.st_mode & 0o170000 == stat.S_IFREG:
            self.bytes -= facts.st_blocks * 512
        if self.entries < 0 or self.bytes < 0:
            raise TooLarge


@dataclass(slots=True)
class Seen:
    """What a walk met. `changed` has what differs from the known picture, `gone` what is missing from it."""

    trees: Trees = field(default_factory=dict)
    changed: list[tuple[str, os.stat_result]] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    holes: list[Hole] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Walk:
    """How to walk: the device of the root, directories to leave out, a budget, and when an entry is too young to
    believe that an equal signature means equal bytes.
    """

    device: int
    skip: Collection[str] = ()
    budget: Budget | None = None
    young_ns: int | None = None
    flat: bool = False
    """Only the directory itself."""

    def over(self, handle: int, top: str, known: Mapping[str, Names]) -> Seen:
        """Everything below the directory `top`, which `handle` is, held against a known picture."""
        seen = Seen()
        # btrfs lists what was there when a directory was opened, so it is opened now.
        try:
            fresh = os.open(".", DIRECTORY, dir_fd=handle)
        except PermissionError:
            seen.holes.append(Hole(top, "it cannot be read"))
            return seen
        try:
            self._directory(fresh, top, known, seen, 0)
        finally:
            os.close(fresh)
        for name in known:
            if name not in seen.trees and (not top or name == top or name.startswith(top + "/")):
                seen.gone.extend(f"{name}/{inner}" if name else inner for inner in known[name])
        return seen

    def _directory(
        self, handle: int, path: str, known: Mapping[str, Names], seen: Seen, depth: int
    ) -> None:
        prefix = f"{path}/" if path else ""
        try:
            inner = self._steadily(handle, path, known.get(path, {}), seen, depth)
        except PermissionError:
            # It may be listed and not searched: its names alone are known.
            seen.holes.append(Hole(path, "it cannot be read"))
            seen.trees.setdefault(path, {})
            return
        for name in () if self.flat else inner:
            if below := _inner(handle, name, prefix + name, seen):
                try:
                    if os.fstat(below).st_dev == self.device:
                        self._directory(below, prefix + name, known, seen, depth + 1)
                    else:
                        seen.holes.append(Hole(prefix + name, _OTHER_DEVICE))
                finally:
                    os.close(below)

    def _steadily(
        self, handle: int, path: str, before: Names, seen: Seen, depth: int
    ) -> Collection[str]:
        """Take in what one directory holds; the directories in it that are to be entered.

        A name that is replaced while a directory is listed can be missing in the list: so it is listed again.
        """
        names: Names = {}
        inner: dict[str, None] = {}
        for _ in range(_TRIES):
            was = os.fstat(handle).st_ctime_ns
            self._listed(handle, path, (before, names, inner), seen, depth)
            if os.fstat(handle).st_ctime_ns == was:
                break
        if before:
            prefix = f"{path}/" if path else ""
            seen.gone.extend(prefix + name for name in before if name not in names)
        seen.trees[path] = names
        return inner

    def _listed(
        self,
        handle: int,
        path: str,
        lists: tuple[Names, Names, dict[str, None]],
        seen: Seen,
        depth: int,
    ) -> None:
        before, names, inner = lists
        prefix = f"{path}/" if path else ""
        young, budget, changed = self.young_ns, self.budget, seen.changed
        with os.scandir(handle) as entries:
            for entry in entries:
                name = entry.name
                try:
                    facts = entry.stat(follow_symlinks=False)
                except FileNotFoundError:
                    continue
                if budget is not None:
                    budget.take(facts)
                mode = facts.st_mode
                found = (facts.st_ino, facts.st_ctime_ns, facts.st_size, mode)
                if mode & 0o170000 == stat.S_IFDIR:
                    if not self._enters(prefix + name, facts, seen, depth):
                        continue
                    inner[name] = None
                names[name] = found
                if before.get(name) != found or (young is not None and found[1] >= young):
                    changed.append((prefix + name, facts))

    def _enters(self, path: str, facts: os.stat_result, seen: Seen, depth: int) -> bool:
        """Whether a directory is part of the picture at all."""
        if path in self.skip or (not depth and path.startswith(STAGING)):
            return False
        if facts.st_dev != self.device:
            seen.holes.append(Hole(path, _OTHER_DEVICE))
            return False
        if depth >= DEEPEST:
            seen.holes.append(Hole(path, f"it is more than {DEEPEST} directories deep"))
            return False
        return True


def _inner(handle: int, name: str, path: str, seen: Seen) -> int:
    try:
        return os.open(name, DIRECTORY, dir_fd=handle)
    except OSError as error:
        if error.errno not in {errno.ENOENT, errno.ENOTDIR, errno.ELOOP}:
            seen.holes.append(Hole(path, "it cannot be read"))
    return 0


def open_root(path: str) -> int:
    """The root as a descriptor. Its path is free of links, so one that is met now was put there since."""
    parts = [part for part in path.split("/") if part]
    try:
        handle = os.open("/", PASSAGE if parts else DIRECTORY)
        for number, part in enumerate(parts, 1):
            try:
                inner = os.open(part, DIRECTORY if number == len(parts) else PASSAGE, dir_fd=handle)
            finally:
                os.close(handle)
            handle = inner
    except OSError as error:
        raise disk_error(f"Cannot open {shown(path)}", error) from error
    return handle


def open_below(root: int, path: str, flags: int = PASSAGE) -> int:
    """A directory below a root, for the caller to close; each part entered by descriptor.

    Raises FileNotFoundError or another OSError of the part that failed, Refused where a part is on another device.
    """
    handle = os.open(".", PASSAGE if path else flags, dir_fd=root)
    device = os.fstat(root).st_dev
    parts = path.split("/") if path else []
    for number, part in enumerate(parts, 1):
        if part in ("", ".", ".."):
            os.close(handle)
            raise Refused("undo.path", f"{shown(path)} is not a plain path.")
        try:
            inner = os.open(part, flags if number == len(parts) else PASSAGE, dir_fd=handle)
        finally:
            os.close(handle)
        handle = inner
        if os.fstat(handle).st_dev != device:
            os.close(handle)
            raise Refused("undo.device", f"{shown(path)} is on another file system or subvolume.")
    return handle


@contextmanager
def at(root: int, path: str) -> Iterator[tuple[int, str]]:
    """The directory that holds `path` and its name in it; ("", of the root itself, is ".")."""
    above, _, name = path.rpartition("/")
    handle = open_below(root, above)
    try:
        yield handle, name or "."
    finally:
        os.close(handle)


def look(root: int, path: str) -> os.stat_result | None:
    """lstat of a path below a root; None when nothing is there, a part is missing or is not a directory."""
    try:
        with at(root, path) as (handle, name):
            return os.stat(name, dir_fd=handle, follow_symlinks=False)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        if error.errno == errno.ELOOP:
            return None
        raise


def kept_out(root: int, path: str, skip: Collection[str]) -> str:
    """Why a path below a root is in no picture of it; "" when it is, or would be if it were there."""
    if not path:
        return "it is itself the top of what undo protects"
    if path.startswith(STAGING) or any(below(path, top) for top in skip):
        return "it is kept out of undo"
    try:
        facts = look(root, path)
    except Refused:
        return "it is on another file system or subvolume"
    except PermissionError:
        return "it cannot be read"
    if facts is not None and facts.st_dev != os.fstat(root).st_dev:
        return "it is on another file system or subvolume"
    return ""


def bare(facts: os.stat_result, content: str = "", xattrs: Attributes = ()) -> Entry:
    """What lstat alone tells, with what else is known."""
    mode = facts.st_mode
    return Entry(
        mode,
        facts.st_uid,
        facts.st_gid,
        facts.st_size if stat.S_ISREG(mode) else 0,
        facts.st_mtime_ns,
        facts.st_ctime_ns,
        facts.st_ino,
        1 if stat.S_ISDIR(mode) else facts.st_nlink,
        facts.st_rdev,
        "",
        content,
        xattrs,
    )


def entry_of(facts: os.stat_result, handle: int, name: str) -> Entry:
    """The facts of an entry of the directory `handle`, without the content of a file."""
    entry = bare(facts, xattrs=attributes(handle, name))
    if entry.kind is Kind.LINK:
        return replace(entry, target=os.readlink(name, dir_fd=handle))
    if entry.kind is Kind.DEVICE:
        return replace(entry, flaw="it is a device, which undo does not make")
    return entry


def attributes(handle: int, name: str) -> Attributes:
    """Extended attributes with their values, ACLs among them, by lstat rules; nothing is opened."""
    return attributes_of(f"/proc/self/fd/{handle}/{name}", follow=False)


def attributes_of(what: str | int, *, follow: bool = True) -> Attributes:
    """The same of a path or of an open file."""
    try:
        names = os.listxattr(what, follow_symlinks=follow)
    except OSError:
        return ()
    found = []
    for key in sorted(names):
        with suppress(OSError):
            found.append((key, os.getxattr(what, key, follow_symlinks=follow)))
    return tuple(found)


def unreadable(error: OSError) -> str:
    """Why a file has no copy, for a person."""
    words = {
        errno.EACCES: "it cannot be read",
        errno.EPERM: "it cannot be read",
        errno.EIO: "the disk reports an error there",
    }
    if error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EROFS}:
        raise disk_error("Cannot keep a copy", error) from error
    return words.get(error.errno or 0, "it could not be copied")


def no_root(path: str) -> Unavailable:
    """The error of a root that is not what it was."""
    return Unavailable(
        "undo.root",
        f"{shown(path)} is not there or is another directory than before.",
        next_step="Check the configured roots of undo.",
    )

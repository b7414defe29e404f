"""Makes an entry anew under a name of undo's own, and gives attributes to what is there."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from contextlib import AbstractContextManager

from slated.errors import Unavailable
from slated.snapshots import content
from slated.snapshots.entries import Attributes, Entry, Kind, shown

Reading = Callable[[], AbstractContextManager[int]]
_BITS = 0o7777


def make(handle: int, name: str, entry: Entry, reading: Reading) -> list[str]:
    """Make `name` in the directory `handle` be what `entry` was; which of its attributes could not be set.

    A directory is made empty and private: it gets its attributes when it is full.
    """
    if entry.kind is Kind.DIRECTORY:
        os.mkdir(name, 0o700, dir_fd=handle)
        return []
    if entry.kind is Kind.FILE:
        _file(handle, name, entry, reading)
    elif entry.kind is Kind.LINK:
        os.symlink(entry.target, name, dir_fd=handle)
    elif entry.kind is Kind.FIFO:
        os.mkfifo(name, 0o600, dir_fd=handle)
    else:
        os.mknod(name, 0o600 | stat.S_IFSOCK, dir_fd=handle)
    return dress(handle, name, entry)


def _file(handle: int, name: str, entry: Entry, reading: Reading) -> None:
    with reading() as source:
        file = os.open(name, content.CREATE, 0o600, dir_fd=handle)
        try:
            made = content.copy(source, file, entry.size)
        finally:
            os.close(file)
    if made != entry.content:
        raise Unavailable(
            "damaged",
            f"The copy of {shown(name)} is not what was kept.",
            next_step="Plan again without that path (--only).",
        )


def dress(handle: int, name: str, entry: Entry, *, times: bool = True) -> list[str]:
    """Give an entry its owner, attributes, mode and times, by descriptor; which of them could not be given."""
    lost: list[str] = []
    node = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=handle)
    try:
        facts = os.fstat(node)
        if (facts.st_uid, facts.st_gid) != (entry.uid, entry.gid):
            lost += _owner(handle, name, entry)
        # A link's own path: for everything else the descriptor, which no rename can move.
        link = entry.kind is Kind.LINK
        path = f"/proc/self/fd/{handle}/{name}" if link else f"/proc/self/fd/{node}"
        if not link and stat.S_IMODE(facts.st_mode) | 0o600 != stat.S_IMODE(facts.st_mode):
            os.chmod(path, stat.S_IMODE(facts.st_mode) | 0o600)
        lost += _attributes(path, entry.xattrs, follow=not link)
        if not link and stat.S_IMODE(os.fstat(node).st_mode) != entry.mode & _BITS:
            os.chmod(path, entry.mode & _BITS)
        if times:
            _times(path, facts.st_atime_ns, entry.mtime_ns, follow=not link)
    finally:
        os.close(node)
    return lost


def _times(path: str, atime_ns: int, mtime_ns: int, *, follow: bool) -> None:
    os.utime(path, ns=(atime_ns, mtime_ns), follow_symlinks=follow)


def _owner(handle: int, name: str, entry: Entry) -> list[str]:
    try:
        os.chown(name, entry.uid, entry.gid, dir_fd=handle, follow_symlinks=False)
    except PermissionError:
        try:
            os.chown(name, -1, entry.gid, dir_fd=handle, follow_symlinks=False)
        except PermissionError:
            return ["owner and group"]
        facts = os.stat(name, dir_fd=handle, follow_symlinks=False)
        return [] if facts.st_uid == entry.uid else ["owner"]
    return []


def _attributes(path: str, wanted: Attributes, *, follow: bool) -> list[str]:
    try:
        there = set(os.listxattr(path, follow_symlinks=follow))
    except OSError:
        there = set()
    lost = []
    for key in sorted(there - {key for key, _ in wanted}):
        try:
            os.removexattr(path, key, follow_symlinks=follow)
        except OSError:
            lost.append(f"attribute {shown(key)} stays")
    for key, value in wanted:
        try:
            if key in there and os.getxattr(path, key, follow_symlinks=follow) == value:
                continue
            os.setxattr(path, key, value, follow_symlinks=follow)
        except OSError:
            lost.append(f"attribute {shown(key)}")
    return lost

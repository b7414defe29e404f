"""Makes an entry anew under a name of undo's own, and gives attributes to what is there."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from contextlib import AbstractContextManager

from slated.errors import Stale, Unavailable
from slated.snapshots import content
from slated.snapshots.entries import Attributes, Entry, Kind, shown

Reading = Callable[[], AbstractContextManager[int]]
_BITS = 0o7777
AGAIN = "Look at the preview again."


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


def dress(
    handle: int, name: str, entry: Entry, *, fits: Callable[[os.stat_result], bool] | None = None
) -> list[str]:
    """Give an entry its owner, attributes, mode and times, by descriptor; which of them could not be given.

    Nothing is done to what does not fit: then Stale is raised.
    """
    lost: list[str] = []
    node = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=handle)
    try:
        facts = os.fstat(node)
        if fits and not fits(facts):
            raise Stale(
                "undo.changed", f"{shown(name)} changed while undo was at work.", next_step=AGAIN
            )
        # A link's own path: for everything else the descriptor, which no rename can move.
        link = entry.kind is Kind.LINK
        path = f"/proc/self/fd/{handle}/{name}" if link else f"/proc/self/fd/{node}"
        mode = entry.mode & _BITS
        if (facts.st_uid, facts.st_gid) != (entry.uid, entry.gid):
            lost += _owner(path, entry, follow=not link)
            mode = _without_rights_of_others(mode, os.fstat(node), entry, lost)
        if not link and stat.S_IMODE(facts.st_mode) | 0o600 != stat.S_IMODE(facts.st_mode):
            os.chmod(path, stat.S_IMODE(facts.st_mode) | 0o600)
        lost += _attributes(path, entry.xattrs, follow=not link)
        if not link and stat.S_IMODE(os.fstat(node).st_mode) != mode:
            os.chmod(path, mode)
        os.utime(path, ns=(facts.st_atime_ns, entry.mtime_ns), follow_symlinks=not link)
    finally:
        os.close(node)
    return lost


def _owner(path: str, entry: Entry, *, follow: bool) -> list[str]:
    try:
        os.chown(path, entry.uid, entry.gid, follow_symlinks=follow)
    except PermissionError:
        try:
            os.chown(path, -1, entry.gid, follow_symlinks=follow)
        except PermissionError:
            return ["owner and group"]
        facts = os.stat(path, follow_symlinks=follow)
        return [] if facts.st_uid == entry.uid else ["owner"]
    return []


def _without_rights_of_others(
    mode: int, facts: os.stat_result, entry: Entry, lost: list[str]
) -> int:
    """The mode without set-uid and set-gid where the owner could not be given: these would lend rights of another."""
    wrong = stat.S_ISUID * (facts.st_uid != entry.uid) | stat.S_ISGID * (facts.st_gid != entry.gid)
    if mode & wrong:
        lost.append("the set-uid or set-gid bit")
    return mode & ~wrong


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

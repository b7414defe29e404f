"""What lies in staging: whether it still is what an undo took or put there, and how it is cleared away."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Collection

from slated.errors import Refused
from slated.snapshots import content, walk
from slated.snapshots.entries import Entry, Kind, shown


def lies(staging: int, name: str) -> bool:
    """Whether something lies under this name."""
    try:
        os.stat(name, dir_fd=staging, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def is_taken(staging: int, name: str, now: Entry) -> bool:
    """Whether what was taken away under this name is what the plan saw; a directory must be empty."""
    facts = os.stat(name, dir_fd=staging, follow_symlinks=False)
    if facts.st_ino != now.ino or stat.S_IFMT(facts.st_mode) != stat.S_IFMT(now.mode):
        return False
    return _unwritten(staging, name, facts, now)


def is_made(staging: int, name: str, before: Entry) -> bool:
    """Whether what an undo made and put in its place came back here as it was made, written to by nobody."""
    facts = os.stat(name, dir_fd=staging, follow_symlinks=False)
    if not _unwritten(staging, name, facts, before):
        return False
    return before.kind is not Kind.FILE or not content.is_written(staging, name, facts.st_ino)


def _unwritten(staging: int, name: str, facts: os.stat_result, entry: Entry) -> bool:
    if entry.kind is Kind.DIRECTORY:
        return _is_empty(staging, name)
    if entry.kind is Kind.FILE:
        return (facts.st_size, facts.st_mtime_ns) == (entry.size, entry.mtime_ns)
    return True


def _is_empty(staging: int, name: str) -> bool:
    handle = os.open(name, walk.DIRECTORY, dir_fd=staging)
    try:
        return not os.listdir(handle)
    finally:
        os.close(handle)


def discard(staging: int, name: str, now: Entry) -> bool:
    """Remove what was taken away; False when somebody wrote to it meanwhile, or may still do so."""
    if not lies(staging, name):
        return True
    if not is_taken(staging, name, now):
        return False
    if now.kind is Kind.DIRECTORY:
        os.rmdir(name, dir_fd=staging)
    elif now.kind is Kind.FILE and content.is_written(staging, name, now.ino):
        return False
    else:
        os.unlink(name, dir_fd=staging)
    return True


def remove_others(staging: int, kept: Collection[str]) -> None:
    """Remove all but what is kept."""
    # btrfs lists what was there when a directory was opened, so it is opened now.
    fresh = os.open(".", walk.DIRECTORY, dir_fd=staging)
    try:
        for name in os.listdir(fresh):
            if name not in kept:
                remove(staging, name)
    finally:
        os.close(fresh)


def remove_tree(directory: int, name: str) -> None:
    """Remove a tree of undo's own, following nothing."""
    try:
        handle = os.open(name, walk.DIRECTORY, dir_fd=directory)
    except FileNotFoundError:
        return
    except OSError as error:
        if error.errno in {errno.ENOTDIR, errno.ELOOP}:
            raise Refused("undo.staging", f"{shown(name)} is not undo's own.") from error
        raise
    try:
        for inner in os.listdir(handle):
            remove(handle, inner)
    finally:
        os.close(handle)
    os.rmdir(name, dir_fd=directory)


def remove(handle: int, name: str) -> None:
    """Remove an entry of a tree of undo's own with all that is in it."""
    facts = os.stat(name, dir_fd=handle, follow_symlinks=False)
    if not stat.S_ISDIR(facts.st_mode):
        os.unlink(name, dir_fd=handle)
        return
    node = os.open(name, walk.PASSAGE, dir_fd=handle)
    try:
        os.chmod(f"/proc/self/fd/{node}", 0o700)
    finally:
        os.close(node)
    remove_tree(handle, name)

"""Durable files: every write of Slate that must outlive a crash happens here, and so do the locks around it.

A directory is held by descriptor and walked without following links, so a repository that plants a link
cannot move a write out of its place. A file that cannot be read as what it should be is an error that
says so; it is never taken for an empty one.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import secrets
import stat
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from slated.errors import BadRequest, SlateError, Unavailable

PRIVATE_DIR = 0o700
PRIVATE_FILE = 0o600
_TEMPORARY = re.compile(r"\.[^/]+\.\d+\.[0-9a-f]{16}\.tmp\Z")
_DIR_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC

_WORDS = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EROFS: "the file system is read-only",
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
    errno.ELOOP: "it is a symbolic link",
    errno.ENOTDIR: "it is not a directory",
    errno.EISDIR: "it is a directory",
    errno.ENOENT: "it does not exist",
    errno.EIO: "the disk reported an error",
    errno.EMFILE: "too many open files",
    errno.ENAMETOOLONG: "the name is too long",
}


@dataclass(frozen=True, slots=True)
class Signature:
    """Which bytes a name stood for when it was looked at; every durable write changes it."""

    inode: int
    size: int
    mtime_ns: int


def disk_error(what: str, error: OSError) -> Unavailable:
    """The failure of a file operation in our words; `what` is a short noun phrase."""
    why = _WORDS.get(error.errno or 0, f"the system said {errno.errorcode.get(error.errno or 0)}")
    return Unavailable(
        "disk", f"{what}: {why}.", next_step="Check the path, its owner and the space."
    )


def damaged(what: str, why: str, *, next_step: str) -> Unavailable:
    """The error for a file that exists and does not hold what it should."""
    return Unavailable("damaged", f"{what} is damaged: {why}.", next_step=next_step)


@contextmanager
def opened(root: Path, *parts: str, create: bool) -> Iterator[int]:
    """A descriptor of the directory `root/parts…`, each part entered without following links.

    `root` itself must exist. With `create`, missing parts are made 0700 and are durable when this enters.
    Raises Unavailable (`disk`) when a part is a link, not a directory, missing or forbidden.
    """
    handle = open_directory(root, *parts, create=create)
    try:
        yield handle
    finally:
        os.close(handle)


def open_directory(root: Path, *parts: str, create: bool) -> int:
    """The same directory as a descriptor the caller closes."""
    shown = str(root)
    try:
        handle = os.open(root, _DIR_FLAGS)
    except OSError as error:
        raise disk_error(f"Cannot open {shown}", error) from error
    for part in parts:
        shown = f"{shown}/{part}"
        try:
            inner = _enter(handle, part, create)
        except OSError as error:
            raise disk_error(f"Cannot open {shown}", error) from error
        finally:
            os.close(handle)
        handle = inner
    return handle


def _enter(handle: int, part: str, create: bool) -> int:
    if part in ("", ".", "..") or "/" in part:
        raise BadRequest("name", "A directory part must be one plain name.")
    flags = _DIR_FLAGS | os.O_NOFOLLOW
    if create:
        with suppress(FileNotFoundError):
            return os.open(part, flags, dir_fd=handle)
        with suppress(FileExistsError):
            os.mkdir(part, PRIVATE_DIR, dir_fd=handle)
            os.fsync(handle)
    return os.open(part, flags, dir_fd=handle)


def child(handle: int, part: str) -> int:
    """A descriptor, for the caller to close, of the directory `part` in another one; made 0700 if missing."""
    try:
        return _enter(handle, part, create=True)
    except OSError as error:
        raise disk_error(f"Cannot open {part}", error) from error


def signature(directory: int, name: str) -> Signature | None:
    """What `name` stands for now, or None when there is no such file."""
    try:
        facts = os.stat(name, dir_fd=directory, follow_symlinks=False)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise disk_error(f"Cannot look at {name}", error) from error
    return Signature(facts.st_ino, facts.st_size, facts.st_mtime_ns)


def read_file(directory: int, name: str, *, limit: int, head: bool = False) -> bytes | None:
    """The bytes of a regular file (with `head` the first `limit` ones), or None when there is none.

    Raises Unavailable (`damaged`) for a link, a pipe or anything above `limit` bytes: none of them is ours.
    """
    try:
        handle = os.open(
            name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=directory
        )
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise damaged(name, "it is a symbolic link", next_step=f"Remove {name}.") from error
        raise disk_error(f"Cannot read {name}", error) from error
    try:
        facts = os.fstat(handle)
        if not stat.S_ISREG(facts.st_mode):
            raise damaged(name, "it is not a regular file", next_step=f"Remove {name}.")
        if facts.st_size > limit and not head:
            raise damaged(name, f"it is larger than {limit} bytes", next_step=f"Move {name} aside.")
        with open(handle, "rb", closefd=False) as file:
            return file.read(limit if head else facts.st_size + 1)
    except OSError as error:
        if isinstance(error, SlateError):
            raise
        raise disk_error(f"Cannot read {name}", error) from error
    finally:
        os.close(handle)


def replace_file(directory: int, name: str, data: bytes, *, mode: int = PRIVATE_FILE) -> Signature:
    """Make `name` hold exactly `data`: after a crash it holds the old bytes or the new ones, never a mix."""
    made_as, made = temporary(directory, name, data, mode=mode)
    try:
        os.rename(made_as, name, src_dir_fd=directory, dst_dir_fd=directory)
        os.fsync(directory)
    except OSError as error:
        unlinked(directory, made_as)
        raise disk_error(f"Cannot write {name}", error) from error
    return made


def create_file(directory: int, name: str, data: bytes, *, mode: int = PRIVATE_FILE) -> bool:
    """Write `name` once and for all; False, and nothing changed, when it already exists."""
    made_as, _ = temporary(directory, name, data, mode=mode)
    try:
        os.link(made_as, name, src_dir_fd=directory, dst_dir_fd=directory, follow_symlinks=False)
        os.fsync(directory)
    except FileExistsError:
        return False
    except OSError as error:
        raise disk_error(f"Cannot write {name}", error) from error
    finally:
        unlinked(directory, made_as)
    return True


def temporary(
    directory: int, name: str, data: bytes, *, mode: int = PRIVATE_FILE
) -> tuple[str, Signature]:
    """The bytes on disk under a temporary name of their own, and what that stands for."""
    made_as = f".{name}.{os.getpid()}.{secrets.token_hex(8)}.tmp"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        handle = os.open(made_as, flags, mode, dir_fd=directory)
    except OSError as error:
        raise disk_error(f"Cannot write {name}", error) from error
    try:
        write_all(handle, data)
        os.fsync(handle)
        facts = os.fstat(handle)
    except OSError as error:
        unlinked(directory, made_as)
        raise disk_error(f"Cannot write {name}", error) from error
    finally:
        os.close(handle)
    return made_as, Signature(facts.st_ino, facts.st_size, facts.st_mtime_ns)


def write_all(handle: int, data: bytes) -> None:
    """All of the bytes, in as many writes as it takes."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(handle, rest) :]


def unlinked(directory: int, name: str) -> None:
    """Take a name away, if it is there and can be."""
    with suppress(OSError):
        os.unlink(name, dir_fd=directory)


def append_line(directory: int, name: str, line: bytes) -> None:
    """Add one line to a file only this lock's holder writes; on disk when this returns.

    `line` has no line end of its own. A half line left by an earlier crash must have been cut by
    `cut_torn_tail` before.
    """
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        handle = os.open(name, flags, PRIVATE_FILE, dir_fd=directory)
        try:
            made = os.fstat(handle).st_size == 0
            write_all(handle, line + b"\n")
            os.fdatasync(handle)
        finally:
            os.close(handle)
        if made:
            os.fsync(directory)
    except OSError as error:
        raise disk_error(f"Cannot write {name}", error) from error


def cut_torn_tail(directory: int, name: str) -> int:
    """Drop bytes after the last line end, which no one was told are stored; how many were dropped."""
    try:
        handle = os.open(name, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=directory)
    except FileNotFoundError:
        return 0
    except OSError as error:
        raise disk_error(f"Cannot repair {name}", error) from error
    try:
        size = os.fstat(handle).st_size
        keep = size
        while keep:
            start = max(0, keep - 65536)
            end = os.pread(handle, keep - start, start).rfind(b"\n")
            if end >= 0:
                keep = start + end + 1
                break
            keep = start
        if keep != size:
            os.ftruncate(handle, keep)
            os.fsync(handle)
        return size - keep
    except OSError as error:
        raise disk_error(f"Cannot repair {name}", error) from error
    finally:
        os.close(handle)


def move_file(directory: int, name: str, to_directory: int, to_name: str) -> None:
    """Rename durably, within one file system."""
    try:
        os.rename(name, to_name, src_dir_fd=directory, dst_dir_fd=to_directory)
        os.fsync(to_directory)
        os.fsync(directory)
    except OSError as error:
        raise disk_error(f"Cannot move {name}", error) from error


def names(directory: int) -> list[str]:
    """The names in a directory, sorted, without the temporary files of writes under way."""
    try:
        return sorted(name for name in os.listdir(directory) if not _TEMPORARY.match(name))
    except OSError as error:
        raise disk_error("Cannot list the directory", error) from error


def sweep_temporaries(directory: int, *, older_than_s: float) -> int:
    """Remove temporary files of writers that were killed; how many."""
    swept = 0
    with suppress(OSError):
        for name in os.listdir(directory):
            if not _TEMPORARY.match(name):
                continue
            with suppress(OSError):
                facts = os.stat(name, dir_fd=directory, follow_symlinks=False)
                if time.time() - facts.st_mtime > older_than_s:
                    os.unlink(name, dir_fd=directory)
                    swept += 1
    return swept


@contextmanager
def locked(
    directory: int,
    name: str,
    *,
    deadline_s: float,
    busy: Callable[[], SlateError] | None = None,
) -> Iterator[None]:
    """Hold the lock file `name`: one holder among all threads and processes, freed by the kernel on death.

    Raises `busy()` (Unavailable `busy` by default) when the lock is not free within `deadline_s`. Blocks its
    thread, so it is called off the event loop.
    """
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        handle = os.open(name, flags, PRIVATE_FILE, dir_fd=directory)
    except OSError as error:
        raise disk_error(f"Cannot open the lock {name}", error) from error
    try:
        if not _acquire(handle, deadline_s):
            raise busy() if busy else _busy(name, deadline_s)
        yield
    finally:
        # Closing frees an flock; an explicit unlock would only add a window.
        os.close(handle)


def _busy(name: str, deadline_s: float) -> Unavailable:
    return Unavailable(
        "busy",
        f"The lock {name} was not free within {deadline_s:g} s.",
        next_step="Call again; another process is writing.",
    )


def _acquire(handle: int, deadline_s: float) -> bool:
    with suppress(BlockingIOError):
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    if deadline_s <= 0:
        return False
    wait = _Wait(os.dup(handle))
    threading.Thread(target=wait.run, name="slate-lock", daemon=True).start()
    return wait.got(deadline_s)


class _Wait:
    """A place in the kernel's queue for a lock, which is fair, where asking again and again is not.

    The descriptor shares its lock with the one it was made of; given up, it frees what it gets too late.
    """

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self._done = threading.Event()
        self._turn = threading.Lock()
        self._held = False
        self._given_up = False

    def run(self) -> None:
        """On a thread of its own: wait for the lock, however long it takes."""
        with suppress(OSError):
            fcntl.flock(self._handle, fcntl.LOCK_EX)
            with self._turn:
                self._held = not self._given_up
                if self._given_up:
                    fcntl.flock(self._handle, fcntl.LOCK_UN)
        os.close(self._handle)
        self._done.set()

    def got(self, deadline_s: float) -> bool:
        """Whether the lock came within the deadline; afterwards it never does."""
        self._done.wait(deadline_s)
        with self._turn:
            self._given_up = True
            return self._held

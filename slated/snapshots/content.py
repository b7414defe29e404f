"""The bytes of files: read steadily, named by their hash, copied with reflink where the file system can, holes kept."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import signal
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress

FICLONE = 0x40049409
"""Linux, include/uapi/linux/fs.h: make one file share all blocks of another."""
PIECE = 1 << 20
READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
CREATE = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_NO_CLONE = {
    errno.EOPNOTSUPP, errno.ENOTTY, errno.EXDEV, errno.EINVAL, errno.ENOSYS, errno.EPERM, errno.ETXTBSY,
}  # fmt: skip


def open_file(handle: int, name: str) -> int:
    """A file for reading; where we may (its owner may) without a trace in its atime."""
    try:
        return os.open(name, READ | os.O_NOATIME, dir_fd=handle)
    except PermissionError:
        return os.open(name, READ, dir_fd=handle)


@contextmanager
def reading(handle: int, name: str, inode: int) -> Iterator[int]:
    """A file opened for reading, if it still is the regular file with this inode; FileNotFoundError if not."""
    file = open_file(handle, name)
    try:
        facts = os.fstat(file)
        if facts.st_ino != inode or not stat.S_ISREG(facts.st_mode):
            raise FileNotFoundError(errno.ENOENT, "replaced while it was opened")
        yield file
    finally:
        os.close(file)


def is_written(handle: int, name: str, inode: int) -> bool:
    """Whether a program has a file open for writing, by a descriptor or a map; False where the kernel does not tell.

    The kernel gives a lease for reading to the owner of a file that nobody has open for writing, and to no other.
    """
    try:
        with reading(handle, name, inode) as file:
            # Whoever opens it meanwhile waits for us, and tells us so: by default with a deadly signal.
            fcntl.fcntl(file, fcntl.F_SETSIG, signal.SIGURG)
            fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)
            fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    except OSError as error:
        return error.errno == errno.EAGAIN
    return False


def pieces(file: int, size: int) -> Iterator[tuple[int, bytes]]:
    """The bytes of a file with their offsets, holes left out; at most `size` bytes far."""
    at = 0
    while at < size:
        try:
            start = os.lseek(file, at, os.SEEK_DATA)
            end = min(os.lseek(file, start, os.SEEK_HOLE), size)
        except OSError as error:
            if error.errno == errno.ENXIO:
                return
            start, end = at, size
        at = start
        while at < end:
            data = os.pread(file, min(PIECE, end - at), at)
            if not data:
                return
            yield at, data
            at += len(data)
        at = max(at, end)


class Digest:
    """The name of a file's bytes: the same for the same bytes, wherever its holes are.

    The hash of the bytes; of files of a PIECE and more the hash of their pieces' hashes, so that holes cost nothing.
    """

    _ZEROS = bytes(PIECE)
    _EMPTY_PIECE = hashlib.sha256(_ZEROS).digest()

    def __init__(self) -> None:
        self._pieces = hashlib.sha256()
        self._piece = hashlib.sha256()
        self._at = 0

    def add(self, offset: int, data: bytes) -> None:
        self._fill(offset)
        rest = memoryview(data)
        while rest:
            some = rest[: PIECE - self._at % PIECE]
            self._piece.update(some)
            rest = rest[len(some) :]
            self._go_on(len(some))

    def _fill(self, until: int) -> None:
        while self._at < until:
            gap = min(PIECE - self._at % PIECE, until - self._at)
            if gap == PIECE:
                self._pieces.update(self._EMPTY_PIECE)
                self._at += PIECE
                continue
            self._piece.update(self._ZEROS[:gap])
            self._go_on(gap)

    def _go_on(self, count: int) -> None:
        self._at += count
        if self._at % PIECE == 0:
            self._end_piece()

    def _end_piece(self) -> None:
        self._pieces.update(self._piece.digest())
        self._piece = hashlib.sha256()

    def name(self, size: int) -> str:
        self._fill(size)
        if size < PIECE:
            return self._piece.hexdigest()
        if size % PIECE:
            self._end_piece()
        return f"{self._pieces.hexdigest()}p"


def small_name(data: bytes) -> str:
    """The name of less than a PIECE of bytes."""
    return hashlib.sha256(data).hexdigest()


def digest(file: int, size: int) -> str:
    """The name of the bytes of an open file."""
    made = Digest()
    for offset, data in pieces(file, size):
        made.add(offset, data)
    return made.name(size)


def write_at(file: int, data: bytes, offset: int) -> None:
    rest = memoryview(data)
    while rest:
        done = os.pwrite(file, rest, offset)
        offset += done
        rest = rest[done:]


def clone(source: int, target: int) -> bool:
    """Share all blocks; False when this file system cannot."""
    try:
        fcntl.ioctl(target, FICLONE, source)
    except OSError as error:
        if error.errno in _NO_CLONE:
            return False
        raise
    return True


def copy(source: int, target: int, size: int, *, share: bool = True) -> str:
    """Make the empty file `target` hold the first `size` bytes of `source`; the name of the bytes it now holds."""
    if share and size and clone(source, target):
        os.ftruncate(target, size)
        return digest(target, size)
    made = Digest()
    for offset, data in pieces(source, size):
        write_at(target, data, offset)
        made.add(offset, data)
    os.ftruncate(target, size)
    return made.name(size)


def drop(handle: int, name: str) -> None:
    """Remove a file of ours if it is there."""
    with suppress(FileNotFoundError):
        os.unlink(name, dir_fd=handle)

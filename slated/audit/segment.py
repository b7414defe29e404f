"""One open file of the log: bytes go to its end or not at all; what a failed flush left in doubt is written again."""

from __future__ import annotations

import errno
import os
import threading
from contextlib import suppress

from slated.errors import Unavailable
from slated.files import PRIVATE_FILE, disk_error


class Segment:
    """A file that only this process appends to. `write` and `sync` may be called from different threads."""

    def __init__(self, directory: int, name: str, *, create: bool) -> None:
        """Opens `name` in the directory held by descriptor; with `create` it must not exist."""
        flags = os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_APPEND
        try:
            self._handle = os.open(
                name,
                flags | (os.O_CREAT | os.O_EXCL if create else 0),
                PRIVATE_FILE,
                dir_fd=directory,
            )
            if create:
                os.fsync(directory)
        except OSError as error:
            raise _unavailable(error) from error
        self.size = os.fstat(self._handle).st_size
        self.synced = self.size if create else 0
        """Bytes that are on disk for sure; nothing is known of what a former process left."""
        self._torn: int | None = None
        self._unsynced = bytearray()
        self._doubt = False
        self._counting = threading.Lock()

    def write(self, line: bytes) -> None:
        """Append a line. When it fails, nothing of it stays. Raises `unavailable.audit`."""
        data = line + b"\n"
        try:
            self._mend()
            self._torn = os.fstat(self._handle).st_size
            done = 0
            while done < len(data):
                done += os.write(self._handle, data[done:])
            self._torn = None
        except OSError as error:
            with suppress(OSError):
                self._mend()
            raise _unavailable(error) from error
        with self._counting:
            self.size += len(data)
            self._unsynced += data

    def _mend(self) -> None:
        """Drop what a failed write left. Bytes of somebody else are left alone: `verify` shows them."""
        if self._torn is not None:
            os.ftruncate(self._handle, self._torn)
            self._torn = None

    def sync(self) -> int:
        """Bring what was written until now to disk; how many bytes of the file are there. Raises `unavailable.audit`.

        A kernel that fails a flush once may call the next one good without having written: so it gets the bytes again.
        """
        with self._counting:
            target, pending = self.size, bytes(self._unsynced)
        try:
            if self._doubt:
                self._again(pending, target - len(pending))
            os.fdatasync(self._handle)
        except OSError as error:
            self._doubt = True
            raise _unavailable(error) from error
        self._doubt = False
        with self._counting:
            del self._unsynced[: len(pending)]
            self.synced = target
        return target

    def _again(self, data: bytes, at: int) -> None:
        """Write bytes over themselves. Through a descriptor of its own: with O_APPEND a place is not heeded."""
        handle = os.open(f"/proc/self/fd/{self._handle}", os.O_WRONLY | os.O_CLOEXEC)
        try:
            while data:
                done = os.pwrite(handle, data, at)
                data, at = data[done:], at + done
        finally:
            os.close(handle)

    def close(self) -> None:
        """Flush what can be flushed and let go."""
        with suppress(Unavailable):
            self.sync()
        os.close(self._handle)


def _unavailable(error: OSError) -> Unavailable:
    said = disk_error("The audit log cannot be written", error)
    why = "the disk is full" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "see its directory"
    return Unavailable(
        "audit",
        f"nothing was done: {said.message[0].lower()}{said.message[1:]}",
        next_step=f"only looking works until it can be written again: {why}",
    )

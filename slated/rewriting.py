"""One file written durably again and again: each new version goes into the blocks of the version before the last."""

from __future__ import annotations

import os
import stat
from contextlib import suppress

from slated import files, syscalls


class Rewriting:
    """The writes of one name, by a caller that holds its lock.

    As with `files.replace_file` the name holds the old bytes or the new ones, whatever happens. The version that goes
    is kept under a temporary name and written next, which spares the file system finding and freeing blocks. It is
    kept only while this object is the sole writer and knows that the exchange of both names is on disk.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._made: files.Signature | None = None
        self._spare: tuple[str, int] | None = None

    def write(self, directory: int, data: bytes) -> files.Signature:
        """Make the name hold exactly `data`; on disk when this returns. Raises Unavailable (`disk`)."""
        before = files.signature(directory, self._name)
        if before is None or before != self._made:
            self.drop(directory)
            self._made = files.replace_file(directory, self._name, data)
            return self._made
        spare, self._spare = self._spare, None
        try:
            made = _reused(directory, *spare, data) if spare else None
        except OSError as error:
            files.unlinked(directory, spare[0] if spare else "")
            raise files.disk_error(f"Cannot write {self._name}", error) from error
        if spare and made:
            temporary = spare[0]
        else:
            temporary, made = files.temporary(directory, self._name, data)
        if self._exchanged(directory, temporary):
            self._spare = (temporary, before.inode)
        self._made = made
        return made

    def _exchanged(self, directory: int, temporary: str) -> bool:
        """Give the name to the new bytes; whether the old ones are under the temporary name now."""
        kept = False
        try:
            with suppress(OSError):  # a file system that cannot exchange
                syscalls.swap(directory, temporary, directory, self._name)
                kept = True
            if not kept:
                os.rename(temporary, self._name, src_dir_fd=directory, dst_dir_fd=directory)
            os.fsync(directory)
        except OSError as error:
            files.unlinked(directory, temporary)
            raise files.disk_error(f"Cannot write {self._name}", error) from error
        return kept

    def drop(self, directory: int) -> None:
        """Keep no version but the one that the name stands for."""
        if self._spare is not None:
            files.unlinked(directory, self._spare[0])
        self._spare = self._made = None


def _reused(directory: int, name: str, inode: int, data: bytes) -> files.Signature | None:
    """The bytes in the file that was kept, on disk; None, and nothing written, if it is not that file alone now."""
    flags = os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        handle = os.open(name, flags, dir_fd=directory)
    except FileNotFoundError:
        return None
    try:
        facts = os.fstat(handle)
        ours = (facts.st_ino, facts.st_nlink, facts.st_uid) == (inode, 1, os.geteuid())
        if not ours or facts.st_mode != stat.S_IFREG | files.PRIVATE_FILE:
            files.unlinked(directory, name)
            return None
        files.write_all(handle, data)
        if facts.st_size > len(data):
            os.ftruncate(handle, len(data))
        os.fdatasync(handle)
        facts = os.fstat(handle)
        return files.Signature(facts.st_ino, facts.st_size, facts.st_mtime_ns)
    finally:
        os.close(handle)

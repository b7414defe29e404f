"""btrfs by its ioctls, all of which a plain user may use on subvolumes of their own; numbers from linux/btrfs.h."""

from __future__ import annotations

import fcntl
import os
import stat
import struct
from contextlib import suppress
from dataclasses import dataclass

from slated.snapshots import walk

TOP_INODE = 256
_READ_ONLY = 2
_NAME_ARGS = struct.Struct("=q4088s")
_SNAPSHOT_ARGS = struct.Struct("=qQQ32s4040s")
_INFO_SIZE = 504
_INFO = struct.Struct("=Q256sQQQQ16s32xQ24xQI")


def _write(number: int, size: int) -> int:
    return 1 << 30 | size << 16 | 0x94 << 8 | number


def _read(number: int, size: int) -> int:
    return 2 << 30 | size << 16 | 0x94 << 8 | number


_CREATE = _write(14, 4096)
_DESTROY = _write(15, 4096)
_SNAPSHOT = _write(23, 4096)
_GET_FLAGS = _read(25, 8)
_SET_FLAGS = _write(26, 8)
_FILE_SYSTEM = _read(31, 1024)
_SUBVOLUME = _read(60, _INFO_SIZE)


@dataclass(frozen=True, slots=True)
class Info:
    """Which subvolume this is, the transaction that wrote to it last, and when something in it was last changed."""

    uuid: str
    generation: int
    read_only: bool
    changed: str


def info(handle: int) -> Info:
    """Of the subvolume an open directory is in. OSError (ENOTTY) when it is on no btrfs."""
    data = bytearray(_INFO_SIZE)
    fcntl.ioctl(handle, _SUBVOLUME, data)
    _, _, _, _, generation, flags, uuid, transaction, seconds, ns = _INFO.unpack_from(data)
    return Info(uuid.hex(), generation, bool(flags & 1), f"{transaction}:{seconds}.{ns:09}")


def is_top(handle: int) -> bool:
    """Whether an open directory is the top of a btrfs subvolume."""
    if os.fstat(handle).st_ino != TOP_INODE:
        return False
    try:
        info(handle)
    except OSError:
        return False
    return True


def file_system(handle: int) -> bytes | None:
    """The id of the btrfs of an open directory; None when it is on no btrfs."""
    data = bytearray(1024)
    try:
        fcntl.ioctl(handle, _FILE_SYSTEM, data)
    except OSError:
        return None
    return bytes(data[16:32])


def create(handle: int, name: str) -> None:
    """Make an empty subvolume in an open directory."""
    fcntl.ioctl(handle, _CREATE, bytearray(_NAME_ARGS.pack(0, os.fsencode(name))))


def snapshot(source: int, handle: int, name: str) -> None:
    """Make `name` in an open directory a read-only snapshot of the subvolume `source`."""
    raw = _SNAPSHOT_ARGS.pack(source, 0, _READ_ONLY, b"", os.fsencode(name))
    fcntl.ioctl(handle, _SNAPSHOT, bytearray(raw))


def set_read_only(handle: int, *, on: bool) -> None:
    """Let an open subvolume be written to, or no more."""
    flags = bytearray(8)
    fcntl.ioctl(handle, _GET_FLAGS, flags)
    others = int.from_bytes(flags, "little") & ~_READ_ONLY
    fcntl.ioctl(handle, _SET_FLAGS, (others | _READ_ONLY * on).to_bytes(8, "little"))


def remove(handle: int, name: str) -> None:
    """Remove a snapshot, with the rights of its owner: made writable, then dropped, else emptied and removed.

    Dropping at once is only for root or under the mount option user_subvol_rm_allowed.
    """
    inner = os.open(name, walk.DIRECTORY, dir_fd=handle)
    try:
        set_read_only(inner, on=False)
        try:
            fcntl.ioctl(handle, _DESTROY, bytearray(_NAME_ARGS.pack(0, os.fsencode(name))))
            return
        except PermissionError:
            _empty(inner)
    finally:
        os.close(inner)
    os.rmdir(name, dir_fd=handle)


def _empty(handle: int) -> None:
    """Remove everything in a directory, following nothing; deep trees cost a descriptor a level."""
    for name in os.listdir(handle):
        facts = os.stat(name, dir_fd=handle, follow_symlinks=False)
        if not stat.S_ISDIR(facts.st_mode):
            os.unlink(name, dir_fd=handle)
            continue
        with suppress(OSError):
            # An empty directory, and the empty place of a nested subvolume, which cannot be entered to any purpose.
            os.rmdir(name, dir_fd=handle)
            continue
        if facts.st_mode & 0o700 != 0o700:
            os.chmod(f"/proc/self/fd/{handle}/{name}", 0o700)
        inner = os.open(name, walk.DIRECTORY, dir_fd=handle)
        try:
            _empty(inner)
        finally:
            os.close(inner)
        os.rmdir(name, dir_fd=handle)

"""Calls of Linux that Python's os has not: renames that never overwrite, and flushing one file system."""

from __future__ import annotations

import ctypes
import os

_LIBC = ctypes.CDLL(None, use_errno=True)
_NOREPLACE = 1
_EXCHANGE = 2


def swap(from_directory: int, name: str, to_directory: int, to_name: str) -> None:
    """Exchange what two names stand for, at once."""
    _rename(from_directory, name, to_directory, to_name, _EXCHANGE)


def move(from_directory: int, name: str, to_directory: int, to_name: str) -> None:
    """Rename; FileExistsError when the new name is taken."""
    _rename(from_directory, name, to_directory, to_name, _NOREPLACE)


def flush(handle: int) -> None:
    """Put everything written to the file system of this descriptor on disk."""
    _raise(_LIBC.syncfs(handle), "")


def _rename(from_directory: int, name: str, to_directory: int, to_name: str, flags: int) -> None:
    old, new = os.fsencode(name), os.fsencode(to_name)
    _raise(_LIBC.renameat2(from_directory, old, to_directory, new, flags), name)


def _raise(failed: int, name: str) -> None:
    if failed:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), name)

"""Renames that never overwrite."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from slated import syscalls


def test_two_names_are_swapped_and_a_taken_name_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a")
    (tmp_path / "b").mkdir()
    handle = os.open(tmp_path, os.O_RDONLY)
    syscalls.swap(handle, "a", handle, "b")
    assert (tmp_path / "a").is_dir()
    assert (tmp_path / "b").read_text() == "a"
    with pytest.raises(FileExistsError):
        syscalls.move(handle, "b", handle, "a")
    syscalls.move(handle, "b", handle, "c\udcff")
    assert (tmp_path / "c\udcff").read_text() == "a"
    syscalls.flush(handle)
    os.close(handle)
    with pytest.raises(OSError, match="Bad file descriptor"):
        syscalls.flush(handle)

"""The ioctls of btrfs say so on other file systems; what they do there is in tests/btrfs."""

from __future__ import annotations

import os

import pytest

from slated.snapshots import subvolume


def test_another_file_system_is_told_apart() -> None:
    handle = os.open("/proc", os.O_RDONLY)
    try:
        assert subvolume.file_system(handle) is None
        assert not subvolume.is_top(handle)
        with pytest.raises(OSError, match="Inappropriate ioctl"):
            subvolume.info(handle)
        with pytest.raises(OSError, match="Inappropriate ioctl"):
            subvolume.create(handle, "x")
    finally:
        os.close(handle)

"""Where there is no btrfs, snapshots are found unusable and nothing is left behind; the rest is in tests/btrfs."""

from __future__ import annotations

import os
from pathlib import Path

from slated.snapshots import btrfs, subvolume


def test_a_directory_that_is_no_subvolume_is_not_usable(tmp_path: Path) -> None:
    assert not btrfs.usable(str(tmp_path), tmp_path / "place")
    assert not btrfs.usable(str(tmp_path / "none"), tmp_path / "place")


def test_the_place_is_private_and_made_once(tmp_path: Path) -> None:
    place = tmp_path / "place"
    btrfs.make_place(place)
    btrfs.make_place(place)
    handle = os.open(tmp_path, os.O_RDONLY)
    assert place.exists() is bool(subvolume.file_system(handle))
    os.close(handle)

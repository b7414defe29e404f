"""Copies by their hash: once each, checked when read, swept when unwanted."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from slated.errors import Unavailable
from slated.snapshots.blobs import Blobs


def keep(blobs: Blobs, path: Path, data: bytes) -> str:
    path.write_bytes(data)
    file = os.open(path, os.O_RDONLY)
    try:
        return blobs.keep(file, len(data))
    finally:
        os.close(file)


@pytest.mark.parametrize("size", [0, 5, 400_000])
def test_what_is_kept_is_read_back_and_equal_files_cost_once(tmp_path: Path, size: int) -> None:
    blobs = Blobs(tmp_path)
    data = os.urandom(size)
    name = keep(blobs, tmp_path / "a", data)
    assert keep(blobs, tmp_path / "b", data) == name
    blobs.sync()
    with Blobs(tmp_path).reading(name, size) as file:
        assert os.pread(file, size + 1, 0) == data
    files = [p for p in (tmp_path / "copies").rglob("*") if p.is_file()]
    assert len(files) == 1
    assert files[0].stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "copies").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("damage", [b"dat", b"datA", b""])
def test_a_damaged_copy_is_an_error_and_never_given_out(tmp_path: Path, damage: bytes) -> None:
    blobs = Blobs(tmp_path)
    name = keep(blobs, tmp_path / "a", b"data")
    (tmp_path / "copies" / name[:2] / name[2:]).write_bytes(damage)
    with pytest.raises(Unavailable, match="damaged"), blobs.reading(name, 4):
        pass


def test_a_missing_copy_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="missing"), Blobs(tmp_path).reading("ab" * 32, 1):
        pass


def test_r195_one_copy_that_cannot_be_removed_does_not_stop_the_others(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path)
    names = [keep(blobs, tmp_path / "a", bytes([n]) * 5000) for n in range(3)]
    stuck = sorted(names)[1]
    path = tmp_path / "copies" / stuck[:2] / stuck[2:]
    path.unlink()
    path.mkdir()
    swept = blobs.sweep(list)
    assert swept.bytes >= 2 * 4096
    assert len(swept.failed) == 1
    assert stuck[:12] in swept.failed[0]
    left = [p for p in (tmp_path / "copies").rglob("*") if p.is_file()]
    assert not left


def test_wanted_copies_stay(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path)
    name = keep(blobs, tmp_path / "a", b"data")
    assert blobs.sweep(lambda: [name]).bytes == 0
    assert blobs.size() > 0


def test_a_copy_that_was_cut_off_is_swept_at_the_next_start(tmp_path: Path) -> None:
    Blobs(tmp_path).close()
    (tmp_path / "copies/.halfway").write_bytes(b"half")
    Blobs(tmp_path)
    assert not (tmp_path / "copies/.halfway").exists()


def test_a_copy_that_is_asked_for_while_others_are_swept_stays(tmp_path: Path) -> None:
    """Its row is not in the database yet, so nobody but who asked knows that it is wanted."""
    blobs = Blobs(tmp_path)
    name = keep(blobs, tmp_path / "a", b"data")

    def wanted() -> list[str]:
        assert keep(blobs, tmp_path / "a", b"data") == name
        return []

    assert blobs.sweep(wanted).bytes == 0
    with blobs.reading(name, 4):
        pass
    assert blobs.sweep(list).bytes > 0


def test_a_copy_that_a_crash_left_short_is_made_anew(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path)
    name = keep(blobs, tmp_path / "a", b"data")
    (tmp_path / "copies" / name[:2] / name[2:]).write_bytes(b"")
    assert keep(blobs, tmp_path / "a", b"data") == name
    with blobs.reading(name, 4):
        pass

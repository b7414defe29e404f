"""What undo copies still hold of a directory is named, on every kind of picture."""

from __future__ import annotations

from pathlib import Path

from slated.snapshots import btrfs
from slated.snapshots.held import held
from slated.snapshots.retention import Keep
from tests.fakes.undo_bed import Bed, on_btrfs


def test_the_copies_that_hold_a_directory_are_named_with_their_time(bed: Bed) -> None:
    place = bed.home / "state/memory"
    place.mkdir(parents=True)
    (bed.home / "other").mkdir()
    (place / "memory.sqlite").write_bytes(b"zebra-77")
    assert held(bed.place, place) == []
    bed.act("t", lambda: (place / "memory.sqlite").write_bytes(b"okapi-88"))
    found = held(bed.place, place)
    assert len(found) >= 1
    assert all(" from 20" in line and str(bed.home) in line for line in found)
    assert held(bed.place, bed.home / "other") == []
    assert held(bed.place, bed.home.parent / "outside") == []


def test_long_lists_are_cut_and_counted(bed: Bed) -> None:
    place = bed.home / "memory"
    place.mkdir()
    for number in range(25):
        bed.act("t", lambda n=number: (place / "a").write_bytes(b"%d" % n))  # type: ignore[misc]
    found = held(bed.place, place)
    assert len(found) == 21
    assert found[-1].endswith(" more")


def test_without_undo_nothing_is_held(tmp_path: Path) -> None:
    assert held(tmp_path / "undo", tmp_path) == []


def test_a_place_of_its_own_is_in_no_snapshot(bed: Bed) -> None:
    """Where there are no snapshots it is a plain directory."""
    place = bed.home / "memory"
    btrfs.make_place(place)
    place.mkdir(exist_ok=True)
    (place / "memory.sqlite").write_bytes(b"zebra-77")
    bed.act("t", lambda: (bed.home / "b").write_bytes(b"2"))
    assert (held(bed.place, place) == []) == on_btrfs(bed.home)


def test_copies_of_dropped_marks_are_named_as_long_as_they_are_there(bed: Bed) -> None:
    place = bed.home / "memory"
    place.mkdir()
    (place / "a").write_bytes(b"zebra-77")
    for task in ("t", "u"):
        bed.act(task, lambda: (bed.home / "b").write_bytes(b"2"))
    bed.undo.prune(Keep(tasks=1, floor=0))
    assert held(bed.place, place)

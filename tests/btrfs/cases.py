"""What only btrfs has: snapshots and their removal, nested subvolumes, tampering. Run by test_contract.py."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from slated.errors import Unavailable
from slated.snapshots import btrfs, subvolume
from slated.snapshots.btrfs import Snapshots
from slated.snapshots.pictures import Limits
from tests.fakes.undo_bed import Bed, differences, make_home

ROOM = os.environ.get("SLATE_UNDO_ROOM", "")


@pytest.fixture
def bed() -> Iterator[Bed]:
    made = Bed(make_home(Path(tempfile.mkdtemp(dir=ROOM))))
    yield made
    made.undo.close()


def nested(home: Path, name: str) -> Path:
    handle = os.open(home, os.O_RDONLY)
    subvolume.create(handle, name)
    os.close(handle)
    return home / name


def snapshots(bed: Bed) -> list[Path]:
    return sorted((bed.place / "snapshots/1").iterdir(), key=number)


def forgotten(bed: Bed, before: int) -> tuple[str, ...]:
    """Drop the snapshots before a mark; what could not be removed."""
    bed.undo.roots[str(bed.home)].forget(before)
    return bed.undo.roots[str(bed.home)].sweep()


def number(snapshot: Path) -> int:
    """Of its mark."""
    return int(snapshot.name.partition(".")[0])


def test_the_root_is_pictured_by_snapshots_and_undo_s_own_place_is_in_none(bed: Bed) -> None:
    assert isinstance(bed.undo.roots[str(bed.home)], Snapshots)
    bed.act("t", lambda: (bed.home / "f").write_text("one"))
    assert len(snapshots(bed)) == 2
    assert not list((snapshots(bed)[0] / ".slate").iterdir())


def test_a_mark_takes_little_time(bed: Bed) -> None:
    for number in range(200):
        (bed.home / f"f{number}").write_text("x" * 1000)
    times = []
    for _ in range(10):
        start = time.perf_counter()
        call = bed.begin("t")
        times.append(time.perf_counter() - start)
        bed.end(call)
    assert sorted(times)[5] < 0.1


@pytest.mark.promise("undo-stays-inside")
def test_r193_a_nested_subvolume_is_said_to_be_uncovered_and_never_emptied(bed: Bed) -> None:
    project = nested(bed.home, "proj")
    for name in "abc":
        (project / name).write_text("one")
    assert not bed.undo.covers(f"{project}/a").covered
    assert "subvolume" in bed.undo.covers(f"{project}/a").reason

    def deed() -> None:
        (project / "a").write_text("two")
        (bed.home / "f").write_text("new")

    bed.act("t", deed)
    plan = bed.plan()
    assert any("subvolume" in missed.why for missed in plan.unseen)
    bed.undo.apply(plan)
    assert not (bed.home / "f").exists()
    assert [(project / name).read_text() for name in "abc"] == ["two", "one", "one"]


def test_r196_snapshots_are_removed_without_rights(bed: Bed) -> None:
    closed = bed.home / "closed"
    closed.mkdir()
    (closed / "f").write_text("one")
    nested(bed.home, "inner")
    bed.act("t", lambda: (bed.home / "f").write_text("one"))
    closed.chmod(0)
    bed.act("t", lambda: (bed.home / "f").write_text("two"))
    assert len(snapshots(bed)) == 4
    assert forgotten(bed, 4) == ()
    assert [number(path) for path in snapshots(bed)] == [4]
    closed.chmod(0o700)


def test_r195_a_snapshot_that_cannot_be_removed_does_not_stop_the_others(
    bed: Bed, monkeypatch: pytest.MonkeyPatch
) -> None:
    for text in ("one", "two"):
        bed.act("t", partial((bed.home / "f").write_text, text))
    real = subvolume.remove

    def stuck(handle: int, name: str) -> None:
        if name.startswith("2."):
            raise PermissionError(1, "Operation not permitted")
        real(handle, name)

    monkeypatch.setattr(subvolume, "remove", stuck)
    failed = forgotten(bed, 4)
    assert len(failed) == 1
    assert "mark 2" in failed[0]
    assert [number(path) for path in snapshots(bed)] == [2, 4]
    monkeypatch.undo()
    assert forgotten(bed, 4) == ()
    assert [number(path) for path in snapshots(bed)] == [4]


def test_a_snapshot_that_was_changed_is_refused(bed: Bed) -> None:
    (bed.home / "f").write_text("one")
    bed.act("t", lambda: (bed.home / "f").write_text("two"))
    first = snapshots(bed)[0]
    bed.restart()
    subprocess.run(["btrfs", "property", "set", "-f", first, "ro", "false"], check=True, timeout=10)
    (first / "f").write_text("planted")
    with pytest.raises(Unavailable, match="changed since it was taken"):
        bed.plan()
    subprocess.run(["btrfs", "property", "set", "-f", first, "ro", "true"], check=True, timeout=10)
    with pytest.raises(Unavailable, match="changed since it was taken"):
        bed.plan()


def test_a_snapshot_that_was_changed_at_once_and_closed_again_is_refused(bed: Bed) -> None:
    """By so few transactions that the generation alone could be the kernel's own doing."""
    (bed.home / "f").write_text("person")
    os.sync()
    call = bed.begin("t")
    handle = os.open(snapshots(bed)[0], os.O_RDONLY)
    subvolume.set_read_only(handle, on=False)
    (snapshots(bed)[0] / "f").write_text("planted")
    subvolume.set_read_only(handle, on=True)
    os.close(handle)
    (bed.home / "f").write_text("agent")
    bed.end(call)
    with pytest.raises(Unavailable, match="changed since it was taken"):
        bed.plan()


def test_what_the_kernel_does_to_a_new_snapshot_is_no_tampering(bed: Bed) -> None:
    """It drops the files that were unlinked and still open when the snapshot was taken."""
    (bed.home / "f").write_text("person")
    with open(bed.home / "open", "wb") as file:
        file.write(b"x" * 100_000)
        os.fsync(file.fileno())
        (bed.home / "open").unlink()
        call = bed.begin("t")
        (bed.home / "f").write_text("agent")
        bed.end(call)
        os.listdir(snapshots(bed)[0])
        os.sync()
    os.sync()
    bed.restart()
    bed.take_back()
    assert (bed.home / "f").read_text() == "person"


def test_a_file_that_lived_only_between_two_calls_comes_back_for_its_task(bed: Bed) -> None:
    """In neither the first nor the last snapshot: made by one task, deleted by another."""
    (bed.home / "d").mkdir()
    bed.act("t", lambda: (bed.home / "early").write_text("x"))
    bed.act("u", lambda: (bed.home / "d/f").write_text("from u"))
    before = bed.picture()
    bed.act("t", lambda: (bed.home / "d/f").unlink(), prompt=2)
    bed.take_back("t", last=True)
    assert not differences(before, bed.picture())
    bed.redo()
    bed.take_back("t")
    assert (bed.home / "d/f").read_text() == "from u"
    assert not (bed.home / "early").exists()


def test_a_subdirectory_of_a_subvolume_is_covered_by_copies(bed: Bed) -> None:
    inner = bed.home / "inner"
    inner.mkdir()
    place = bed.home / "place"
    assert not btrfs.usable(str(inner), place)
    assert not btrfs.usable("/nowhere", place)
    other = Bed(inner)
    (inner / "f").write_text("one")
    before = other.picture()
    other.act("t", lambda: (inner / "f").write_text("two"))
    other.take_back()
    assert not differences(before, other.picture())
    other.undo.close()


def test_r199_below_the_floor_there_is_no_snapshot_and_removing_works(bed: Bed) -> None:
    bed.act("t", lambda: (bed.home / "f").write_text("one"))
    bed.limits = Limits(floor=1 << 60)
    bed.restart()
    call = bed.begin("t")
    assert len(snapshots(bed)) == 2
    bed.end(call)
    assert forgotten(bed, 100) == ()
    assert snapshots(bed) == []


def test_a_mark_that_was_cut_off_does_not_stand_in_the_way_of_the_next(
    bed: Bed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its snapshot is there, its number is free again."""

    def cut_off(_handle: int) -> subvolume.Info:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(subvolume, "info", cut_off)
    with pytest.raises(Unavailable):
        bed.begin("t")
    monkeypatch.undo()
    bed.act("t", lambda: (bed.home / "f").write_text("one"))
    assert [number(path) for path in snapshots(bed)] == [1, 1, 2]
    bed.take_back()
    assert not (bed.home / "f").exists()
    marks = len(snapshots(bed)) - 1
    assert forgotten(bed, 0) == ()
    assert len(snapshots(bed)) == marks

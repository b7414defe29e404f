"""Walks below a root: by descriptors, through no link, with holes told."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from slated.errors import Refused, Unavailable
from slated.snapshots import walk
from slated.snapshots.walk import Budget, TooLarge, Walk


@pytest.fixture
def root(tmp_path: Path) -> Iterator[int]:
    (tmp_path / "d/e").mkdir(parents=True)
    (tmp_path / "d/f").write_text("one")
    (tmp_path / "link").symlink_to("d")
    handle = walk.open_root(str(tmp_path))
    yield handle
    os.close(handle)


def device(root: int) -> int:
    return os.fstat(root).st_dev


def test_a_second_walk_tells_what_differs(root: int, tmp_path: Path) -> None:
    first = Walk(device(root)).over(root, "", {})
    assert {path for path, _ in first.changed} == {"d", "d/e", "d/f", "link"}
    assert not Walk(device(root)).over(root, "", first.trees).changed
    (tmp_path / "d/f").unlink()
    (tmp_path / "d/g").write_text("new")
    second = Walk(device(root)).over(root, "", first.trees)
    assert {path for path, _ in second.changed} == {"d", "d/g"}
    assert second.gone == ["d/f"]


def test_a_directory_that_is_gone_takes_all_that_was_in_it(root: int, tmp_path: Path) -> None:
    first = Walk(device(root)).over(root, "", {})
    (tmp_path / "d").rename(tmp_path.parent / f"{tmp_path.name}-moved")
    assert sorted(Walk(device(root)).over(root, "", first.trees).gone) == ["d", "d/e", "d/f"]


def test_young_entries_are_told_although_nothing_shows(root: int) -> None:
    first = Walk(device(root)).over(root, "", {})
    young = Walk(device(root), young_ns=0).over(root, "", first.trees)
    assert {path for path, _ in young.changed} == {"d", "d/e", "d/f", "link"}


def test_a_budget_ends_a_walk(root: int) -> None:
    with pytest.raises(TooLarge):
        Walk(device(root), budget=Budget(3, 1 << 30)).over(root, "", {})
    with pytest.raises(TooLarge):
        Walk(device(root), budget=Budget(99, 1)).over(root, "", {})


def test_skipped_and_staging_directories_are_no_part_of_it(root: int, tmp_path: Path) -> None:
    (tmp_path / f"{walk.STAGING}1").mkdir()
    seen = Walk(device(root), skip={"d"}).over(root, "", {})
    assert {path for path, _ in seen.changed} == {"link"}


def test_another_device_is_a_hole(root: int) -> None:
    seen = Walk(device(root) + 1).over(root, "", {})
    assert [hole.path for hole in seen.holes] == ["d"]


def test_too_deep_is_a_hole(tmp_path: Path) -> None:
    handle = os.open(tmp_path, os.O_RDONLY)
    inner = handle
    for _ in range(walk.DEEPEST + 5):
        os.mkdir("d", dir_fd=inner)
        inner = os.open("d", os.O_RDONLY, dir_fd=inner)
    seen = Walk(device(handle)).over(handle, "", {})
    assert len(seen.holes) == 1
    assert "deep" in seen.holes[0].why


def test_nothing_is_opened_through_a_link(root: int) -> None:
    with pytest.raises(OSError, match=r"Not a directory|Too many levels"):
        walk.open_below(root, "link/e")
    assert walk.look(root, "link/f") is None
    facts = walk.look(root, "link")
    assert facts is not None
    assert walk.bare(facts).kind.value == "link"


@pytest.mark.parametrize("path", ["..", "d/../d", "./d", "d//e"])
def test_dots_and_empty_parts_are_refused(root: int, path: str) -> None:
    with pytest.raises(Refused):
        walk.open_below(root, path)


def test_entries_carry_link_targets_and_the_device_flaw(root: int) -> None:
    facts = os.stat("link", dir_fd=root, follow_symlinks=False)
    assert walk.entry_of(facts, root, "link").target == "d"
    dev = os.open("/dev", os.O_RDONLY)
    assert "device" in walk.entry_of(os.stat("/dev/null"), dev, "null").flaw
    os.close(dev)


def test_what_no_picture_holds_is_said(root: int, tmp_path: Path) -> None:
    assert walk.kept_out(root, "", ()) != ""
    assert walk.kept_out(root, "d/x/y", ()) == ""
    assert walk.kept_out(root, "d/f", ("d",)) == "it is kept out of undo"
    proc = walk.open_root("/")
    assert "another file system" in walk.kept_out(proc, "proc/self", ())
    os.close(proc)


def test_a_missing_root_is_unavailable(tmp_path: Path) -> None:
    with pytest.raises(Unavailable):
        walk.open_root(str(tmp_path / "none"))

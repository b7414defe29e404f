"""What lies in staging: told apart from what somebody wrote to meanwhile, and removed without following anything."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from slated.snapshots import parked, walk
from slated.snapshots.entries import Entry


@pytest.fixture
def staging(tmp_path: Path) -> Iterator[int]:
    handle = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    yield handle
    os.close(handle)


def entry(path: Path) -> Entry:
    return walk.bare(path.lstat())


def test_a_file_as_the_plan_saw_it_is_discarded(tmp_path: Path, staging: int) -> None:
    (tmp_path / "0").write_text("agent's")
    assert parked.discard(staging, "0", entry(tmp_path / "0"))
    assert not parked.lies(staging, "0")
    assert parked.discard(staging, "0", entry(tmp_path))


def test_a_file_that_was_written_to_or_is_open_for_it_is_kept(tmp_path: Path, staging: int) -> None:
    (tmp_path / "0").write_text("agent's")
    seen = entry(tmp_path / "0")
    with open(tmp_path / "0", "a") as program:
        assert not parked.discard(staging, "0", seen)
        assert not parked.is_made(staging, "0", seen)
        program.write("more")
    assert not parked.discard(staging, "0", seen)
    assert (tmp_path / "0").read_text() == "agent'smore"


def test_a_directory_is_discarded_only_when_it_is_empty(tmp_path: Path, staging: int) -> None:
    (tmp_path / "0").mkdir()
    seen = entry(tmp_path / "0")
    (tmp_path / "0/letter").write_text("person's")
    assert not parked.discard(staging, "0", seen)
    (tmp_path / "0/letter").unlink()
    assert parked.discard(staging, "0", entry(tmp_path / "0"))


def test_only_undo_s_own_trees_are_removed(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    handle = os.open(tmp_path, os.O_RDONLY)
    parked.remove_tree(handle, "none")
    with pytest.raises(PermissionError):
        parked.remove_tree(handle, "link")
    (tmp_path / "d/e").mkdir(parents=True)
    (tmp_path / "d/e").chmod(0)
    parked.remove_tree(handle, "d")
    assert not (tmp_path / "d").exists()

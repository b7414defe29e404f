"""Entries made anew, and attributes given by descriptor."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from slated.errors import Unavailable
from slated.snapshots import content, staged
from slated.snapshots.entries import Entry


@contextmanager
def data(path: Path) -> Iterator[int]:
    file = os.open(path, os.O_RDONLY)
    yield file
    os.close(file)


def entry(mode: int, **more: object) -> Entry:
    return Entry(mode, os.getuid(), os.getgid(), 0, 7, 0, 0, **more)  # type: ignore[arg-type]  # by the tests below


def test_a_file_that_is_not_what_was_kept_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("data")
    handle = os.open(tmp_path, os.O_RDONLY)
    wanted = Entry(stat.S_IFREG | 0o600, 0, 0, 4, 7, 0, 0, content="other")
    with pytest.raises(Unavailable, match="not what was kept"):
        staged.make(handle, "b", wanted, lambda: data(tmp_path / "a"))


@pytest.mark.parametrize("kind", [stat.S_IFIFO, stat.S_IFSOCK, stat.S_IFLNK, stat.S_IFDIR])
def test_each_kind_is_made_by_type(tmp_path: Path, kind: int) -> None:
    handle = os.open(tmp_path, os.O_RDONLY)
    wanted = entry(kind | (0o777 if kind == stat.S_IFLNK else 0o700), target="nowhere")
    assert staged.make(handle, "x", wanted, lambda: data(tmp_path)) == []
    facts = (tmp_path / "x").lstat()
    assert stat.S_IFMT(facts.st_mode) == kind
    assert facts.st_mtime_ns == 7 or kind == stat.S_IFDIR


def test_r219_an_attribute_that_cannot_be_set_is_named_and_the_rest_is_done(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("data")
    handle = os.open(tmp_path, os.O_RDONLY)
    wanted = entry(stat.S_IFREG | 0o640, xattrs=(("nonsense.x", b"1"),))
    assert staged.dress(handle, "f", wanted) == ["attribute nonsense.x"]
    assert stat.S_IMODE((tmp_path / "f").stat().st_mode) == 0o640


def test_dressing_a_link_does_not_reach_its_target(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("data")
    before = (tmp_path / "f").stat()
    (tmp_path / "l").symlink_to("f")
    handle = os.open(tmp_path, os.O_RDONLY)
    staged.dress(handle, "l", entry(stat.S_IFLNK | 0o777, target="f"))
    assert (tmp_path / "l").lstat().st_mtime_ns == 7
    assert (tmp_path / "f").stat() == before


def test_the_mode_of_a_closed_file_is_given_without_opening_it(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("data")
    (tmp_path / "f").chmod(0)
    handle = os.open(tmp_path, os.O_RDONLY)
    staged.dress(handle, "f", entry(stat.S_IFREG | 0o400))
    assert stat.S_IMODE((tmp_path / "f").stat().st_mode) == 0o400
    assert content.READ & os.O_NONBLOCK

"""Edits of settings files: all or none, backups, links kept, files that changed meanwhile."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from slated.agents import edits
from slated.agents.edits import Edit
from slated.errors import Stale, Unavailable


def test_a_file_is_changed_and_kept_as_it_was_with_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    path.write_text("old")
    path.chmod(0o640)
    done = edits.apply([Edit(path, b"old", b"new", backup=True)])
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert edits.backup_of(path) == b"old"
    assert "before-slate" in done[0]


def test_taken_back_to_the_byte_the_backup_goes_too(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    path.write_text("old")
    edits.apply([Edit(path, b"old", b"new", backup=True)])
    edits.apply([Edit(path, b"new", b"old")])
    assert [one.name for one in tmp_path.iterdir()] == ["s.json"]


def test_a_file_that_was_made_is_removed_again(tmp_path: Path) -> None:
    path = tmp_path / "deep/er/s.json"
    assert edits.apply([Edit(path, None, b"x")]) == [f"made {path}"]
    assert edits.apply([Edit(path, b"x", None)]) == [f"removed {path}"]
    assert not path.exists()


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    real = tmp_path / "dotfiles"
    real.write_text("old")
    link = tmp_path / "s.json"
    link.symlink_to(real)
    edits.apply([Edit(link, b"old", b"new")])
    assert link.is_symlink()
    assert real.read_text() == "new"


def test_what_changed_meanwhile_is_left_alone_and_the_others_are_put_back(tmp_path: Path) -> None:
    one, two = tmp_path / "1", tmp_path / "2"
    one.write_text("a")
    two.write_text("other")
    with pytest.raises(Stale):
        edits.apply([Edit(one, b"a", b"b"), Edit(two, b"b", b"c")])
    assert (one.read_text(), two.read_text()) == ("a", "other")


def test_an_edit_without_a_change_does_nothing(tmp_path: Path) -> None:
    path = tmp_path / "s"
    path.write_text("a")
    before = path.stat()
    assert edits.apply([Edit(path, b"a", b"a")]) == []
    assert path.stat() == before


def test_what_is_no_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "s").mkdir()
    with pytest.raises(Unavailable):
        edits.held(tmp_path / "s")
    assert edits.held(tmp_path / "none/s") is None

"""The database of undo: rows there and back, damage and rollback told."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from slated.errors import Unavailable
from slated.snapshots.entries import Entry
from slated.snapshots.store import NAME, Store, entry_of_row, row_of


def test_an_entry_survives_its_row() -> None:
    entry = Entry(
        stat.S_IFREG | 0o644, 1, 2, 3, 4, 5, (1 << 64) - 2, 2, 7, "a\udcff", "name",
        (("user.x", b"\x00\xff"),), "flaw",
    )  # fmt: skip
    assert entry_of_row(row_of(entry)) == entry


def test_a_root_keeps_its_number(tmp_path: Path) -> None:
    store = Store(tmp_path / "p")
    assert store.root("/a\udcff") == store.root("/a\udcff") != store.root("/b")
    store.close()
    again = Store(tmp_path / "p")
    assert again.root("/a\udcff") == 1
    again.close()


def test_a_failed_transaction_leaves_nothing(tmp_path: Path) -> None:
    store = Store(tmp_path / "p")

    def fails() -> None:
        with store.writing() as db:
            db.execute("INSERT INTO edit VALUES (x'41', 1)")
            raise KeyError

    with pytest.raises(KeyError):
        fails()
    assert store.timeline().edits == []
    store.close()


def test_a_damaged_database_is_an_error_and_not_an_empty_one(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir(0o700)
    (tmp_path / "p" / NAME).write_bytes(b"no database at all, but long enough for a header" * 40)
    with pytest.raises(Unavailable, match="damaged"):
        Store(tmp_path / "p")


def test_a_store_of_a_later_slate_is_left_alone(tmp_path: Path) -> None:
    store = Store(tmp_path / "p")
    store.db.execute("PRAGMA user_version = 9")
    store.close()
    with pytest.raises(Unavailable, match="later Slate"):
        Store(tmp_path / "p")


def test_the_database_is_private(tmp_path: Path) -> None:
    Store(tmp_path / "p").close()
    assert (tmp_path / "p").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "p" / NAME).stat().st_mode & 0o777 == 0o600

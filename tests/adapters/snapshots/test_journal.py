"""Journals: there and back, and damage is an error."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from slated.errors import Unavailable
from slated.snapshots import journal
from slated.snapshots.entries import Entry
from slated.snapshots.journal import Job, Journal, State
from slated.snapshots.plan import Action, Step

FILE = Entry(stat.S_IFREG | 0o644, 1, 1, 3, 4, 5, 6, xattrs=(("user.a", b"\xff"),))
STEP = Step("a\udcff\n", Action.RESTORE, 3, FILE, None, links=("a\udcff\n", "b"))
RECORD = Journal(
    "abc",
    "undo:abc",
    7,
    State.COMMITTING,
    (Job("/r", 1, 2, ".s", (STEP,), (9,), ("h",), {"": 5}, {"d": 6}),),
)


def test_a_journal_is_read_as_it_was_written(tmp_path: Path) -> None:
    journal.write(tmp_path, RECORD)
    assert journal.pending(tmp_path) == [RECORD]
    journal.drop(tmp_path, "abc")
    assert journal.pending(tmp_path) == []


@pytest.mark.parametrize("text", ["", "{", "[]", '{"version": 2}', '{"version": 1}'])
def test_a_damaged_journal_is_an_error(tmp_path: Path, text: str) -> None:
    journal.write(tmp_path, RECORD)
    (tmp_path / "journal/abc.json").write_text(text)
    with pytest.raises(Unavailable, match="damaged"):
        journal.pending(tmp_path)


def test_dropping_a_journal_that_is_gone_is_told(tmp_path: Path) -> None:
    with pytest.raises(Unavailable):
        journal.drop(tmp_path, "none")

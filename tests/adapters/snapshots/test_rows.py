"""What the store keeps of a root: what is known, saved, found again and forgotten."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from slated.snapshots.entries import Entry
from slated.snapshots.rows import NEVER, Rows
from slated.snapshots.store import Store

OLD = 1_000_000_000


def entry(content: str, ctime: int = OLD, nlink: int = 1) -> Entry:
    return Entry(stat.S_IFREG | 0o644, 1, 1, 4, OLD, ctime, 77, nlink, content=content)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = Store(tmp_path / "place")
    yield made
    made.close()


@pytest.fixture
def rows(store: Store) -> Rows:
    return Rows(store, store.root("/home"))


def mark(store: Store, number: int, started: int = OLD * 100) -> None:
    with store.writing() as db:
        db.execute("INSERT INTO mark VALUES (?, ?, ?)", (number, started, started))


@pytest.mark.parametrize("many", [0, 1500])
def test_what_changed_has_a_past_and_what_did_not_has_none(
    store: Store, rows: Rows, many: int
) -> None:
    """Few paths are looked up one by one, many at once."""
    rest = {f"d/{number}": entry("rest") for number in range(many)}
    rows.save(1, {"d/f": entry("one"), "d/g": entry("same"), **rest})
    rows.looked(1, [("d", True)], [])
    rows.save(2, {"d/f": entry("two"), "d/g": entry("same"), "d/new": entry("new"), **rest})
    rows.looked(2, [("d", True)], [])
    found = rows.history(1, 2)
    contents = {
        path: [p.entry.content if p.entry else "" for p in it] for path, it in found.items()
    }
    assert contents == {"d/f": ["one", "two"], "d/new": ["", "new"]}


def test_what_is_known_after_a_start_is_believed_unless_it_was_too_young(
    store: Store, rows: Rows
) -> None:
    """What a pruned mark saw is old, so that nothing is read again only because marks were pruned."""
    mark(store, 2)
    rows.save(1, {"d/old": entry("x")})
    rows.save(2, {"d/kept": entry("x"), "d/young": entry("x", ctime=OLD * 100)})
    known = rows.known()["d"]
    assert [known[name][1] for name in ("old", "kept", "young")] == [OLD, OLD, NEVER]


def test_what_is_forgotten_is_what_no_mark_that_stays_can_ask_for(rows: Rows) -> None:
    rows.save(1, {"f": entry("one"), "g": entry("gone")})
    rows.save(2, {"f": entry("two"), "g": None})
    rows.save(3, {"f": entry("three")})
    rows.forget(3)
    assert rows.contents() == {"three"}
    rows.save(4, {"f": entry("four")})
    rows.forget(4)
    assert rows.contents() == {"four"}


def test_names_of_one_file_are_found_at_the_mark(rows: Rows) -> None:
    rows.save(1, {"a": entry("x", nlink=2), "b": entry("x", nlink=2)})
    rows.save(2, {"b": None, "a": entry("x")})
    assert rows.links(1, entry("x", nlink=2)) == ("a", "b")
    assert rows.links(2, entry("x")) == ()

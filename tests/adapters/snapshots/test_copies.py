"""Copies alone: budgets, what is read again and what is not, forgetting."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from slated.snapshots.blobs import Blobs
from slated.snapshots.copies import Copies
from slated.snapshots.pictures import Limits, Marked, Scope
from slated.snapshots.store import Store

OLD = 1_000_000_000


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    (home / "d").mkdir(parents=True)
    for number in range(5):
        (home / f"d/f{number}").write_text(f"{number}" * 5000)
    return home


def copies(tmp_path: Path, tree: Path, limits: Limits = Limits(floor=0)) -> Copies:  # noqa: B008 frozen
    store = Store(tmp_path / "place")
    return Copies(str(tree), store, Blobs(tmp_path / "place"), skip=("skipped",), limits=limits)


def kept(tmp_path: Path) -> int:
    return sum(1 for path in (tmp_path / "place/copies").rglob("*") if path.is_file())


def test_equal_files_are_copied_once_and_unchanged_ones_not_again(
    tmp_path: Path, tree: Path
) -> None:
    pictures = copies(tmp_path, tree)
    future = os.stat(tree).st_ctime_ns + 10**12  # long after: nothing is young
    assert pictures.take(Marked(1, future), [Scope("", tree=True)]) == ()
    assert kept(tmp_path) == 5
    (tree / "d/f0").write_text("new")
    pictures.take(Marked(2, future), [Scope("", tree=True)])
    assert kept(tmp_path) == 6
    history, _ = pictures.history(1, 2, lambda _n: None)
    assert [point.mark for point in history["d/f0"]] == [1, 2]
    assert "d/f1" not in history or len({p.entry for p in history["d/f1"]}) == 1


@pytest.mark.parametrize("limits", [Limits(entries=4, floor=0), Limits(bytes=9000, floor=0)])
def test_a_tree_above_the_budget_is_not_covered_and_its_named_files_are(
    tmp_path: Path, tree: Path, limits: Limits
) -> None:
    pictures = copies(tmp_path, tree, limits)
    assert "above" in pictures.covers("d")
    missed = pictures.take(Marked(1, OLD), [Scope("d", tree=True), Scope("d/f1")])
    assert [item.path for item in missed] == ["d"]
    assert kept(tmp_path) == 1


def test_skipped_directories_are_never_copied(tmp_path: Path, tree: Path) -> None:
    (tree / "skipped").mkdir()
    (tree / "skipped/secret").write_text("secret")
    pictures = copies(tmp_path, tree)
    pictures.take(Marked(1, OLD), [Scope("", tree=True)])
    assert kept(tmp_path) == 5
    assert (
        pictures.take(Marked(2, OLD), [Scope("skipped/secret")])[0].why == "it is kept out of undo"
    )


def test_forgetting_drops_copies_that_nothing_needs(tmp_path: Path, tree: Path) -> None:
    pictures = copies(tmp_path, tree)
    pictures.take(Marked(1, OLD), [Scope("", tree=True)])
    (tree / "d/f0").write_text("new")
    pictures.take(Marked(2, OLD), [Scope("", tree=True)])
    assert kept(tmp_path) == 6
    pictures.forget(2)
    assert pictures.sweep() == ()
    assert kept(tmp_path) == 5
    pictures.close()


def test_a_file_that_is_written_all_the_time_is_told_and_not_guessed(
    tmp_path: Path, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pictures = copies(tmp_path, tree)
    real = Blobs.keep

    def busy(self: Blobs, file: int, size: int) -> str:
        with open(tree / "d/f0", "a") as more:
            more.write("x")
        return real(self, file, size)

    monkeypatch.setattr(Blobs, "keep", busy)
    pictures.take(Marked(1, OLD), [Scope("d/f0")])
    history, _ = pictures.history(0, 1, lambda _n: None)
    entry = history["d/f0"][0].entry
    assert entry is not None
    assert "being written" in entry.flaw

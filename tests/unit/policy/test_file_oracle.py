"""A short run of the oracle of files: real bash changes and shows nothing that the grader did not know of."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.policy_world import PROJECT, grade
from tests.soak.file_oracle import Bed, Lines, soak, stray

LINES = 150


@pytest.mark.timeout(240)
def test_nothing_that_bash_changes_or_shows_is_missed() -> None:
    tally = soak(LINES, seed=2026)
    assert tally.misses == []
    assert tally.lines == LINES
    assert tally.changed > LINES / 20


def test_the_same_seed_makes_the_same_lines() -> None:
    one, other = Lines(7), Lines(7)
    assert [one.one() for _ in range(20)] == [other.one() for _ in range(20)]


def test_a_change_that_was_not_told_is_seen() -> None:
    graded = grade("cd src && echo x > a")
    assert stray({f"{PROJECT}/src/a"}, graded) == set()
    assert stray({f"{PROJECT}/a"}, graded) == {f"{PROJECT}/a"}


def test_a_secret_that_was_shown_or_copied_is_seen(tmp_path: Path) -> None:
    bed = Bed(tmp_path)
    bed.fresh()
    assert not bed.shown(b"x")
    assert bed.shown((tmp_path / ".ssh/config").read_bytes())
    (tmp_path / "p/copy").write_bytes((tmp_path / ".ssh/config").read_bytes())
    assert bed.shown(b"x")

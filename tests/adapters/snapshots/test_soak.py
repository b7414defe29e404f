"""The soak of undo in its short form; the full one is `make soak-undo`."""

from __future__ import annotations

import pytest

from tests.soak import undo


@pytest.mark.timeout(120)
@pytest.mark.promise("undo-stays-inside")
def test_undo_does_what_an_oracle_says_and_redo_returns() -> None:
    """Three tasks, a person and processes that stay, overlapping in one tree of every kind of entry."""
    assert undo.run(3, 0, ops=150, size=50, first=7)


@pytest.mark.timeout(120)
def test_undo_that_is_killed_at_random_moments_is_finished_or_taken_back() -> None:
    assert undo.run(0, 5, first=50)

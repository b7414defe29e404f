"""A short run of the oracle: no program that real bash starts is missing from what the grader saw."""

from __future__ import annotations

import pytest

from tests.soak.shell_grammar import Grammar
from tests.soak.shell_oracle import fits, soak

LINES = 200


@pytest.mark.timeout(240)
def test_nothing_that_bash_starts_is_missed() -> None:
    tally = soak(LINES, seed=2026)
    assert tally.misses == []
    assert tally.lines == LINES
    assert tally.started > LINES
    assert tally.started_below_confirm > LINES / 10


def test_the_same_seed_makes_the_same_lines() -> None:
    one, other = Grammar(7), Grammar(7)
    assert [one.line() for _ in range(20)] == [other.line() for _ in range(20)]


def test_an_unknown_word_stands_for_any_number_of_words() -> None:
    assert fits(["ls", "a", "b"], ["ls", None])
    assert fits(["ls"], ["ls", None])
    assert not fits(["rm", "a"], ["ls", None])
    assert not fits(["ls", "a"], ["ls"])

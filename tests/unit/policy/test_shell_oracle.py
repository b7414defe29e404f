"""A short run of the oracle: no program that real bash starts is missing from what the grader saw."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.soak.shell_grammar import Grammar
from tests.soak.shell_oracle import CPU_S, Sandbox, fits, soak

LINES = 200


@pytest.mark.timeout(240)
def test_nothing_that_bash_starts_is_missed() -> None:
    tally = soak(LINES, seed=2026)
    assert tally.misses == []
    assert tally.lines == LINES
    assert tally.started > LINES
    assert tally.started_below_confirm > LINES / 10


@pytest.mark.parametrize(
    "line",
    [
        "while :; do :; done & cat",
        "setsid bash -c 'while :; do :; done'",
        "exec 3<&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-; setsid bash -c 'while :; do :; done' & cat",
        "trap '' TERM HUP; until cat; do :; done | while :; do cat </dev/null; done",
    ],
)
def test_no_loop_outlives_its_line(line: str, tmp_path: Path) -> None:
    sandbox = Sandbox(tmp_path)
    sandbox.run(line)
    assert sandbox.working() == []


def test_each_process_of_a_line_has_a_bound_of_its_own(tmp_path: Path) -> None:
    """So that a loop ends even when the oracle is killed in the middle of a line."""
    sandbox = Sandbox(tmp_path)
    sandbox.run("ulimit -H -t >o")
    assert (sandbox.work / "o").read_text().strip() == str(CPU_S)


def test_the_same_seed_makes_the_same_lines() -> None:
    one, other = Grammar(7), Grammar(7)
    assert [one.line() for _ in range(20)] == [other.line() for _ in range(20)]


def test_an_unknown_word_stands_for_any_number_of_words() -> None:
    assert fits(["ls", "a", "b"], ["ls", None])
    assert fits(["ls"], ["ls", None])
    assert not fits(["rm", "a"], ["ls", None])
    assert not fits(["ls", "a"], ["ls"])

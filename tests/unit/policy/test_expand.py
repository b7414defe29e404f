"""Words out of parse trees: what is known stays known, what is not is marked, and whence it comes."""

from __future__ import annotations

import pytest

from slated.policy.expand import Variables
from slated.policy.shell import parse
from slated.policy.words import Word, plain


def word(text: str) -> Word:
    script = parse(f"x {text}", {"HOME": "/h", "SPACED": "a b", "STAR": "*"})
    assert not script.problem, script.problem
    return script.commands[-1].argv[1]


@pytest.mark.parametrize(
    ("text", "value", "splits", "foreign"),
    [("$A", "\0", True, True), ('"$A"', "\0", False, True), ('"a$A/b"', "a\0/b", False, True), ("$(ls)", "\0",
        True, True), ("$HOME/x", "/h/x", False, False),
     ("$SPACED", "\0", True, True), ('"$SPACED"', "a b", False, False), ("$STAR", "\0", True, True),
         ("$((1+2))", "\0", False, False),
     ("$?", "\0", False, False), ('"$@"', "\0", True, True), ("${A:-x}", "\0", True, True), ("${#A}", "\0",
         False, False), ("<(ls)", "\0", False, False)],
)  # fmt: skip
def test_what_is_unknown_is_marked(text: str, value: str, splits: bool, foreign: bool) -> None:
    got = word(text)
    assert (got.text, got.splits, got.foreign) == (value, splits, foreign)
    assert not got.literal


def test_patterns_are_told_from_quoted_stars() -> None:
    assert word("*.py").glob
    assert word("a[bc]").glob
    assert not word("'*.py'").glob
    assert not word("\\*").glob


def test_nothing_is_known_once_any_variable_may_be_set() -> None:
    everything = Variables({"A": "x"}, {"B": plain("y")}, frozenset(), everything=True)
    assert everything.value("A") is None
    assert everything.value("B") is None
    assert everything.foreign("B")

"""Lines of a terminal: nothing is lost and nothing sticks out, wide characters included."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slated.commands.screen import needed, wrapped
from slated.errors import Unavailable


def columns(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(one) in "WF" else 1 for one in text)


@given(st.text(st.sampled_from("ab é漢字🐱 "), max_size=300), st.integers(2, 40))
def test_every_line_fits_and_together_they_are_the_text(text: str, width: int) -> None:
    lines = wrapped(text, width)
    assert "".join(lines) == text
    assert all(columns(line) <= width for line in lines)


def test_lines_break_after_a_space_where_one_is_near() -> None:
    assert wrapped("one two three", 8) == ["one two ", "three"]
    assert wrapped("a " + "b" * 20, 10) == ["a bbbbbbbb", "bbbbbbbbbb", "bb"]
    assert wrapped("", 10) == [""]


def test_without_a_terminal_nothing_is_shown() -> None:
    with pytest.raises(Unavailable):
        needed("review")

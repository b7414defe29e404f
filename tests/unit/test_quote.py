"""Words of the screen as JSON strings."""

from __future__ import annotations

import json
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from slate_desktop.quote import quote


@given(st.text(max_size=200))
def test_a_quoted_text_is_one_line_that_reads_back(text: str) -> None:
    quoted = quote(text, 500)
    assert len(quoted.splitlines()) == 1
    assert json.loads(quoted) == text


@given(st.text(max_size=200))
def test_nothing_hidden_is_left_in_the_open(text: str) -> None:
    assert not [c for c in quote(text, 500) if unicodedata.category(c) in {"Cc", "Cf", "Zl", "Zp"}]


def test_a_title_cannot_forge_a_line() -> None:
    assert quote('x"\nverified: yes') == '"x\\"\\nverified: yes"'


def test_bidi_and_zero_width_marks_are_shown() -> None:
    assert quote("\u202egnp.exe a\u200bb") == '"\\u202egnp.exe a\\u200bb"'


def test_what_is_cut_is_counted() -> None:
    assert quote("abcdef", 4) == '"abcd" +2'


def test_letters_of_any_script_stay_readable() -> None:
    assert quote("é Ω жщ 漢字 🐱") == '"é Ω жщ 漢字 🐱"'

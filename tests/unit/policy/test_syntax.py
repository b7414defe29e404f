"""The byte by byte account: gaps, comments, control characters, sizes, and shapes of expansions."""

from __future__ import annotations

import pytest

from slated.policy.syntax import BARE, EXPANSION, IN_QUOTES, LONGEST, Source, Unresolved, need


@pytest.mark.parametrize(
    "text", ["a\0b", "a\rb", "a\x1b[0m", "a\x7f", "x" * (LONGEST + 1), "(", "a\ud800"]
)
def test_such_a_text_is_not_read_at_all(text: str) -> None:
    with pytest.raises(Unresolved):
        Source(text)


@pytest.mark.parametrize(
    "text",
    [
        "${a}",
        "${1}",
        "${a:-b/c}",
        "${a%.py}",
        "${a##*/}",
        "${a:0:3}",
        "${#a}",
        "${a[0]}",
        "${a[@]}",
        "${a//x/y}",
        "${a^^}",
    ],
)
def test_expansions_that_only_read_a_variable(text: str) -> None:
    assert EXPANSION.fullmatch(text)


@pytest.mark.parametrize(
    "text",
    [
        "${!a}",
        "${a@P}",
        "${a:-$(b)}",
        "${a:-`b`}",
        "${a:='x'}",
        "${a[$b]}",
        "${a:b}",
        "${a:-${b}}",
        "${a/$b/c}",
        "${ b; }",
        "${a:-'b'}",
    ],
)
def test_expansions_that_may_run_something(text: str) -> None:
    assert not EXPANSION.fullmatch(text)


def test_bare_words_hold_no_active_character() -> None:
    for active in " \t\n'\"`$&|;<>()":
        assert not BARE.fullmatch(f"a{active}b"), active
        assert BARE.fullmatch(f"a\\{active}b"), active


def test_quoted_text_holds_no_substitution() -> None:
    assert IN_QUOTES.fullmatch("a $ \\$x \\` é")
    for active in ("$x", "$(x)", "`x`", "${x}", '"', "$["):
        assert not IN_QUOTES.fullmatch(active), active


def test_a_shape_that_does_not_fit_says_what_it_was() -> None:
    with pytest.raises(Unresolved, match="a word"):
        need(BARE, "$", "a word")


def test_gaps_hold_blanks_only() -> None:
    source = Source("a; b")
    with pytest.raises(Unresolved):
        source.check_inline(0, 2)
    with pytest.raises(Unresolved):
        source.check_block(0, 2)
    with pytest.raises(Unresolved):
        source.check_blank(1, 1)


def test_continued_lines_are_joined_where_nothing_can_hold_them() -> None:
    assert Source("r\\\nm x").data == b"rm x"
    assert b"\\\n" in Source("a 'b\\\nc'").data
    assert Source("a \\\\\nb").data == b"a \\\\\nb"

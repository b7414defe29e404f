"""Quotes, escapes and braces, compared with bash itself."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slated.policy.quoting import Piece, ansi, bare, braces, unescaped
from slated.policy.shell import parse
from slated.policy.syntax import Unresolved


def bash_words(text: str) -> list[str]:
    done = subprocess.run(
        ["bash", "--norc", "-c", f"printf '%s\\0' {text}"],
        capture_output=True,
        text=True,
        timeout=5,
        check=True,
        env={},
    )
    return done.stdout.split("\0")[:-1]


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="ab\\'\"{},.-x ", min_size=1, max_size=12))
def test_whatever_we_read_bash_reads_as_well(text: str) -> None:
    script = parse(f"printf '%s\\0' {text}")
    if script.problem or len(script.commands) != 1:
        return
    ours = [word.exact for word in script.commands[0].argv[2:]]
    assert None not in ours
    assert (ours or [""]) == bash_words(text)


def test_ansi_words_are_decoded() -> None:
    assert ansi("$'a\\n\\x41\\101\\u0042\\'\\\\'") == "a\nAAB'\\"
    for odd in ("$'\\x00'", "$'\\xff'", "$'\\q'", "$'\\cA'"):
        with pytest.raises(Unresolved):
            ansi(odd)


def test_escapes_count_only_before_their_specials() -> None:
    assert unescaped('\\a\\"\\$', '"$') == '\\a"$'
    assert [piece.text for piece in bare("a\\ b\\\nc")] == ["a", " ", "b", "c"]


def test_braces_that_hold_more_than_text_are_not_guessed() -> None:
    with pytest.raises(Unresolved):
        braces("x", [Piece("{a,", quoted=False), Piece("b", quoted=True), Piece("}", quoted=False)])
    with pytest.raises(Unresolved):
        braces("x", [Piece("{a,b" + ",c" * 100 + "}", quoted=False)])

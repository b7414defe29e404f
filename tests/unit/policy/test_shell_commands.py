"""Simple commands: redirections, here-documents, assignments, tests."""

from __future__ import annotations

import pytest

from slated.policy.shell import parse
from slated.policy.words import Command, Feed


def command(text: str) -> Command:
    script = parse(text)
    assert not script.problem, script.problem
    return script.commands[-1]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("a >b", [(">", "b")]), ("a 2>>b", [(">>", "b")]), ("a &>b", [("&>", "b")]), ("a 2>&1", [(">&", None)]),
        ("a >&b", [(">&", "b")]), ("a >|b <c", [(">|", "b"), ("<", "c")]),
     (">b a", [(">", "b")]), ("a 3>&-", [(">&-", None)]), (">b", [(">", "b")]), ("a >b c >d", [(">", "b"), (">",
         "d")])],
)  # fmt: skip
def test_redirections_are_read(text: str, wanted: list[tuple[str, str | None]]) -> None:
    assert [
        (r.operator, r.word.text if r.word else None) for r in command(text).redirections
    ] == wanted


def test_words_behind_a_redirection_belong_to_the_command() -> None:
    assert [word.text for word in command("a >b c >d e").argv] == ["a", "c", "e"]


def test_input_is_told_apart() -> None:
    assert command("a").stdin.feed is Feed.INHERITED
    assert command("a <b").stdin.feed is Feed.FILE
    assert command("a <<< b").stdin.feed is Feed.TEXT
    assert command("x | a").stdin.feed is Feed.PIPE
    assert command("a <<E\nb\nE").stdin.feed is Feed.TEXT


def test_a_copied_input_is_some_file_not_a_text() -> None:
    assert command("bash <<< x <&3").stdin.word is None


def test_assignments_keep_every_element_of_an_array() -> None:
    (item,) = command("a=(b $(c))").assignments
    assert [word.text for word in item.values] == ["\0", "b", "\0"]


@pytest.mark.parametrize(
    "text",
    [
        "(a) >b c",
        "a <& $X",
        "a[1]=b",
        "[ -v x ]",
        "[[ a -eq b ]]",
        "a <<E\nb\n E",
        "if a; then b; fi c",
    ],
)
def test_odd_shapes_are_problems(text: str) -> None:
    assert parse(text).problem

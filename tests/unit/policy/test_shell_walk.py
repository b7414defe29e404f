"""Walking the tree: gaps and tokens between statements are accounted for; variables are noted where they are set."""

from __future__ import annotations

import pytest

from slated.policy.shell import STATEMENTS, parse
from slated.policy.shell_walk import Names, Walk, printed
from slated.policy.syntax import Source
from slated.policy.words import Command, Feed, Stdin, plain


def test_what_a_pass_finds_out_about_names() -> None:
    walk = Walk(Source("A=1; B=$(x); B=2; read C; x && D=3"), STATEMENTS, {}, Names())
    walk.run()
    names = walk.names_found()
    assert names.assigned == {"A", "B", "C", "D"}
    assert names.fixed == {"A"}
    assert names.foreign == {"B", "C"}


def test_only_a_lone_cat_of_a_text_prints_something_known() -> None:
    text = Stdin(Feed.TEXT, plain("x\n\n"))
    cat = Command((plain("cat"),), "", stdin=text)
    assert printed([cat]) == "x"
    assert printed([cat, cat]) is None
    assert printed([Command((plain("cat"), plain("y")), "", stdin=text)]) is None
    assert printed([Command((plain("cat"),), "", stdin=text, repeated=True)]) is None
    assert printed([Command((plain("tac"),), "", stdin=text)]) is None


@pytest.mark.parametrize("text", ["ls )", "ls ;; rm", "done", "ls & & rm", "`ls", "((1))", "ls }"])
def test_stray_tokens_are_problems_or_plain_words(text: str) -> None:
    script = parse(text)
    assert script.problem or [word.text for word in script.commands[0].argv] == ["ls", "}"]

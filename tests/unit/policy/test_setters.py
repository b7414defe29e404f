"""Which names a builtin may set: at least those that it sets."""

from __future__ import annotations

import pytest

from slated.policy.setters import names_set_by
from slated.policy.words import UNKNOWN, Word, plain


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("read -r a b", {"a", "b"}), ("printf -v x y", {"x", "y"}), ("printf -vPATH y", {"PATH"}), ("read -aPATH",
        {"PATH"}), ("export A=1 B", {"A", "B"}),
     ("command read a", {"a"}), ("builtin printf -v a b", {"a"}), ("eval x", {"*"}), (". x", {"*"}), ("unset a",
         {"a"}), ("ls a", set())],
)  # fmt: skip
def test_names_are_found(text: str, wanted: set[str]) -> None:
    assert wanted <= {name for name, _ in names_set_by(tuple(plain(word) for word in text.split()))}


def test_a_name_that_is_not_known_may_be_any() -> None:
    unknown = Word("$X", UNKNOWN)
    assert ("*", True) in names_set_by((plain("read"), unknown))
    assert ("*", True) in names_set_by((unknown, plain("a")))


def test_a_plain_program_sets_nothing() -> None:
    assert list(names_set_by((plain("ls"), plain("PATH")))) == []

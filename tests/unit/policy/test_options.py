"""Options and operands: clusters, values, abbreviations, and words that may be either."""

from __future__ import annotations

from slated.policy.options import Syntax, parse
from slated.policy.words import UNKNOWN, Word, plain


def words(text: str) -> list[Word]:
    return [plain(word) for word in text.split()]


def test_clusters_and_values_are_taken_apart() -> None:
    parsed = parse(words("-an5 -n 6 --lines=7 --li 8 a -- -b"), Syntax("n", "lines"))
    assert [(name, value.text if value else None) for name, value in parsed.options] == [
        ("a", None), ("n", "5"), ("n", "6"), ("--lines", "7"), ("--li", "8"),
    ]  # fmt: skip
    assert [word.text for word in parsed.operands] == ["a", "-b"]


def test_abbreviated_names_are_recognised() -> None:
    parsed = parse(words("--out=x"), Syntax())
    assert parsed.has("--output")
    assert not parsed.has("--other")
    assert parsed.outside(["--output"]) is None
    assert parsed.outside(["-o"]) == "--out"


def test_a_word_that_may_be_an_option_is_named() -> None:
    parsed = parse(
        [Word("$X", UNKNOWN), Word("a$X", f"a{UNKNOWN}"), plain("--"), Word("$X", UNKNOWN)],
        Syntax(),
    )
    assert len(parsed.unclear) == 1
    assert len(parsed.operands) == 3


def test_a_wrapper_s_options_end_at_its_command() -> None:
    parsed = parse(words("-k 5 10 rm -rf x"), Syntax("k", stops_at_operand=True))
    assert [word.text for word in parsed.operands] == ["10", "rm", "-rf", "x"]


def test_a_lone_dash_is_an_operand_and_a_missing_value_is_none() -> None:
    parsed = parse(words("- -n"), Syntax("n"))
    assert parsed.operands == [plain("-")]
    assert parsed.options == [("n", None)]

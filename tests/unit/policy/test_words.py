"""What is known about a word."""

from __future__ import annotations

from slated.policy.words import UNKNOWN, Command, Redirection, Word, plain


def test_a_word_is_exact_only_if_nothing_in_it_is_unknown() -> None:
    assert plain("a*").exact == "a*"
    assert Word("a*", "a*", glob=True).exact is None
    assert Word("a$X", f"a{UNKNOWN}").exact is None


def test_the_head_ends_before_the_first_unknown_or_pattern() -> None:
    assert plain("a*b").head == "a*b"
    assert Word("a*b$X", f"a*b{UNKNOWN}", glob=True).head == "a"
    assert Word("ab$X", f"ab{UNKNOWN}").head == "ab"


def test_a_word_may_be_an_option_if_its_start_does_not_say_otherwise() -> None:
    assert plain("-x").may_be_option
    assert Word("$X", UNKNOWN).may_be_option
    assert Word("*", "*", glob=True).may_be_option
    assert not Word("./*", "./*", glob=True).may_be_option


def test_what_is_shown_is_what_was_written_where_it_is_not_known() -> None:
    assert Word("'a b'", "a b").shown == "a b"
    assert Word("$X", UNKNOWN).shown == "$X"


def test_redirections_know_their_direction() -> None:
    assert Redirection(">>", plain("a")).writes
    assert Redirection(">>", plain("a")).appends
    assert not Redirection("<", plain("a")).writes
    assert not Redirection(">&", None).writes


def test_a_command_has_a_name_only_if_it_is_written_out() -> None:
    assert Command((plain("ls"),), "ls").name == "ls"
    assert Command((Word("$X", "ls", literal=False),), "$X").name is None
    assert Command((), ">x").name is None


def test_half_a_character_is_in_no_path_but_a_byte_that_is_no_utf8_is() -> None:
    assert plain("a\ud800b").exact is None
    assert plain("a\udc80b").exact == "a\udc80b"

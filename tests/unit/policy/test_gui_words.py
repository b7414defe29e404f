"""Word lists: every language has its words for the deeds that cannot be taken back."""

from __future__ import annotations

from slated.policy.gui_words import WITHOUT_BLANKS, WORDS


def test_every_language_has_words_and_none_twice() -> None:
    for language, words in WORDS.items():
        assert len(words) >= 10, language
        assert len(set(words)) == len(words), language
        assert all(word == word.casefold() for word in words), language


def test_the_contract_s_words_are_in_the_english_list() -> None:
    assert {"send", "post", "pay", "buy", "delete", "publish", "install", "accept", "sign"} <= set(
        WORDS["en"]
    )


def test_languages_without_blanks_are_known() -> None:
    assert {"zh", "ja", "ko"} <= WITHOUT_BLANKS

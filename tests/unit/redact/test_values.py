"""Single values: random, reference, placeholder, words; and numbers with check digits."""

from __future__ import annotations

import pytest

from slated.redact.values import is_card, is_iban, is_phone, looks_random


@pytest.mark.parametrize(
    "value", ["aB3dE5fG7hIj", "9x@tq!(C/3K", "hunter2hunter2", "s3cr3tPa55", "a1" * 20]
)
def test_random_values_look_random(value: str) -> None:
    assert looks_random(value)


@pytest.mark.parametrize(
    "value",
    [
        "password",
        "your-token-here",
        "$TOKEN",
        "<secret>",
        "None",
        "sha256",
        "a.b.c1",
        "short",
        "12345678",
    ],
)
def test_words_references_and_placeholders_do_not(value: str) -> None:
    assert not looks_random(value)


def test_where_only_a_secret_can_stand_plain_letters_are_one() -> None:
    assert looks_random("QWxhZGRpbjpv", words=False)
    assert not looks_random("<token>", words=False)


def test_check_digits_are_checked() -> None:
    assert is_iban("DE89 3704 0044 0532 0130 00")
    assert not is_iban("DE88 3704 0044 0532 0130 00")
    assert is_card("4111 1111 1111 1111")
    assert not is_card("4111 1111 1111 1112")
    assert is_phone("+49 30 901820")
    assert not is_phone("+49 30")

"""Structured values: the key says what the value is."""

from __future__ import annotations

import random

import pytest

from slated.redact import redact_value
from tests.fakes.secret_shapes import SHAPES

MASK = "[[slate: secret withheld]]"


def test_a_string_under_a_secret_name_is_masked_however_plain() -> None:
    value = {
        "db": {"password": "correct horse", "user": "app", "max_tokens": "12"},
        "dbPassword": "x",
    }
    assert redact_value(value) == {
        "db": {"password": MASK, "user": "app", "max_tokens": "12"},
        "dbPassword": MASK,
    }


def test_r233_a_pair_of_fields_is_a_name_and_its_value() -> None:
    assert redact_value([{"key": "password", "value": "abc"}]) == [
        {"key": "password", "value": MASK}
    ]
    assert redact_value({"name": "colour", "value": "red"}) == {"name": "colour", "value": "red"}


@pytest.mark.parametrize("shape", SHAPES)
def test_secrets_are_found_in_keys_lists_and_strings(shape: str) -> None:
    secret = SHAPES[shape](random.Random(shape))
    assert secret not in str(redact_value({secret: 1, "a": [secret, {"b": (secret,)}]}))


def test_numbers_and_empty_values_stay() -> None:
    value = {"token": 5, "secret": "", "password": None, "x": [1, 2.5, True]}
    assert redact_value(value) == value


def test_endless_nesting_is_an_error_and_no_crash() -> None:
    value: object = "x"
    for _ in range(100):
        value = [value]
    with pytest.raises(ValueError, match="nested"):
        redact_value(value)

"""What may be kept of a call: no secret, no password, no endless text; a digest for the rest."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from slated.audit.scribe import SUMMARY_CHARACTERS, Scribe, key_of
from slated.errors import Unavailable

KEY = b"k" * 32
SECRET = "ghp_" + "a1B2c3D4e5" * 4


def test_a_short_plain_call_is_kept_as_it_is() -> None:
    assert Scribe(KEY).summary({"x": 1, "text": "hallo"}) == {"summary": '{"x":1,"text":"hallo"}'}


@pytest.mark.promise("no-secret-stored")
def test_a_secret_is_kept_neither_in_the_clear_nor_as_a_plain_hash() -> None:
    kept = Scribe(KEY).summary({"command": f"curl -H 'Authorization: Bearer {SECRET}' x"})
    assert SECRET not in str(kept)
    assert kept["digest"].startswith("hmac:")
    other = Scribe(b"j" * 32).summary({"command": f"curl -H 'Authorization: Bearer {SECRET}' x"})
    assert other["digest"] != kept["digest"]


@pytest.mark.promise("no-secret-stored")
def test_nothing_of_a_password_is_kept() -> None:
    kept = Scribe(KEY).summary({"text": "hunter2", "target": "e3"}, withhold=["text", "target"])
    assert kept["summary"] == '{"text":"withheld","target":"withheld"}'


def test_a_long_call_is_cut_and_can_still_be_told_from_another() -> None:
    one = Scribe(KEY).summary({"text": "a" * 5000})
    two = Scribe(KEY).summary({"text": "a" * 4999 + "b"})
    assert len(one["summary"]) == SUMMARY_CHARACTERS + 1
    assert one["digest"] != two["digest"]


def test_a_value_that_is_nested_too_deeply_is_not_kept() -> None:
    deep: object = "x"
    for _ in range(100):
        deep = [deep]
    assert Scribe(KEY).summary({"x": deep})["summary"] == '{"withheld":"nested too deeply"}'


def test_a_text_is_cut_and_says_so() -> None:
    assert Scribe(KEY).text("abcdef", limit=4) == "abcd… (+2)"


def test_the_key_is_made_once_and_a_damaged_one_is_told(tmp_path: Path) -> None:
    handle = os.open(tmp_path, os.O_RDONLY)
    assert key_of(handle) == key_of(handle)
    (tmp_path / "digest-key").write_bytes(b"short")
    with pytest.raises(Unavailable):
        key_of(handle)
    os.close(handle)

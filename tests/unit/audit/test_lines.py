"""Lines of the log: numbers, hashes, names of files, and what is no line."""

from __future__ import annotations

import pytest

from slated.audit.lines import (
    GENESIS,
    Anchor,
    Head,
    anchor_of,
    anchor_record,
    decode,
    digest,
    encode,
    segment_first,
    segment_name,
)


def test_a_line_names_its_number_and_the_line_before_it() -> None:
    first, head = encode({"kind": "a"}, Head())
    second, end = encode({"kind": "b"}, head)
    assert decode(first) == {"n": 1, "prev": GENESIS, "kind": "a"}
    assert decode(second) == {"n": 2, "prev": digest(first), "kind": "b"}
    assert end == Head(2, digest(second))


def test_a_record_with_line_ends_and_bidi_marks_stays_one_line_of_ascii() -> None:
    line, _ = encode({"said": "a\nb\u202ec\ud800"}, Head())
    assert b"\n" not in line
    assert line.isascii()


@pytest.mark.parametrize(
    "line", [b"", b"{", b"[]", b'{"n":1}', b'{"n":"1","prev":""}', b'{"n":true,"prev":""}', b"\xff"]
)
def test_what_is_no_line_is_not_read_as_one(line: bytes) -> None:
    assert decode(line) is None


def test_a_file_is_named_after_its_first_line() -> None:
    assert segment_name(42) == "000000000042.jsonl"
    assert segment_first("000000000042.jsonl") == 42
    assert [
        segment_first(n) for n in ("42.jsonl", "lock", "00000000004x.jsonl", "000000000042")
    ] == ([None] * 4)


def test_an_anchor_survives_the_way_through_json() -> None:
    anchor = Anchor("ab", Head(3, "cd"), "2026-01-01T00:00:00+00:00")
    assert anchor_of(anchor_record(anchor)) == anchor
    assert anchor_of({"log": "ab"}) is None

"""Slates and Seeds as words: round trip, grouping, topics, and refusals without a disk."""

from __future__ import annotations

import json
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slated.errors import BadRequest, Refused
from slated.slate import seeds as words
from slated.slate.seeds import Seed, Slate

AT = "2026-08-21T17:46:48.263Z"
WORDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40)
SEEDS = st.builds(Seed, WORDS, WORDS, st.just(AT), st.sampled_from([None, *words.KINDS]), WORDS)
SLATES = st.builds(
    Slate,
    st.from_regex(r"[A-Za-z0-9_-]{1,128}", fullmatch=True),
    st.none() | WORDS,
    st.dictionaries(WORDS, WORDS | st.lists(st.integers())),
    st.lists(SEEDS, max_size=5).map(tuple),
    st.just(AT),
    st.just("") | WORDS,
    st.none() | st.just(AT),
    st.none() | st.just(AT),
)


@given(SLATES)
def test_what_is_written_is_read_back_equal(slate: Slate) -> None:
    data = words.encoded(slate, words.lines(slate.seeds))
    assert words.decoded(data) == slate
    assert json.loads(data)["externalSessionId"] == slate.id


@given(SLATES, SEEDS)
def test_a_line_more_is_the_same_as_all_lines_again(slate: Slate, seed: Seed) -> None:
    more = words.lines((*slate.seeds, seed))
    assert more == words.SEPARATOR.join(
        filter(None, [words.lines(slate.seeds), words.lines([seed])])
    )


@given(st.binary(max_size=200))
def test_any_other_bytes_are_a_value_error(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"it|one"):
        words.decoded(data)


def test_groups_keep_the_order_kinds_came_in_and_drop_repetitions() -> None:
    made = [
        Seed("1", "a", AT, "risk", "h"),
        Seed("2", "b", AT, None, "h"),
        Seed("3", " a ", AT, "decision", "h"),
        Seed("4", "c", AT, "follow-up", "h"),
    ]
    groups = words.grouped(made)
    assert list(groups) == ["risk", "follow-up"]
    assert [seed.id for seed in groups["follow-up"]] == ["2", "4"]


def test_the_topic_is_the_note_else_the_root_else_the_id() -> None:
    assert words.topic({"note": " fix\nit ", "root": "/r"}, "id") == "fix it"
    assert words.topic({"note": " ", "root": "/r"}, "id") == "/r"
    assert words.topic({"root": 5}, "id") == "id"


def test_a_closing_or_full_slate_takes_no_seed() -> None:
    seed = Seed("1", "a", AT, None, "h")
    for slate in (
        Slate("a", None, {}, (), AT, closing_at=AT),
        Slate("a", None, {}, (), AT, closed_at=AT),
        Slate("a", None, {}, (seed,) * 200, AT),
    ):
        with pytest.raises(Refused):
            slate.with_seed(seed)


def test_checks_refuse_before_anything_is_stored() -> None:
    for bad in (None, 5, "a b"):
        with pytest.raises(BadRequest):
            words.checked_id("slate.open", bad)
    with pytest.raises(BadRequest):
        words.checked_kind("risk ")
    assert words.checked_text("mail a@example.org") == "mail [[slate: email withheld]]"
    assert words.checked_anchors(None) == {}
    assert words.is_id("a")
    assert not words.is_id("a\n")


@pytest.mark.parametrize(
    ("time", "fits"),
    [
        ("2026-08-21T17:46:48.263Z", True),
        ("2024-02-29T00:00:00.000Z", True),
        ("2000-02-29T23:59:59.999Z", True),
        ("2023-02-29T00:00:00.000Z", False),
        ("2100-02-29T00:00:00.000Z", False),
        ("2026-04-31T00:00:00.000Z", False),
        ("2026-13-01T00:00:00.000Z", False),
        ("2026-01-00T00:00:00.000Z", False),
        ("2026-01-01T24:00:00.000Z", False),
        ("2026-01-01T00:60:00.000Z", False),
        ("9999-12-31T23:59:59.999Z", False),
        ("0000-01-01T00:00:00.000Z", False),
    ],
)
def test_a_time_that_is_none_is_damage(time: str, fits: bool) -> None:
    data = words.encoded(Slate("a", None, {}, (), time), b"")
    if fits:
        assert words.decoded(data).last_write_at == time
        datetime.fromisoformat(time)
    else:
        with pytest.raises(ValueError, match="lastWriteAt"):
            words.decoded(data)

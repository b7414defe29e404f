"""The records of what came of a call claim nothing that was not said."""

from __future__ import annotations

import dataclasses

import pytest

from slate_desktop import outcome
from slate_desktop.outcome import Delivery, Evidence, Outcome, Verified

RECORDS = [made for made in vars(outcome).values() if dataclasses.is_dataclass(made)]


def test_an_outcome_that_says_only_what_was_done_verifies_nothing() -> None:
    bare = Outcome("clicked w3")
    assert bare.verified is None
    assert not bare.is_error
    assert (bare.picture, bare.windows, bare.opened, dict(bare.facts)) == (None, (), (), {})


def test_a_delivery_starts_with_nothing_sent() -> None:
    assert (Delivery().sent, Delivery().wanted, Delivery().launch) == (0, 0, None)


def test_evidence_has_no_default_verdict() -> None:
    required = [f.name for f in dataclasses.fields(Evidence) if f.default is dataclasses.MISSING]
    assert required == ["verified", "because"]


def test_the_verdicts_are_the_three_words_of_the_replies() -> None:
    assert [str(word) for word in Verified] == ["yes", "no", "unknown"]


@pytest.mark.parametrize("record", RECORDS)
def test_a_record_cannot_be_changed_after_it_was_given(record: type) -> None:
    assert record.__dataclass_params__.frozen  # type: ignore[attr-defined]  # typeshed hides it
    assert "__slots__" in vars(record)

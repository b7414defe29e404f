"""Tables of programs that are questions: no name is in two, and each has a reason."""

from __future__ import annotations

from slated.policy.programs import HANDLERS
from slated.policy.programs_table import ALWAYS_ASK, OPAQUE
from slated.policy.readers_table import READERS


def test_every_name_has_a_reason() -> None:
    for _, names in ALWAYS_ASK:
        assert all(names.values())
    assert all(OPAQUE.values())


def test_no_reading_program_is_a_question_as_well() -> None:
    asked = {name for _, names in ALWAYS_ASK for name in names} | set(OPAQUE)
    assert not asked & set(READERS)


def test_no_program_that_runs_others_is_taken_for_a_reader() -> None:
    assert not set(HANDLERS) & set(READERS) - {"date", "less", "more"}

"""What there is to know about a sway that can be started."""

from __future__ import annotations

import dataclasses

import pytest

from slate_desktop.headless.program import WANTED, SwayProgram


def test_a_program_is_a_fact_nobody_changes() -> None:
    program = SwayProgram(("sway",), {}, (1, 12), "system")
    assert program.swaymsg == ()
    with pytest.raises(dataclasses.FrozenInstanceError):
        program.version = (1, 13)  # type: ignore[misc]


def test_the_wanted_version_compares_by_number_not_by_text() -> None:
    assert (1, 9) < WANTED <= (1, 12) < (2, 0)

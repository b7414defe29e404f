"""The desktop's own failures."""

from __future__ import annotations

import pytest

from slate_desktop.errors import compositor_gone, person_prompt, window_gone
from slated.errors import SlateError


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (window_gone("w3"), "stale.window_gone"),
        (compositor_gone("it is gone"), "unavailable.compositor"),
        (person_prompt("a lock screen is there"), "unavailable.person_prompt"),
    ],
)
def test_each_failure_has_its_code_and_says_what_to_do_next(error: SlateError, code: str) -> None:
    assert error.code == code
    assert error.next_step
    assert str(error) == error.message

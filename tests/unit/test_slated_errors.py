"""The five kinds of failure."""

from __future__ import annotations

import pytest

from slated.errors import BadRequest, Bug, Refused, SlateError, Stale, Unavailable


@pytest.mark.parametrize(
    ("kind", "prefix", "builtin"),
    [
        (BadRequest, "bad_request", ValueError),
        (Refused, "refused", PermissionError),
        (Stale, "stale", SlateError),
        (Unavailable, "unavailable", OSError),
        (Bug, "bug", SlateError),
    ],
)
def test_a_code_says_whose_fault_it_is(
    kind: type[SlateError], prefix: str, builtin: type[Exception]
) -> None:
    error = kind("reason", "what is so", next_step="what to do")
    assert error.code == f"{prefix}.reason"
    assert isinstance(error, builtin)
    assert (error.message, error.next_step) == ("what is so", "what to do")

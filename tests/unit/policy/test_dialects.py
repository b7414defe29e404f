"""Dialects: a text is read as bash only where its own shell would read it the same way."""

from __future__ import annotations

import pytest

from slated.policy.dialects import dialect_problem


@pytest.mark.parametrize("text", ["ls -la", "a && b 2>&1", 'x=$(y); echo "$x"', "echo x >&2"])
@pytest.mark.parametrize("shell", ["bash", "sh", "dash", "zsh", "ksh"])
def test_plain_lines_mean_the_same_everywhere(shell: str, text: str) -> None:
    assert dialect_problem(shell, text) == ""


@pytest.mark.parametrize(
    ("shell", "text"),
    [
        ("sh", "echo $'x'"),
        ("dash", "[[ a ]]"),
        ("sh", "ls &> x"),
        ("sh", "cat <(ls)"),
        ("zsh", "[ $a -eq 1 ]"),
        ("fish", "ls"),
        ("tcsh", "ls"),
    ],
)
def test_a_form_that_differs_is_a_problem(shell: str, text: str) -> None:
    assert dialect_problem(shell, text)

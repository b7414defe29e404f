"""The shape of policy.toml: every field is optional and described, and what would trust everything is refused."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from slated.policy.rules_schema import Network, Paths, PolicyFile, Trust, Windows


def test_every_section_can_be_left_out() -> None:
    assert PolicyFile.model_validate({}) == PolicyFile()


def test_every_setting_is_described() -> None:
    for section in (Paths, Windows, Network, Trust):
        assert all(field.description for field in section.model_fields.values()), section


@pytest.mark.parametrize(
    "program",
    ["bash", "python", "python3 -c", "node -e", "sudo", "/usr/bin/env", "*", "sh -c", "eval"],
)
def test_trust_in_any_code_is_refused(program: str) -> None:
    with pytest.raises(ValidationError, match="any code"):
        Trust(project="~/a", programs=(program,))


@pytest.mark.parametrize(
    "program",
    [
        "pytest",
        "python -m pytest",
        "python manage.py",
        "npm run test",
        "make",
        "bash build.sh",
        "env FOO=1 make",
    ],
)
def test_trust_in_something_named_is_taken(program: str) -> None:
    assert Trust(project="~/a", programs=(program,)).programs == (program,)

"""find: where it looks, what its actions do, and words that may turn out to be actions."""

from __future__ import annotations

import pytest

from slated.model import Tier
from tests.fakes.policy_world import grade


@pytest.mark.parametrize(
    ("command", "tier"),
    [
        ("find", Tier.OBSERVE),
        ("find . -type f ! -name '*.x' -o -newer a -print0", Tier.OBSERVE),
        ("find / -perm -4000", Tier.OBSERVE),
        ("find . -exec grep x {} +", Tier.OBSERVE),
        ("find . -exec ls {} \\;", Tier.OBSERVE),
        ("find . -delete", Tier.REVERSIBLE),
        ("find src lib -name '*.o' -exec rm {} +", Tier.REVERSIBLE),
        ("find . -fprint o", Tier.REVERSIBLE),
        ("find .. -delete", Tier.CONFIRM),
        ("find . ../x -delete", Tier.CONFIRM),
        ("find -L . -delete", Tier.CONFIRM),
        ("find . -follow -exec rm {} +", Tier.CONFIRM),
        ("find . -exec {} \\;", Tier.CONFIRM),
        ("find . -exec ./x {} +", Tier.CONFIRM),
        ("find . -exec rm {}", Tier.CONFIRM),
        ("find . -exec rm a{} +", Tier.CONFIRM),
        ("find . -exec sudo rm {} +", Tier.CONFIRM),
        ("find . -exec sh -c 'rm \"$1\"' _ {} +", Tier.CONFIRM),
        ("find . -ok rm /x \\;", Tier.CONFIRM),
        ("find . -fprint /x", Tier.CONFIRM),
        ("find . -name -delete", Tier.CONFIRM),
        ("find . -frob", Tier.CONFIRM),
        ("find $X -delete", Tier.CONFIRM),
        ("find . $X", Tier.CONFIRM),
        ("find . -exec chmod +x {} +", Tier.CONFIRM),
        ("fd x", Tier.OBSERVE),
        ("fd -x rm", Tier.CONFIRM),
        ("fd --exec-batch rm", Tier.CONFIRM),
        ("fd -HX rm", Tier.CONFIRM),
    ],
)
def test_find_is_graded_by_its_actions(command: str, tier: Tier) -> None:
    got = grade(command)
    assert got.tier is tier, f"{got.rule}: {got.reason}"

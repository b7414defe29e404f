"""Archives: listing and packing inside of reach are quiet, unpacking and options that run programs are not."""

from __future__ import annotations

import pytest

from slated.model import Tier
from tests.fakes.policy_world import grade


@pytest.mark.parametrize(
    ("command", "tier"),
    [
        ("tar tf a.tar", Tier.OBSERVE),
        ("tar -tzf a.tgz", Tier.OBSERVE),
        ("tar czf a.tgz src", Tier.REVERSIBLE),
        ("tar cf - src", Tier.OBSERVE),
        ("tar cf /srv/a.tar src", Tier.CONFIRM),
        ("tar xf a.tar", Tier.CONFIRM),
        ("tar xfC a.tar /", Tier.CONFIRM),
        ("tar cf host:a.tar src", Tier.CONFIRM),
        ("tar cf a.tar src --remove-files", Tier.CONFIRM),
        ("tar cf a.tar -I ./x src", Tier.CONFIRM),
        ("tar cf a.tar --use-comp=./x src", Tier.CONFIRM),
        ("tar cf a.tar $X", Tier.CONFIRM),
        ("tar c ~", Tier.CONFIRM),
        ("tar -C ~ -cf a.tar .ssh", Tier.CONFIRM),
        ("unzip -l a.zip", Tier.OBSERVE),
        ("unzip a.zip", Tier.CONFIRM),
        ("zip -r a.zip src", Tier.REVERSIBLE),
        ("zip -T -TT ./x a.zip src", Tier.CONFIRM),
        ("rsync -a src host:x", Tier.CONFIRM),
        ("rsync -a src dst", Tier.CONFIRM),
    ],
)
def test_an_archive_is_graded_by_what_happens_to_it(command: str, tier: Tier) -> None:
    got = grade(command)
    assert got.tier is tier, f"{got.rule}: {got.reason}"

"""Reading programs: files they read, options that write or run, operands that are no files."""

from __future__ import annotations

import pytest

from slated.model import Tier
from tests.fakes.policy_world import grade


@pytest.mark.parametrize(
    ("command", "tier"),
    [("cat a b", Tier.OBSERVE), ("head -n5 a", Tier.OBSERVE), ("wc -l *.py", Tier.OBSERVE), ("sort -k1,2 -t, a",
        Tier.OBSERVE), ("sort -o a a", Tier.REVERSIBLE),
     ("sort -uo /x a", Tier.CONFIRM), ("sort -T /x a", Tier.CONFIRM), ("grep -rn x", Tier.OBSERVE), ("grep -f"
         " ~/.netrc x", Tier.CONFIRM), ("grep x .env", Tier.CONFIRM),
     ("grep .env a", Tier.OBSERVE), ("grep -e x .env", Tier.CONFIRM), ("rg --pre x y", Tier.CONFIRM), ("rg x ~",
         Tier.CONFIRM), ("uniq a b", Tier.REVERSIBLE),
     ("uniq a /x", Tier.CONFIRM), ("xxd a b", Tier.REVERSIBLE), ("diff -r a b", Tier.OBSERVE), ("diff -r ~ b",
         Tier.CONFIRM), ("tree -o x", Tier.REVERSIBLE),
     ("file -C -m x", Tier.CONFIRM), ("hostname", Tier.OBSERVE), ("hostname x", Tier.CONFIRM), ("jq -L x . a",
         Tier.CONFIRM), ("wc --files0-from=.env", Tier.CONFIRM),
     ("journalctl -u x", Tier.OBSERVE), ("journalctl --vacuum-size=1", Tier.CONFIRM), ("ls $X", Tier.OBSERVE),
         ("ps aux", Tier.OBSERVE), ("cat $(ls)", Tier.CONFIRM)],
)  # fmt: skip
def test_a_reader_is_graded_by_its_files_and_options(command: str, tier: Tier) -> None:
    got = grade(command)
    assert got.tier is tier, f"{got.rule}: {got.reason}"

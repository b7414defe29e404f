"""git subcommands that read or change by their options."""

from __future__ import annotations

import pytest

from slated.model import Tier
from tests.fakes.policy_world import grade


@pytest.mark.parametrize(
    ("command", "tier"),
    [("git branch", Tier.OBSERVE), ("git branch -a", Tier.OBSERVE), ("git branch x", Tier.REVERSIBLE), ("git"
        " branch -D x", Tier.REVERSIBLE),
     ("git branch -l x -d y", Tier.REVERSIBLE), ("git tag", Tier.OBSERVE), ("git tag v1", Tier.REVERSIBLE),
         ("git tag -v x", Tier.CONFIRM),
     ("git stash", Tier.REVERSIBLE), ("git stash show -p", Tier.OBSERVE), ("git stash push -p", Tier.CONFIRM),
         ("git reset", Tier.REVERSIBLE),
     ("git reset --hard", Tier.CONFIRM), ("git config --list", Tier.OBSERVE), ("git config user.name",
         Tier.OBSERVE), ("git config a b", Tier.CONFIRM),
     ("git config --unset a", Tier.CONFIRM), ("git config set a b", Tier.CONFIRM), ("git config -f x --get a",
         Tier.CONFIRM), ("git config -e", Tier.CONFIRM),
     ("git clean -nd", Tier.OBSERVE), ("git clean -fd", Tier.REVERSIBLE), ("git clean -i", Tier.CONFIRM), ("git"
         " reflog", Tier.OBSERVE),
     ("git reflog expire --all", Tier.CONFIRM), ("git remote -v", Tier.OBSERVE), ("git remote add a b",
         Tier.CONFIRM), ("git apply --check p", Tier.OBSERVE),
     ("git apply p", Tier.CONFIRM), ("git am p", Tier.CONFIRM), ("git hash-object -w x", Tier.CONFIRM), ("git"
         " diff --no-index a ~", Tier.CONFIRM), ("git notes show",
         Tier.OBSERVE), ("git notes prune", Tier.CONFIRM),
     ("git restore .", Tier.REVERSIBLE), ("git restore CLAUDE.md", Tier.CONFIRM), ("git worktree add ../x",
         Tier.CONFIRM), ("git init ../x", Tier.CONFIRM),
     ("git mv a .envrc", Tier.CONFIRM), ("git archive HEAD", Tier.OBSERVE), ("git archive -o x HEAD",
         Tier.CONFIRM), ("git -C /srv/x commit -m a", Tier.CONFIRM)],
)  # fmt: skip
def test_a_subcommand_is_graded_by_its_options(command: str, tier: Tier) -> None:
    got = grade(command)
    assert got.tier is tier, f"{got.rule}: {got.reason}"

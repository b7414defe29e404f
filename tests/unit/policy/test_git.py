"""git: questions that its words alone raise, secrets it would show, and hosts."""

from __future__ import annotations

import pytest

from slated.model import Tier
from slated.policy.git import host_of
from tests.fakes.policy_world import grade


@pytest.mark.parametrize(
    ("command", "rule"),
    [("git push", "git.push"), ("git push --delete x y", "git.push_forced"), ("git push --force-with-lease",
        "git.push_forced"), ("git push o :b", "git.push_forced"),
     ("git fetch", "git.network"), ("git bisect run x", "git.runs"), ("git difftool", "git.runs"), ("git gc",
         "git.not_undone"), ("git update-ref -d x", "git.not_undone"),
     ("git frob", "git.unknown"), ("git diff --outp=x", "git.option"), ("git add -p", "git.option"), ("git log"
         " $X", "option.unclear"),
     ("git show HEAD:keys/id_rsa", "path.secret"), ("git $X", "git.unclear"), ("git --frob status",
         "git.unclear"), ("git -C $X status", "git.unknown_directory")],
)  # fmt: skip
def test_words_that_make_git_a_question(command: str, rule: str) -> None:
    got = grade(command)
    assert (got.tier, got.rule) == (Tier.CONFIRM, rule)


def test_a_message_may_be_anything() -> None:
    assert grade('git commit -m "$MESSAGE"').tier is Tier.REVERSIBLE
    assert grade("git commit -m $MESSAGE").tier is Tier.CONFIRM


def test_only_plain_addresses_have_a_host() -> None:
    assert host_of("https://user@Host.example:1/x") == "host.example"
    assert host_of("ssh://git@h/x") == "h"
    assert host_of("ext::sh -c x") is None
    assert host_of("file:///x") is None

"""File tools: which of their words are read, made, changed and deleted."""

from __future__ import annotations

import pytest

from slated.model import Tier
from tests.fakes.policy_world import PROJECT, grade


@pytest.mark.parametrize(
    ("command", "paths"),
    [
        ("rm -rf a b/c", {"a", "b/c"}),
        ("mkdir -pm 700 a/b", {"a/b"}),
        ("touch -d now a", {"a"}),
        ("cp a b", {"b", "b/a"}),
        ("cp a b/", {"b/a"}),
        ("cp a b c", {"c/a", "c/b"}),
        ("cp -t d a b", {"d/a", "d/b"}),
        ("cp -T a b", {"b"}),
        ("mv a b", {"a", "b", "b/a"}),
        ("ln -s x y", {"y", "y/x"}),
        ("ln -sfn x y/", {"y/x"}),
        ("install -D -m 644 a b/c", {"b/c", "b/c/a"}),
        ("install -d a b", {"a", "b"}),
        ("tee -a a b", {"a", "b"}),
        ("dd if=a of=b bs=1M", {"b"}),
        ("truncate -s 0 a", {"a"}),
        ("chmod -R u+x a b", {"a", "b"}),
        ("chmod -x a", {"a"}),
        ("gzip -k a", {"a"}),
        ("split -b 1M a p", {"paa"}),
        ("rmdir a", {"a"}),
    ],
)
def test_the_paths_a_command_changes_are_known(command: str, paths: set[str]) -> None:
    got = grade(command)
    assert got.tier is Tier.REVERSIBLE, f"{got.rule}: {got.reason}"
    assert set(got.commands[0].paths) == {f"{PROJECT}/{path}" for path in paths}


@pytest.mark.parametrize(
    "command",
    ["rm --frob a", "rmdir -p a/b", "chown x a", "chmod u+s a", "chmod 4755 a", "cp --frob a b", "cp -S /x a b",
        "mv * d", "cp a /srv", "mv /srv/a b", "ln a /srv/b",
     "split --filter=x a", "dd of=a frob=b", "dd of=$X", "install -s a b", "touch --frob a", "tee --frob a", "ln"
     " ~/.ssh/id_rsa k", "mv .env x", "mv pkg .venv", "cp -r x node_modules", "mv hooks .github"],
)  # fmt: skip
def test_odd_options_and_places_outside_are_questions(command: str) -> None:
    assert grade(command).tier is Tier.CONFIRM


def test_copying_to_standard_output_only_reads() -> None:
    assert grade("gzip -dc a.gz").tier is Tier.OBSERVE
    assert grade("dd if=a").tier is Tier.OBSERVE

"""Judging deeds on paths: devices, unknown places, patterns with too many matches, secrets below."""

from __future__ import annotations

import pytest

from slated.model import Tier
from slated.policy.effects import Deed, Touch
from slated.policy.facts import ProtectedRoots
from slated.policy.judge import Finding, PathJudge
from slated.policy.paths import Tables
from slated.policy.words import UNKNOWN, Word, plain
from tests.fakes.policy_world import HOME, PROJECT, facts


class Crowded:
    """Facts of a directory with too many files."""

    def __init__(self) -> None:
        self.known = facts()
        self.program, self.place, self.repository = (
            self.known.program,
            self.known.place,
            self.known.repository,
        )

    def expand(self, pattern: str) -> tuple[str, ...] | None:
        return None


def judge(
    deed: Deed, word: Word, *directories: str | None, recursive: bool = False
) -> list[Finding]:
    judge_ = PathJudge(facts(), ProtectedRoots((PROJECT,)), Tables.of(HOME))
    return list(judge_.judge(Touch(deed, word, recursive), directories or (PROJECT,)))


@pytest.mark.parametrize("path", ["/dev/null", "/dev/stderr", "/dev/fd/3", "/dev/zero"])
def test_what_goes_in_and_out_of_safe_devices_is_quiet_and_their_names_are_not(path: str) -> None:
    for deed in Deed:
        quiet = deed in {Deed.LIST, Deed.READ, Deed.WRITE}
        tier = Tier.OBSERVE if quiet else Tier.CONFIRM
        assert {finding.tier for finding in judge(deed, plain(path))} == {tier}


def test_each_possible_directory_is_judged() -> None:
    found = judge(Deed.WRITE, plain("x"), PROJECT, "/srv", None)
    assert [finding.rule for finding in found] == [
        "reach.write",
        "reach.outside",
        "path.unknown_directory",
    ]


def test_listing_is_quiet_wherever_it_looks() -> None:
    for word in (plain("/root"), Word("$X", UNKNOWN, foreign=True), Word("*", "*", glob=True)):
        assert {finding.tier for finding in judge(Deed.LIST, word, None)} == {Tier.OBSERVE}


def test_an_unknown_rest_below_a_secret_directory_is_a_secret() -> None:
    word = Word("~/.ssh/$X", f"{HOME}/.ssh/{UNKNOWN}")
    assert judge(Deed.READ, word)[0].rule == "path.secret"


def test_reading_a_whole_tree_counts_the_secrets_below() -> None:
    assert judge(Deed.READ, plain(HOME), recursive=True)[0].rule == "path.secret"
    assert judge(Deed.READ, plain("."), recursive=True)[0].tier is Tier.OBSERVE


def test_a_pattern_with_too_many_matches_is_a_question() -> None:
    judge_ = PathJudge(Crowded(), ProtectedRoots((PROJECT,)), Tables.of(HOME))
    (found,) = judge_.judge(Touch(Deed.DELETE, Word("*", "*", glob=True)), (PROJECT,))
    assert found.rule == "path.many"


def test_changing_a_tree_that_holds_what_runs_later_is_a_question() -> None:
    judge_ = PathJudge(facts(), ProtectedRoots(("/",)), Tables.of(HOME))
    (found,) = judge_.judge(Touch(Deed.CHANGE, plain(HOME), recursive=True), (PROJECT,))
    assert found.rule == "path.delayed"

"""The corpora: exact inputs of reported bugs, ordinary commands and how often they ask, and the speed of grading."""

from __future__ import annotations

import os
import time
from collections import Counter

import pytest

from slated.model import Tier
from slated.policy.facts import ProtectedRoots
from slated.policy.grade import Grader
from tests.fakes.policy_world import PROJECT, SCRATCH, corpus, facts, grade, rules, setting

CASES = corpus("case_inputs.jsonl")
ORDINARY = corpus("developer_commands.jsonl")
MOST_ASKED = 0.10
GRADES_A_SECOND = 1000
SLOW = float(os.environ.get("SLATE_SLOW", "1"))


def allowed(wanted: str, command: str) -> set[Tier]:
    """The tiers that a row of the case log takes for right."""
    plain_delete = grade("rm -rf build").tier
    words = {"observe": {Tier.OBSERVE}, "reversible": {Tier.REVERSIBLE}, "confirm": {Tier.CONFIRM},
        "DEL": {plain_delete},
             "not observe": {Tier.REVERSIBLE, Tier.CONFIRM}, "parse error": {Tier.CONFIRM}}  # fmt: skip
    wanted = wanted.partition(" (")[0].partition(",")[0]
    return set().union(*(words[part] for part in wanted.split(" or ")))


@pytest.mark.parametrize("row", CASES, ids=lambda row: f"{row.label}-{row.cmd[:40]!r}")
def test_each_exact_input_of_the_case_log_gets_its_tier(row: object) -> None:
    command, wanted = row.cmd, row.note  # type: ignore[attr-defined] # parametrized rows are objects to mypy
    got = grade(command)
    assert got.tier in allowed(wanted, command), f"{got.rule}: {got.reason}"


def test_deletions_ask_where_undo_does_not_reach() -> None:
    for row in CASES:
        if row.note == "DEL":
            assert grade(row.cmd, roots=()).tier is Tier.CONFIRM, row.cmd


def test_r139_a_forced_push_is_named_as_forced() -> None:
    for command in (
        "git push origin +main",
        "git push origin +HEAD:refs/heads/main",
        "git push -f",
    ):
        assert grade(command).rule == "git.push_forced"
    assert grade("git push origin main").rule == "git.push"


def test_ordinary_commands_ask_rarely_outside_of_opaque_and_network_programs() -> None:
    asked = [row for row in ORDINARY if row.note == "plain" and grade(row.cmd).tier is Tier.CONFIRM]
    rate = len(asked) / sum(row.note == "plain" for row in ORDINARY)
    print(f"asked {rate:.1%} of plain commands:", *(row.cmd for row in asked), sep="\n  ")
    assert rate < MOST_ASKED


def test_every_question_about_an_ordinary_command_has_a_reason() -> None:
    for row in ORDINARY:
        got = grade(row.cmd)
        assert got.rule
        assert got.reason
        assert all(command.rule and command.reason for command in got.commands)


def test_opaque_and_network_commands_of_the_corpus_are_questions() -> None:
    quiet = [
        row.cmd
        for row in ORDINARY
        if row.note != "plain" and grade(row.cmd).tier is not Tier.CONFIRM
    ]
    assert quiet == []


def test_a_thousand_real_commands_are_graded_in_a_second() -> None:
    grader = Grader(facts(), ProtectedRoots((PROJECT, SCRATCH)), rules())
    where = setting()
    for row in ORDINARY:
        grader.grade(row.cmd, where)
    start = time.process_time()
    for row in ORDINARY * 3:
        grader.grade(row.cmd, where)
    rate = len(ORDINARY) * 3 / (time.process_time() - start)
    print(f"{rate:.0f} grades a second")
    assert rate > GRADES_A_SECOND / SLOW


def test_the_tiers_of_the_corpus_are_spread_as_expected() -> None:
    tiers = Counter(grade(row.cmd).tier for row in ORDINARY if row.note == "plain")
    assert tiers[Tier.OBSERVE] > 90
    assert tiers[Tier.REVERSIBLE] > 45

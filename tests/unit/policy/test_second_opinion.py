"""The second opinion: bash's own printing of a line agrees with ours, or the line becomes a question."""

from __future__ import annotations

import subprocess

import pytest

from slated.model import Tier
from slated.policy.second_opinion import ARGV, confirmed, difference
from tests.fakes.policy_world import corpus, grade

HOME = {"HOME": "/home/dev"}


def printed(text: str) -> str | None:
    """What bash prints for a line."""
    done = subprocess.run(
        ARGV, input=text, capture_output=True, text=True, env={}, timeout=5, check=False
    )
    return done.stdout if done.returncode == 0 and not done.stderr else None


def test_bash_and_we_agree_about_every_ordinary_command_that_is_not_a_question() -> None:
    lines = [
        row.cmd
        for row in corpus("developer_commands.jsonl")
        if grade(row.cmd).tier is not Tier.CONFIRM
    ]
    differing = {line: why for line in lines if (why := difference(line, printed(line), HOME))}
    assert differing == {}


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [("ls", "ls\nrm x"), ("ls x", "ls y"), ("ls > a", "ls > b"), ("A=1 ls", "A=2 ls"), ("ls", None), ("ls",
        "(ls"), ("ls (", "ls")],
)  # fmt: skip
def test_a_difference_is_a_reason(ours: str, theirs: str | None) -> None:
    assert difference(ours, theirs)


def test_order_and_layout_are_no_difference() -> None:
    assert difference("ls |& cat", "ls 2>&1 | cat") == ""
    assert difference("cat <<'E' | wc\nx\nE\n", "cat <<'E' |\nx\nE\n  wc\n") == ""


@pytest.mark.anyio
async def test_a_doubt_raises_a_quiet_line_and_leaves_a_question_alone() -> None:
    asked: list[str] = []

    async def lies(text: str) -> str | None:
        asked.append(text)
        return "rm x\n"

    got = await confirmed(grade("ls"), HOME, lies)
    assert got.tier is Tier.CONFIRM
    assert got.rule == "shell.second_opinion"
    assert (await confirmed(grade("git push"), HOME, lies)).rule == "git.push"
    assert asked == ["ls"]


@pytest.mark.anyio
async def test_texts_inside_of_a_line_get_an_opinion_of_their_own() -> None:
    asked: list[str] = []

    async def honest(text: str) -> str | None:
        asked.append(text)
        return text

    assert (await confirmed(grade("bash -c 'ls -la'"), HOME, honest)).tier is Tier.OBSERVE
    assert asked == ["bash -c 'ls -la'", "ls -la"]

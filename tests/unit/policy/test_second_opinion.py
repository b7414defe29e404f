"""The second opinion: bash's own printing of a line agrees with ours, or the line becomes a question."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slated.model import Tier
from slated.policy.second_opinion import ARGV, confirmed, difference, evident
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

    got = await confirmed(grade("ls $HOME"), HOME, lies)
    assert got.tier is Tier.CONFIRM
    assert got.rule == "shell.second_opinion"
    assert (await confirmed(grade("git push"), HOME, lies)).rule == "git.push"
    assert asked == ["ls $HOME"]


@pytest.mark.anyio
async def test_texts_inside_of_a_line_get_an_opinion_of_their_own() -> None:
    asked: list[str] = []

    async def honest(text: str) -> str | None:
        asked.append(text)
        return text

    line = """bash -c 'ls "$HOME"' >&2"""
    assert (await confirmed(grade(line), HOME, honest)).tier is Tier.OBSERVE
    assert asked == [line, 'ls "$HOME"']


@pytest.mark.parametrize(
    "line",
    [
        "ls -la",
        "git log --oneline -n 5 -- src/*.py",
        "A=1 B='x y' make test",
        "A=1",
        "git commit -m 'feat: a; b && c `d` $(e) # f' && git push",
        'echo "a  b"|wc -l ; ls ./x\t*.txt',
    ],
)
def test_a_line_of_plain_words_is_evident(line: str) -> None:
    assert evident(line)


@pytest.mark.parametrize(
    "line",
    ["", "ls $x", "ls `x`", "ls > f", "ls &", "(ls)", "{ ls; }", "! ls", "time ls", "if a", "ls 'a\\'", "ls # x",
     "a\nb", "a\\ b", '"a$(b)"', '"`b`"', "ls |& x", "ls ;; x", "; ls", "ls ;", "'a", "x{a,b}", "é", "ls \r", "a[0]=1",
     "ls\xa0-l", "x " * 3000, "[[ -n a ]]", "$'a'", "coproc x", "a&&", "!!", "a=(b)"],
)  # fmt: skip
def test_what_could_be_read_in_two_ways_is_not_evident(line: str) -> None:
    assert not evident(line)


@pytest.mark.anyio
async def test_bash_is_not_asked_about_what_is_evident() -> None:
    async def lies(_: str) -> str | None:
        raise AssertionError

    assert (await confirmed(grade("ls -la && wc -l 'a b'"), HOME, lies)).tier is Tier.OBSERVE


@given(st.text("ab'\" =;|&-*~\t$\\\n#!{(<>`1é", max_size=30))
@settings(max_examples=400)
def test_whatever_is_evident_bash_prints_as_we_read_it(line: str) -> None:
    if evident(line):
        assert difference(line, printed(line)) == ""

"""ps, tput, ip, less and man: showing is quiet; environments, changes, files to format and commands are not."""

from __future__ import annotations

import pytest

from slated.model import Tier
from tests.fakes.policy_world import grade


@pytest.mark.parametrize(
    "line",
    ["ps", "ps aux", "ps -ef", "ps -eo pid,comm", "ps -o pid= -p 1", "ps -u dev", "ps -C claude", "tput cols",
     "ip a", "ip -br link", "ip route show", "less -SR a", "less -p x a", "man 2 open", "man -k x"],
)  # fmt: skip
def test_showing_is_quiet(line: str) -> None:
    got = grade(line)
    assert got.tier is Tier.OBSERVE, f"{got.rule}: {got.reason}"


@pytest.mark.parametrize(
    ("line", "rule"),
    [("ps auxe", "path.secret"), ("ps -ef e", "path.secret"), ("ps -eo environ", "path.secret"),
     ("ps -e --format=pid,environ", "path.secret"), ("ps $X", "path.secret"), ("tput init", "option.harmful"),
     ("tput -T ./x cols", "option.harmful"), ("ip a a 1.2.3.4 dev x", "system"), ("ip l s x down", "system"),
     ("less -No x a", "option.harmful"), ("less +!id a", "option.harmful"), ("less ~/.netrc", "path.secret"),
     ("man -aPsh ls", "option.harmful"), ("man ./x.1", "option.harmful"), ("man ~/.netrc", "option.harmful")],
)  # fmt: skip
def test_what_does_more_is_a_question(line: str, rule: str) -> None:
    got = grade(line)
    assert got.tier is Tier.CONFIRM
    assert rule in {command.rule for command in got.commands}

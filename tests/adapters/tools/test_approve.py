"""The tool approve: the two answers that Claude Code takes."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from slated.errors import Refused
from slated.tools.approve import TOOLS
from slated.toolspec import parse

pytestmark = pytest.mark.anyio
ASKED = {"tool_name": "Bash", "input": {"command": "ls"}, "tool_use_id": "toolu_1"}


@dataclass
class Connection:
    """What a connection gives the tool."""

    refuses: bool = False
    asked: list[tuple[str, dict[str, object], str]] = field(default_factory=list)

    async def permit(self, tool: str, arguments: dict[str, object], use: str) -> None:
        self.asked.append((tool, arguments, use))
        if self.refuses:
            raise Refused("denied", "nothing was done: no.", next_step="ask the person")


async def test_a_yes_gives_the_arguments_back_as_they_were() -> None:
    here, (spec,) = Connection(), TOOLS
    answer = await spec.handler(here, parse(spec, ASKED))
    assert answer == {"behavior": "allow", "updatedInput": {"command": "ls"}}
    assert here.asked == [("Bash", {"command": "ls"}, "toolu_1")]


async def test_a_no_says_why_to_the_model() -> None:
    here, (spec,) = Connection(refuses=True), TOOLS
    answer = await spec.handler(here, parse(spec, ASKED))
    assert answer == {"behavior": "deny", "message": "nothing was done: no. ask the person"}

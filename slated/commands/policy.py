"""`slate policy check`: which tier a command line or a tool call has, and why. Works without slated."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import anyio

from slated.errors import BadRequest
from slated.judgement import Judge, decision_told
from slated.machine import Machine
from slated.policy.decide import ToolCall
from slated.questions import escaped
from slated.requests import Wanted
from slated.rulefile import RuleFile
from slated.settings import PATH, Directories
from slated.tasks import Asker


def judge(where: Directories) -> Judge:
    """A judge by this person's rules."""
    return Judge(RuleFile(where.policy, str(where.home), ()), where.home, Machine(PATH))


def line_of(words: Sequence[str]) -> str:
    """A command line of what stands behind `--`: one word is a line as it is, several are the words of a command."""
    return words[0] if len(words) == 1 else shlex.join(words)


def check_command(where: Directories, command: str, *, as_json: bool) -> int:
    """Explain a command line, as if it were run here."""
    deciding = judge(where)
    told = decision_told(anyio.run(deciding.command, command, str(Path.cwd())))
    return _say(told, deciding, as_json=as_json)


def check_tool(where: Directories, client: str, tool: str, text: str, *, as_json: bool) -> int:
    """Explain a tool call with its arguments as JSON."""
    try:
        arguments = json.loads(text)
    except ValueError:
        raise BadRequest("arguments", "the arguments must be a JSON object.") from None
    if not isinstance(arguments, dict):
        raise BadRequest("arguments", "the arguments must be a JSON object.")
    deciding = judge(where)
    ours = client in ("desktop", "slate")
    wish = Wanted(ToolCall(client, tool, arguments, ours=ours), str(Path.cwd()), Asker(0, 0))
    return _say(decision_told(anyio.run(deciding.decide, wish)), deciding, as_json=as_json)


def _say(told: Mapping[str, Any], deciding: Judge, *, as_json: bool) -> int:
    errors = [str(error) for error in deciding.rule_errors()]
    if as_json:
        print(json.dumps({**told, "policy_errors": errors}))
        return 0
    print(f"{told['tier']}: {escaped(told['reason'])} [{told['rule']}]")
    for command in told["commands"]:
        print(f"  {command['tier']}  {escaped(command['shown'])}")
        print(f"      {escaped(command['reason'])} [{command['rule']}]")
        for other in command["others"]:
            print(f"      also: {escaped(other)}")
    if told["ignored"]:
        print(f"  ignored: {', '.join(told['ignored'])} (an agent does not set its own tier)")
    for error in errors:
        print(f"policy.toml is not in force: {error}")
    return 0

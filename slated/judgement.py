"""The verdict on a wish: policy, the second opinion of bash, and the server's own floor; the strictest counts."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Final

import anyio
import anyio.to_thread

from slated.machine import Machine
from slated.model import Tier
from slated.policy.decide import Decider, Decision
from slated.policy.facts import Reach, Setting
from slated.policy.rules import RuleError
from slated.policy.second_opinion import ARGV, doubt
from slated.requests import Wanted
from slated.rulefile import RuleFile

BASH: Final = "/bin/bash"
_BASH_S: Final = 2.0
HELD_UNATTENDED: Final = (
    "path.secret path.delayed path.device path.special window. desktop.person_seat desktop.word desktop.password"
    " policy. hint. network. tool.unknown git.push"
).split()
"""Rules (by their start) that hold also on a desktop without a screen, where nobody can be asked."""


class Judge:
    """Decides for one person on this machine. `reach` takes the place of the configured directories."""

    def __init__(
        self, rules: RuleFile, home: Path, machine: Machine, *, reach: Reach | None = None
    ) -> None:
        self._rules, self._home, self._machine, self._reach = rules, str(home), machine, reach

    async def decide(self, wanted: Wanted) -> Decision:
        """The decision, with the floor counted in.

        Most desktop tools are decided at once; what may ask the file system or git is decided in a thread.
        """
        rules = self._rules.rules()
        decider = Decider(self._machine, self._reach or rules.protected(), rules)
        setting = Setting(wanted.cwd, self._home)
        looks_around = wanted.call.name == "desktop_launch" or wanted.call.scene.terminal
        if wanted.call.client == "desktop" and not looks_around:
            decision = decider.decide(wanted.call, setting)
        else:
            decision = await anyio.to_thread.run_sync(decider.decide, wanted.call, setting)
        return _floored(await self._second(decision, setting), wanted)

    async def command(self, text: str, cwd: str) -> Decision:
        """The decision about a command line on its own."""
        rules = self._rules.rules()
        decider = Decider(self._machine, self._reach or rules.protected(), rules)
        setting = Setting(cwd, self._home)
        decision = await anyio.to_thread.run_sync(decider.command, text, setting)
        return await self._second(decision, setting)

    def rule_errors(self) -> tuple[RuleError, ...]:
        """What is wrong with the person's policy file."""
        self._rules.rules()
        return self._rules.errors

    async def _second(self, decision: Decision, setting: Setting) -> Decision:
        """Raised to confirm where bash reads a text of it differently."""
        if decision.tier is Tier.CONFIRM:
            return decision
        for text in decision.texts:
            if reason := await doubt(text, printed_by_bash, setting.variables):
                why = f"what it runs cannot be read off: {reason}"
                return replace(decision, tier=Tier.CONFIRM, rule="shell.second_opinion", reason=why)
        return decision


def _floored(decision: Decision, wanted: Wanted) -> Decision:
    """The server's own tier counts where it is stricter; where nobody can be asked it settles doubts about programs."""
    if wanted.floor > decision.tier:
        why = f"{wanted.call.name} has this tier"
        return replace(decision, tier=wanted.floor, rule="tool.tier", reason=why)
    doubt = decision.tier is Tier.CONFIRM and wanted.floor < Tier.CONFIRM
    if doubt and not wanted.attended and not held(rules_of(decision), HELD_UNATTENDED):
        return replace(decision, tier=wanted.floor, rule=f"unattended ({decision.rule})")
    return decision


def rules_of(decision: Decision) -> list[str]:
    """Every rule that made the decision what it is."""
    strict = [c.rule for c in decision.commands if c.tier is Tier.CONFIRM]
    return [decision.rule, *strict]


def held(rules: Iterable[str], starts: Iterable[str]) -> bool:
    """Whether one of the rules starts as one of these."""
    return any(rule.startswith(tuple(starts)) for rule in rules)


async def printed_by_bash(text: str) -> str | None:
    """What bash prints for a command line; None if it fails, or there is no bash."""
    try:
        with anyio.fail_after(_BASH_S):
            done = await anyio.run_process(
                [BASH, *ARGV[1:]],
                input=text.encode("utf-8", "surrogatepass"),
                check=False,
                stderr=subprocess.DEVNULL,
                env={},
            )
    except (OSError, TimeoutError):
        return None
    if done.returncode != 0:
        return None
    return done.stdout.decode(errors="replace")


def decision_told(decision: Decision) -> dict[str, object]:
    """A decision as JSON: tier, rule, reason, each simple command, arguments that were ignored."""
    return {
        "tier": decision.tier.word,
        "rule": decision.rule,
        "reason": decision.reason,
        "ignored": list(decision.ignored),
        "commands": [
            {
                "shown": command.shown,
                "tier": command.tier.word,
                "rule": command.rule,
                "reason": command.reason,
                "argv": list(command.argv),
                "program": command.program,
                "paths": list(command.paths),
                "others": list(command.others),
            }
            for command in decision.commands
        ],
    }

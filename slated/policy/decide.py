"""Decides the tier of any tool call: the person's rules, the built-in tables, the shell grader; the strictest wins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from slated.model import Tier
from slated.policy import agent_tools, gui
from slated.policy.effects import Ask, Effect
from slated.policy.facts import Facts, Reach, Setting
from slated.policy.grade import CommandGrade, Graded, Grader
from slated.policy.paths import join
from slated.policy.rules import Rules

LOWERING = frozenset(
    "requires_approval approved tier permission trusted safe is_read_only readOnly auto_approve".split()
)
"""Arguments by which an agent may try to lower its own tier; they are ignored and noted."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call as it reaches the gate.

    `client` is the program that would run it: claude, codex, desktop, slate, or mcp for any other server. `ours` is
    true only if the tool is served by Slate itself, by what is known of the process, not by the tool's name.
    """

    client: str
    name: str
    arguments: Mapping[str, object] = field(default_factory=dict)
    ours: bool = False
    hints: Mapping[str, bool] = field(default_factory=dict)
    scene: gui.Scene = field(default_factory=gui.Scene)


@dataclass(frozen=True, slots=True)
class Decision:
    """The tier, the rule that decided and why; each simple command with its own grade; what was ignored."""

    tier: Tier
    rule: str
    reason: str
    commands: tuple[CommandGrade, ...] = ()
    texts: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Decider:
    """Decides for one person, by their rules and the machine's facts."""

    facts: Facts
    reach: Reach
    rules: Rules

    def decide(self, call: ToolCall, setting: Setting) -> Decision:
        """The decision about a tool call. Hints and arguments of the agent never lower it."""
        grader = Grader(self.facts, self.reach, self.rules)
        workdir = call.arguments.get("workdir") or call.arguments.get("cwd")
        if isinstance(workdir, str) and call.client == "codex":
            setting = replace(setting, directory=join(setting.directory, workdir))
        graded = grader.grade_effects(call.name, self._effects(call), setting)
        graded = self._owner(call.name, graded)
        if call.hints.get("destructiveHint") and graded.tier < Tier.CONFIRM:
            graded = replace(
                graded,
                tier=Tier.CONFIRM,
                rule="hint.destructive",
                reason="the tool calls itself destructive",
            )
        ignored = tuple(sorted(LOWERING & set(call.arguments)))
        return Decision(
            graded.tier, graded.rule, graded.reason, graded.commands, graded.texts, ignored
        )

    def command(self, text: str, setting: Setting) -> Decision:
        """The decision about a command line on its own (`slate policy check`)."""
        graded = Grader(self.facts, self.reach, self.rules).grade(text, setting)
        return Decision(graded.tier, graded.rule, graded.reason, graded.commands, graded.texts)

    def _effects(self, call: ToolCall) -> list[Effect]:
        """What the call does, by the table of its client."""
        name = call.name
        handler = agent_tools.CLIENTS.get(call.client, {}).get(name)
        if handler is not None:
            return handler(call.arguments)
        plain = name.rpartition("__")[2] if name.startswith("mcp__") else name
        if call.ours and plain in agent_tools.SLATE:
            return agent_tools.SLATE[plain](call.arguments)
        if call.ours and plain in gui.TOOLS:
            private = self.rules.window_is_private(call.scene.app_id, call.scene.title)
            scene = replace(call.scene, private=call.scene.private or private)
            return gui.effects(plain, call.arguments, scene, self.rules.file.words)
        return [Ask("tool.unknown", f"{name} is in none of the tables")]

    def _owner(self, name: str, graded: Graded) -> Graded:
        """The person's tier for this tool: raises anything, and answers for a tool that no table knows."""
        wanted = self.rules.tool_tier(name)
        if wanted is None:
            return graded
        if wanted > graded.tier or graded.rule == "tool.unknown":
            return replace(
                graded,
                tier=wanted,
                rule="policy.tool",
                reason=f"the person's policy gives {name} this tier",
            )
        return graded

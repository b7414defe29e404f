"""Deciding about tools: the tables of each client, unknown tools, hints that only raise, the person's word."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from slated.model import Tier
from slated.policy.decide import Decider, Decision, ToolCall
from slated.policy.facts import ProtectedRoots
from tests.fakes.policy_world import HOME, PROJECT, SCRATCH, facts, rules, setting

OBSERVE, REVERSIBLE, CONFIRM = Tier.OBSERVE, Tier.REVERSIBLE, Tier.CONFIRM


def decide(call: ToolCall, policy: str = "") -> Decision:
    return Decider(facts(), ProtectedRoots((PROJECT, SCRATCH)), rules(policy)).decide(
        call, setting()
    )


PATCH = "*** Begin Patch\n*** Update File: {}\n@@\n-a\n+b\n*** End Patch"


@pytest.mark.parametrize(
    ("client", "name", "arguments", "tier", "rule"),
    [
        ("claude", "Bash", {"command": "git status"}, OBSERVE, ""),
        ("claude", "Bash", {"command": "rm -rf build"}, REVERSIBLE, "reach.delete"),
        ("claude", "Bash", {"command": "git push"}, CONFIRM, "git.push"),
        ("claude", "Bash", {}, CONFIRM, "tool.arguments"),
        ("claude", "Read", {"file_path": f"{PROJECT}/a.py"}, OBSERVE, ""),
        ("claude", "Read", {"file_path": f"{HOME}/.ssh/id_rsa"}, CONFIRM, "path.secret"),
        ("claude", "Write", {"file_path": f"{PROJECT}/a.py", "content": "x"}, REVERSIBLE, "reach.write"),
        ("claude", "Edit", {"file_path": f"{PROJECT}/CLAUDE.md"}, CONFIRM, "path.delayed"),
        ("claude", "Edit", {"file_path": "/usr/lib/x"}, CONFIRM, "reach.outside"),
        ("claude", "Write", {"file_path": f"{PROJECT}/.keryx/knowledge/wiki/a.md"}, CONFIRM, "path.delayed"),
        ("claude", "Read", {"file_path": f"{PROJECT}/.keryx/knowledge/wiki/a.md"}, OBSERVE, ""),
        ("claude", "Read", {"file_path": f"{PROJECT}/.keryx/external-slates/b.json"}, CONFIRM, "path.secret"),
        ("claude", "Bash", {"command": "cat .keryx/external-slates/*.json"}, CONFIRM, "path.secret"),
        ("claude", "Bash", {"command": "strings ~/.local/state/slate/memory/memory.sqlite"}, CONFIRM, "path.secret"),
        ("claude", "Bash", {"command": "cp a.py .keryx/knowledge/risks/"}, CONFIRM, "path.delayed"),
        ("claude", "Bash", {"command": "rm -rf .keryx"}, CONFIRM, "path.delayed"),
        ("claude", "NotebookEdit", {"notebook_path": f"{PROJECT}/a.ipynb"}, REVERSIBLE, "reach.write"),
        ("claude", "Grep", {"pattern": "token", "path": HOME}, CONFIRM, "path.secret"),
        ("claude", "Grep", {"pattern": "token"}, OBSERVE, ""),
        ("claude", "Glob", {"pattern": "**/*.py"}, OBSERVE, ""),
        ("claude", "WebFetch", {"url": "https://a.example/?q=secret"}, CONFIRM, "network.fetch"),
        ("claude", "TodoWrite", {"todos": []}, OBSERVE, "tool.quiet"),
        ("claude", "SomethingNew", {}, CONFIRM, "tool.unknown"),
        ("claude", "mcp__slate__recall", {}, CONFIRM, "tool.unknown"),
        ("codex", "exec_command", {"cmd": "ls -la"}, OBSERVE, ""),
        ("codex", "shell", {"command": ["bash", "-lc", "rm -rf build"]}, REVERSIBLE, "reach.delete"),
        ("codex", "shell", {"command": ["rm", "-rf", "/"]}, CONFIRM, "reach.outside"),
        ("codex", "exec_command", {"cmd": "rm x", "workdir": "/srv"}, CONFIRM, "reach.outside"),
        ("codex", "apply_patch", {"input": PATCH.format("a.py")}, REVERSIBLE, "reach.write"),
        ("codex", "apply_patch", {"input": PATCH.format("/etc/passwd")}, CONFIRM, "path.delayed"),
        ("codex", "apply_patch", {"input": "nothing"}, CONFIRM, "tool.arguments"),
        ("codex", "view_image", {"path": "a.png"}, OBSERVE, ""),
        ("codex", "write_stdin", {"session_id": 1, "chars": "y\n"}, CONFIRM, "terminal.key"),
        ("codex", "write_stdin", {"session_id": 1, "chars": ""}, OBSERVE, ""),
        ("mcp", "purge_all", {}, CONFIRM, "tool.unknown"),
        ("mcp", "Read", {"file_path": f"{PROJECT}/a.py"}, CONFIRM, "tool.unknown"),
    ],
)  # fmt: skip
def test_each_client_s_tools_have_their_tier(
    client: str, name: str, arguments: Mapping[str, object], tier: Tier, rule: str
) -> None:
    got = decide(ToolCall(client, name, arguments))
    assert got.tier is tier, f"{got.rule}: {got.reason}"
    assert not rule or got.rule == rule


def test_r180_our_tools_count_only_when_the_server_is_known_to_be_ours() -> None:
    assert decide(ToolCall("claude", "mcp__slate__recall", ours=True)).tier is OBSERVE
    assert decide(ToolCall("slate", "remember", ours=True)).tier is REVERSIBLE
    assert decide(ToolCall("slate", "forget", ours=True)).tier is CONFIRM
    assert decide(ToolCall("slate", "renamed_tool", ours=True)).rule == "tool.unknown"


def test_r178_r179_hints_only_raise() -> None:
    assert decide(ToolCall("mcp", "delete_file", hints={"readOnlyHint": True})).tier is CONFIRM
    raised = decide(
        ToolCall(
            "claude", "Read", {"file_path": f"{PROJECT}/a.py"}, hints={"destructiveHint": True}
        )
    )
    assert raised.rule == "hint.destructive"
    policy = '[tools]\nquery = "observe"\n'
    assert decide(ToolCall("mcp", "query"), policy).tier is OBSERVE
    assert decide(ToolCall("mcp", "query", hints={"destructiveHint": True}), policy).tier is CONFIRM


def test_r177_an_agent_cannot_lower_its_own_tier_and_the_attempt_is_noted() -> None:
    got = decide(
        ToolCall(
            "claude", "Bash", {"command": "git push", "requires_approval": False, "tier": "observe"}
        )
    )
    assert got.tier is CONFIRM
    assert got.ignored == ("requires_approval", "tier")


def test_r175_the_person_s_word_raises_any_tool_and_lowers_only_unknown_ones() -> None:
    policy = (
        '[tools]\nBash = "observe"\nRead = "confirm"\npurge = "reversible"\n'
        '[[commands]]\nmatch = "rm"\ntier = "confirm"\n'
    )
    assert decide(ToolCall("claude", "Bash", {"command": "rm x"}), policy).tier is CONFIRM
    assert decide(ToolCall("claude", "Bash", {"command": "git push"}), policy).tier is CONFIRM
    assert decide(ToolCall("claude", "Read", {"file_path": "a"}), policy).rule == "policy.tool"
    assert decide(ToolCall("mcp", "purge"), policy).tier is REVERSIBLE


def test_the_person_s_own_secrets_and_delayed_places_count() -> None:
    policy = '[paths]\nsecret = ["~/project/keys/**"]\ndelayed = ["**/deploy.sh"]\n'
    assert (
        decide(ToolCall("claude", "Read", {"file_path": f"{PROJECT}/keys/a"}), policy).rule
        == "path.secret"
    )
    assert (
        decide(ToolCall("claude", "Write", {"file_path": f"{PROJECT}/deploy.sh"}), policy).rule
        == "path.delayed"
    )


def test_a_command_line_is_decided_on_its_own_with_each_command_explained() -> None:
    decider = Decider(facts(), ProtectedRoots((PROJECT,)), rules())
    got = decider.command("git status && rm x", setting())
    assert got.tier is REVERSIBLE
    assert [command.shown for command in got.commands] == ["git status", "rm x"]
    assert got.texts == ("git status && rm x",)

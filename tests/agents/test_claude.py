"""The real Claude Code before slated: what runs, what does not, and what `slate status` says of it.

What happened is read off the file system and the log, never off what the agent says. `Bash` is allowed by the
program's own rules throughout, so nothing but Slate stands between the model and the command.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from slated.approvals import Answer
from tests.agents.bed import Bed, Conscience
from tests.agents.impostor import Deed, babbling, hanging, impostor, killing
from tests.agents.models import call, script

FREELY = ("--allowedTools", "Bash,Write,mcp__slate")


def append(path: Path) -> str:
    """A call that adds a line to a file."""
    return call("Bash", command=f"echo ran >> {path}", description="d")


def lines(path: Path) -> int:
    return len(path.read_text().splitlines()) if path.exists() else 0


def mode(bed: Bed) -> tuple[str, str]:
    """How the last session is said to be guarded."""
    task = bed.sessions("claude")[-1]
    return task["mode"], task["why"]


def plant(bed: Bed, settings: dict[str, Any]) -> None:
    """Settings of the project."""
    folder = bed.work / ".claude"
    folder.mkdir()
    (folder / "settings.json").write_text(json.dumps(settings))


def test_without_slate_the_command_runs(bed: Bed) -> None:
    """That the others do not run is not for want of trying."""
    bed.claude(script(append(bed.root / "out"), "SAY done"), *FREELY)
    assert lines(bed.root / "out") == 1


def test_what_observes_and_what_undo_covers_runs_silently(bed: Bed, slated: Conscience) -> None:
    bed.install("claude")
    inside = bed.covered / "file"
    # Not allowed by the program's rules: the hook's yes alone lets both run.
    bed.claude(script(call("Bash", command="ls", description="d"), append(inside), "SAY done"))
    assert lines(inside) == 1
    assert slated.asked == []
    assert mode(bed) == ("guarded", "")
    calls = bed.logged("--kind", "call")
    assert [(r["tier"], r["verdict"]) for r in calls] == [
        ("observe", "allow"),
        ("reversible", "allow"),
    ]
    assert [r["outcome"] for r in bed.logged("--kind", "outcome")] == ["done", "done"]


@pytest.mark.parametrize(
    ("says", "ran", "questions"),
    [
        ([Answer.ONCE, Answer.DENY], 1, 2),
        ([Answer.ALWAYS], 2, 1),
        ([Answer.DENY], 0, 1),
        ([None], 0, 1),
    ],
    ids=["once", "again", "deny", "no answer"],
)
def test_what_needs_a_yes_obeys_the_person(
    bed: Bed, slated: Conscience, says: list[Answer | None], ran: int, questions: int
) -> None:
    bed.install("claude")
    slated.says = says
    out = bed.root / "out"
    bed.claude(script(append(out), append(out), "SAY done"), *FREELY)
    assert lines(out) == ran
    assert len(slated.asked) == questions
    assert mode(bed) == ("guarded", "")


@pytest.mark.promise("gate-down-no-action")
@pytest.mark.parametrize("deed", [killing, hanging, babbling])
def test_a_hook_that_is_killed_hangs_or_hears_nonsense_stops_the_command(
    bed: Bed, deed: Deed
) -> None:
    bed.install("claude")
    settings = bed.home / ".claude/settings.json"
    told = json.loads(settings.read_text())
    for groups in told["hooks"].values():
        groups[-1]["hooks"][0]["timeout"] = 3
    settings.write_text(json.dumps(told))
    with impostor(bed.socket, deed) as reached:
        bed.claude(script(append(bed.root / "out"), "SAY done"), *FREELY)
    assert reached
    assert lines(bed.root / "out") == 0


@pytest.mark.promise("gate-down-no-action")
def test_a_hook_that_is_gone_stops_the_command(bed: Bed) -> None:
    bed.install("claude")
    settings = bed.home / ".claude/settings.json"
    told = json.loads(settings.read_text())
    entry = told["hooks"]["PreToolUse"][-1]["hooks"][0]
    entry["command"] = "/nowhere/python"
    told["hooks"] = {"PreToolUse": told["hooks"]["PreToolUse"]}
    settings.write_text(json.dumps(told))
    bed.claude(script(append(bed.root / "out"), "SAY done"), *FREELY)
    assert lines(bed.root / "out") == 0


@pytest.mark.promise("gate-down-no-action")
def test_a_hook_whose_program_was_removed_stops_the_command(bed: Bed) -> None:
    package = bed.copy_slate()
    bed.install("claude")
    shutil.rmtree(package)
    bed.claude(script(append(bed.root / "out"), "SAY done"), *FREELY)
    assert lines(bed.root / "out") == 0


def test_a_dead_slated_is_started_by_the_hook_and_says_no(bed: Bed) -> None:
    """Nobody can be asked in it, so the command does not run."""
    bed.install("claude")
    bed.claude(script(append(bed.root / "out"), "SAY done"), *FREELY)
    assert lines(bed.root / "out") == 0
    assert mode(bed) == ("guarded", "")
    assert [r["code"] for r in bed.logged("--kind", "call")] == ["refused.no_approver"]


@pytest.mark.promise("gate-down-no-action")
def test_a_slated_that_cannot_be_started_stops_everything(bed: Bed) -> None:
    bed.install("claude")
    (bed.root / "r/slate").mkdir(mode=0o700, exist_ok=True)
    for name in ("slated.lock", "slated.start"):
        (bed.root / "r/slate" / name).mkdir()
    bed.agent("claude", "-p", *FREELY, "--", script(append(bed.root / "out")))
    assert lines(bed.root / "out") == 0


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"disableAllHooks": True}, "no hook of this session has been heard"),
        ({"env": {"PATH": "/nowhere:/usr/bin:/bin"}}, "sets PATH"),
        (
            {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "true"}]}]}},
            "another hook at PreToolUse",
        ),
    ],
    ids=["hooks off", "PATH", "another hook"],
)
def test_a_project_that_gets_round_the_hooks_makes_the_session_advisory(
    bed: Bed, slated: Conscience, settings: dict[str, Any], why: str
) -> None:
    bed.install("claude")
    plant(bed, settings)
    bed.claude(script("SAY done"), *FREELY)
    said, reason = mode(bed)
    assert said == "advisory"
    assert why in reason


def test_hooks_switched_off_in_mid_session_are_noticed(bed: Bed, slated: Conscience) -> None:
    bed.install("claude")
    slated.says = [Answer.ONCE]
    prepared, planted = bed.root / "prepared", bed.work / ".claude/settings.json"
    planted.parent.mkdir()
    prepared.write_text(json.dumps({"disableAllHooks": True}))
    copy = call("Bash", command=f"cp {prepared} {planted}", description="d")
    wait = call("Bash", command="sleep 3", description="d")
    bed.claude(script(copy, wait, "SAY done"), *FREELY)
    assert planted.exists()
    (question,) = slated.asked
    assert str(question["rule"]).startswith("path.delayed")
    said, reason = mode(bed)
    assert said == "advisory"
    assert "switches all hooks off" in reason


@pytest.mark.parametrize(("says", "ran"), [([Answer.ONCE], 1), ([Answer.DENY], 0), ([None], 0)])
def test_where_hooks_are_off_the_permission_tool_still_asks(
    bed: Bed, slated: Conscience, says: list[Answer | None], ran: int
) -> None:
    bed.install("claude")
    plant(bed, {"disableAllHooks": True})
    slated.says = says
    out = bed.root / "out"
    bed.claude(script(append(out), "SAY done"), "--permission-prompt-tool", "mcp__slate__approve")
    assert lines(out) == ran
    assert len(slated.asked) == 1
    assert mode(bed)[0] == "advisory"


def test_a_call_of_slates_own_server_is_enforced_where_hooks_are_off(
    bed: Bed, slated: Conscience
) -> None:
    bed.install("claude")
    plant(bed, {"disableAllHooks": True})
    remember = call("mcp__slate__remember", text="tabs", scope="user")
    forget = call("mcp__slate__forget", text="tabs")
    slated.says = [Answer.DENY]
    bed.claude(script(remember, forget, "SAY done"), *FREELY)
    assert [q["tool"] for q in slated.asked] == ["forget"]
    calls = [(r["tool"], r["verdict"]) for r in bed.logged("--kind", "call")]
    assert calls == [("remember", "allow"), ("forget", "deny")]


def test_one_action_is_asked_about_once(bed: Bed, slated: Conscience) -> None:
    """The hook leaves a call of Slate's own server to that server."""
    bed.install("claude")
    slated.says = [Answer.DENY, Answer.DENY]
    bed.claude(script(call("mcp__slate__forget", text="tabs"), "SAY done"), *FREELY)
    assert [q["tool"] for q in slated.asked] == ["forget"]
    assert mode(bed) == ("guarded", "")


@pytest.mark.parametrize(("inline", "asked"), [(False, "mcp__slate__forget"), (True, "forget")])
def test_one_action_is_asked_about_once_also_of_a_server_given_on_the_command_line(
    bed: Bed, slated: Conscience, inline: bool, asked: str
) -> None:
    """A file may not be what it was, so the hook asks itself; hook and call then meet by the tool-use id."""
    bed.install("claude")
    servers = json.loads((bed.home / ".claude.json").read_text())["mcpServers"]
    text = json.dumps({"mcpServers": {"slate": servers["slate"]}})
    file = bed.root / "servers.json"
    file.write_text(text)
    slated.says = [Answer.ONCE, Answer.DENY]
    given = ("--strict-mcp-config", "--mcp-config", text if inline else str(file))
    forget = call("mcp__slate__forget", ids=[1])
    bed.claude(script(forget, "SAY done"), *FREELY, *given)
    assert [q["tool"] for q in slated.asked] == [asked]
    calls = bed.logged("--kind", "call")
    assert {(r["verdict"], r["use"]) for r in calls} == {("allow", calls[0]["use"])}
    assert [r["tool"] for r in calls] == ([] if inline else [asked]) + ["forget"]


def test_a_skill_that_brings_hooks_makes_the_session_advisory(bed: Bed, slated: Conscience) -> None:
    bed.install("claude")
    skill = bed.work / ".claude/skills/tidy/SKILL.md"
    skill.parent.mkdir(parents=True)
    hook = (
        "hooks:\n  PreToolUse:\n    - hooks:\n        - type: command\n          command: 'true'\n"
    )
    skill.write_text(f"---\nname: tidy\ndescription: tidies\n{hook}---\nTidy.\n")
    bed.claude(script("SAY done"), *FREELY)
    said, reason = mode(bed)
    assert said == "advisory"
    assert "brings hooks of its own" in reason


def test_uninstalled_it_leaves_no_line_behind(bed: Bed) -> None:
    settings = bed.home / ".claude/settings.json"
    settings.parent.mkdir()
    settings.write_text('{"model":   "sonnet"}')
    bed.install("claude")
    assert bed.slate("hook", "uninstall", "claude").returncode == 0
    assert settings.read_text() == '{"model":   "sonnet"}'
    bed.claude(script(append(bed.root / "out"), "SAY done"), *FREELY)
    assert lines(bed.root / "out") == 1
    assert not os.path.exists(bed.socket)

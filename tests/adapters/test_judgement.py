"""Verdicts: the strictest of policy, bash's own reading and the server's floor; and desktops without a person."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from slated import judgement
from slated.judgement import Judge, decision_told, printed_by_bash
from slated.machine import Machine
from slated.model import Tier
from slated.policy.decide import ToolCall
from slated.policy.gui import Scene
from slated.requests import Wanted
from slated.rulefile import RuleFile
from slated.settings import PATH
from slated.tasks import Asker

pytestmark = pytest.mark.anyio


def judge(tmp_path: Path, text: str = "") -> Judge:
    if text:
        (tmp_path / "policy.toml").write_text(text, encoding="utf-8")
    return Judge(RuleFile(tmp_path / "policy.toml", str(tmp_path), ()), tmp_path, Machine(PATH))


def wish(
    client: str,
    tool: str,
    arguments: Mapping[str, Any],
    *,
    scene: Scene | None = None,
    floor: Tier = Tier.OBSERVE,
    attended: bool = True,
) -> Wanted:
    call = ToolCall(client, tool, arguments, ours=client == "desktop", scene=scene or Scene())
    return Wanted(call, "/", Asker(1, 1), floor=floor, attended=attended)


async def test_the_floor_of_the_server_counts_where_it_is_stricter(tmp_path: Path) -> None:
    looks = wish("desktop", "desktop_screenshot", {}, floor=Tier.CONFIRM)
    decision = await judge(tmp_path).decide(looks)
    assert (decision.tier, decision.rule) == (Tier.CONFIRM, "tool.tier")


async def test_a_protected_directory_makes_a_change_reversible(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "p/f").touch()
    text = f'[paths]\nprotected = ["{tmp_path}/p"]\n'
    covered = await judge(tmp_path, text).command(f"rm {tmp_path}/p/f", str(tmp_path))
    outside = await judge(tmp_path, text).command(f"rm {tmp_path}/f", str(tmp_path))
    assert (covered.tier, outside.tier) == (Tier.REVERSIBLE, Tier.CONFIRM)


async def test_what_bash_reads_differently_is_a_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def other(_: str) -> str | None:
        return "ls; rm x\n"

    decision = await judge(tmp_path).command("ls $HOME", "/")
    assert decision.tier is Tier.OBSERVE
    monkeypatch.setattr(judgement, "printed_by_bash", other)
    doubted = await judge(tmp_path).command("ls $HOME", "/")
    assert (doubted.tier, doubted.rule) == (Tier.CONFIRM, "shell.second_opinion")


async def test_bash_prints_a_line_and_does_not_run_it(tmp_path: Path) -> None:
    assert (await printed_by_bash("ls -l|wc") or "").strip() == "ls -l | wc"
    assert await printed_by_bash(f"touch {tmp_path}/x") is not None
    assert not (tmp_path / "x").exists()
    assert await printed_by_bash("if") is None


async def test_a_machine_without_bash_has_no_second_opinion_and_so_asks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judgement, "BASH", str(tmp_path / "bash"))
    assert await printed_by_bash("ls") is None
    assert (await judge(tmp_path).command("ls $HOME", "/")).tier is Tier.CONFIRM


@pytest.mark.parametrize(
    ("tool", "arguments", "scene", "alone"),
    [
        ("desktop_launch", {"argv": ["some-program"]}, Scene(), Tier.REVERSIBLE),
        ("desktop_key", {"combo": "Return"}, Scene(app_id="foot", terminal=True), Tier.REVERSIBLE),
        ("desktop_click", {}, Scene(role="push button", name="Delete"), Tier.CONFIRM),
        ("desktop_click", {}, Scene(ours=True), Tier.CONFIRM),
        ("desktop_type", {"text": "x"}, Scene(password=True), Tier.CONFIRM),
        ("desktop_click", {"seat": "user"}, Scene(), Tier.CONFIRM),
        ("desktop_odd", {}, Scene(), Tier.CONFIRM),
    ],
)
async def test_where_nobody_can_be_asked_only_doubts_about_programs_are_settled(
    tmp_path: Path, tool: str, arguments: dict[str, Any], scene: Scene, alone: Tier
) -> None:
    attended, unattended = [
        await judge(tmp_path).decide(
            wish("desktop", tool, arguments, scene=scene, floor=Tier.REVERSIBLE, attended=there)
        )
        for there in (True, False)
    ]
    assert attended.tier is Tier.CONFIRM
    assert unattended.tier is alone
    assert alone is Tier.CONFIRM or "unattended" in unattended.rule


async def test_r175_the_persons_stricter_tier_holds_where_nobody_can_be_asked(
    tmp_path: Path,
) -> None:
    """R175: of a broad rule and a strict one the strict one wins."""
    text = '[tools]\ndesktop_launch = "confirm"\n'
    asked = wish(
        "desktop", "desktop_launch", {"app": "foot"}, floor=Tier.REVERSIBLE, attended=False
    )
    assert (await judge(tmp_path, text).decide(asked)).tier is Tier.CONFIRM


async def test_a_decision_is_told_with_each_of_its_commands(tmp_path: Path) -> None:
    told = decision_told(await judge(tmp_path).command("cat a | rm b", "/srv"))
    assert told["tier"] == "confirm"
    commands = told["commands"]
    assert isinstance(commands, list)
    assert [(c["shown"], c["tier"]) for c in commands] == [
        ("cat a", "observe"),
        ("rm b", "confirm"),
    ]


async def test_a_broken_policy_is_told(tmp_path: Path) -> None:
    assert judge(tmp_path).rule_errors() == ()
    assert len(judge(tmp_path, "[tools\n").rule_errors()) == 1

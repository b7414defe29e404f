"""A sway with our part of its configuration, as a person has it: no background before the daemon comes."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from slate_desktop.headless.program import SwayProgram
from slate_desktop.headless.recipe import PATH
from tests.live.bed import stage as stages
from tests.live.bed.patience import START_S, until
from tests.live.bed.program import ROOT
from tests.live.bed.stage import SCREEN, Stage
from tests.live.bed.tree import TREE

pytestmark = pytest.mark.anyio


@pytest.fixture
async def desktop(sway_program: SwayProgram) -> AsyncIterator[Stage]:
    """A person's sway, the daemon on it."""
    async with stages.staged(
        sway_program,
        background=False,
        extra_config=f"include {ROOT}/sway/slate.conf\nworkspace 1 gaps inner 0",
        path=f"{Path(sys.executable).parent}:{PATH}",
    ) as stage:
        await stage.person()  # before the daemon, as a real one: their keyboard is seat0's
        async with stages.daemon(stage):
            yield stage


def output_of(stage: Stage, app_id: str) -> str:
    """Where a window is."""
    for output in stage.sway.ask(TREE)["nodes"]:
        for workspace in output["nodes"]:
            inside = [*workspace["nodes"], *workspace["floating_nodes"]]
            if any(node.get("app_id") == app_id for node in inside):
                return str(output["name"])
    return ""


async def test_it_is_read_without_a_complaint(desktop: Stage) -> None:
    log = (desktop.session.runtime_dir / "sway.log").read_text()
    assert "Error on line" not in log
    assert "Unknown/invalid command" not in log


async def test_what_an_agent_starts_opens_in_the_background_and_keys_show_and_hide_it(
    desktop: Stage,
) -> None:
    agent = await desktop.agent()
    await desktop.window("bed.mine")
    focus = desktop.sway.focus()
    await agent.ok("desktop_launch", argv=["foot", "--app-id=bed.theirs"])
    assert output_of(desktop, "bed.theirs") not in ("", SCREEN)
    assert desktop.sway.focus() == focus
    person = await desktop.person()
    await person.ask("chord", chord="super+alt+s")
    await until(
        lambda: output_of(desktop, "bed.theirs") == SCREEN, "it is shown", deadline_s=START_S
    )
    assert desktop.sway.focus() == focus
    desktop.focus("bed.theirs")
    await person.ask("chord", chord="super+alt+h")
    await until(
        lambda: output_of(desktop, "bed.theirs") not in ("", SCREEN),
        "it is back",
        deadline_s=START_S,
    )
    assert output_of(desktop, "bed.mine") == SCREEN

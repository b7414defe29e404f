"""Programs for X11 on a server of their own: keys, clicks and dialogs, while the person has X11 windows or none."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import anyio
import pytest

from slate_desktop.headless.program import SwayProgram
from tests.live.bed import stage as stages
from tests.live.bed.agent import Agent
from tests.live.bed.finding import need
from tests.live.bed.patience import START_S, until
from tests.live.bed.stage import Stage

pytestmark = pytest.mark.anyio


@pytest.fixture
async def own_stage(sway_program: SwayProgram) -> AsyncIterator[Stage]:
    """A session with a daemon; its end is also that of a server that does not let itself be closed."""
    async with stages.staged(sway_program) as stage, stages.daemon(stage):
        yield stage


async def test_keys_reach_an_x11_program_without_a_click_and_its_end_ends_its_server(
    own_stage: Stage, tmp_path: Path
) -> None:
    for program in ("Xwayland", "xterm"):
        need(program, own_stage.env["PATH"])
    agent = await own_stage.agent()
    await own_stage.window("bed.mine")
    focus = own_stage.sway.focus()
    reply = await agent.ok("desktop_launch", argv=["xterm"], x11=True, timeout_s=40)
    assert "X server" in reply.verdict, reply.text
    (window,) = reply.outcome["opened"]
    wrote = tmp_path / "wrote"
    await agent.ok("desktop_type", target=window["ref"], text=f"echo Ab1 > {wrote}", submit=True)
    await until(
        lambda: wrote.exists() and wrote.read_text() == "Ab1\n", "it was typed", deadline_s=START_S
    )
    assert own_stage.sway.focus() == focus
    await agent.ok("desktop_type", target=window["ref"], text="exit", submit=True, observe="none")
    await until(lambda: not of_launches(own_stage), "its window went with it", deadline_s=START_S)


async def test_a_dialog_of_an_x11_program_gets_the_keyboard_and_gives_it_back(
    own_stage: Stage, tmp_path: Path
) -> None:
    for program in ("Xwayland", "mousepad"):
        need(program, own_stage.env["PATH"])
    agent = await own_stage.agent()
    first, second = tmp_path / "first.txt", tmp_path / "second.txt"
    first.write_text("")
    argv = ["mousepad", str(first)]
    reply = await agent.ok("desktop_launch", argv=argv, x11=True, timeout_s=40)
    target = reply.outcome["opened"][0]["ref"]
    plain = await settled(agent, target)
    await agent.ok("desktop_type", target=target, text="here", observe="none")
    await agent.ok("desktop_key", target=target, keys=["ctrl+s"], observe="none")
    await until(lambda: first.read_text() == "here", "it was saved", deadline_s=START_S)
    await agent.ok("desktop_key", target=target, keys=["ctrl+shift+s"])
    assert await settled(agent, target) != plain, "the dialog is in the picture"
    await agent.ok("desktop_key", target=target, keys=["ctrl+a"], observe="none")
    await agent.ok("desktop_type", target=target, text=str(second), submit=True)
    await until(second.exists, "the dialog has saved it", deadline_s=START_S)
    await agent.ok("desktop_type", target=target, text=" and on", observe="none")
    await agent.ok("desktop_key", target=target, keys=["ctrl+s"], observe="none")
    await until(lambda: second.read_text() == "here and on", "keys are back", deadline_s=START_S)
    closed = await agent.ok("desktop_close", window=target)
    assert "verified: yes" in closed.verdict, closed.text
    assert not of_launches(own_stage)


async def test_a_program_for_x11_that_got_no_server_is_told_to_ask_for_one(
    own_stage: Stage,
) -> None:
    need("xterm", own_stage.env["PATH"])
    agent = await own_stage.agent()
    reply = await agent.call("desktop_launch", argv=["xterm"], timeout_s=20)
    assert "verified: no" in reply.verdict
    assert "x11: true" in reply.text


async def settled(agent: Agent, target: str) -> bytes:
    """A picture of a window that has come to rest and is not of one colour."""
    with anyio.fail_after(START_S):
        while True:
            await agent.call("desktop_wait", target=target, still_s=0.5, timeout_s=10)
            shot = await agent.ok("desktop_screenshot", target=target)
            if not shot.outcome["frame"]["blank"]:
                return shot.pictures[0][1]


def of_launches(own_stage: Stage) -> list[str]:
    return [w["app_id"] for w in own_stage.sway.windows() if w["sandbox_instance_id"]]

"""Slate's own questions on a real desktop: no tool of an agent reaches them, and no program it opens is a person."""

from __future__ import annotations

import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import pytest

from slate_desktop.headless.program import SwayProgram
from slated import settings
from slated.audit.reader import Wanted, records
from slated.errors import SlateError
from tests.fakes.conscience import connected
from tests.live.bed import stage as stages
from tests.live.bed.agent import SERVER, Agent
from tests.live.bed.patience import START_S, until
from tests.live.bed.stage import Stage

pytestmark = pytest.mark.anyio

MAIN = Path(__file__).parents[2] / "slated/__main__.py"
APPROVALS = [sys.executable, "-I", str(MAIN), "approvals"]
OURS = "bed.approvals"
# An agent program of its own between this process, which is also the person here, and the server.
RELAY = "import subprocess, sys; sys.exit(subprocess.run(sys.argv[1:]).returncode)"
AGENT = [sys.executable, "-c", RELAY, *SERVER]


@pytest.fixture
async def stage(sway_program: SwayProgram) -> AsyncIterator[Stage]:
    """A session of its own: to the shared one's slated this process, the person here, is an agent program."""
    async with stages.staged(sway_program, conscience=False) as own, stages.daemon(own):
        yield own


def status(stage: Stage) -> dict[str, Any]:
    """What slated says of itself; nothing while it does not answer."""
    try:
        with connected(stage.slate_env, may_start=False) as slated:
            told: dict[str, Any] = slated.ask("status", {})
            return told
    except SlateError:
        return {}


def logged(stage: Stage, kind: str) -> list[dict[str, Any]]:
    return list(records(settings.directories(stage.slate_env).audit, Wanted(kind=kind)))


def attached(stage: Stage) -> int:
    """How many terminals were let in so far, to be told of questions."""
    return len(logged(stage, "approvals"))


@asynccontextmanager
async def asked(stage: Stage) -> AsyncIterator[Agent]:
    """A second agent, while one waits for a person's answer; the question is in a terminal window of theirs."""
    agent, other = await stage.agent(argv=AGENT), await stage.agent(argv=AGENT)
    before = attached(stage)
    await stage.start(["foot", f"--app-id={OURS}", *APPROVALS], env=stage.slate_env)
    await until(lambda: attached(stage) > before, "approvals are open", deadline_s=START_S)
    later = str(Path.home() / ".config/autostart/bed.desktop")
    call = await agent.post("desktop_launch", argv=["touch", later], timeout_s=1)
    await until(lambda: status(stage).get("questions") == 1, "it is asked")
    try:
        yield other
        assert status(stage)["questions"] == 1
        assert not await anyio.Path(later).exists()
    finally:
        await agent.cancel(call)


@pytest.mark.promise("no-self-answer")
async def test_no_tool_of_an_agent_reaches_the_window_with_the_question(stage: Stage) -> None:
    before = len(logged(stage, "answer"))
    async with asked(stage) as agent:
        listed = await agent.ok("desktop_windows", match=OURS)
        (window,) = listed.outcome["windows"]
        tries: dict[str, dict[str, Any]] = {
            "desktop_type": {"target": window["ref"], "text": "y"},
            "desktop_key": {"target": window["ref"], "keys": ["y"]},
            "desktop_click": {"target": window["ref"], "x": 20, "y": 20},
            "desktop_scroll": {"target": window["ref"], "x": 20, "y": 20, "down": 1},
            "desktop_close": {"window": window["ref"]},
        }
        for tool, arguments in tries.items():
            reply = await agent.call(tool, **arguments)
            assert reply.code == "refused.our_window", f"{tool}: {reply.text}"
        # Nor is there an element in it that AT-SPI could act on.
        reply = await agent.call("desktop_elements", target=window["ref"])
        assert not re.search(r"^\s*e\d", reply.text, re.MULTILINE), reply.text
        steps = [{"tool": tool, "args": args} for tool, args in tries.items()]
        reply = await agent.call("desktop_batch", steps=steps)
        assert "step 1 of 5" in reply.text
        assert "refused.our_window" in reply.text
        assert stage.sway.window(OURS) is not None
    denied = [r["tool"] for r in logged(stage, "call") if r.get("code") == "refused.our_window"]
    assert set(tries) <= set(denied)
    assert len(logged(stage, "answer")) == before


@pytest.mark.promise("no-self-answer")
async def test_a_terminal_that_an_agent_opens_is_no_persons(stage: Stage, tmp_path: Path) -> None:
    """Approvals in it are turned away, also below shells and scripts that shed their environment."""
    said = tmp_path / "said"
    shed = f"env -i TERM=foot {' '.join(f'{k}={stage.slate_env[k]}' for k in ('XDG_RUNTIME_DIR', 'XDG_STATE_HOME'))}"
    run = " ".join(APPROVALS)
    script = tmp_path / "run"
    script.write_text(f"{run} 2>{said}\n{shed} {run} 2>>{said}\necho end >>{said}\n")
    async with asked(stage) as agent:
        before, let_in = len(logged(stage, "turned_away")), attached(stage)
        argv = ["foot", "--app-id=bed.theirs", *APPROVALS]
        await agent.call("desktop_launch", argv=argv, timeout_s=20)
        await until(
            lambda: len(logged(stage, "turned_away")) > before or attached(stage) > let_in,
            "it is judged", deadline_s=START_S,
        )  # fmt: skip
        assert attached(stage) == let_in
        argv = ["foot", "--app-id=bed.theirs", "bash", str(script)]
        await agent.call("desktop_launch", argv=argv, timeout_s=20)
        await until(
            lambda: said.exists() and "end" in said.read_text(), "both ran", deadline_s=START_S
        )
        assert said.read_text().count("refused.not_a_person") == 2, said.read_text()
        assert len(logged(stage, "turned_away")) >= before + 3
        assert attached(stage) == let_in


async def test_what_may_run_anything_can_open_a_terminal_as_a_person_does(stage: Stage) -> None:
    """What the threat model says is not stopped: sway starts it, so it is nobody's child. That command needs a yes."""
    async with asked(stage):
        before = attached(stage)
        words = " ".join(["foot", "--app-id=bed.exec", *APPROVALS])
        stage.sway.run(f'exec "{words}"')
        await until(lambda: attached(stage) > before, "it is let in", deadline_s=START_S)
        with connected(stage.slate_env, may_start=False) as slated:
            told = await anyio.to_thread.run_sync(
                lambda: slated.ask("check", {"command": f"swaymsg exec '{words}'"})
            )
        assert told["tier"] == "confirm"

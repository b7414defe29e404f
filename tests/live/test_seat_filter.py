"""Programs behind the seat filter: whose keys they take, what the person can still do, where their menus are."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.live.bed.patience import until
from tests.live.bed.stage import Stage

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("daemon")]

NAME = "bed.launched"


async def test_a_terminal_takes_the_agents_keys_through_the_filter(stage: Stage, tmp_path: Path) -> None:
    agent = await stage.agent()
    out = tmp_path / "out"
    argv = ["foot", f"--app-id={NAME}", "sh", "-c", f"read line; printf %s \"$line\" > {out}"]
    await agent.ok("desktop_launch", argv=argv, timeout_s=30)
    await agent.ok("desktop_type", target=NAME, text="hello", submit=True)
    await until(out.exists, "it was typed")
    assert out.read_text() == "hello"

"""A running pyatspi that is asked for trees."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
from anyio.abc import Process
from anyio.streams.buffered import BufferedByteReceiveStream

from slate_desktop.model import Window
from tests.live.bed.patience import START_S
from tests.live.bed.program import ROOT
from tests.live.bed.stage import Stage

LINE = 50_000_000


class Witness:
    """A running pyatspi."""

    def __init__(self, process: Process) -> None:
        assert process.stdout is not None
        self._process = process
        self._out = BufferedByteReceiveStream(process.stdout)

    async def ready(self) -> None:
        """It has been imported and has connected."""
        await self._out.receive_until(b"\n", 100)

    async def look(self, window: Window) -> dict[str, Any]:
        """Its tree of a window, and what that took in ms."""
        assert self._process.stdin is not None
        asked = {"pid": window.pid, "title": window.title}
        await self._process.stdin.send(json.dumps(asked).encode() + b"\n")
        with anyio.fail_after(START_S):
            answer: dict[str, Any] = json.loads(await self._out.receive_until(b"\n", LINE))
        return answer


@asynccontextmanager
async def witness(stage: Stage) -> AsyncIterator[Witness]:
    """pyatspi on the stage's bus."""
    process = await anyio.open_process(
        [sys.executable, "-m", "tests.oracle.witness"],
        stdin=subprocess.PIPE,
        stderr=None,
        env=stage.env,
        cwd=ROOT,
    )
    made = Witness(process)
    try:
        await made.ready()
        yield made
    finally:
        process.kill()
        await process.wait()
        await process.aclose()

"""One headless session as a test uses it: programs on it, the daemon and agents against it, a
clean floor between acts.
"""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import anyio
from anyio.abc import Process, TaskGroup

from slate_desktop.headless.program import SwayProgram
from slate_desktop.headless.session import Session, open_session
from tests.live.bed import agent, program
from tests.live.bed.agent import Agent
from tests.live.bed.finding import Missing, need
from tests.live.bed.patience import SLOW, START_S, WAIT_S, until
from tests.live.bed.program import ROOT, Program
from tests.live.bed.tree import Sway

SCREEN = "HEADLESS-1"
DAEMON: Sequence[str] = (sys.executable, "-m", "tests.live.bed.watched")
CONSCIENCE: Sequence[str] = (
    *(sys.executable, "-m", "slated", "serve"),
    *("--no-marks", "--linger", "7200"),
)
_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Stage:
    """A session, its sway as the bed sees it, and what was started on it since the last `sweep`."""

    session: Session
    sway: Sway
    tasks: TaskGroup
    acts: AsyncExitStack = field(default_factory=AsyncExitStack)

    @property
    def env(self) -> dict[str, str]:
        """For bed programs and applications: the session's own environment, and where the bed's
        sources are.
        """
        return {**self.session.app_env, "PYTHONPATH": str(ROOT)}

    @property
    def slate_env(self) -> dict[str, str]:
        """For the daemon and the front: the same, with the session's compositor and a place for
        their logs.
        """
        return {
            **self.env,
            "SWAYSOCK": str(self.session.sway_socket),
            "XDG_STATE_HOME": str(self.session.runtime_dir / "state"),
            "XDG_CONFIG_HOME": str(self.session.runtime_dir / "config"),
        }

    @property
    def log(self) -> Path:
        """Where the programs' standard error goes."""
        return self.session.runtime_dir / "bed.log"

    async def window(self, app_id: str, *, title: str = "", **wish: Any) -> Program:
        """A scriptable window, open and in sway's tree."""
        it = await self.acts.enter_async_context(self._running("window"))
        await it.ask("open", app_id=app_id, title=title or app_id, deadline_s=START_S, **wish)
        await self.shows(app_id)
        return it

    async def person(self) -> Program:
        """The simulated person, ready to act. Start them before applications whose first key counts: an
        application hears a keyboard once it has met it.
        """
        socket = str(self.session.sway_socket)
        running = self._running("person", socket, first="report")
        return await self.acts.enter_async_context(running)

    async def gtk(self, version: int) -> Program:
        """The GTK 3 or 4 application, its window in sway's tree under `bed.gtk3` or `bed.gtk4`."""
        if find_spec("gi") is None:
            raise Missing("python3-gi is not installed here, or this Python does not see it")
        name = f"gtk{version}"
        running = self._running(name, f"bed {name}", first="text")
        it = await self.acts.enter_async_context(running)
        await self.shows(f"bed.{name}", deadline_s=START_S)
        return it

    async def terminal(
        self, record: Path, *, app_id: str = "bed.foot", show: Path | None = None
    ) -> Process:
        """foot with a reader that writes every byte it gets to `record`, below the text of `show`."""
        reader = [sys.executable, "-m", "tests.live.bed.raw", str(record)]
        argv = ["foot", f"--app-id={app_id}", *reader, *([str(show)] if show else [])]
        process = await self.start(argv)
        await self.shows(app_id, deadline_s=START_S)
        await until(record.exists, f"{app_id} is ready", deadline_s=START_S)
        return process

    async def start(self, argv: Sequence[str], *, env: Mapping[str, str] | None = None) -> Process:
        """Any program; it is killed with its children at the next `sweep`. Missing if it is not there."""
        need(argv[0], self.env["PATH"])
        return await self.acts.enter_async_context(_process(argv, env or self.env, self.log))

    async def agent(self, **options: Any) -> Agent:
        """An MCP client connected through the front."""
        return await self.acts.enter_async_context(self.connected(**options))

    def connected(self, **options: Any) -> AbstractAsyncContextManager[Agent]:
        """The same for a client that leaves before the test ends."""
        return agent.connected(tasks=self.tasks, env=self.slate_env, log=self.log, **options)

    def _running(
        self, module: str, *arguments: str, first: str = ""
    ) -> AbstractAsyncContextManager[Program]:
        return program.running(
            module, *arguments, tasks=self.tasks, env=self.env, log=self.log, first=first
        )

    async def shows(self, name: str, *, deadline_s: float = WAIT_S) -> dict[str, Any]:
        """Wait until sway shows a window with that app id or title."""
        return await until(
            lambda: self.sway.window(name), f"a window {name!r}", deadline_s=deadline_s
        )

    def focus(self, name: str) -> None:
        """Give the person's focus to a window."""
        window = self.sway.window(name)
        assert window is not None, f"no window {name!r}"
        self.sway.run(f"[con_id={window['id']}] focus")

    async def clear(self) -> None:
        """A fresh workspace on the screen for the next test."""
        self.sway.run(f'workspace --no-auto-back-and-forth "bed{next(_numbers)}"')

    async def sweep(self) -> None:
        """End what was started, wait until no window is left, leave every mode."""
        await self.acts.aclose()
        for window in self.sway.windows():
            self.sway.run(f"[con_id={window['id']}] kill")
        await until(lambda: not self._left(), "no window is left over")
        self.sway.run("mode default")

    def _left(self) -> list[dict[str, Any]]:
        # The daemon's own parking window stays as long as the daemon does.
        return [
            window
            for window in self.sway.windows()
            if not str(window["app_id"]).startswith("dev.slate")
        ]

    def tail(self) -> str:
        """What sway, the daemon and the programs last said; for the report of a failed test."""
        parts = []
        for path in sorted(self.session.runtime_dir.rglob("*.log")):
            if path.is_file():
                parts.append(f"--- {path.name}\n{path.read_text(errors='replace')[-3000:]}")
        return "\n".join(parts)


@asynccontextmanager
async def _process(
    argv: Sequence[str], env: Mapping[str, str], log: Path
) -> AsyncIterator[Process]:
    with log.open("ab") as output:
        process = await anyio.open_process(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd=ROOT,
            env=dict(env),
            start_new_session=True,
        )
    try:
        yield process
    finally:
        with anyio.CancelScope(shield=True):
            kill_group(process.pid)
            await process.wait()
            await process.aclose()


def kill_group(leader: int) -> None:
    """Kill a process we started as a session leader, and what it started."""
    with suppress(ProcessLookupError):
        os.killpg(leader, signal.SIGKILL)


@asynccontextmanager
async def staged(
    sway: SwayProgram, *, conscience: bool = True, **wish: Any
) -> AsyncIterator[Stage]:
    """Open a session to act on (`wish` as for `open_session`); everything started on it ends with it.

    With `conscience` a slated is there that marks nobody: this process is the agent of the tests, and in some of them
    the person, and marks stay on a process for ever. Without, the first who needs one starts a real one.
    """
    async with open_session(sway, slow=SLOW, **wish) as session, AsyncExitStack() as around:
        eyes = Sway(str(session.sway_socket), deadline_s=WAIT_S)
        async with anyio.create_task_group() as tasks:
            stage = Stage(session, eyes, tasks)
            if conscience:
                await around.enter_async_context(_serving(stage, CONSCIENCE))
            try:
                yield stage
            finally:
                await stage.acts.aclose()
                eyes.close()
                tasks.cancel_scope.cancel()


def daemon(stage: Stage) -> AbstractAsyncContextManager[Process]:
    """The desktop daemon on that stage, once it says that it is ready."""
    return _serving(stage, DAEMON)


@asynccontextmanager
async def _serving(stage: Stage, argv: Sequence[str]) -> AsyncIterator[Process]:
    reading, writing = os.pipe()
    with stage.log.open("ab") as output:
        process = await anyio.open_process(
            [*argv, "--ready-fd", str(writing)],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd="/",
            env=stage.slate_env,
            pass_fds=(writing,),
            start_new_session=True,
        )
    os.close(writing)
    try:
        with anyio.fail_after(START_S):
            await anyio.wait_readable(reading)
        said = os.read(reading, 4096)
        assert b'"ready"' in said, f"the daemon is not ready: {said.decode()}\n{stage.tail()}"
        yield process
    finally:
        os.close(reading)
        with anyio.CancelScope(shield=True):
            if process.returncode is None:
                process.terminate()
                with anyio.move_on_after(WAIT_S):
                    await process.wait()
            kill_group(process.pid)
            await process.wait()
            await process.aclose()

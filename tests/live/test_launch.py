"""Launches on a real sway: labelled, in the background, without a focus taken, and outliving who
made them.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio
import pytest

from slate_desktop.geometry import Size
from slate_desktop.launch import Program, ProgramLauncher
from slate_desktop.model import Place, Window
from slate_desktop.swayipc.background import Background
from slate_desktop.swayipc.ipc import Events, Ipc
from slate_desktop.swayipc.windows import SwayWindows
from slate_desktop.wayland.connection import Connection
from slate_desktop.wayland.globals import Globals
from slate_desktop.wayland.security import SecurityContexts
from tests.live.bed.patience import START_S, WAIT_S, until
from tests.live.bed.stage import Stage

pytestmark = pytest.mark.anyio

GLOBALS = """
import sys
from pywayland.client import Display
display = Display(); display.connect()
registry = display.get_registry()
registry.dispatcher["global"] = lambda _registry, _name, interface, _version: print(interface)
display.roundtrip()
display.disconnect()
"""


@dataclass
class Field:
    stage: Stage
    launcher: ProgramLauncher
    windows: SwayWindows
    state: Path

    async def opened_by(self, program: Program, count: int = 1) -> list[Window]:
        """The windows of a launch, once there are so many."""
        with anyio.fail_after(START_S):
            while True:
                seen = (await self.windows.desktop()).windows
                found = [window for window in seen if window.sandbox == program.id]
                if len(found) >= count:
                    return found
                await self.windows.changed(deadline_s=0.2)

    async def end(self, program: Program) -> None:
        """Kill a program with all it started, and wait until its windows are gone."""
        os.killpg(program.pid, signal.SIGKILL)
        with anyio.fail_after(WAIT_S):
            await program.ended.wait()
            while any(w.sandbox == program.id for w in (await self.windows.desktop()).windows):
                await self.windows.changed(deadline_s=0.2)


@asynccontextmanager
async def field(stage: Stage) -> AsyncIterator[Field]:
    state = stage.session.runtime_dir / "launches-of-a-test"
    state.mkdir(mode=0o700, exist_ok=True)
    path = str(stage.session.sway_socket)
    ipc, events = Ipc(path), Events(path)
    started = anyio.Event()
    async with (
        Connection.open(stage.session.wayland_socket) as connection,
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(lambda: events.run(started=started.set))
        await started.wait()
        background = Background(ipc, Size(1280, 800))
        await background.ensure()
        contexts = SecurityContexts(await Globals.load(connection), state)
        launcher = ProgramLauncher(contexts, state, stage.env, tasks, lambda _: None)
        try:
            yield Field(stage, launcher, SwayWindows(ipc, events, background), state)
        finally:
            await ipc.close()
            tasks.cancel_scope.cancel()


async def test_a_launched_window_carries_its_launch_and_takes_no_focus(stage: Stage) -> None:
    await stage.window("bed.person")
    async with field(stage) as it:
        before = (await it.windows.desktop()).focus
        program = await it.launcher.start(["foot", "--app-id=bed.launched"], cwd=None)
        (window,) = await it.opened_by(program)
        assert (window.app_id, window.place) == ("bed.launched", Place.BACKGROUND)
        assert (await it.windows.desktop()).focus == before
        assert window.pid == program.pid
        await it.end(program)
        await until(lambda: stage.sway.window("bed.launched") is None, "its window is gone")


async def test_what_a_launched_program_starts_is_of_the_same_launch(stage: Stage) -> None:
    async with field(stage) as it:
        inner = "foot --app-id=bed.inner & foot --app-id=bed.other & wait"
        program = await it.launcher.start(["sh", "-c", inner], cwd=None)
        windows = await it.opened_by(program, 2)
        assert {w.app_id for w in windows} == {"bed.inner", "bed.other"}
        assert {w.place for w in windows} == {Place.BACKGROUND}
        await it.end(program)


async def test_a_launched_program_sees_no_control_of_the_compositor(stage: Stage) -> None:
    async with field(stage) as it:
        program = await it.launcher.start([sys.executable, "-c", GLOBALS], cwd=None)
        with anyio.fail_after(START_S):
            await program.ended.wait()
        offered = set(program.output.read_text().split())
    assert {"wl_compositor", "xdg_wm_base", "wl_seat"} <= offered
    assert not offered & {
        "zwlr_virtual_pointer_manager_v1",
        "zwp_virtual_keyboard_manager_v1",
        "ext_image_copy_capture_manager_v1",
        "zwlr_foreign_toplevel_manager_v1",
        "wp_security_context_manager_v1",
    }


async def test_r104_a_launched_program_lives_on_and_still_opens_windows_without_us(
    stage: Stage,
) -> None:
    go = stage.session.runtime_dir / "go"
    script = f'foot --app-id=bed.first & while [ ! -e "{go}" ]; do sleep 0.05; done; exec foot --app-id=bed.second'
    async with field(stage) as it:
        program = await it.launcher.start(["sh", "-c", script], cwd=None)
        await it.opened_by(program)
        socket = it.state / f"wayland-{program.id}"
    assert socket.exists()
    go.touch()
    await stage.shows("bed.second", deadline_s=START_S)
    async with field(stage) as it:
        assert socket.exists()
        windows = await it.opened_by(program, 2)
        assert {w.app_id for w in windows} == {"bed.first", "bed.second"}
    os.killpg(program.pid, signal.SIGKILL)
    await until(lambda: stage.sway.window("bed.second") is None, "its windows are gone")
    async with field(stage):
        assert not socket.exists()
    go.unlink()


async def test_an_application_is_found_by_its_desktop_entry(stage: Stage) -> None:
    async with field(stage) as it:
        argv = it.launcher.command("foot", [])
        assert argv[0] == "foot"
        program = await it.launcher.start(argv, cwd=None)
        (window,) = await it.opened_by(program)
        assert window.app_id == "foot"
        await it.end(program)

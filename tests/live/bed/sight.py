"""Eyes on the stage, without a daemon, and what is asked of their pictures."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from slate_desktop import image
from slate_desktop.geometry import Size
from slate_desktop.model import Desktop, Pixels, Window
from slate_desktop.swayipc.background import Background
from slate_desktop.swayipc.ipc import Events, Ipc
from slate_desktop.swayipc.windows import SwayWindows
from slate_desktop.wayland.capture import WindowEyes
from slate_desktop.wayland.connection import Connection
from slate_desktop.wayland.globals import Globals
from slate_desktop.wayland.outputs import Outputs
from slate_desktop.wayland.toplevels import Toplevels
from tests.live.bed.stage import Stage


@dataclass
class Sight:
    """Eyes and windows, and what hands on the same connection are made of."""

    stage: Stage
    globals: Globals
    outputs: Outputs
    toplevels: Toplevels
    eyes: WindowEyes
    windows: SwayWindows

    async def window(self, app_id: str) -> Window:
        found = [w for w in (await self.desktop()).windows if w.app_id == app_id]
        assert len(found) == 1, f"{len(found)} windows of {app_id}"
        return found[0]

    async def desktop(self) -> Desktop:
        return await self.windows.desktop()

    async def content(self, app_id: str) -> tuple[Pixels, image.Content]:
        """A picture, and where the content is in it."""
        window = await self.window(app_id)
        pixels = await self.eyes.window(window.handle)
        return pixels, image.content_box(pixels, window.rect.size)

    def move(self, window: Window, words: str) -> None:
        self.stage.sway.run(f"[con_id={window.id}] {words}")


@asynccontextmanager
async def sight(stage: Stage) -> AsyncIterator[Sight]:
    async with Connection.open(stage.session.wayland_socket) as connection:
        globals_ = await Globals.load(connection)
        outputs, toplevels = Outputs(globals_), Toplevels(globals_)
        await connection.sync()
        eyes = WindowEyes(globals_, outputs, toplevels)
        path = str(stage.session.sway_socket)
        ipc = Ipc(path)
        background = Background(ipc, Size(1280, 800))
        try:
            await background.ensure()
            yield Sight(
                stage,
                globals_,
                outputs,
                toplevels,
                eyes,
                SwayWindows(ipc, Events(path), background),
            )
        finally:
            eyes.close()
            await ipc.close()


def pixel(pixels: Pixels, x: int, y: int) -> tuple[int, int, int]:
    blue, green, red = pixels.data[y * pixels.stride + x * 4 :][:3]
    return red, green, blue

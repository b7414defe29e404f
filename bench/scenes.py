"""The scenes the rows are measured on: windows with something in them, and the programs held
against us.
"""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PIL import Image

from bench.client import Server, picture
from bench.rows import Result, Row
from slate_desktop.headless.program import SwayProgram
from tests.live.bed.patience import until
from tests.live.bed.program import ROOT
from tests.live.bed.stage import Stage

SHOWN, HIDDEN, TARGET = "bench.shown", "bench.hidden", "bench.target"
_SCRIPT = Path(sys.executable).with_name("slate-desktop")
# What an agent program is told to start; without an installation, the same by its module.
FRONT: Sequence[str] = (
    [str(_SCRIPT), "mcp"] if _SCRIPT.exists() else [sys.executable, "-m", "slate_desktop", "mcp"]
)
TEXT = ("The quick brown fox jumps over the lazy dog 0123456789. " * 4)[:200]
TOKENS = 6000
CHARACTERS_A_TOKEN = 4
CLICK_AT = (200, 150)
SCREEN_SIZE = (1280, 800)


class Scenes:
    """One stage with the windows of all rows; `server` is a connection that stays open."""

    def __init__(
        self, stage: Stage, sway: SwayProgram, directory: Path, end_daemon: Callable[[], object]
    ) -> None:
        self.stage = stage
        self.swaymsg = (*sway.swaymsg, "-s", str(stage.session.sway_socket))
        self.env = {**stage.env, **sway.env}
        self.end_daemon = end_daemon
        self.server, self.beside = self.connect(), self.connect()
        self.pictures: dict[str, bytes] = {}
        self.records = {
            SHOWN: directory / "shown",
            HIDDEN: directory / "hidden",
            TARGET: directory / "target",
        }
        self.rect = ""

    async def open(self) -> None:
        """Three terminals full of text, each alone on its workspace; the person looks at the
        first.
        """
        for name in (HIDDEN, TARGET, SHOWN):
            await self.stage.clear()
            await self.stage.terminal(self.records[name], app_id=name, show=ROOT / "README.md")
            # A terminal maps in its own size and draws the workspace's a moment later.
            await until(partial(self._fills_the_screen, name), f"{name} is drawn")
        window = self.stage.sway.window(SHOWN)
        assert window is not None
        rect = window["rect"]
        self.rect = f"{rect['x']},{rect['y']} {rect['width']}x{rect['height']}"

    def _fills_the_screen(self, name: str) -> bool:
        return _size(picture(self.server.call("desktop_screenshot", target=name))) == SCREEN_SIZE

    def connect(self) -> Server:
        """A fresh connection, its handshake done."""
        server = Server(FRONT, env=self.stage.slate_env, log=self.stage.log)
        server.initialize()
        return server

    def rows(self) -> list[Row]:
        """All rows with a rival, in the order of the table."""
        return [
            Row(
                "window list over MCP",
                "`swaymsg -t get_tree`",
                2.5,
                lambda: self.server.call("desktop_windows"),
                lambda: self.run([*self.swaymsg, "-t", "get_tree"]),
            ),
            Row(
                "picture of a shown window, PNG",
                "`grim` of the same pixels",
                0.6,
                *self._pictured(SHOWN),
            ),
            Row(
                "picture of a hidden window, PNG", "`grim` of as many", 0.6, *self._pictured(HIDDEN)
            ),
            Row(
                "click, no observation",
                "two `swaymsg seat … cursor`",
                4,
                self._click,
                self._swaymsg_click,
                between=self._release,
            ),
            Row(
                "200 characters",
                "`wtype`",
                0.15,
                lambda: self.server.call("desktop_type", target=TARGET, text=TEXT, observe="none"),
                lambda: self.run(["wtype", TEXT]),
                between=self._point_wtype,
            ),
            Row(
                "initialize, daemon up",
                "`python3 -I -S -c 'import json'`",
                3,
                self.connect,
                lambda: self.run([sys.executable, "-I", "-S", "-c", "import json"]),
                undo=_hang_up,
            ),
        ]

    def cold_row(self) -> Row:
        """The row that needs the daemon gone before each round; nothing else can be measured
        beside it.
        """
        return Row(
            "initialize, cold",
            "`python3 -c 'import mcp.server.lowlevel'`",
            1.8,
            self.connect,
            lambda: self.run([sys.executable, "-c", "import mcp.server.lowlevel"]),
            between=self.end_daemon,
            undo=_hang_up,
            warm_up=1,
        )

    def tokens(self) -> Result:
        """What tools/list costs a model."""
        tools = self.server.request("tools/list")["tools"]
        characters = len(json.dumps(tools, separators=(",", ":"), ensure_ascii=False))
        count = characters / CHARACTERS_A_TOKEN
        return Result("tools/list, tokens", "limit", count, TOKENS, count / TOKENS, 1, unit="")

    def check(self) -> None:
        """What was measured was the same job: pictures of equal size, text that arrived."""
        sizes = {name: _size(data) for name, data in self.pictures.items()}
        if set(sizes.values()) != {SCREEN_SIZE}:
            raise RuntimeError(f"the pictures are not of the same size: {sizes}")
        typed = {name: self.records[name].read_bytes().decode() for name in (SHOWN, TARGET)}
        if not all(text and not text.replace(TEXT, "") for text in typed.values()):
            raise RuntimeError(f"what was typed did not arrive whole: {typed}")

    def run(self, argv: Sequence[str]) -> bytes:
        """A process of a rival, from start to end."""
        done = subprocess.run(argv, env=self.env, check=True, stdout=subprocess.PIPE, timeout=60)
        return done.stdout

    def _pictured(self, name: str) -> tuple[Callable[[], Any], Callable[[], Any]]:
        def ours() -> None:
            self.pictures[name] = picture(self.server.call("desktop_screenshot", target=name))

        def theirs() -> None:
            self.pictures["grim"] = self.run(["grim", "-g", self.rect, "-"])

        return ours, theirs

    def _point_wtype(self) -> None:
        # wtype takes the seat that was announced last: the one our second connection holds.
        self.beside.call("desktop_focus", window=HIDDEN)
        self.beside.call("desktop_focus", window=SHOWN)

    def _click(self) -> None:
        x, y = CLICK_AT
        self.server.call("desktop_click", target=SHOWN, x=x, y=y, observe="none")

    def _swaymsg_click(self) -> None:
        x, y = CLICK_AT
        self.run([*self.swaymsg, f"seat seat0 cursor set {x} {y}"])
        self.run([*self.swaymsg, "seat seat0 cursor press button1"])

    def _release(self) -> None:
        self.stage.sway.run("seat seat0 cursor release button1")


def _size(data: bytes) -> tuple[int, int]:
    return Image.open(io.BytesIO(data)).size


def _hang_up(made: object) -> None:
    if isinstance(made, Server):
        made.close()

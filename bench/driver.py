"""Rows against cua-driver, the nearest server of this kind: equal windows on equal stages, effects counted by them."""

from __future__ import annotations

import json
import shlex
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anyio import from_thread

from bench.client import Server, picture
from bench.rows import Row
from slate_desktop.headless.program import SwayProgram
from tests.live.bed.program import ROOT, Program
from tests.live.bed.stage import Stage

PROGRAM = ROOT / ".venv/rivals/bin/cua-driver"
NEAR, FAR = "bench.near", "bench.far"
FASTER = 1 / 3
SHORT, LONG = "hello", ("Pack my box with five dozen liquor jugs. " * 5)[:200]
AT = {"x": 60, "y": 70}


@dataclass(frozen=True, slots=True)
class Side:
    """A stage with a window the person looks at (`NEAR`) and one on another workspace (`FAR`), and a server on it."""

    stage: Stage
    server: Server
    near: Program
    far: Program

    def counts(self) -> tuple[int, int]:
        """Clicks and characters that have arrived in the near window, from any seat."""
        seats = from_thread.run(self.near.ask, "state")["seats"].values()
        return sum(facts["buttons"] for facts in seats), sum(len(facts["text"]) for facts in seats)

    def far_text(self) -> str:
        """What was typed into the far window."""
        seats = from_thread.run(self.far.ask, "state")["seats"].values()
        return "".join(facts["text"] for facts in seats)

    def ask(self, tool: str, **arguments: object) -> Mapping[str, Any]:
        """A call that may answer with an error."""
        return self.server.request("tools/call", {"name": tool, "arguments": arguments})


def rival(stage: Stage, sway: SwayProgram, directory: Path) -> Server:
    """cua-driver on a stage, told all that its documentation asks for."""
    env = {
        **stage.env,
        "HOME": str(directory),
        "PATH": f"{_swaymsg(sway, directory)}:{stage.env['PATH']}",
        "SWAYSOCK": str(stage.session.sway_socket),
        "CUA_DRIVER_RS_ENABLE_WAYLAND": "1",
    }
    subprocess.run([PROGRAM, "telemetry", "disable"], env=env, check=True, capture_output=True)
    server = Server([str(PROGRAM), "mcp", "--direct"], env=env, log=stage.log)
    server.initialize()
    return server


class Driver:
    """Both sides, each on a stage of its own: on one, the rival's keys would go through a seat of ours.

    Made in a thread, once all windows are there.
    """

    def __init__(self, ours: Side, theirs: Side) -> None:
        self.mine, self.other = ours, theirs
        self.ours, self.theirs = ours.server, theirs.server
        self.sent = {"ours": [0, 0], "theirs": [0, 0]}  # clicks and characters
        self.pictures: dict[str, bytes] = {}
        listed = self.theirs.call("list_windows")["structuredContent"]["windows"]
        self.known = {
            name: {key: window[key] for key in ("pid", "window_id")}
            for window in listed
            for name in (NEAR, FAR)
            if name in window["title"]
        }

    def rows(self) -> list[Row]:
        """Every row, in the order of the table."""
        here = self._here
        return [
            self._row(
                "window list",
                lambda: self.ours.call("desktop_windows"),
                lambda: self.theirs.call("list_windows"),
            ),
            self._row("picture of a window", self._picture, self._their_picture),
            self._row(
                "click",
                lambda: self.ours.call("desktop_click", target=NEAR, **AT, observe="none"),
                lambda: self.theirs.call("click", **here, **AT),
                clicks=1,
            ),
            self._row(
                "a key",
                lambda: self.ours.call("desktop_key", target=NEAR, keys=["a"], observe="none"),
                lambda: self.theirs.call("press_key", **here, key="a"),
                characters=1,
            ),
            self._typed(SHORT),
            self._typed(LONG),
            self._row(
                "click, 5 characters, picture: one call",
                self._steps,
                self._their_steps,
                clicks=1,
                characters=len(SHORT),
            ),
        ]

    @property
    def _here(self) -> dict[str, Any]:
        """The near window as the rival is told of it; it acts on the one that has the focus only."""
        return {**self.known[NEAR], "delivery_mode": "foreground"}

    def _typed(self, text: str) -> Row:
        return self._row(
            f"{len(text)} characters",
            lambda: self.ours.call("desktop_type", target=NEAR, text=text, observe="none"),
            lambda: self.theirs.call("type_text", **self._here, text=text),
            characters=len(text),
        )

    def _steps(self) -> None:
        steps = [
            {"tool": "desktop_click", "args": {"target": NEAR, **AT, "observe": "none"}},
            {"tool": "desktop_type", "args": {"target": NEAR, "text": SHORT, "observe": "none"}},
            {"tool": "desktop_screenshot", "args": {"target": NEAR}},
        ]
        picture(self.ours.call("desktop_batch", steps=steps))

    def _their_steps(self) -> None:
        steps = [
            {"tool": "click", "args": {**self._here, **AT}},
            {"tool": "type_text", "args": {**self._here, "text": SHORT}},
        ]
        seen = {"include_screenshot": True, "include_accessibility_tree": False}
        picture(self.theirs.call("run_steps", steps=steps, observe=seen))

    def arrived(self) -> list[str]:
        """A table of what the window got of what was sent, by its own count."""
        got = {"ours": self.mine.counts(), "theirs": self.other.counts()}
        lines = [
            "| sent to the window, and arrived there | Slate | cua-driver |",
            "| --- | --: | --: |",
        ]
        for place, what in enumerate(("clicks", "characters")):
            cells = [f"{got[who][place]} of {self.sent[who][place]}" for who in ("ours", "theirs")]
            lines.append(f"| {what} | {' | '.join(cells)} |")
        return lines

    def elsewhere(self) -> list[str]:
        """A table of the same calls on a window of a workspace that is not shown: the answers, and what arrived."""
        far = self.known[FAR]
        read = {**far, "include_accessibility_tree": False}
        typed = {**far, "text": SHORT}
        rows = [
            (
                "picture",
                self._outcome(self.mine, "desktop_screenshot", target=FAR),
                self._outcome(self.other, "get_window_state", **read),
            ),
            (
                "5 characters",
                self._outcome(self.mine, "desktop_type", target=FAR, text=SHORT, observe="none"),
                self._outcome(self.other, "type_text", **typed),
            ),
            (
                "5 characters, at the cost of the person's focus",
                "not needed",
                self._outcome(self.other, "type_text", **typed, delivery_mode="foreground"),
            ),
        ]
        head = [
            "| on a workspace that nobody looks at | Slate | cua-driver |",
            "| --- | --- | --- |",
        ]
        return head + [f"| {' | '.join(row)} |" for row in rows]

    def check(self) -> None:
        """Both took a picture of the same size, and all that we sent arrived."""
        if len({_size(data) for data in self.pictures.values()}) != 1:
            raise RuntimeError("the pictures are not of the same size")
        if list(self.mine.counts()) != self.sent["ours"]:
            raise RuntimeError(f"of {self.sent['ours']} arrived {self.mine.counts()}")

    def _row(
        self,
        name: str,
        ours: Callable[[], object],
        theirs: Callable[[], object],
        *,
        clicks: int = 0,
        characters: int = 0,
    ) -> Row:
        def counted(who: str, act: Callable[[], object]) -> Callable[[], object]:
            def run() -> object:
                self.sent[who][0] += clicks
                self.sent[who][1] += characters
                return act()

            return run

        return Row(name, "cua-driver", FASTER, counted("ours", ours), counted("theirs", theirs))

    def _picture(self) -> None:
        self.pictures["ours"] = picture(self.ours.call("desktop_screenshot", target=NEAR))

    def _their_picture(self) -> None:
        state = self.theirs.call(
            "get_window_state", **self.known[NEAR], include_accessibility_tree=False
        )
        self.pictures["theirs"] = picture(state)

    def _outcome(self, side: Side, tool: str, **arguments: object) -> str:
        """What came of a call, by its answer, by the window, and by what the person looks at."""
        before, looked_at = side.far_text(), side.stage.sway.focus()
        result = side.ask(tool, **arguments)
        arrived = len(side.far_text()) - len(before)
        if any(block["type"] == "image" for block in result["content"]):
            said = "a picture"
        elif result.get("isError"):
            said = f"refused: {_first_words(result)}"
        elif "text" in arguments:
            said = f"{arrived} arrived"
        else:
            said = "no picture"
        moved = side.stage.sway.focus() != looked_at
        return f"{said}; the person's focus was moved" if moved else said


def _first_words(result: Mapping[str, Any]) -> str:
    text = next(block["text"] for block in result["content"] if block["type"] == "text")
    return json.dumps(text.split("\n", 1)[0][:80], ensure_ascii=False)


def _swaymsg(sway: SwayProgram, directory: Path) -> Path:
    """A directory with the private sway's swaymsg under its usual name: the rival asks sway through it."""
    place = directory / "bin"
    place.mkdir()
    script = place / "swaymsg"
    exports = [f"export {name}={shlex.quote(value)}" for name, value in sway.env.items()]
    script.write_text(
        "\n".join(["#!/bin/sh", *exports, f'exec {shlex.join(sway.swaymsg)} "$@"', ""])
    )
    script.chmod(0o755)
    return place


def _size(data: bytes) -> tuple[int, int]:
    width, height = int.from_bytes(data[16:20]), int.from_bytes(data[20:24])
    return width, height

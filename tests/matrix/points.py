"""Clicks at random points of a window, by every space an agent can name them in, on every kind of screen: where they
arrive.

`python -m tests.matrix.points [--count 100] [--seed N] [--write docs/points.md]`: count is the points of each space in
each cell.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

import anyio

from tests.live.bed.agent import Agent
from tests.live.bed.finding import find
from tests.live.bed.patience import until
from tests.live.bed.program import Program
from tests.live.bed.stage import SCREEN, Stage, daemon, staged
from tests.live.bed.tree import OUTPUTS

SCALES = (1.0, 1.25, 1.5, 2.0)
TRANSFORMS = (
    *("normal", "90", "180", "270"),
    *("flipped", "flipped-90", "flipped-180", "flipped-270"),
)
LAYOUTS = {
    "tiled, title bar": ("border normal 4",),
    "tiled, border": ("border pixel 3",),
    "tiled, bare": ("border none",),
    "tabbed": ("border normal 2", "layout tabbed"),
    "stacked": ("border normal 2", "layout stacking"),
    "floating": (
        "border normal 3",
        "floating enable",
        "resize set width 347 px height 263 px",
        "move position center",
    ),
    "fullscreen": ("border normal 2", "fullscreen enable"),
    "scratchpad": ("border pixel 1", "move scratchpad", "scratchpad show", "move position center"),
}
PLAIN = ("fullscreen disable", "floating disable", "layout splith")
ORIGIN = (-3001, -707)
"""Where the screen lies: off the positive quarter, far from the other outputs."""
SPACES = ("window pixel", "frame pixel", "screen pixel")
TARGET, NEIGHBOUR = "bed.target", "bed.neighbour"
WITHIN = 1.0
PICTURE = 0.6  # how small the pictures are that are clicked in
BATCH = 30

Spot = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Place:
    """One kind of screen and one way a window lies on it."""

    scale: float
    transform: str
    layout: str

    def __str__(self) -> str:
        return f"scale {self.scale:g}, {self.transform}, {self.layout}"


@dataclass(frozen=True, slots=True)
class Shot:
    """A click: what the agent is told to aim at, and where in the window that is."""

    target: str
    at: Spot
    wanted: Spot


@dataclass(slots=True)
class Cell:
    """What came of one place: clicks that arrived where they were aimed, of how many; the worst distance; faults."""

    hits: int = 0
    shots: int = 0
    worst: float = 0.0
    faults: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return f"{self.hits}/{self.shots}"


@dataclass(slots=True)
class Range:
    """The stage with two windows, one of them the target, and the agent that shoots."""

    stage: Stage
    agent: Agent
    target: Program
    dice: random.Random

    async def cell(self, place: Place, count: int) -> Cell:
        """All spaces at one place."""
        await self._lay_out(place)
        await self.target.ask("forget")
        self.target.take()
        cell = Cell()
        for space in SPACES:
            shots = [shot async for shot in self._shots(space, count)]
            for first in range(0, count, BATCH):
                await self._shoot(shots[first : first + BATCH], cell, f"{place}, by {space}")
        return cell

    async def _lay_out(self, place: Place) -> None:
        x, y = ORIGIN
        self.stage.sway.run(
            f"output {SCREEN} scale {place.scale} transform {place.transform} position {x} {y}"
        )
        for words in (*PLAIN, *LAYOUTS[place.layout]):
            self._tell(words)
        before: object = None
        for _ in range(50):
            # sway gives a client 0.2 s to follow; then tree and client agree.
            await anyio.sleep(0.05)
            state = await self.target.ask("state")
            box, output = self._box(), self._screen()
            same = (state["width"], state["height"]) == (box[2], box[3])
            now = (box, output)
            if same and now == before:
                return
            before = now
        raise TimeoutError(f"{place}: the window does not come to rest, {before}")

    async def _shots(self, space: str, count: int) -> Any:
        left, top, _width, _height = self._box()
        frames: list[tuple[str, Spot, Spot, Spot]] = []
        if space == "frame pixel":
            frames = [await self._frame(TARGET), await self._frame("screen")]
        elif space == "window pixel":
            # Such a point is taken only while the last picture was in the window's own pixels.
            await self.agent.ok("desktop_screenshot", target=TARGET, max_edge=4096)
        across, down = self._in_view()
        for number in range(count):
            x, y = self.dice.choice(across), self.dice.choice(down)
            if space == "window pixel":
                yield Shot(TARGET, (x, y), (x, y))
            elif space == "screen pixel":
                yield Shot("screen", (left + x, top + y), (x, y))
            else:
                ref, corner, (per_x, per_y), size = frames[number % 2]
                # A whole pixel of the picture, inside the window; where it is comes from the sizes alone.
                at = (
                    min(int((x + left - corner[0]) / per_x), size[0] - 1),
                    min(int((y + top - corner[1]) / per_y), size[1] - 1),
                )
                wanted = (at[0] * per_x + corner[0] - left, at[1] * per_y + corner[1] - top)
                if wanted[0] < across.start or wanted[1] < down.start:
                    at = (at[0] + (wanted[0] < across.start), at[1] + (wanted[1] < down.start))
                    wanted = (at[0] * per_x + corner[0] - left, at[1] * per_y + corner[1] - top)
                yield Shot(ref, at, wanted)

    async def _frame(self, target: str) -> tuple[str, Spot, Spot, Spot]:
        """A small picture: its ref, its corner in the layout, logical pixels per pixel of it, its size."""
        left, top, width, height = self._box() if target == TARGET else self._screen()
        edge = max(64, int(max(width, height) * PICTURE))
        reply = await self.agent.ok("desktop_screenshot", target=target, max_edge=edge)
        facts = reply.outcome["frame"]
        wide, high = facts["width"], facts["height"]
        return facts["ref"], (left, top), (width / wide, height / high), (wide, high)

    async def _shoot(self, shots: Sequence[Shot], cell: Cell, where: str) -> None:
        steps = [
            {
                "tool": "desktop_click",
                "args": {"target": s.target, "x": s.at[0], "y": s.at[1], "observe": "none"},
            }
            for s in shots
        ]
        reply = await self.agent.call("desktop_batch", steps=steps)
        cell.shots += len(shots)
        await self.target.ask("state")
        arrived = [event["at"] for event in self.target.take("button") if event["pressed"]]
        if reply.error or len(arrived) != len(shots):
            cell.faults.append(
                f"{where}: {len(arrived)} of {len(shots)} arrived: {reply.text[-300:]}"
            )
            return
        for shot, at in zip(shots, arrived, strict=True):
            off = max(abs(at[0] - shot.wanted[0]), abs(at[1] - shot.wanted[1]))
            cell.worst = max(cell.worst, off)
            cell.hits += off <= WITHIN
            if off > WITHIN:
                cell.faults.append(f"{where}: {shot} arrived at {at}")

    def _tell(self, words: str) -> None:
        window = self.stage.sway.window(TARGET)
        assert window is not None
        self.stage.sway.run(f"[con_id={window['id']}] {words}")

    def _box(self) -> tuple[int, int, int, int]:
        """The target's content in the layout, by sway's own account."""
        window = self.stage.sway.window(TARGET)
        assert window is not None
        outer, inner = window["rect"], window["window_rect"]
        return (
            outer["x"] + inner["x"],
            outer["y"] + inner["y"],
            inner["width"] or outer["width"],
            inner["height"] or outer["height"],
        )

    def _in_view(self) -> tuple[range, range]:
        """The columns and rows of the target that are on the screen: nothing reaches the others."""
        left, top, width, height = self._box()
        x, y, wide, high = self._screen()
        return (
            range(max(0, x - left), min(width, x + wide - left)),
            range(max(0, y - top), min(height, y + high - top)),
        )

    def _screen(self) -> tuple[int, int, int, int]:
        outputs = self.stage.sway.ask(OUTPUTS)
        rect = next(output["rect"] for output in outputs if output["name"] == SCREEN)
        return rect["x"], rect["y"], rect["width"], rect["height"]


def places() -> Iterator[Place]:
    """Every place of the table, row by row."""
    for scale, transform, layout in product(SCALES, TRANSFORMS, LAYOUTS):
        yield Place(scale, transform, layout)


async def measure(
    stage: Stage, wanted: Sequence[Place], count: int, seed: int
) -> dict[Place, Cell]:
    """Shoot at these places; a daemon is running. The screen is as before afterwards."""
    agent = await stage.agent()
    await stage.window(NEIGHBOUR)
    target = await stage.window(TARGET, width=347, height=263)
    there = Range(stage, agent, target, random.Random(seed))
    found = {}
    try:
        for place in wanted:
            found[place] = await there.cell(place, count)
    finally:
        stage.sway.run(f"output {SCREEN} scale 1 transform normal position 0 0")
        await until(lambda: there._screen()[:2] == (0, 0), "the screen is as before")
    return found


def table(found: dict[Place, Cell]) -> str:
    """The cells as Markdown: a row a kind of screen, a column a layout."""
    lines = [
        "| scale | transform | " + " | ".join(LAYOUTS) + " |",
        "|--:|---|" + "--:|" * len(LAYOUTS),
    ]
    for scale, transform in product(SCALES, TRANSFORMS):
        cells = [str(found[Place(scale, transform, layout)]) for layout in LAYOUTS]
        lines.append(f"| {scale:g} | {transform} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"


def written(text: str, measured: str) -> str:
    """A document with what stands between its marks replaced."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{measured}\n{END}{after}"


def main() -> None:
    """Measure the whole table; exits 0 when every click arrived, 1 when not, 2 when there is no sway."""
    parser = argparse.ArgumentParser(description="Measures where clicks arrive.")
    parser.add_argument("--count", type=int, default=100, help="points a space and cell")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000)
    parser.add_argument("--write", type=Path, help="the document that holds the table")
    chosen = parser.parse_args()
    sway = find()
    if isinstance(sway, str):
        print(sway, file=sys.stderr)
        sys.exit(2)
    print(f"seed {chosen.seed}", flush=True)

    async def run() -> dict[Place, Cell]:
        async with staged(sway) as stage, daemon(stage):
            return await measure(stage, list(places()), chosen.count, chosen.seed)

    found = anyio.run(run)
    for cell in found.values():
        for fault in cell.faults:
            print(f"FAULT {fault}")
    hits, shots = sum(c.hits for c in found.values()), sum(c.shots for c in found.values())
    worst = max(cell.worst for cell in found.values())
    measured = (
        f"{table(found)}\n\n{hits} of {shots} clicks arrived within one logical pixel; the worst was {worst:.2f} off. "
        f"Seed {chosen.seed}."
    )
    print(measured, flush=True)
    if chosen.write is not None:
        chosen.write.write_text(written(chosen.write.read_text(), measured))
    sys.exit(0 if hits == shots else 1)


if __name__ == "__main__":
    main()

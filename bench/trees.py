"""Trees of elements, ours against a pyatspi walk of the same windows: cold (nobody has asked yet) and warm."""

from __future__ import annotations

import statistics
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio

from bench.rows import Result, table
from slate_desktop.atspi.bus import BusPlace
from slate_desktop.atspi.widgets import AtspiWidgets
from slate_desktop.elements import Tree
from slate_desktop.errors import Unavailable
from slate_desktop.model import Window
from tests.live.bed.stage import Stage
from tests.live.bed.toolkits import opened, shown
from tests.oracle.client import Witness, witness

COLD_ROUNDS = 3
# What a program may still be doing once its window is there; the same for both sides.
SETTLE_S = 4.0
# GTK 4 draws a blinking cursor for its first ten seconds; a frame drawn in software delays whatever answer comes then.
SETTLE_GTK4_S = 14.0
BOUNDS = {"firefox": 1 / 5, "gtk4": 1 / 5, "gtk3": 1 / 3, "qt": 1 / 2}
NAMES = {"firefox": "Firefox", "gtk4": "GTK 4", "gtk3": "GTK 3", "qt": "Qt"}
SMALL, LARGE = 40, 720  # items of a page, six to seven widgets each
GROWTH = 1.5
REREAD_MS_A_NODE = 0.2
NO_TREE_MS = 20.0
BUDGET_MS = 2_000.0


async def measured(stage: Stage, rounds: int) -> list[Result]:
    """All rows of trees."""
    async with witness(stage) as other:
        results = []
        for kind in BOUNDS:
            results += [await _cold(stage, other, kind), await _warm(stage, other, kind, rounds)]
            print(*table(results[-2:]).splitlines()[-2:], sep="\n", flush=True)
        results += await _large(stage, rounds)
        results.append(await _without(stage, rounds))
    return results


@asynccontextmanager
async def _widgets(stage: Stage) -> AsyncIterator[AtspiWidgets]:
    """A client that has connected, but asked nobody."""
    widgets = AtspiWidgets(BusPlace(stage.session.a11y_address))
    await widgets.connect()
    yield widgets
    widgets.close()


async def _tree(widgets: AtspiWidgets, window: Window) -> tuple[Tree, float]:
    started = anyio.current_time()
    tree = await widgets.tree(window)
    return tree, (anyio.current_time() - started) * 1e3


async def _cold(stage: Stage, other: Witness, kind: str) -> Result:
    ours, theirs, counts = [], [], [0]
    for _ in range(COLD_ROUNDS):
        async with opened(stage, kind) as window, _widgets(stage) as widgets:
            await anyio.sleep(_settle_s(kind))
            try:
                tree, took_ms = await _tree(widgets, window)
            except (
                Unavailable
            ):  # still busy starting: a miss of ours, at the price of the whole budget
                ours.append(BUDGET_MS)
                continue
            ours.append(took_ms)
            counts.append(len(tree.elements))
        async with opened(stage, kind) as window:
            await anyio.sleep(_settle_s(kind))
            theirs.append(float((await other.look(window))["ms"]))
    return _result(f"{NAMES[kind]} tree, {counts[-1]} nodes, cold", ours, theirs, BOUNDS[kind])


async def _warm(stage: Stage, other: Witness, kind: str, rounds: int) -> Result:
    ours, theirs, count = [], [], 0
    async with opened(stage, kind) as window, _widgets(stage) as widgets:
        await anyio.sleep(_settle_s(kind))
        for number in range(rounds + 1):
            tree, mine_ms = await _tree(widgets, window)
            told = await other.look(window)
            if number:
                ours.append(mine_ms)
                theirs.append(float(told["ms"]))
            if number and abs(len(tree.elements) - len(told["rows"])) > len(tree.elements) // 20:
                raise RuntimeError(
                    f"{kind}: {len(tree.elements)} against {len(told['rows'])} nodes"
                )
            count = len(tree.elements)
    return _result(f"{NAMES[kind]} tree, {count} nodes, warm", ours, theirs, BOUNDS[kind])


async def _large(stage: Stage, rounds: int) -> list[Result]:
    """Growth of a Firefox page, and reading it again unchanged, in µs a node."""
    a_node: dict[int, float] = {}
    for items in (SMALL, LARGE):
        async with opened(stage, "firefox", items=items) as window, _widgets(stage) as widgets:
            await anyio.sleep(SETTLE_S)
            tree, _ = await _tree(widgets, window)
            took = [(await _tree(widgets, window))[1] for _ in range(rounds)]
            count = len(tree.elements)
            a_node[count] = statistics.median(took) / count * 1e3
    few, many = sorted(a_node)
    limit = REREAD_MS_A_NODE * 1e3
    return [
        Result(
            f"Firefox page of {many} nodes, µs a node",
            f"the same of {few} nodes",
            a_node[many],
            a_node[few],
            a_node[many] / a_node[few],
            GROWTH,
            unit="",
        ),
        Result(
            "unchanged tree read again, µs a node",
            "limit",
            max(a_node.values()),
            limit,
            max(a_node.values()) / limit,
            1,
            unit="",
        ),
    ]


async def _without(stage: Stage, rounds: int) -> Result:
    """A program without a tree."""
    await stage.start(["foot", "--app-id=bench.plain"])
    window = await shown(stage, "foot")
    took = []
    async with _widgets(stage) as widgets:
        for _ in range(rounds):
            started = anyio.current_time()
            try:
                await widgets.tree(window)
            except Unavailable:
                took.append((anyio.current_time() - started) * 1e3)
    median = statistics.median(took)
    return Result("a program without a tree", "limit", median, NO_TREE_MS, median / NO_TREE_MS, 1)


def _settle_s(kind: str) -> float:
    return SETTLE_GTK4_S if kind == "gtk4" else SETTLE_S


def _result(name: str, ours: list[float], theirs: list[float], bound: float) -> Result:
    mine, other = statistics.median(ours), statistics.median(theirs)
    return Result(name, "pyatspi walk", mine, other, mine / other, bound)

"""A row of the table: what is ours, what it is held against, and the bound on the ratio of their
medians.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field

ROUNDS = 20
WARM_UP = 2

Act = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Row:
    """`ours` is called to be measured, then `theirs`, again and again; `between` runs unmeasured
    before each round and after the last, `undo` unmeasured on what `ours` returned. A `bound` of infinity is none:
    such a row says what another one is to be read beside.
    """

    name: str
    against: str
    bound: float
    ours: Act
    theirs: Act
    between: Act = field(default=lambda: None)
    undo: Callable[[object], None] = field(default=lambda made: None)
    warm_up: int = WARM_UP


@dataclass(frozen=True, slots=True)
class Result:
    """Medians in milliseconds and their ratio; or, for a count, the count against its limit."""

    name: str
    against: str
    ours: float
    theirs: float
    ratio: float
    bound: float
    unit: str = "ms"

    @property
    def kept(self) -> bool:
        """Whether the bound holds."""
        return self.ratio <= self.bound


def measure(row: Row, rounds: int = ROUNDS) -> Result:
    """Both sides, a round of each in turn, so that what the machine does meanwhile meets both."""
    ours, theirs = [], []
    for number in range(row.warm_up + rounds):
        row.between()
        mine_ms, made = _timed(row.ours)
        row.undo(made)
        theirs_ms, _ = _timed(row.theirs)
        if number >= row.warm_up:
            ours.append(mine_ms)
            theirs.append(theirs_ms)
    row.between()
    mine, other = statistics.median(ours), statistics.median(theirs)
    return Result(row.name, row.against, mine, other, mine / other, row.bound)


def _timed(act: Act) -> tuple[float, object]:
    start = time.perf_counter()
    made = act()
    return (time.perf_counter() - start) * 1e3, made


def table(results: list[Result]) -> str:
    """The results as a markdown table."""
    lines = [
        "| what | ours | against | theirs | ratio | bound | |",
        "| --- | --: | --- | --: | --: | --: | --- |",
    ]
    for row in results:
        sides = [
            f"{value:.1f} ms" if row.unit == "ms" else f"{value:.0f}"
            for value in (row.ours, row.theirs)
        ]
        bound, said = f"{row.bound:g}", "kept" if row.kept else "**missed**"
        if math.isinf(row.bound):
            bound, said = "none", ""
        lines.append(
            f"| {row.name} | {sides[0]} | {row.against} | {sides[1]} | {row.ratio:.2f} | {bound} | {said} |"
        )
    return "\n".join(lines)

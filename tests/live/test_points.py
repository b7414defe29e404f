"""Clicks by every space on kinds of screens and layouts of which each occurs; all of them: `make points`."""

from __future__ import annotations

import pytest

from tests.live.bed.stage import Stage
from tests.matrix.points import LAYOUTS, SCALES, TRANSFORMS, Place, measure

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("daemon")]

FEW = [
    Place(SCALES[(number + half) % 4], transform, list(LAYOUTS)[(number * 3 + half * 4) % 8])
    for half in (0, 1)
    for number, transform in enumerate(TRANSFORMS)
]


async def test_r36_r39_r47_a_click_arrives_where_it_was_aimed_in_every_space(stage: Stage) -> None:
    for place, cell in (await measure(stage, FEW, 5, 20_260)).items():
        assert (cell.hits, cell.shots, cell.faults) == (15, 15, []), place

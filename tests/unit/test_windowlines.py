"""What an agent is told of a window."""

from __future__ import annotations

import pytest

from slate_desktop.geometry import Rect
from slate_desktop.windowlines import lines
from tests.fakes.ports import bench, desktop, on_screen, window

pytestmark = pytest.mark.anyio


async def test_a_line_says_whose_it_is_and_what_covers_it() -> None:
    over = window(3, rect=Rect(500, 6000, 400, 300), floating=True)
    now = desktop(on_screen(1, x11=True), window(2), over)
    made = bench(now)
    tags = {line.app_id: line.tags for line in lines(made.lease, now, now.windows)}
    assert tags["app.1"] == ("person", "x11")
    assert tags["app.2"][0] == "yours"
    assert tags["app.2"][1].startswith("covered by w")
    assert tags["app.3"] == ("floating",)


async def test_a_tab_that_is_not_shown_and_a_fullscreen_window_say_so() -> None:
    now = desktop(window(2, front=False), window(3, fullscreen=True), agent=9)
    made = bench(now)
    tags = [line.tags for line in lines(made.lease, now, now.windows)]
    assert tags == [("tab behind",), ("fullscreen",)]


async def test_giving_a_line_gives_the_ref() -> None:
    now = desktop(window(2))
    made = bench(now)
    (line,) = lines(made.lease, now, now.windows)
    assert made.lease.sightings.known(line.ref).window == window(2)

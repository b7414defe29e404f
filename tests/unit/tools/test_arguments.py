"""How what an agent writes becomes an aim."""

from __future__ import annotations

import pytest

from slate_desktop.errors import BadRequest, Stale
from slate_desktop.geometry import Point, Size
from slate_desktop.intent import FrameSighting, ScreenSighting, WindowSighting
from slate_desktop.tools.arguments import aim, mask
from tests.fakes.ports import bench, desktop, window

pytestmark = pytest.mark.anyio


async def test_a_window_a_picture_and_the_screen_can_be_aimed_at() -> None:
    made = bench(desktop(window(2)))
    named = await aim(made.lease, "app.2", 1, 2)
    assert isinstance(named.sighting, WindowSighting)
    assert named.point == Point(1, 2)
    frame = made.lease.sightings.see_frame(window(2), Size(9, 9), 0.5, Point(0, 0), desktop())
    assert (await aim(made.lease, frame.ref, 1, 2)).sighting == frame
    assert isinstance(frame, FrameSighting)
    assert isinstance((await aim(made.lease, "screen")).sighting, ScreenSighting)


async def test_a_window_once_named_is_the_one_meant_later() -> None:
    made = bench(desktop(window(2), window(3)))
    await aim(made.lease, "app.3")
    again = (await aim(made.lease, None)).sighting
    assert isinstance(again, WindowSighting)
    assert again.window == window(3)


async def test_a_pixel_of_a_window_last_seen_scaled_is_ambiguous() -> None:
    made = bench(desktop(window(2)))
    made.lease.sightings.see_frame(window(2), Size(9, 9), 0.5, Point(0, 0), desktop())
    with pytest.raises(BadRequest) as caught:
        await aim(made.lease, "app.2", 1, 2)
    assert caught.value.code == "bad_request.which_space"
    await aim(made.lease, "app.2")  # without a point there is nothing to mistake
    made.lease.sightings.see_frame(window(2), Size(9, 9), 1.0, Point(0, 0), desktop())
    await aim(made.lease, "app.2", 1, 2)


async def test_a_picture_never_given_is_stale() -> None:
    with pytest.raises(Stale):
        await aim(bench(desktop(window(2))).lease, "f7", 1, 2)


async def test_modifiers_add_up_once_each() -> None:
    assert mask(["ctrl", "shift", "ctrl"]) == 5
    assert mask([]) == 0


async def test_a_point_is_refused_after_a_picture_that_began_at_a_menu() -> None:
    made = bench(desktop(window(2)))
    made.lease.sightings.see_frame(window(2), Size(9, 9), 1.0, Point(-5, 0), desktop())
    with pytest.raises(BadRequest, match="began outside") as caught:
        await aim(made.lease, "app.2", 1, 1)
    assert caught.value.code == "bad_request.which_space"
    made.lease.sightings.see_frame(window(2), Size(9, 9), 1.0, Point(0, 0), desktop())
    assert (await aim(made.lease, "app.2", 1, 1)).point == Point(1, 1)

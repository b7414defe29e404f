"""From pixels to the picture an agent reads."""

from __future__ import annotations

from io import BytesIO

import pytest
from PIL import Image

from slate_desktop.errors import BadRequest
from slate_desktop.geometry import Point, Rect, Size
from slate_desktop.model import Drawn, Pixels
from slate_desktop.picture import Wanted, screen_shot, shot
from tests.fakes.ports import SCREEN, Bench, bench, desktop, pixels, window

pytestmark = pytest.mark.anyio

WINDOW = window(2, rect=Rect(0, 5800, 100, 50))


def stage(picture: Pixels) -> Bench:
    made = bench(desktop(WINDOW))
    made.eyes.pictures["h2"] = [picture]
    made.eyes.pictures[SCREEN.name] = [picture]
    return made


def checker(size: Size) -> Pixels:
    """Every pixel says where it is: blue is x, green is y."""
    data = b"".join(
        bytes([x % 256, y % 256, 7, 255]) for y in range(size.height) for x in range(size.width)
    )
    return Pixels(size, size.width * 4, data, 0.0)


async def test_a_window_is_given_whole_and_in_its_own_size() -> None:
    made = stage(checker(Size(100, 50)))
    frame, picture = await shot(made.lease, made.windows.now, WINDOW, Wanted())
    assert (frame.of, frame.scale, frame.origin, frame.exact) == ("w1", 1.0, Point(0, 0), True)
    image = Image.open(BytesIO(picture.data))
    assert image.size == (100, 50)
    assert image.getpixel((40, 30)) == (7, 30, 40)


async def test_a_region_keeps_its_place() -> None:
    made = stage(checker(Size(100, 50)))
    wanted = Wanted(region=Rect(20, 10, 30, 20))
    frame, picture = await shot(made.lease, made.windows.now, WINDOW, wanted)
    assert frame.origin == Point(20, 10)
    assert Image.open(BytesIO(picture.data)).getpixel((0, 0)) == (7, 10, 20)


GREEN, RED, BLACK = bytes([0, 255, 0, 255]), bytes([0, 0, 255, 255]), bytes(4)


def painted(size: Size, *parts: tuple[Rect, bytes]) -> Pixels:
    """Black, with boxes of one colour over one another."""
    rows = [[BLACK] * size.width for _ in range(size.height)]
    for box, colour in parts:
        for y in range(box.y, box.y + box.height):
            rows[y][box.x : box.x + box.width] = [colour] * box.width
    return Pixels(size, size.width * 4, b"".join(b"".join(row) for row in rows), 0.0)


SHADOWED = painted(Size(120, 70), (Rect(10, 8, 100, 50), GREEN), (Rect(20, 12, 30, 9), RED))
"""The window with shadows around it."""
WITH_MENU = painted(
    Size(140, 100),
    (Rect(30, 38, 100, 50), GREEN),
    (Rect(40, 42, 30, 9), RED),
    (Rect(0, 0, 60, 40), RED),
)
"""The same with a menu that reaches 30 pixels left of its content and 38 above it."""


async def test_shadows_stay_outside_the_picture() -> None:
    made = stage(SHADOWED)
    frame, picture = await shot(made.lease, made.windows.now, WINDOW, Wanted())
    assert (frame.size, frame.origin, frame.exact) == (WINDOW.rect.size, Point(0, 0), True)
    assert Image.open(BytesIO(picture.data)).getpixel((99, 49)) == (0, 255, 0)
    assert made.lease.sightings.frame(frame.ref).menus is None


async def test_r43_a_menu_that_sticks_out_is_in_the_picture_and_the_content_found() -> None:
    made = stage(SHADOWED)
    made.eyes.pictures["h2"].append(WITH_MENU)
    await shot(made.lease, made.windows.now, WINDOW, Wanted())
    frame, picture = await shot(made.lease, made.windows.now, WINDOW, Wanted())
    assert (frame.origin, frame.size, frame.exact) == (Point(-30, -38), Size(130, 88), True)
    image = Image.open(BytesIO(picture.data))
    assert image.getpixel((2, 2)) == (255, 0, 0)
    assert image.getpixel((129, 87)) == (0, 255, 0)
    menus = made.lease.sightings.frame(frame.ref).menus
    assert menus is not None
    assert menus.surfaces == Size(140, 100)
    assert menus.boxes == (Rect(-30, -38, 30, 40), Rect(0, -38, 30, 38))
    region = Wanted(region=Rect(-30, -38, 10, 10))
    assert (await shot(made.lease, made.windows.now, WINDOW, region))[0].origin == Point(-30, -38)


async def test_a_menu_that_was_there_before_any_plain_picture_leaves_the_place_a_guess() -> None:
    made = stage(WITH_MENU)
    frame, _ = await shot(made.lease, made.windows.now, WINDOW, Wanted())
    assert not frame.exact
    assert frame.size == WINDOW.rect.size
    assert made.lease.sightings.frame(frame.ref).menus is None


async def test_a_region_outside_is_refused_with_the_target_named() -> None:
    made = stage(checker(Size(100, 50)))
    with pytest.raises(BadRequest) as caught:
        await shot(made.lease, made.windows.now, WINDOW, Wanted(region=Rect(200, 0, 5, 5)))
    assert "0,0 100x50" in caught.value.message


async def test_a_smaller_picture_says_its_scale_and_is_remembered() -> None:
    made = stage(checker(Size(100, 50)))
    frame, picture = await shot(made.lease, made.windows.now, WINDOW, Wanted(max_edge=64))
    assert (frame.size, frame.scale) == (Size(64, 32), 0.64)
    assert picture.size == Size(64, 32)
    assert made.lease.sightings.scale_of_last_picture(WINDOW) == 0.64


async def test_r36_a_screen_of_scale_2_is_pictured_in_layout_pixels() -> None:
    made = stage(checker(Size(2560, 1600)))
    frame, picture = await screen_shot(made.lease, made.windows.now, SCREEN, Wanted())
    assert (frame.of, frame.scale, frame.size) == ("screen", 1.0, Size(1280, 800))
    assert picture.size == Size(1280, 800)


async def test_r42_a_picture_of_one_colour_is_flagged() -> None:
    made = stage(pixels(Size(100, 50), 9, current=False))
    frame, _ = await shot(made.lease, made.windows.now, WINDOW, Wanted())
    assert frame.blank
    assert not frame.current


@pytest.mark.parametrize(
    ("format_", "mime"), [("png", "image/png"), ("palette", "image/png"), ("jpeg", "image/jpeg")]
)
async def test_r121_the_media_type_is_what_the_bytes_are(format_: str, mime: str) -> None:
    made = stage(checker(Size(100, 50)))
    _, picture = await shot(made.lease, made.windows.now, WINDOW, Wanted(format=format_))
    assert picture.mime == mime
    assert Image.open(BytesIO(picture.data)).get_format_mimetype() == mime


async def test_r43_what_the_program_was_seen_to_draw_decides_where_its_content_is() -> None:
    """A capture of nothing but colours, in which no search could find a content."""
    made = stage(checker(Size(160, 120)))
    made.witness.seen[WINDOW.id] = Drawn(Point(10, 40), (Rect(-10, -40, 60, 70), Rect(5, 5, 9, 9)))
    frame, picture = await shot(made.lease, made.windows.now, WINDOW, Wanted())
    assert (frame.origin, frame.exact) == (Point(-10, -40), True)
    assert picture.size == Size(110, 90)
    assert Image.open(BytesIO(picture.data)).getpixel((10, 40)) == (7, 40, 10)


async def test_a_picture_that_cannot_be_of_what_was_seen_is_judged_by_itself() -> None:
    made = stage(checker(Size(100, 50)))
    made.witness.seen[WINDOW.id] = Drawn(Point(10, 0))
    frame, _ = await shot(made.lease, made.windows.now, WINDOW, Wanted())
    assert (frame.origin, frame.size, frame.exact) == (Point(0, 0), Size(100, 50), True)

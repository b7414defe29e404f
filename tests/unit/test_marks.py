"""Marks on a picture stand where their elements are."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from PIL import Image

from slate_desktop.geometry import Point, Rect, Size
from slate_desktop.marks import COLOURS, Mark, in_picture, marked
from slate_desktop.outcome import Picture


def picture(mime: str = "PNG", scale: float = 1.0, origin: Point = Point(0, 0)) -> Picture:
    out = io.BytesIO()
    Image.new("RGB", (200, 100), "white").save(out, mime)
    return Picture(out.getvalue(), f"image/{mime.lower()}", Size(200, 100), scale, origin)


def test_a_box_is_framed_and_named_in_its_corner() -> None:
    done = marked(picture(), [Mark("e41", Rect(20, 30, 80, 40))])
    image = Image.open(io.BytesIO(done.data))
    assert image.size == (200, 100)
    colour = tuple(int(COLOURS[0][i : i + 2], 16) for i in (1, 3, 5))
    assert image.getpixel((99, 69)) == colour
    assert image.getpixel((60, 60)) == (255, 255, 255)
    assert image.getpixel((100, 70)) == (255, 255, 255)
    assert done.mime == "image/png"


@pytest.mark.parametrize(
    ("scale", "origin", "wanted"),
    [
        (1.0, Point(0, 0), Rect(20, 30, 80, 40)),
        (0.5, Point(0, 0), Rect(10, 15, 40, 20)),
        (1.0, Point(10, 10), Rect(10, 20, 80, 40)),
    ],
)
def test_scale_and_region_of_the_picture_are_reckoned_with(
    scale: float, origin: Point, wanted: Rect
) -> None:
    assert in_picture(Rect(20, 30, 80, 40), picture("PNG", scale, origin)) == wanted


def test_what_is_outside_is_left_out_and_a_jpeg_stays_one() -> None:
    plain = picture("JPEG")
    done = marked(plain, [Mark("e1", Rect(500, 500, 10, 10))])
    assert done.mime == "image/jpeg"
    assert done.data.startswith(b"\xff\xd8\xff")
    assert replace(done, data=b"") == replace(plain, data=b"")

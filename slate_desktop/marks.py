"""Numbered marks on a picture: a frame around each control with its ref, so that what is seen can be named. Pure."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass, replace

from PIL import Image, ImageDraw, ImageFont

from slate_desktop.geometry import Point, Rect
from slate_desktop.outcome import Picture

COLOURS = ("#e6194b", "#1a73e8", "#0b8043", "#b06000", "#8e24aa", "#00838f")
TEXT_PX = 12
PAD_PX = 2
JPEG_QUALITY = 85


@dataclass(frozen=True, slots=True)
class Mark:
    """A ref and the box of its element, in the content of the window."""

    ref: str
    box: Rect


def marked(picture: Picture, marks: Sequence[Mark]) -> Picture:
    """The picture with its marks; those outside it are left out."""
    image = Image.open(io.BytesIO(picture.data)).convert("RGB")
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(TEXT_PX)
    whole = Rect(0, 0, picture.size.width, picture.size.height)
    for number, mark in enumerate(marks):
        box = in_picture(mark.box, picture)
        if box.intersection(whole).empty:
            continue
        colour = COLOURS[number % len(COLOURS)]
        draw.rectangle(
            (box.x, box.y, box.x + box.width - 1, box.y + box.height - 1), outline=colour
        )
        _label(draw, font, mark.ref, box, colour)
    out = io.BytesIO()
    if picture.mime == "image/jpeg":
        image.save(out, "JPEG", quality=JPEG_QUALITY)
    else:
        image.save(out, "PNG", compress_level=1)
    return replace(picture, data=out.getvalue())


def in_picture(box: Rect, picture: Picture) -> Rect:
    """A box of the window's content in the pixels of its picture."""
    corner = box.origin.minus(picture.origin).times(picture.scale)
    return Rect(
        round(corner.x),
        round(corner.y),
        max(1, round(box.width * picture.scale)),
        max(1, round(box.height * picture.scale)),
    )


def _label(
    draw: ImageDraw.ImageDraw,
    font: ImageFont.ImageFont | ImageFont.FreeTypeFont,
    ref: str,
    box: Rect,
    colour: str,
) -> None:
    """The ref in the box's top left corner, where it covers least of what is written there."""
    at = Point(max(0, box.x), max(0, box.y))
    left, top, right, bottom = draw.textbbox((at.x + PAD_PX, at.y), ref, font=font)
    draw.rectangle((left - PAD_PX, top - 1, right + PAD_PX, bottom + 1), fill=colour)
    draw.text((at.x + PAD_PX, at.y), ref, fill="white", font=font)

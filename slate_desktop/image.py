"""What can be done to captured pixels: encode, crop, scale, compare, turn upright, find the
content. Pure.
"""

from __future__ import annotations

from io import BytesIO
from itertools import product
from struct import pack
from typing import NamedTuple

from isal import isal_zlib
from PIL import Image, ImageChops

from slate_desktop.errors import BadRequest, Bug
from slate_desktop.geometry import Rect, Size
from slate_desktop.model import Pixels

CAP_BYTES = 3_500_000  # a picture travels as base64, and the agents' services take 5 MB of that
FORMATS = ("png", "palette", "jpeg")
_JPEG_QUALITY = 80
_MIMES = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg"}
# Pictures of one colour differ by this much at most: dithering and rounding, not content.
_SAME = 2
_MENU_PX = 4
# What undoes wl_output.transform, by its numbers.
_UPRIGHT = {
    1: (Image.Transpose.ROTATE_270,),
    2: (Image.Transpose.ROTATE_180,),
    3: (Image.Transpose.ROTATE_90,),
    4: (Image.Transpose.FLIP_LEFT_RIGHT,),
    5: (Image.Transpose.TRANSPOSE,),
    6: (Image.Transpose.FLIP_TOP_BOTTOM,),
    7: (Image.Transpose.TRANSVERSE,),
}


class Plain(NamedTuple):
    """An earlier picture of a window without menus, and where its content was in it."""

    pixels: Pixels
    box: Rect


class Content(NamedTuple):
    """Where a window's content is in its picture; `exact` is false where that is a guess."""

    box: Rect
    exact: bool


def encode(
    pixels: Pixels, crop: Rect, size: Size, format: str = "png", *, cap_bytes: int = CAP_BYTES
) -> tuple[bytes, str]:
    """The part `crop`, scaled to `size`, as bytes and their media type.

    Formats are png, palette (256 colours) and jpeg. What would be larger than `cap_bytes` comes as
    JPEG instead. Outside the pixels it is black. BadRequest for another format or no size.
    """
    if format not in FORMATS:
        raise BadRequest("format", f"no such format; there are {', '.join(FORMATS)}")
    if crop.empty or size.width < 1 or size.height < 1:
        raise BadRequest("empty_picture", "the picture would have no pixels")
    image = _image(pixels)
    if crop != Rect(0, 0, pixels.size.width, pixels.size.height):
        image = image.crop((crop.x, crop.y, crop.x + crop.width, crop.y + crop.height))
    if image.size != (size.width, size.height):
        image = image.resize((size.width, size.height), Image.Resampling.HAMMING)
    data = {"png": _png, "palette": _palette, "jpeg": _jpeg}[format](image)
    quality = _JPEG_QUALITY
    while len(data) > cap_bytes and quality > 0:
        data = _jpeg(image, quality)
        quality -= 15
    if len(data) > cap_bytes:
        raise BadRequest(
            "picture_too_large",
            f"a picture of {size} is over {cap_bytes} bytes in every format",
            next_step="ask for a part of it, or give max_edge",
        )
    return data, mime_of(data)


def mime_of(data: bytes) -> str:
    """The media type by the first bytes: a wrong one makes a whole conversation unreadable (R121)."""
    for magic, mime in _MIMES.items():
        if data.startswith(magic):
            return mime
    raise Bug("picture", "a picture was encoded as nothing that is known")


def content_box(pixels: Pixels, size: Size, plain: Plain | None = None) -> Content:
    """Where the content of a window, `size` by sway's account, is in a capture of its surfaces.

    A capture is the bounding box of the surfaces: around the content lie shadows, which are pure
    black, and menus that stick out. With `plain`, a menu's growth is found by laying that picture
    over this one.
    """
    whole = pixels.size
    if whole == size:
        return Content(Rect(0, 0, size.width, size.height), exact=True)
    if plain is not None and plain.box.size == size:
        if whole == plain.pixels.size:
            return Content(plain.box, exact=True)
        if whole.width >= plain.pixels.size.width and whole.height >= plain.pixels.size.height:
            return _registered(pixels, plain)
    left, top, right, bottom = _image(pixels).getbbox() or (0, 0, whole.width, whole.height)
    x, sure_x = _begin(whole.width, size.width, left, right)
    y, sure_y = _begin(whole.height, size.height, top, bottom)
    return Content(Rect(x, y, size.width, size.height), sure_x and sure_y)


def drawn_beyond(pixels: Pixels, box: Rect) -> tuple[Rect, ...]:
    """Boxes of what is drawn outside the content `box`, at most one at each side: menus that stick out.

    Shadows are black and do not count; nor does what is thinner than any menu, such as an outline.
    """
    width, height = pixels.size.width, pixels.size.height
    right, bottom = box.x + box.width, box.y + box.height
    sides = (
        (0, 0, box.x, height),
        (right, 0, width, height),
        (box.x, 0, right, box.y),
        (box.x, bottom, right, height),
    )
    found, image = [], _image(pixels)
    for left, top, end, foot in sides:
        if left < end and top < foot:
            drawn = image.crop((left, top, end, foot)).getbbox()
            if drawn is not None:
                size = drawn[2] - drawn[0], drawn[3] - drawn[1]
                if min(size) >= _MENU_PX:
                    found.append(Rect(left + drawn[0], top + drawn[1], *size))
    return tuple(found)


def changed_box(before: Pixels, after: Pixels) -> Rect | None:
    """The smallest box around what differs, all of `after` when the sizes do; None for no change."""
    if before.size != after.size:
        return Rect(0, 0, after.size.width, after.size.height)
    if before.data == after.data and before.stride == after.stride:
        return None
    rows = _changed_rows(before, after)
    if rows is None:
        return None
    strip = (0, rows[0], after.size.width, rows[1] + 1)
    box = ImageChops.difference(_image(before).crop(strip), _image(after).crop(strip)).getbbox()
    if box is None:
        return None
    return Rect(box[0], box[1] + rows[0], box[2] - box[0], box[3] - box[1])


def blank(pixels: Pixels) -> bool:
    """Whether it is all one colour, as a window is that has not drawn yet."""
    row = pixels.data[: pixels.size.width * 4]
    if max(row[0::4]) - min(row[0::4]) > _SAME:  # nearly every picture is told by its first row
        return False
    return all(high - low <= _SAME for low, high in _extrema(pixels))


def upright(pixels: Pixels, transform: int) -> Pixels:
    """An output's picture turned as the person sees it. `transform` is a wl_output.transform
    number.
    """
    turns = _UPRIGHT.get(transform, ())
    if not turns:
        return pixels
    image = Image.frombuffer("RGBA", _wh(pixels.size), pixels.data, "raw", "RGBA", pixels.stride, 1)
    for turn in turns:
        image = image.transpose(turn)
    size = Size(*image.size)
    return Pixels(size, size.width * 4, image.tobytes(), pixels.taken_at, pixels.current)


def _changed_rows(before: Pixels, after: Pixels) -> tuple[int, int] | None:
    """The first and the last row that differ: most changes are small, and comparing bytes is cheap."""
    width, height = after.size.width * 4, after.size.height
    one, other = before.data, after.data

    def same(y: int) -> bool:
        first, second = y * before.stride, y * after.stride
        return one[first : first + width] == other[second : second + width]

    first = next((y for y in range(height) if not same(y)), None)
    if first is None:
        return None
    return first, next(y for y in reversed(range(height)) if not same(y))


def _extrema(pixels: Pixels) -> tuple[tuple[int, int], ...]:
    found: tuple[tuple[int, int], ...] = _image(pixels).getextrema()  # type: ignore[assignment]  # RGB has three bands
    return found


def _image(pixels: Pixels) -> Image.Image:
    size = _wh(pixels.size)
    return Image.frombuffer("RGB", size, pixels.data, "raw", "BGRX", pixels.stride, 1)


def _wh(size: Size) -> tuple[int, int]:
    return size.width, size.height


def _png(image: Image.Image) -> bytes:
    """A PNG without row filters: on screens no larger than Pillow's level 1, at a quarter of the
    time.
    """
    width, height = image.size
    # One byte of nought behind each row is the number of the next row's filter; the first row's comes first, and the
    # last one's is cut off.
    lines = memoryview(image.tobytes("raw", "RGB", width * 3 + 1, 1))
    packer = isal_zlib.compressobj(1)
    body = packer.compress(b"\0") + packer.compress(lines[:-1]) + packer.flush()
    header = pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"".join(
        (
            b"\x89PNG\r\n\x1a\n",
            *_chunk(b"IHDR", header),
            *_chunk(b"IDAT", body),
            *_chunk(b"IEND", b""),
        )
    )


def _chunk(kind: bytes, body: bytes) -> tuple[bytes, ...]:
    check = isal_zlib.crc32(body, isal_zlib.crc32(kind))
    return pack(">I", len(body)), kind, body, pack(">I", check)


def _palette(image: Image.Image) -> bytes:
    few = image.quantize(256, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    return _saved(few, "PNG", compress_level=2)


def _jpeg(image: Image.Image, quality: int = _JPEG_QUALITY) -> bytes:
    return _saved(image, "JPEG", quality=quality)


def _saved(image: Image.Image, format: str, **options: int) -> bytes:
    out = BytesIO()
    image.save(out, format, **options)
    return out.getvalue()


def _begin(whole: int, size: int, first: int, last: int) -> tuple[int, bool]:
    """Where `size` begins on one axis of `whole`, of which `first` up to `last` is not black.

    A client that draws less than its place is centred in it (sway's floating and tiled views).
    """
    spare = whole - size
    if spare <= 0:
        return -(-spare // 2) if spare else 0, spare == 0
    lowest, highest = max(0, last - size), min(first, spare)
    if (
        lowest > highest
    ):  # more is drawn than the content: a menu, or a client larger than its place
        return min(first, spare), False
    # Black content is taken for shadow, so there may be room to choose: then the middle.
    return min(max(spare // 2, lowest), highest), lowest == highest


def _registered(pixels: Pixels, plain: Plain) -> Content:
    """Lay the earlier picture over this one: on each axis it moved by nothing or by all of the
    growth.
    """
    grown_x = pixels.size.width - plain.pixels.size.width
    grown_y = pixels.size.height - plain.pixels.size.height
    new, old = _image(pixels), _image(plain.pixels)
    box = plain.box
    part = old.crop((box.x, box.y, box.x + box.width, box.y + box.height))
    scores = []
    for x, y in product({0, grown_x}, {0, grown_y}):
        left, top = box.x + x, box.y + y
        there = new.crop((left, top, left + box.width, top + box.height))
        scores.append((_likeness(part, there), x, y))
    scores.sort(reverse=True)
    best, x, y = scores[0]
    sure = best > 0.5 and (len(scores) == 1 or best - scores[1][0] > 0.05)
    return Content(Rect(box.x + x, box.y + y, box.width, box.height), sure)


def _likeness(one: Image.Image, other: Image.Image) -> float:
    """The share of pixels that are the same."""
    grey = ImageChops.difference(one, other).convert("L")
    return grey.histogram()[0] / (one.size[0] * one.size[1])

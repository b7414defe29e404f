"""What is done to pixels, checked against Pillow's own reading of the results."""

from __future__ import annotations

from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageChops, ImageDraw

from slate_desktop import image
from slate_desktop.errors import BadRequest, Bug
from slate_desktop.geometry import Rect, Size
from slate_desktop.image import Content, Plain
from slate_desktop.model import Pixels

RED, BLUE, BLACK = (255, 0, 0), (0, 0, 255), (0, 0, 0)


def pixels(picture: Image.Image, *, padding: int = 0) -> Pixels:
    """A picture as the compositor would give it, rows padded by some bytes of rubbish."""
    width, height = picture.size
    raw = picture.convert("RGB").tobytes("raw", "BGRX")
    rows = [raw[y * width * 4 : (y + 1) * width * 4] + b"\xaa" * padding for y in range(height)]
    return Pixels(Size(width, height), width * 4 + padding, b"".join(rows), 1.0)


def painted(width: int, height: int, colour: tuple[int, int, int] = RED) -> Image.Image:
    return Image.new("RGB", (width, height), colour)


def scene(width: int = 300, height: int = 200) -> Image.Image:
    """A window's content with something to recognise in it."""
    picture = painted(width, height, (240, 240, 240))
    draw = ImageDraw.Draw(picture)
    for step in range(0, min(width, height), 10):
        draw.line((0, step, width, step // 2), fill=(step % 256, 40, 90))
    return picture


def whole(picture: Pixels) -> Rect:
    return Rect(0, 0, picture.size.width, picture.size.height)


def decoded(data: bytes) -> Image.Image:
    return Image.open(BytesIO(data)).convert("RGB")


def same(one: Image.Image, other: Image.Image) -> bool:
    return one.size == other.size and ImageChops.difference(one, other).getbbox() is None


@settings(max_examples=60)
@given(st.integers(1, 70), st.integers(1, 40), st.integers(0, 9), st.randoms(use_true_random=False))
def test_r46_a_png_is_exactly_the_pixels_at_any_size_and_stride(
    width: int, height: int, padding: int, random: object
) -> None:
    picture = Image.frombytes("RGB", (width, height), random.randbytes(width * height * 3))  # type: ignore[attr-defined]  # a Random
    given_ = pixels(picture, padding=padding)
    data, mime = image.encode(given_, whole(given_), given_.size)
    assert mime == "image/png"
    assert Image.open(BytesIO(data)).mode == "RGB"  # R45: no stray alpha
    assert same(decoded(data), picture)


@pytest.mark.parametrize(
    ("format", "mime", "mode"),
    [("png", "image/png", "RGB"), ("palette", "image/png", "P"), ("jpeg", "image/jpeg", "RGB")],
)
def test_r121_every_format_says_what_it_is(format: str, mime: str, mode: str) -> None:
    given_ = pixels(scene())
    data, said = image.encode(given_, whole(given_), given_.size, format)
    assert (said, image.mime_of(data), Image.open(BytesIO(data)).mode) == (mime, mime, mode)


@pytest.mark.parametrize("data", [b"", b"GIF89a", b"\x89PN"])
def test_r121_bytes_of_an_unknown_kind_are_never_sent(data: bytes) -> None:
    with pytest.raises(Bug):
        image.mime_of(data)


def test_r45_red_and_blue_are_not_swapped() -> None:
    picture = painted(4, 2)
    picture.paste(BLUE, (2, 0, 4, 2))
    given_ = pixels(picture)
    for format in ("png", "palette"):
        shown = decoded(image.encode(given_, whole(given_), given_.size, format)[0])
        assert (shown.getpixel((0, 0)), shown.getpixel((3, 1))) == (RED, BLUE)


def test_a_part_is_cropped_first_and_scaled_then() -> None:
    picture = painted(100, 100)
    picture.paste(BLUE, (50, 50, 100, 100))
    data, _ = image.encode(pixels(picture), Rect(50, 50, 50, 50), Size(20, 10))
    assert same(decoded(data), painted(20, 10, BLUE))


def test_what_lies_outside_the_pixels_is_black() -> None:
    data, _ = image.encode(pixels(painted(10, 10)), Rect(-5, 0, 10, 10), Size(10, 10))
    shown = decoded(data)
    assert (shown.getpixel((0, 0)), shown.getpixel((9, 9))) == (BLACK, RED)


def test_a_picture_over_the_cap_comes_as_a_jpeg_and_an_impossible_one_is_refused() -> None:
    noise = Image.effect_noise((300, 300), 90).convert("RGB")
    given_ = pixels(noise)
    data, mime = image.encode(given_, whole(given_), given_.size, cap_bytes=40_000)
    assert mime == "image/jpeg"
    assert len(data) <= 40_000
    with pytest.raises(BadRequest, match="every format"):
        image.encode(given_, whole(given_), given_.size, cap_bytes=500)


@pytest.mark.parametrize(
    ("crop", "size", "format"),
    [
        (Rect(0, 0, 0, 5), Size(5, 5), "png"),
        (Rect(0, 0, 5, 5), Size(0, 5), "png"),
        (Rect(0, 0, 5, 5), Size(5, 5), "webp"),
    ],
)
def test_no_picture_and_no_such_format_are_the_callers_fault(
    crop: Rect, size: Size, format: str
) -> None:
    with pytest.raises(BadRequest):
        image.encode(pixels(painted(5, 5)), crop, size, format)


def framed(content: Image.Image, left: int, top: int, right: int, bottom: int) -> Image.Image:
    """The content inside shadows, which a capture shows as black."""
    width, height = content.size
    picture = painted(width + left + right, height + top + bottom, BLACK)
    picture.paste(content, (left, top))
    return picture


def test_a_window_without_shadows_is_its_whole_picture() -> None:
    assert image.content_box(pixels(scene(300, 200)), Size(300, 200)) == Content(
        Rect(0, 0, 300, 200), True
    )


@pytest.mark.parametrize(
    "margins", [(26, 23, 26, 29), (14, 11, 14, 17), (20, 20, 20, 20), (0, 0, 0, 9)]
)
def test_the_content_is_found_inside_shadows_that_are_not_symmetric(
    margins: tuple[int, int, int, int],
) -> None:
    found = image.content_box(pixels(framed(scene(300, 200), *margins)), Size(300, 200))
    assert found == Content(Rect(margins[0], margins[1], 300, 200), True)


def test_black_content_inside_shadows_is_a_guess_in_the_middle_and_says_so() -> None:
    dark = painted(300, 200, BLACK)
    dark.paste(RED, (100, 100, 110, 110))
    box, exact = image.content_box(pixels(framed(dark, 20, 20, 20, 20)), Size(300, 200))
    assert (box, exact) == (Rect(20, 20, 300, 200), False)


def test_a_client_larger_than_its_place_is_not_said_to_be_exact() -> None:
    box, exact = image.content_box(pixels(scene(360, 200)), Size(300, 200))
    assert (box, exact) == (Rect(0, 0, 300, 200), False)


def test_a_client_smaller_than_its_place_is_centred_in_it() -> None:
    box, _ = image.content_box(pixels(scene(280, 200)), Size(300, 200))
    assert box == Rect(-10, 0, 300, 200)


@pytest.mark.parametrize("corner", [(0, 0), (1, 0), (0, 1), (1, 1)])
def test_r43_a_menu_that_sticks_out_is_located_by_the_last_plain_picture(
    corner: tuple[int, int],
) -> None:
    content = framed(scene(300, 200), 10, 8, 10, 14)
    plain = Plain(pixels(content), Rect(10, 8, 300, 200))
    grown_x, grown_y = 60, 45
    left, top = corner[0] * grown_x, corner[1] * grown_y
    picture = painted(content.width + grown_x, content.height + grown_y, BLACK)
    picture.paste(content, (left, top))
    picture.paste((200, 220, 200), (120, 60, 220, 160))  # the menu, over content and shadow
    found = image.content_box(pixels(picture), Size(300, 200), plain)
    assert found == Content(Rect(10 + left, 8 + top, 300, 200), True)


def test_a_menu_inside_the_window_moves_nothing() -> None:
    content = framed(scene(300, 200), 10, 8, 10, 14)
    plain = Plain(pixels(content), Rect(10, 8, 300, 200))
    content.paste(BLACK, (10, 8, 200, 100))
    assert image.content_box(pixels(content), Size(300, 200), plain) == Content(plain.box, True)


def test_a_picture_that_looks_like_nothing_seen_before_is_not_said_to_be_exact() -> None:
    plain = Plain(pixels(scene(300, 200)), Rect(0, 0, 300, 200))
    noise = Image.effect_noise((340, 220), 90).convert("RGB")
    assert image.content_box(pixels(noise), Size(300, 200), plain).exact is False


@given(
    st.integers(0, 49),
    st.integers(0, 29),
    st.integers(1, 20),
    st.integers(1, 20),
    st.integers(0, 8),
)
def test_the_box_of_a_change_is_exact(
    x: int, y: int, width: int, height: int, padding: int
) -> None:
    before = painted(50, 30)
    after = before.copy()
    after.paste(BLUE, (x, y, x + width, y + height))
    box = image.changed_box(pixels(before), pixels(after, padding=padding))
    assert box == Rect(x, y, min(width, 50 - x), min(height, 30 - y))


def test_no_change_is_none_and_another_size_is_all_of_it() -> None:
    one = pixels(painted(50, 30))
    assert image.changed_box(one, pixels(painted(50, 30), padding=4)) is None
    assert image.changed_box(one, one) is None
    assert image.changed_box(one, pixels(painted(50, 31))) == Rect(0, 0, 50, 31)


def test_a_change_in_the_unused_byte_is_no_change() -> None:
    one = pixels(painted(4, 4))
    other = Pixels(one.size, one.stride, bytes(one.data[:-1]) + b"\x7f", 1.0)
    assert image.changed_box(one, other) is None


def test_r42_a_picture_of_one_colour_is_blank_and_one_with_a_dot_is_not() -> None:
    assert image.blank(pixels(painted(50, 30)))
    almost = painted(50, 30, (100, 100, 100))
    almost.paste((101, 100, 101), (3, 3, 9, 9))
    assert image.blank(pixels(almost))
    dotted = painted(50, 30)
    dotted.putpixel((40, 20), BLUE)
    assert not image.blank(pixels(dotted))
    assert not image.blank(pixels(scene()))


def turned(picture: Image.Image, transform: int) -> Image.Image:
    """What an output of that transform has in its buffer: counter-clockwise quarter turns, 4 flips
    first.
    """
    if transform >= 4:
        picture = picture.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    return picture.rotate(90 * (transform % 4), expand=True)


@pytest.mark.parametrize("transform", range(8))
def test_r47_a_rotated_outputs_picture_is_turned_upright(transform: int) -> None:
    seen = scene(60, 40)
    buffer = pixels(turned(seen, transform), padding=8)
    upright = image.upright(buffer, transform)
    assert upright.size == Size(60, 40)
    assert image.changed_box(upright, pixels(seen)) is None
    assert upright.taken_at == buffer.taken_at


def test_what_is_drawn_beyond_the_content_is_told_side_by_side_and_outlines_are_not() -> None:
    picture = painted(40, 30, BLACK)
    for part in ((10, 5, 30, 25), (0, 8, 8, 20), (12, 26, 14, 30), (31, 0, 40, 4)):
        picture.paste(RED, part)
    found = image.drawn_beyond(pixels(picture), Rect(10, 5, 20, 20))
    assert found == (Rect(0, 8, 8, 12), Rect(31, 0, 9, 4))
    assert image.drawn_beyond(pixels(picture), Rect(0, 0, 40, 30)) == ()

"""Pixels of a window or a screen → the picture an agent reads, its ref, and what is said of it."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import anyio
import anyio.to_thread

from slate_desktop.errors import BadRequest
from slate_desktop.geometry import Point, Rect, Size, fit, scaled
from slate_desktop.image import Plain, blank, content_box, drawn_beyond, encode
from slate_desktop.intent import Menus
from slate_desktop.lease import Lease
from slate_desktop.model import Desktop, Drawn, Output, Pixels, Window
from slate_desktop.outcome import FrameLine, Picture
from slate_desktop.resolve import SCREEN


@dataclass(frozen=True, slots=True)
class Wanted:
    """How a picture is wanted. `region` is in the logical space of its target; `max_edge` in pixels of the picture."""

    region: Rect | None = None
    format: str = "png"
    max_edge: int | None = None


@dataclass(frozen=True, slots=True)
class _Source:
    """What was captured: `area` is the part of `pixels` that is the target, `density` its pixels per logical pixel.

    `size` is the target's in logical pixels, `corner` where it begins in its own space.
    """

    pixels: Pixels
    area: Rect
    density: float
    exact: bool
    size: Size
    corner: Point
    menus: Menus | None = None


_Found = tuple[Rect, bool, tuple[Rect, ...]]
"""Where the content is in a capture, whether that is certain, and the menus that stick out of it."""


async def shot(
    lease: Lease, desktop: Desktop, window: Window, wanted: Wanted
) -> tuple[FrameLine, Picture]:
    """A picture of a window's content, also covered or hidden, and of menus that stick out of it.

    Errors: `stale.window_gone`, `bad_request.outside`, `unavailable.capture`.
    """
    pixels = await lease.desk.eyes.window(window.handle)
    size, plain = window.rect.size, lease.sightings.plain(window)
    drawn = await lease.desk.witness.drawn(desktop, window)
    found = _witnessed(drawn, size, pixels) if drawn is not None else None
    if found is None and pixels.size == size:  # nothing to search for, so not worth a thread
        found = _content(pixels, size, plain)
    if found is None:
        found = await anyio.to_thread.run_sync(_content, pixels, size, plain)
    box, exact, beyond = found
    if exact and not beyond:
        lease.sightings.keep_plain(window, Plain(pixels, box))
    area = functools.reduce(Rect.around, beyond, box)
    start = Point(-box.x, -box.y)
    corner = area.moved(start).origin
    menus = Menus(tuple(part.moved(start) for part in beyond), pixels.size) if beyond else None
    source = _Source(pixels, area, 1.0, exact, area.size, corner, menus)
    return await _make(lease, desktop, window, source, wanted)


def _witnessed(drawn: Drawn, size: Size, pixels: Pixels) -> _Found | None:
    """The same from what the program was seen to draw; None when it has drawn anew since."""
    whole = Rect(0, 0, pixels.size.width, pixels.size.height)
    box = Rect(0, 0, size.width, size.height).moved(drawn.content)
    if box.intersection(whole) != box:
        return None
    popups = [popup.moved(drawn.content).intersection(whole) for popup in drawn.popups]
    return box, True, tuple(p for p in popups if not p.empty and p.intersection(box) != p)


def _content(pixels: Pixels, size: Size, plain: Plain | None) -> _Found:
    """Where the content is, whether that is certain, and what is drawn beyond it if it is."""
    box, exact = content_box(pixels, size)
    if not exact and plain is not None:
        box, exact = content_box(pixels, size, plain)
    return box, exact, drawn_beyond(pixels, box) if exact else ()


def _encoded(pixels: Pixels, crop: Rect, size: Size, format_: str) -> tuple[bytes, str, bool]:
    """The picture, its media type, and whether it is all one colour."""
    return *encode(pixels, crop, size, format_), blank(pixels)


async def screen_shot(
    lease: Lease, desktop: Desktop, output: Output, wanted: Wanted
) -> tuple[FrameLine, Picture]:
    """A picture of what an output shows, in layout pixels."""
    pixels = await lease.desk.eyes.output(output.name)
    area = Rect(0, 0, pixels.size.width, pixels.size.height)
    # Not width by width: of a fractional scale's logical size the compositor drops the fraction.
    source = _Source(pixels, area, output.scale, True, output.rect.size, output.rect.origin)
    return await _make(lease, desktop, None, source, wanted)


async def _make(
    lease: Lease,
    desktop: Desktop,
    window: Window | None,
    source: _Source,
    wanted: Wanted,
) -> tuple[FrameLine, Picture]:
    region = _region(wanted.region, source.size, source.corner)
    crop = Rect(
        source.area.x + round(region.x * source.density),
        source.area.y + round(region.y * source.density),
        max(1, round(region.width * source.density)),
        max(1, round(region.height * source.density)),
    )
    factor = _factor(region.size, wanted)
    picture_size = scaled(region.size, factor)
    work = functools.partial(_encoded, source.pixels, crop, picture_size, wanted.format)
    data, mime, is_blank = await anyio.to_thread.run_sync(work)
    # The two axes are rounded apart; the wider one gives the truer scale. Points go by the sizes.
    scale = max(picture_size.width / region.width, picture_size.height / region.height)
    if factor == 1.0:
        scale = 1.0
    origin = region.origin.plus(source.corner)
    sighting = lease.sightings.see_frame(
        window, picture_size, scale, origin, desktop, source.menus, shown=region.size
    )
    lease.sightings.showed(sighting.ref, window, data)
    line = FrameLine(
        ref=sighting.ref,
        size=picture_size,
        scale=scale,
        origin=origin,
        of=lease.sightings.see(window) if window is not None else SCREEN,
        current=source.pixels.current,
        blank=is_blank,
        exact=source.exact,
        age_s=anyio.current_time() - source.pixels.taken_at,
    )
    return line, Picture(data, mime, picture_size, scale, origin)


def _region(wanted: Rect | None, size: Size, corner: Point) -> Rect:
    """The part wanted, relative to the target's corner."""
    whole = Rect(0, 0, size.width, size.height)
    if wanted is None:
        return whole
    region = wanted.moved(Point(-corner.x, -corner.y)).intersection(whole)
    if region.empty:
        raise BadRequest(
            "outside",
            f"the region {wanted} is outside the target, which is {whole.moved(corner)}",
            next_step="give [x,y,width,height] inside it",
        )
    return region


def _factor(size: Size, wanted: Wanted) -> float:
    if wanted.max_edge is None:
        return fit(size)
    return min(1.0, wanted.max_edge / max(size.width, size.height))

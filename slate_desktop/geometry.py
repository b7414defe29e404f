"""Points, sizes and rectangles in logical pixels, and how a picture is scaled to fit a model's eye. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, hypot

# What a standard-tier vision model keeps unshrunk: long edge, and 28-pixel patches (facts: both limits bite).
LONG_EDGE_PX = 1568
PATCH_PX = 28
PATCHES = 1568


@dataclass(frozen=True, slots=True)
class Point:
    """A place, in whichever space the name holding it says."""

    x: float
    y: float

    def plus(self, other: Point) -> Point:
        return Point(self.x + other.x, self.y + other.y)

    def minus(self, other: Point) -> Point:
        return Point(self.x - other.x, self.y - other.y)

    def times(self, factor: float) -> Point:
        return Point(self.x * factor, self.y * factor)


@dataclass(frozen=True, slots=True)
class Size:
    """Width and height in whole pixels."""

    width: int
    height: int

    def __str__(self) -> str:
        return f"{self.width}x{self.height}"


@dataclass(frozen=True, slots=True)
class Rect:
    """A rectangle: left, top, width, height. Right and bottom edges are outside it."""

    x: int
    y: int
    width: int
    height: int

    @property
    def origin(self) -> Point:
        return Point(self.x, self.y)

    @property
    def size(self) -> Size:
        return Size(self.width, self.height)

    @property
    def centre(self) -> Point:
        return Point(self.x + self.width / 2, self.y + self.height / 2)

    @property
    def empty(self) -> bool:
        return self.width <= 0 or self.height <= 0

    def contains(self, point: Point) -> bool:
        return self.x <= point.x < self.x + self.width and self.y <= point.y < self.y + self.height

    def moved(self, by: Point) -> Rect:
        return Rect(round(self.x + by.x), round(self.y + by.y), self.width, self.height)

    def intersection(self, other: Rect) -> Rect:
        """The shared part; `empty` when there is none."""
        left, top = max(self.x, other.x), max(self.y, other.y)
        right = min(self.x + self.width, other.x + other.width)
        bottom = min(self.y + self.height, other.y + other.height)
        return Rect(left, top, max(0, right - left), max(0, bottom - top))

    def around(self, other: Rect) -> Rect:
        """The smallest rectangle that holds both."""
        left, top = min(self.x, other.x), min(self.y, other.y)
        right = max(self.x + self.width, other.x + other.width)
        bottom = max(self.y + self.height, other.y + other.height)
        return Rect(left, top, right - left, bottom - top)

    def __str__(self) -> str:
        return f"{self.x},{self.y} {self.width}x{self.height}"


def cutting(inner: Rect | None, around: Sequence[Rect | None]) -> list[Rect]:
    """Of the boxes around a box, nearest first, those that cut off what they hold; None is a box that is not known."""
    held = [inner, *around]
    return [
        box
        for within, box in zip(held, around, strict=False)
        if within and box and box.intersection(within) != within
    ]


def dots(path: Sequence[Point], apart: float) -> Iterator[Point]:
    """Places along a path, at most `apart` from each other: all its corners but the first, and between them."""
    for start, end in pairwise(path):
        count = max(1, ceil(hypot(end.x - start.x, end.y - start.y) / apart))
        for number in range(1, count + 1):
            yield start.plus(end.minus(start).times(number / count))


def fit(size: Size, *, long_edge: int = LONG_EDGE_PX, patches: int = PATCHES) -> float:
    """The largest factor ≤ 1 at which a picture of `size` is not shrunk again by the model that reads it."""
    factor = min(1.0, long_edge / max(size.width, size.height, 1))
    while _patches(scaled(size, factor)) > patches:
        # The count is a step function of the factor: walk down a pixel of the long edge at a time.
        factor = (round(max(size.width, size.height) * factor) - 1) / max(size.width, size.height)
    return factor


def scaled(size: Size, factor: float) -> Size:
    """`size` times `factor`, never below one pixel."""
    return Size(max(1, round(size.width * factor)), max(1, round(size.height * factor)))


def _patches(size: Size) -> int:
    return ceil(size.width / PATCH_PX) * ceil(size.height / PATCH_PX)

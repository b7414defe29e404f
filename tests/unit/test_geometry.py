"""Points, rectangles, and the size at which a picture is not shrunk by its reader."""

from __future__ import annotations

import itertools
import math
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slate_desktop.geometry import (
    LONG_EDGE_PX,
    PATCH_PX,
    PATCHES,
    Point,
    Rect,
    Size,
    dots,
    fit,
    scaled,
)

coordinates = st.integers(-5000, 5000)
lengths = st.integers(1, 5000)
rects = st.builds(Rect, coordinates, coordinates, lengths, lengths)


def test_right_and_bottom_edges_are_outside() -> None:
    rect = Rect(10, 20, 30, 40)
    assert rect.contains(Point(10, 20))
    assert rect.contains(Point(39.9, 59.9))
    assert not rect.contains(Point(40, 30))
    assert not rect.contains(Point(20, 60))


@given(rects, rects)
def test_an_intersection_lies_in_both(one: Rect, other: Rect) -> None:
    shared = one.intersection(other)
    assert shared == other.intersection(one)
    if not shared.empty:
        for rect in (one, other):
            assert rect.contains(shared.origin)
            assert rect.contains(shared.centre)


@given(rects, coordinates, coordinates)
def test_moving_there_and_back_changes_nothing(rect: Rect, x: int, y: int) -> None:
    assert rect.moved(Point(x, y)).moved(Point(-x, -y)) == rect


@pytest.mark.parametrize("size", [Size(1280, 800), Size(1024, 768), Size(1, 1)])
def test_a_picture_a_model_takes_whole_is_not_scaled(size: Size) -> None:
    assert fit(size) == 1.0


@given(st.builds(Size, st.integers(1, 8000), st.integers(1, 8000)))
def test_no_fitted_picture_is_shrunk_again(size: Size) -> None:
    became = scaled(size, fit(size))
    assert max(became.width, became.height) <= LONG_EDGE_PX
    assert ceil(became.width / PATCH_PX) * ceil(became.height / PATCH_PX) <= PATCHES


def test_the_patch_limit_bites_where_the_edge_limit_does_not() -> None:
    """facts: 1568x882 has an allowed edge and would still be shrunk unseen."""
    assert fit(Size(1568, 882)) < 1.0


def test_sizes_never_fall_below_a_pixel() -> None:
    assert scaled(Size(3000, 2), 0.1) == Size(300, 1)


@given(st.lists(st.builds(Point, st.integers(0, 500), st.integers(0, 500)), min_size=2, max_size=5))
def test_dots_pass_every_corner_and_are_never_far_apart(path: list[Point]) -> None:
    passed = [path[0], *dots(path, 24)]
    for one, other in itertools.pairwise(passed):
        assert math.hypot(one.x - other.x, one.y - other.y) <= 24.001
    near = [
        min(math.hypot(corner.x - dot.x, corner.y - dot.y) for dot in passed) for corner in path
    ]
    assert max(near) < 1e-6
    assert passed[-1] == path[-1] or near[-1] < 1e-6


def test_the_rectangle_around_two_holds_both_and_no_more() -> None:
    assert Rect(0, 0, 10, 10).around(Rect(-5, 8, 3, 20)) == Rect(-5, 0, 15, 28)
    assert Rect(0, 0, 10, 10).around(Rect(2, 2, 3, 3)) == Rect(0, 0, 10, 10)

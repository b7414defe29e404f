"""Sway's tree read into a Desktop."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slate_desktop.errors import Unavailable
from slate_desktop.geometry import Rect, Size
from slate_desktop.model import PARKING_APP_ID, Desktop, Place
from slate_desktop.swayipc import tree
from tests.fakes.sway_tree import (
    box,
    node,
    output,
    root,
    scratchpad,
    split,
    window,
    workspace,
)

SEATS = [{"name": "seat0", "focus": 10}]


def read(
    *outputs: dict[str, Any], background: tuple[str, ...] = ("HEADLESS-2",), seats: Any = SEATS
) -> Desktop:
    return tree.desktop(root(*outputs), seats, background)


def order(seen: Desktop) -> list[int]:
    return [w.id for w in seen.windows]


def test_the_place_of_a_window_is_where_the_person_would_see_it() -> None:
    seen = read(
        output(3, "DP-1", workspace(4, "1", window(10)), workspace(5, "2", window(11)), shows="1"),
        output(6, "HEADLESS-2", workspace(7, "agent", window(12)), workspace(8, "9", window(13))),
        node(9, "output", "__i3", nodes=[workspace(20, "__i3_scratch", floats=(window(14),))]),
    )
    places = {w.id: (w.place, w.workspace, w.output) for w in seen.windows}
    assert places == {
        10: (Place.SCREEN, "1", "DP-1"),
        11: (Place.HIDDEN, "2", "DP-1"),
        12: (Place.BACKGROUND, "agent", "HEADLESS-2"),
        13: (Place.BACKGROUND, "9", "HEADLESS-2"),
        14: (Place.SCRATCHPAD, "", ""),
    }


@pytest.mark.parametrize(
    ("rect", "inner", "content"),
    [
        (box(0, 25, 1280, 775), box(3, 0, 1274, 772), Rect(3, 25, 1274, 772)),  # title bar
        (box(640, 0, 640, 800), box(2, 2, 636, 796), Rect(642, 2, 636, 796)),  # pixel border
        (box(0, 0, 640, 800), box(0, 0, 640, 800), Rect(0, 0, 640, 800)),  # none
        (box(5, 6, 70, 80), box(), Rect(5, 6, 70, 80)),  # not laid out yet
    ],
)
def test_r39_a_window_is_its_content_without_border_and_title(
    rect: dict[str, int], inner: dict[str, int], content: Rect
) -> None:
    seen = read(output(3, "DP-1", workspace(4, "1", window(10, rect=rect, window_rect=inner))))
    assert seen.windows[0].rect == content


@pytest.mark.parametrize(
    ("layout", "framed"),
    [("splith", Rect(0, 25, 640, 375)), ("tabbed", Rect(0, 0, 640, 400))],
)
def test_r39_the_frame_of_a_window_has_its_title_bar_and_that_of_a_tab_all_of_them(
    layout: str, framed: Rect
) -> None:
    one = window(10, rect=box(0, 50, 640, 350), deco_rect=box(0, 25, 640, 25))
    group = split(5, layout, one, rect=box(0, 0, 640, 400))
    (seen,) = read(output(3, "DP-1", workspace(4, "1", group))).windows
    assert seen.framed == framed
    whole = window(10, rect=box(0, 0, 640, 400), deco_rect=box(0, 0, 640, 25), fullscreen_mode=1)
    (seen,) = read(output(3, "DP-1", workspace(4, "1", whole))).windows
    assert seen.framed is None


def test_of_tabs_only_the_shown_one_is_in_front_and_it_covers_the_others() -> None:
    tabs = split(
        5, "tabbed", window(10), window(11), split(6, "splith", window(12)), focus=[11, 10, 6]
    )
    seen = read(output(3, "DP-1", workspace(4, "1", tabs)))
    assert {w.id: w.front for w in seen.windows} == {10: False, 11: True, 12: False}
    assert order(seen)[-1] == 11
    assert {w.id: w.layout for w in seen.windows} == {10: "tabbed", 11: "tabbed", 12: "splith"}


def test_floating_windows_of_a_tabbed_workspace_are_no_tabs() -> None:
    shown = workspace(
        4, "1", window(10), window(11), floats=(window(12),), layout="tabbed", focus=[12, 11, 10]
    )
    seen = read(output(3, "DP-1", shown))
    assert {w.id: (w.front, w.floating) for w in seen.windows} == {
        10: (False, False),
        11: (True, False),
        12: (True, True),
    }


def test_later_windows_cover_earlier_ones() -> None:
    over, dialog = window(13, fullscreen_mode=1), window(12)
    under = window(11, visible=False)
    seen = read(output(3, "DP-1", workspace(4, "1", over, window(10), floats=(under, dialog))))
    assert order(seen) == [10, 11, 13, 12]
    assert [w.id for w in seen.windows if w.fullscreen] == [13]


def test_a_container_that_is_fullscreen_makes_its_windows_fullscreen() -> None:
    seen = read(
        output(
            3,
            "DP-1",
            workspace(4, "1", split(5, "splith", window(10), window(11), fullscreen_mode=1)),
        )
    )
    assert all(w.fullscreen for w in seen.windows)


def test_our_parking_window_is_not_listed() -> None:
    parking = window(11, app_id=PARKING_APP_ID)
    seen = read(output(3, "HEADLESS-2", workspace(4, "agent", window(10), floats=(parking,))))
    assert order(seen) == [10]


def test_r76_the_fallback_output_is_not_listed_and_no_output_at_all_is_handled() -> None:
    assert read(node(9, "output", "FALLBACK", nodes=[workspace(5, "1", window(10))])) == Desktop(
        (), (), {"seat0": 10}
    )
    assert tree.desktop(node(1, "root", "root"), [], ()) == Desktop((), (), {})


def test_an_x11_window_is_named_by_its_class() -> None:
    x11 = {"app_id": None, "shell": "xwayland", "window_properties": {"class": "XTerm"}}
    seen = read(output(3, "DP-1", workspace(4, "1", window(10) | x11)))
    assert (seen.windows[0].x11, seen.windows[0].app_id) == (True, "XTerm")


def test_the_launch_of_a_window_is_its_sandbox_instance() -> None:
    seen = read(
        output(3, "DP-1", workspace(4, "1", window(10, sandbox_instance_id="L7"), window(11)))
    )
    assert [w.sandbox for w in seen.windows] == ["L7", None]


def test_outputs_say_which_is_the_background_and_how_they_are_scaled() -> None:
    seen = read(
        output(3, "DP-1", workspace(4, "1"), scale=1.5, transform="90"),
        output(5, "HEADLESS-2", workspace(6, "agent"), rect=box(0, 5800, 1280, 800), scale=-1.0),
    )
    first, second = seen.outputs
    assert (first.scale, first.transform, first.background, first.workspace) == (
        1.5,
        "90",
        False,
        "1",
    )
    assert (second.scale, second.background, second.rect.y) == (1.0, True, 5800)


def test_focus_is_what_each_seat_looks_at_and_zero_when_that_is_no_window() -> None:
    seats = [{"name": "seat0", "focus": 0}, {"name": "transient-1", "focus": 10}, "nonsense"]
    assert read(seats=seats).focus == {"seat0": 0, "transient-1": 10}


def test_half_a_surrogate_pair_in_a_title_cannot_break_an_answer() -> None:
    seen = read(output(3, "DP-1", workspace(4, "1", window(10, "a\ud83d"))))
    assert seen.windows[0].title == "a?"


def test_frames_tell_border_and_title_apart_also_in_the_scratchpad() -> None:
    rect, inner, deco = box(10, 40, 106, 53), box(3, 0, 100, 50), box(10, 15, 106, 25)
    drawn = box(5, 5, 100, 48)
    floating = window(
        10, rect=rect, window_rect=inner, deco_rect=deco, type="floating_con", geometry=drawn
    )
    frame = tree.frames(node(1, "root", "root", nodes=[scratchpad(floating)]))[10]  # type: ignore[index]
    assert frame == tree.Frame(
        Rect(13, 40, 100, 50), Rect(10, 40, 106, 53), 25, floating=True, drawn=Size(100, 48)
    )
    assert not frame.followed


@pytest.mark.parametrize("nonsense", [None, 3, "x", [], [{}]])
def test_what_is_no_tree_is_refused(nonsense: Any) -> None:
    with pytest.raises(Unavailable, match="not its tree"):
        tree.desktop(nonsense, [], ())


JUNK = st.recursive(
    st.none() | st.integers() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                (
                    "nodes",
                    "floating_nodes",
                    "focus",
                    "rect",
                    "window_rect",
                    "pid",
                    "id",
                    "name",
                    "layout",
                    "scale",
                )
            ),
            inner | st.just("tabbed"),
            max_size=6,
        )
    ),
    max_leaves=30,
)


@given(JUNK, JUNK)
def test_missing_and_wrong_fields_never_crash_it(nodes: Any, seats: Any) -> None:
    shown = tree.desktop({"nodes": [{"name": "X", "nodes": nodes}]}, [seats], ())
    assert all(w.output == "X" for w in shown.windows)

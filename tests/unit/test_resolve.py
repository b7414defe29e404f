"""A granted intent finds the window it meant, or none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from slate_desktop.errors import BadRequest, Bug, SlateError, Stale, Unavailable
from slate_desktop.geometry import Point, Rect, Size
from slate_desktop.intent import (
    Action,
    Aim,
    Arrange,
    Click,
    Drag,
    FrameSighting,
    Intent,
    Menus,
    ScreenSighting,
    Sighting,
    WindowSighting,
)
from slate_desktop.model import Desktop, Handle, Place, WindowId
from slate_desktop.resolve import Target, again, reachable, resolve, top_window
from slated.model import Grant, Tier
from tests.fakes.ports import desktop, on_screen, window


def resolved(
    sighting: Sighting | None, point: Point | None, now: Desktop, action: Action | None = None
) -> Target:
    aim = None if sighting is None else Aim(sighting, point)
    intent = Intent("desktop_click", Tier.REVERSIBLE, action or Click(), aim)
    return resolve(Grant(intent.digest, intent.tier, 1), intent, now)


def failing(sighting: Sighting | None, point: Point | None, now: Desktop) -> SlateError:
    with pytest.raises(SlateError) as caught:
        resolved(sighting, point, now)
    return caught.value


SEEN = WindowSighting("w1", window(2))


def test_a_point_in_a_window_becomes_a_point_of_the_layout() -> None:
    target = resolved(SEEN, Point(10, 20), desktop(window(2)))
    assert target.point == Point(10, 5820)
    assert target.local == Point(10, 20)
    assert target.output is not None
    assert target.output.name == "HEADLESS-2"


def test_a_window_that_moved_is_hit_where_it_is_now() -> None:
    now = desktop(window(2, rect=Rect(100, 5900, 1280, 800)))
    assert resolved(SEEN, Point(10, 20), now).point == Point(110, 5920)


def test_a_grant_for_another_intent_is_a_fault_of_ours() -> None:
    intent = Intent("desktop_click", Tier.REVERSIBLE, Click(), Aim(SEEN))
    with pytest.raises(Bug):
        resolve(Grant("other", intent.tier, 1), intent, desktop(window(2)))


@pytest.mark.promise("stale-ref-never-acts")
def test_a_window_that_is_gone_is_stale() -> None:
    assert failing(SEEN, None, desktop(window(3))).code == "stale.window_gone"


@pytest.mark.promise("stale-ref-never-acts")
@pytest.mark.parametrize("changes", [{"handle": Handle("other")}, {"app_id": "other"}])
def test_an_id_that_another_window_has_now_is_stale(changes: dict[str, object]) -> None:
    assert failing(SEEN, None, desktop(window(2, **changes))).code == "stale.window_other"


@pytest.mark.parametrize("point", [Point(-1, 0), Point(1280, 0), Point(0, 800)])
def test_a_point_outside_is_refused_and_never_clamped(point: Point) -> None:
    assert failing(SEEN, point, desktop(window(2))).code == "bad_request.outside"


def frame(scale: float = 0.5, origin: Point = Point(0, 0)) -> FrameSighting:
    return FrameSighting("f1", window(2), Size(640, 400), scale, origin, desktop(window(2)))


def test_a_pixel_of_a_scaled_picture_is_converted() -> None:
    target = resolved(frame(), Point(10, 20), desktop(window(2)))
    assert target.local == Point(20, 40)


def test_a_pixel_of_a_part_of_a_window_is_converted() -> None:
    target = resolved(frame(scale=1.0, origin=Point(100, 50)), Point(10, 20), desktop(window(2)))
    assert target.local == Point(110, 70)


def test_r36_the_axes_of_a_scaled_picture_are_converted_apart() -> None:
    """190 x 476 of 316 x 793 pixels: by one scale the lowest pixel would be two logical pixels off."""
    tall = window(2, rect=Rect(0, 5800, 316, 793))
    seen = replace(frame(), window=tall, size=Size(190, 476), scale=190 / 316, shown=Size(316, 793))
    target = resolved(seen, Point(95, 475), desktop(tall))
    assert target.local == Point(158, 475 / 476 * 793)


def test_a_pixel_outside_the_picture_is_refused() -> None:
    assert failing(frame(), Point(640, 0), desktop(window(2))).code == "bad_request.outside"


@pytest.mark.promise("stale-ref-never-acts")
def test_a_picture_of_a_window_that_was_resized_is_stale() -> None:
    now = desktop(window(2, rect=Rect(0, 5800, 700, 800)))
    assert failing(frame(), Point(1, 1), now).code == "stale.frame_resized"


def test_a_picture_of_the_screen_is_stale_where_another_window_lies_now() -> None:
    then = desktop(on_screen(1))
    seen = FrameSighting("f1", None, Size(1280, 800), 1.0, Point(0, 0), then)
    assert resolved(seen, Point(5, 5), then).window == on_screen(1)
    now = desktop(on_screen(1), on_screen(4, floating=True, rect=Rect(0, 0, 50, 50)))
    assert failing(seen, Point(5, 5), now).code == "stale.screen_changed"
    assert resolved(seen, Point(500, 5), now).window == on_screen(1)


def test_a_point_on_the_screen_finds_its_window() -> None:
    now = desktop(on_screen(1))
    target = resolved(ScreenSighting(now), Point(7, 8), now)
    assert (target.window, target.local, target.ref) == (on_screen(1), Point(7, 8), "screen")


def test_a_point_on_no_screen_names_the_screens_and_never_means_the_background() -> None:
    now = desktop(window(2))
    error = failing(ScreenSighting(now), Point(5, 5805), now)
    assert error.code == "bad_request.outside"
    assert "HEADLESS-1 0,0 1280x800" in error.message


def test_an_arrangement_with_a_window_that_is_gone_is_stale() -> None:
    with pytest.raises(Stale):
        resolved(None, None, desktop(window(2)), Arrange("grid", (WindowId(2), WindowId(3))))


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"place": Place.HIDDEN}, "unavailable.hidden"),
        ({"place": Place.SCRATCHPAD}, "unavailable.hidden"),
        ({"front": False}, "unavailable.hidden"),
        ({"rect": Rect(-200, 5800, 1280, 800)}, "unavailable.off_output"),
    ],
)
def test_a_pointer_needs_a_window_that_is_shown(changes: dict[str, object], code: str) -> None:
    target = resolved(SEEN, Point(10, 20), desktop(window(2, **changes)))
    with pytest.raises(Unavailable) as caught:
        reachable(target)
    assert caught.value.code == code


def test_r23_a_covered_point_is_refused_and_names_what_covers_it() -> None:
    over = window(3, rect=Rect(0, 5800, 100, 100), floating=True)
    covered = resolved(SEEN, Point(10, 20), desktop(window(2), over))
    with pytest.raises(Unavailable) as caught:
        reachable(covered)
    assert caught.value.code == "unavailable.covered"
    assert '"app.3"' in caught.value.message
    reachable(resolved(SEEN, Point(200, 200), desktop(window(2), over)))


def test_r39_a_title_bar_covers_what_is_below_it_and_belongs_to_no_window() -> None:
    over = on_screen(4, rect=Rect(100, 100, 300, 200), framed=Rect(96, 75, 308, 229), floating=True)
    now = desktop(on_screen(1), over)
    seen = WindowSighting("w1", on_screen(1))
    with pytest.raises(Unavailable) as caught:
        reachable(resolved(seen, Point(120, 80), now))
    assert caught.value.code == "unavailable.covered"
    assert reachable(resolved(seen, Point(120, 70), now)).window == on_screen(1)
    bar = resolved(ScreenSighting(now), Point(120, 80), now)
    assert (bar.window, bar.local, bar.point) == (None, None, Point(120, 80))


def test_a_place_on_the_screen_stays_where_it_is_and_a_place_in_a_window_goes_with_it() -> None:
    on_it = resolved(None, None, desktop(on_screen(1)))
    assert again(on_it, desktop()) == replace(on_it, desktop=desktop())
    drag = Drag((Point(30, 20),))
    target = resolved(SEEN, Point(10, 20), desktop(window(2)), drag)
    moved = again(target, desktop(window(2, rect=Rect(100, 5900, 1280, 800))))
    assert (moved.point, moved.path) == (Point(110, 5920), (Point(130, 5920),))


def test_a_target_is_found_again_after_it_was_raised() -> None:
    over = window(3, rect=Rect(0, 5800, 100, 100), floating=True)
    covered = resolved(SEEN, Point(10, 20), desktop(window(2), over))
    raised = again(covered, desktop(over, window(2)))
    assert reachable(raised).point == covered.point
    with pytest.raises(Stale):
        again(covered, desktop(over))


def test_the_window_on_top_is_the_last_one_shown_there() -> None:
    now = desktop(on_screen(1), on_screen(4, workspace="2", place=Place.HIDDEN))
    assert top_window(now, Point(5, 5)) == on_screen(1)
    assert top_window(replace(now, windows=()), Point(5, 5)) is None


def test_an_action_without_its_window_is_a_fault_of_ours() -> None:
    with pytest.raises(Bug):
        resolved(None, None, desktop()).needs_window()
    with pytest.raises(BadRequest):
        resolved(SEEN, Point(-1, -1), desktop(window(2)))


def with_menu(scale: float = 1.0) -> FrameSighting:
    """A picture that begins at a menu above and left of the content."""
    menus = Menus((Rect(-30, -40, 200, 40),), Size(1310, 840))
    size = Size(round(1310 * scale), round(840 * scale))
    return FrameSighting("f1", window(2), size, scale, Point(-30, -40), desktop(window(2)), menus)


LOW = window(2, rect=Rect(100, 5900, 1280, 700))


def low_menu() -> FrameSighting:
    menus = Menus((Rect(-30, -40, 200, 40),), Size(1310, 740))
    return FrameSighting("f1", LOW, Size(1310, 740), 1.0, Point(-30, -40), desktop(LOW), menus)


def test_r43_a_point_on_a_menu_outside_the_content_becomes_its_place_in_the_layout() -> None:
    target = resolved(low_menu(), Point(10, 20), desktop(LOW))
    assert (target.local, target.point) == (Point(-20, -20), Point(80, 5880))
    assert target.menu == Size(1310, 740)
    assert reachable(target) is target
    assert again(target, desktop(LOW)).point == target.point


def test_a_point_beside_the_menu_and_outside_the_content_is_refused() -> None:
    assert failing(low_menu(), Point(500, 20), desktop(LOW)).code == "bad_request.outside"


def test_a_point_in_the_content_of_a_picture_with_a_menu_is_hit_tested_as_ever() -> None:
    target = resolved(low_menu(), Point(40, 50), desktop(LOW))
    assert (target.local, target.menu) == (Point(10, 10), None)
    over = window(3, rect=Rect(100, 5900, 300, 300))
    covered = resolved(low_menu(), Point(40, 50), desktop(LOW, over))
    with pytest.raises(Unavailable, match="covers"):
        reachable(covered)


def test_a_menu_beyond_the_edge_of_its_output_is_out_of_reach() -> None:
    target = resolved(with_menu(), Point(10, 20), desktop(window(2)))
    with pytest.raises(Unavailable) as caught:
        reachable(target)
    assert caught.value.code == "unavailable.off_output"

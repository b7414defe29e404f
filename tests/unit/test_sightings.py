"""Refs: minted, kept, named by other words, and unknown to everybody else."""

from __future__ import annotations

import itertools

import pytest

from slate_desktop.errors import BadRequest, Stale
from slate_desktop.geometry import Point, Rect, Size
from slate_desktop.image import Plain
from slate_desktop.intent import ScreenSighting
from slate_desktop.model import Handle
from slate_desktop.sightings import FRAMES_KEPT, Sightings
from tests.fakes.ports import desktop, pixels, window


def sightings() -> Sightings:
    counts = {letter: itertools.count(1) for letter in "wf"}
    return Sightings(lambda letter: next(counts[letter]))


def test_a_window_keeps_its_ref_while_it_lives() -> None:
    seen = sightings()
    assert seen.see(window(2)) == "w1"
    assert seen.see(window(2, title="other title")) == "w1"
    assert seen.known("w1").window.title == "other title"
    assert seen.see(window(3)) == "w2"


def test_an_id_used_again_by_another_window_gets_a_new_ref() -> None:
    seen = sightings()
    assert seen.see(window(2)) == "w1"
    assert seen.see(window(2, handle=Handle("other"))) == "w2"


@pytest.mark.parametrize("ref", ["w1", "w99"])
def test_a_ref_this_connection_was_never_given_is_stale(ref: str) -> None:
    with pytest.raises(Stale) as caught:
        sightings().window(ref, desktop(window(2)))
    assert caught.value.code == "stale.unknown_ref"


def test_a_window_is_found_by_exact_app_id_title_or_a_unique_part_of_it() -> None:
    seen, now = sightings(), desktop(window(2, title="Draft one"), window(3, title="Draft two"))
    assert seen.window("app.3", now).window.id == 3
    assert seen.window("draft TWO", now).window.id == 3


def test_a_part_that_fits_several_windows_lists_them() -> None:
    seen, now = sightings(), desktop(window(2, title="Draft one"), window(3, title="Draft two"))
    with pytest.raises(BadRequest) as caught:
        seen.window("draft", now)
    assert caught.value.code == "bad_request.ambiguous_window"
    assert 'w1 "app.2" "Draft one"' in caught.value.message
    assert 'w2 "app.3" "Draft two"' in caught.value.message


def test_an_exact_title_wins_over_longer_ones_that_hold_it() -> None:
    seen, now = sightings(), desktop(window(2, title="Draft"), window(3, title="Draft two"))
    assert seen.window("Draft", now).window.id == 2


def test_a_name_nobody_has_lists_what_is_open() -> None:
    with pytest.raises(BadRequest) as caught:
        sightings().window("nothing", desktop(window(2)))
    assert '"app.2"' in caught.value.message


def test_no_name_means_the_window_last_used() -> None:
    seen, now = sightings(), desktop(window(2))
    with pytest.raises(BadRequest):
        seen.window(None, now)
    seen.use(seen.window("app.2", now))
    assert seen.window(None, now).window.id == 2


def test_old_pictures_are_let_go_and_then_unknown() -> None:
    seen = sightings()
    refs = [
        seen.see_frame(window(2), Size(10, 10), 0.5, Point(0, 0), desktop()).ref
        for _ in range(FRAMES_KEPT + 1)
    ]
    assert seen.frame(refs[-1]).scale == 0.5
    with pytest.raises(Stale):
        seen.frame(refs[0])


def test_the_scale_of_the_last_picture_is_kept_per_window() -> None:
    seen = sightings()
    seen.see_frame(window(2), Size(10, 10), 0.5, Point(0, 0), desktop())
    assert seen.scale_of_last_picture(window(2)) == 0.5
    assert seen.scale_of_last_picture(window(3)) == 1.0


def test_a_window_whose_title_looks_like_a_ref_is_not_found_by_it() -> None:
    """R63's kind: a name never slides over to another window."""
    with pytest.raises(Stale):
        sightings().window("w7", desktop(window(2, title="w7")))


def test_the_plain_pictures_of_the_last_four_windows_are_kept() -> None:
    seen = sightings()
    plain = Plain(pixels(), Rect(0, 0, 8, 4))
    for number in (1, 2, 3, 4, 1, 5):
        seen.keep_plain(window(number), plain)
    kept = [number for number in range(1, 6) if seen.plain(window(number)) is plain]
    assert kept == [1, 3, 4, 5]


def test_what_was_last_given_of_a_target_is_known_by_its_hash() -> None:
    seen, now = sightings(), desktop(window(2), window(3))
    seen.see(window(2))
    aimed = seen.known("w1")
    assert seen.shown(aimed) == ""
    for number in range(2):
        frame = seen.see_frame(window(2), Size(1, 1), 1.0, Point(0, 0), now)
        seen.showed(frame.ref, window(2), bytes([number]))
    assert seen.shown(aimed).startswith("f2 sha256:4bf5122f")
    assert seen.shown(seen.frame("f1")).startswith("f1 sha256:6e340b9c")
    seen.showed("elements", window(2), b"")
    assert seen.shown(aimed).startswith("elements sha256:e3b0c442")
    assert seen.shown(ScreenSighting(now)) == ""
    seen.showed("f3", None, b"")
    assert seen.shown(ScreenSighting(now)).startswith("f3 sha256:")
    for number in range(3 * FRAMES_KEPT):
        seen.showed(f"f{number + 4}", window(3), b"")
    assert seen.shown(aimed) == ""

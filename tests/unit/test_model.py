"""The desktop as one record."""

from __future__ import annotations

from slate_desktop.model import WindowId
from tests.fakes.ports import SEAT, desktop, on_screen, window


def test_a_desktop_finds_windows_outputs_and_who_looks_where() -> None:
    now = desktop(on_screen(1), window(2))
    assert now.window(WindowId(2)) == window(2)
    assert now.window(WindowId(9)) is None
    assert now.output("HEADLESS-2") is not None
    assert now.output("DP-1") is None
    assert now.window_of("seat0") == on_screen(1)
    assert now.window_of(SEAT) == window(2)


def test_a_seat_with_a_prompt_or_an_empty_workspace_is_in_no_window() -> None:
    assert desktop(window(2), person=0).window_of("seat0") is None
    assert desktop(window(2), person=77).window_of("seat0") is None
    assert desktop(window(2)).window_of("seat9") is None

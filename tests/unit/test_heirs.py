"""Whose windows are of the program that was launched, by its names."""

from __future__ import annotations

import pytest

from slate_desktop.heirs import heirs
from slate_desktop.intent import Launch
from tests.fakes.ports import FakeLaunched, desktop, window


@pytest.mark.parametrize(
    ("command", "app", "app_id"),
    [
        ("/usr/bin/gnome-text-editor", None, "org.gnome.TextEditor"),
        ("/opt/x/run", "org.gnome.TextEditor.desktop", "org.gnome.TextEditor"),
        ("firefox", None, "firefox-esr"),
        ("footclient", None, "foot"),
        ("chromium", "Chromium Web Browser", "chromium"),
    ],
)
def test_r99_a_window_of_a_program_is_known_by_its_command_or_its_entry(
    command: str, app: str | None, app_id: str
) -> None:
    here = desktop(window(2, app_id=app_id), window(3, app_id="dev.other"))
    action = Launch((command, "-x"), None, app, 1.0)
    assert [w.id for w in heirs(action, FakeLaunched(exit_code=0), here)] == [2]


def test_a_short_name_in_a_long_one_is_no_sign() -> None:
    action = Launch(("ed",), None, None, 1.0)
    assert heirs(action, FakeLaunched(exit_code=0), desktop(window(2, app_id="gedit"))) == ()


@pytest.mark.parametrize("code", [None, 1, -9])
def test_a_program_that_runs_on_or_failed_has_handed_nothing_over(code: int | None) -> None:
    action = Launch(("foot",), None, None, 1.0)
    assert heirs(action, FakeLaunched(exit_code=code), desktop(window(2, app_id="foot"))) == ()


def test_its_own_windows_are_no_heirs() -> None:
    action, launched = Launch(("foot",), None, None, 1.0), FakeLaunched(exit_code=0)
    assert heirs(action, launched, desktop(window(2, app_id="foot", sandbox=launched.id))) == ()

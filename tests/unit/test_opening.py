"""Where approvals may be opened from a notification, and with what."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from slated.opening import MAIN, planned
from slated.person import Process

ENVIRON = (
    "WAYLAND_DISPLAY=wayland-1",
    "SWAYSOCK=/x",
    "LD_PRELOAD=/evil.so",
    "PATH=/evil",
    "LANG=C",
)
MAKO = Process(
    30, 20, "mako", 300, 0, os.getuid(), marked=False, program="/usr/bin/mako", environ=ENVIRON
)
SWAY = Process(20, 1, "sway", 200, 0, os.getuid(), marked=False, program="/usr/bin/sway")
SLATED = Process(40, 1, "slated", 400, 0, os.getuid(), marked=False, program="/usr/bin/python3")


@pytest.fixture
def system(tmp_path: Path) -> str:
    """A directory of the system's programs with one terminal in it."""
    (tmp_path / "xterm").touch(0o755)
    return str(tmp_path)


def test_approvals_open_in_a_terminal_of_the_system_on_the_desktop_that_showed_the_question(
    system: str,
) -> None:
    how = planned([MAKO, SWAY], [SLATED], system=system)
    assert how is not None
    assert how.argv[:2] == (f"{system}/xterm", "-e")
    assert how.argv[-2:] == (str(MAIN), "approvals")
    assert how.environ["WAYLAND_DISPLAY"] == "wayland-1"
    assert how.environ["LANG"] == "C"
    assert {"SWAYSOCK", "LD_PRELOAD"}.isdisjoint(how.environ)
    assert "/evil" not in how.environ["PATH"]


@pytest.mark.promise("no-self-answer")
@pytest.mark.parametrize(
    ("shower", "above"),
    [
        (replace(MAKO, program="/home/x/mako"), SWAY),
        (replace(MAKO, program=""), SWAY),
        (replace(MAKO, uid=os.getuid() + 1), SWAY),
        (replace(MAKO, marked=True), SWAY),
        (replace(MAKO, environ=(*ENVIRON, "CLAUDECODE=1")), SWAY),
        (MAKO, replace(SWAY, name="claude", program="/opt/claude")),
        (replace(MAKO, environ=()), SWAY),
    ],
)
def test_nothing_opens_where_somebody_else_shows_notifications(
    system: str, shower: Process, above: Process
) -> None:
    assert planned([shower, above], [SLATED], system=system) is None


def test_nothing_opens_that_would_count_as_a_task_or_without_a_terminal(
    system: str, tmp_path: Path
) -> None:
    assert planned([MAKO, SWAY], [replace(SLATED, marked=True)], system=system) is None
    assert planned([], [SLATED], system=system) is None
    (tmp_path / "none").mkdir()
    assert planned([MAKO, SWAY], [SLATED], system=str(tmp_path / "none")) is None

"""The ports stay small, and what stands behind them takes what they say."""

from __future__ import annotations

import inspect

import pytest

from slate_desktop.atspi.widgets import AtspiWidgets
from slate_desktop.gate import SlatedGate
from slate_desktop.launch import ProgramLauncher
from slate_desktop.ports import Clipboard, Eyes, Gate, Hands, Launcher, Widgets, Windows
from slate_desktop.swayipc.windows import SwayWindows
from slate_desktop.wayland.capture import WindowEyes
from slate_desktop.wayland.clipboard import SeatClipboard
from slate_desktop.wayland.hands import SeatHands
from tests.fakes import ports as fakes

PORTS = (Clipboard, Eyes, Gate, Hands, Launcher, Widgets, Windows)
BEHIND = [
    (Clipboard, SeatClipboard),
    (Clipboard, fakes.FakeClipboard),
    (Eyes, WindowEyes),
    (Eyes, fakes.FakeEyes),
    (Gate, SlatedGate),
    (Gate, fakes.FakeGate),
    (Hands, SeatHands),
    (Hands, fakes.FakeHands),
    (Launcher, ProgramLauncher),
    (Launcher, fakes.FakeLauncher),
    (Widgets, AtspiWidgets),
    (Widgets, fakes.FakeWidgets),
    (Windows, SwayWindows),
    (Windows, fakes.FakeWindows),
]


def members(port: type) -> list[str]:
    return [name for name in vars(port) if not name.startswith("_")]


@pytest.mark.parametrize("port", PORTS)
def test_a_port_has_at_most_six_members_each_with_a_docstring(port: type) -> None:
    assert len(members(port)) <= 6
    assert all(inspect.getdoc(getattr(port, name)) for name in members(port))


@pytest.mark.parametrize(("port", "behind"), BEHIND)
def test_what_stands_behind_a_port_takes_the_same_arguments(port: type, behind: type) -> None:
    """mypy holds the types where they are used; this holds names and kinds, for every pair."""
    for name in members(port):
        said, done = getattr(port, name), getattr(behind, name)
        if isinstance(said, property):
            continue
        assert (
            inspect.signature(done).parameters.keys() == inspect.signature(said).parameters.keys()
        )
        assert inspect.iscoroutinefunction(done) == inspect.iscoroutinefunction(said)

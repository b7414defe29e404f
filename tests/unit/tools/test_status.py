"""The status tool on fakes."""

from __future__ import annotations

import pytest

from slate_desktop.tools.status import TOOLS
from slated.toolspec import parse
from tests.fakes.ports import Bench, bench, desktop, on_screen, window

pytestmark = pytest.mark.anyio


async def text(made: Bench) -> str:
    (spec,) = TOOLS
    return str((await spec.handler(made.lease, parse(spec, {}))).text)


async def test_it_names_seat_windows_and_outputs() -> None:
    said = await text(bench(desktop(on_screen(1), window(2))))
    assert said.startswith("ready.\n")
    assert "transient-0" in said
    assert "windows: 2, 1 of them in the background" in said
    assert "HEADLESS-2 0,5800 1280x800 scale 1 background" in said


async def test_it_says_that_acting_waits_for_the_person() -> None:
    said = await text(bench(desktop(window(2), person=0)))
    assert "acting waits until it is gone" in said.splitlines()[0]

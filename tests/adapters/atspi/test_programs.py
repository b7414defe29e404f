"""From a window to its program on the bus, and why there is none."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from slate_desktop.atspi import programs
from slate_desktop.atspi.link import Link
from slate_desktop.atspi.programs import Programs, age_s, empty, has_toolkit, worth_waiting
from slate_desktop.atspi.words import ROOT_PATH
from slate_desktop.elements import Key
from slate_desktop.errors import Unavailable
from slate_desktop.model import Window
from tests.fakes.a11y import A11yBus, editor

pytestmark = pytest.mark.anyio


async def looked(bus: A11yBus, window: Window, seconds: float = 0.5) -> Key:
    link = await Link.open(bus.address)
    try:
        return await Programs().root(link, window, anyio.current_time() + seconds)
    finally:
        link.close()


async def test_a_program_is_found_by_the_process_of_the_window(bus: A11yBus, shown: Window) -> None:
    program = await bus.program(editor())
    assert await looked(bus, shown) == Key(program.name, ROOT_PATH)


async def test_r54_a_program_without_a_toolkit_is_answered_at_once(
    bus: A11yBus, shown: Window
) -> None:
    for pid in (1, None):
        with anyio.fail_after(0.3), pytest.raises(Unavailable) as caught:
            await looked(bus, replace(shown, pid=pid), 5)
        assert caught.value.code == "unavailable.no_tree"
        assert "desktop_screenshot" in caught.value.next_step


async def test_r56_a_young_program_is_waited_for_and_found_when_it_comes(
    bus: A11yBus, shown: Window, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "has_toolkit", lambda _pid: True)
    monkeypatch.setattr(programs, "age_s", lambda _pid: 1.0)
    with pytest.raises(Unavailable) as caught:
        await looked(bus, shown, 0.15)
    assert caught.value.code == "unavailable.not_ready"
    async with anyio.create_task_group() as tasks:

        async def later() -> None:
            await anyio.sleep(0.15)
            await bus.program(editor())

        tasks.start_soon(later)
        assert (await looked(bus, shown, 2)).path == ROOT_PATH


async def test_r55_an_old_program_that_is_not_there_was_started_without(
    bus: A11yBus, shown: Window, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "has_toolkit", lambda _pid: True)
    monkeypatch.setattr(programs, "age_s", lambda _pid: 100.0)
    with pytest.raises(Unavailable) as caught:
        await looked(bus, shown, 5)
    assert caught.value.code == "unavailable.not_enabled"


def test_r55_an_empty_window_of_an_old_program_names_cause_and_remedy(
    shown: Window, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "age_s", lambda _pid: 100.0)
    error = empty(shown)
    assert error.code == "unavailable.not_enabled"
    assert "--force-renderer-accessibility" in error.message
    monkeypatch.setattr(programs, "age_s", lambda _pid: 1.0)
    assert empty(shown).code == "unavailable.not_ready"


async def test_an_empty_tree_is_worth_less_waiting_for_in_an_old_program(
    shown: Window, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = anyio.current_time()
    monkeypatch.setattr(programs, "age_s", lambda _pid: 1.0)
    assert worth_waiting(shown, now - 1.5, now + 0.5)
    monkeypatch.setattr(programs, "age_s", lambda _pid: 100.0)
    assert not worth_waiting(shown, now - 1.5, now + 0.5)
    assert worth_waiting(shown, now, now + 2)


def test_toolkit_and_age_are_read_from_proc(tmp_path: Path) -> None:
    process = tmp_path / "7"
    process.mkdir()
    (process / "maps").write_text("7f00-7f01 r-xp 0 00:00 1 /usr/lib/x/libgtk-4.so.1.800\n")
    fields = ["S"] + ["0"] * 18 + ["5000"]
    (process / "stat").write_text(f"7 (a (b) c) {' '.join(fields)}")
    (tmp_path / "uptime").write_text("60.0 1.0\n")
    assert has_toolkit(7, tmp_path)
    assert age_s(7, tmp_path) == pytest.approx(10.0)
    assert not has_toolkit(8, tmp_path)
    assert age_s(8, tmp_path) == float("inf")
    assert 0 < age_s(os.getpid()) < 100_000

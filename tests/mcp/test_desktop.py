"""The whole path with nothing faked: `slate-desktop mcp --headless`, a private sway, the real tools."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from slate_desktop import settings, tools
from slate_desktop.headless.runtime import find_sway
from tests.fakes.stage import Front, Stage, alive, stage, until

PROGRAM = Path(__file__).parents[2] / "slate_desktop/__main__.py"
DATA_HOME = settings.data_home(settings.environment())
START_S = 20.0

pytestmark = pytest.mark.skipif(
    find_sway(DATA_HOME) is None,
    reason="there is no sway 1.12 or newer here: `slate-desktop runtime install` fetches one",
)


@pytest.fixture(scope="module")
def desktop() -> Iterator[Stage]:
    with stage() as made:
        words = ["mcp", "--headless", "--size", "800x600"]
        made.front = [sys.executable, "-I", "-S", str(PROGRAM), *words]
        made.env["XDG_DATA_HOME"] = str(DATA_HOME)
        made.socket = made.socket.with_name("headless.sock")
        made.log = made.log.with_name("headless.log")
        yield made


def _text(result: dict[str, Any]) -> str:
    text: str = result["content"][0]["text"]
    return text


def _children(pid: int) -> list[int]:
    """All processes below one."""
    found: list[int] = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        if parent == pid:
            below = int(stat.parent.name)
            found += [below, *_children(below)]
    return found


def _sway(front: Front, daemon: int) -> int:
    front.result(front.call("desktop_windows"), START_S)
    for pid in _children(daemon):
        if b"sway.conf" in Path(f"/proc/{pid}/cmdline").read_bytes():
            return pid
    raise AssertionError("no sway below the daemon")


def test_a_client_on_a_machine_without_a_screen_gets_a_desktop(desktop: Stage) -> None:
    with desktop.start() as front:
        listed = front.result(front.ask("tools/list"), START_S)["tools"]
        assert [tool["name"] for tool in listed] == [spec.name for spec in tools.ALL]
        assert _text(front.result(front.call("desktop_windows"))).startswith("0 windows")
        assert not front.result(front.call("desktop_status")).get("isError")


def test_its_screen_has_the_size_that_was_asked_for(desktop: Stage) -> None:
    with desktop.start() as front:
        result = front.result(front.call("desktop_screenshot", target="screen"), START_S)
        frame = result["_meta"]["slate/outcome"]["frame"]
        assert (frame["width"], frame["height"]) == (800, 600)
        assert result["content"][1]["type"] == "image"


def test_refs_of_one_connection_mean_nothing_in_another(desktop: Stage) -> None:
    with desktop.start() as front, desktop.start() as other:
        result = front.result(front.call("desktop_screenshot", target="screen"), START_S)
        ref = result["_meta"]["slate/outcome"]["frame"]["ref"]
        answer = other.result(other.call("desktop_click", target=ref, x=1, y=1))
        assert _text(answer).startswith("stale.unknown_ref")


def test_a_sway_that_dies_ends_the_daemon_and_the_open_call_says_so(desktop: Stage) -> None:
    with desktop.start() as front:
        sway = _sway(front, desktop.daemon_pid)
        daemon = desktop.daemon_pid
        id_ = front.call("desktop_wait", window="none such", timeout_s=30)
        front.result(front.call("desktop_windows"))
        os.kill(sway, signal.SIGKILL)
        assert _text(front.result(id_, START_S)).startswith("unavailable.")
        assert until(lambda: not alive(daemon), START_S)
    assert not desktop.socket.exists()


def test_the_next_client_after_that_gets_a_new_desktop_and_the_end_takes_all_of_it(
    desktop: Stage,
) -> None:
    with desktop.start() as front:
        assert _text(front.result(front.call("desktop_windows"), START_S)).startswith("0 windows")
        daemon = desktop.daemon_pid
        below = _children(daemon)
        assert below
        desktop.kill(signal.SIGTERM)
        assert until(lambda: not any(alive(pid) for pid in (daemon, *below)), START_S)

"""Starting a filter before a display, and what is left when it ends."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import tempfile
from pathlib import Path

import anyio
import pytest

from slate_desktop import filtered as module
from slate_desktop.errors import Unavailable
from slate_desktop.filtered import filtered, sweep, witness_socket
from tests.fakes.filter_bench import FakeDisplay, filter_bench


class Behind(FakeDisplay):
    """A display that is over once nobody holds it."""

    async def until_over(self) -> None:
        await anyio.wait_readable(self.over)


@pytest.mark.anyio
async def test_a_filter_is_reaped_and_its_sockets_are_gone_when_it_was_killed() -> None:
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        over, life = os.pipe()
        behind = Behind(directory / "wayland-L1", over, life)
        it = filtered(behind, "L1", 41, prefix=(), env={}, log=directory / "log")
        assert behind.handed
        it.handed_over()
        pid = _child()
        os.kill(pid, signal.SIGKILL)
        with anyio.fail_after(5):
            await it.until_over()
        os.close(over)
        assert not it.socket.exists()
        assert not witness_socket(directory, "L1").exists()
        assert not _runs(pid)


def _runs(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


def _child() -> int:
    """The one filter that is a child of this process."""
    listed = subprocess.run(
        ["ps", "-o", "pid=,args=", "--ppid", str(os.getpid())],
        capture_output=True,
        text=True,
        check=True,
    )
    (line,) = (line for line in listed.stdout.splitlines() if "seat_filter" in line)
    return int(line.split()[0])


def test_a_filter_that_cannot_start_leaves_nothing_and_the_display_as_it_was(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module.sys, "executable", "/nonexistent/python")
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        over, life = os.pipe()
        display = Behind(directory / "wayland-L1", over, life)
        before = len(os.listdir("/proc/self/fd"))
        with pytest.raises(Unavailable) as caught:
            filtered(display, "L1", 41, prefix=(), env={}, log=directory / "log")
        assert caught.value.code == "unavailable.filter"
        assert not display.handed
        assert len(os.listdir("/proc/self/fd")) == before
        assert [path.name for path in directory.iterdir()] == ["log"]
        os.close(over)
        os.close(life)


def test_sockets_of_filters_that_were_killed_are_swept_up_and_live_ones_stay() -> None:
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        for launch in ("L1", "L2"):
            for path in (directory / f"seat-{launch}", witness_socket(directory, launch)):
                with socket.socket(socket.AF_UNIX) as dead:
                    dead.bind(os.fspath(path))
        (directory / "wayland-L1").touch()
        sweep(directory, "wayland-")
        assert sorted(path.name for path in directory.iterdir()) == [
            "drawn-L1",
            "seat-L1",
            "wayland-L1",
        ]


def test_a_filter_inherits_nothing_but_what_it_needs() -> None:
    with socket.socket(socket.AF_UNIX) as ours, filter_bench() as bench:
        os.set_inheritable(ours.fileno(), True)
        assert bench.asked()
        opened = os.listdir(f"/proc/{bench.pid}/fd")
        # three standard streams, two listeners, two pipes, its selector
        assert len(opened) == 8
        assert Path(f"/proc/{bench.pid}/environ").read_bytes() == b""

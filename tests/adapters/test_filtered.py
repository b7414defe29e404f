"""Starting a filter before a display, and what is left when it ends."""

from __future__ import annotations

import os
import select
import signal
import socket
import sys
import tempfile
from pathlib import Path

import anyio
import pytest

from slate_desktop.errors import Unavailable
from slate_desktop.filtered import Filtered, Filters, sweep, witness_socket
from tests.fakes.filter_bench import FakeDisplay, filter_bench, pid_of


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
        it = Filters({}).before(behind, "L1", 41, prefix=(), log=directory / "log")
        assert behind.handed
        it.handed_over()
        pid = pid_of(it._end)
        os.kill(pid, signal.SIGKILL)
        with anyio.fail_after(5):
            await it.until_over()
        os.close(over)
        assert not it.socket.exists()
        assert not witness_socket(directory, "L1").exists()
        assert not _runs(pid)


def _runs(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


def test_a_filter_that_cannot_start_leaves_nothing_and_the_display_as_it_was(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "executable", "/nonexistent/python")
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        over, life = os.pipe()
        display = Behind(directory / "wayland-L1", over, life)
        before = len(os.listdir("/proc/self/fd"))
        with pytest.raises(Unavailable) as caught:
            Filters({}).before(display, "L1", 41, prefix=(), log=directory / "log")
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


def test_one_filter_waits_for_the_next_launch_and_does_its_job() -> None:
    filters = Filters({})
    filters.prepare(())
    filters.prepare(())
    waiting = pid_of(filters._ahead[0].end)
    with tempfile.TemporaryDirectory() as name:
        it, over = _before(filters, Path(name))
        assert pid_of(it._end) == waiting
        _end(it, over)


def test_a_launch_whose_waiting_filter_has_died_gets_another() -> None:
    filters = Filters({})
    filters.prepare(())
    dead = pid_of(filters._ahead[0].end)
    os.kill(dead, signal.SIGKILL)
    while " Z " not in Path(f"/proc/{dead}/stat").read_text():
        pass
    with tempfile.TemporaryDirectory() as name:
        it, over = _before(filters, Path(name))
        assert pid_of(it._end) != dead
        _end(it, over)


def test_a_filter_without_a_job_ends_with_whoever_could_give_one() -> None:
    filters = Filters({})
    filters.prepare(())
    waiting = pid_of(filters._ahead[0].end)
    filters.close()
    filters.close()
    assert not _runs(waiting)


def _before(filters: Filters, directory: Path) -> tuple[Filtered, int]:
    over, life = os.pipe()
    behind = Behind(directory / "wayland-L1", over, life)
    return filters.before(behind, "L1", 41, prefix=(), log=directory / "log"), over


def _end(it: Filtered, over: int) -> None:
    it.handed_over()
    assert select.select([it._end], [], [], 5)[0]
    os.waitid(os.P_PIDFD, it._end, os.WEXITED)
    os.close(it._end)
    os.close(over)

"""What slated notices of what is done to it, each as one line of its log."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

from slated.audit.reader import Wanted, records
from slated.daemon import serving
from slated.vigil import STALLED_S, TOLD_A_TURN, Vigil
from slated.wire.peer import Peer
from tests.fakes.conscience import directories
from tests.live.bed.patience import until

pytestmark = pytest.mark.anyio


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@asynccontextmanager
async def kept(tmp_path: Path, clock: Clock) -> AsyncIterator[Vigil]:
    """A vigil at its watch over a socket's place."""
    async with serving(directories(tmp_path), mark=lambda pid, began: False) as board:
        vigil = Vigil(board.service.records, str(tmp_path / "s.sock"), clock=clock)
        (tmp_path / "s.sock").touch()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(vigil.keep)
            await anyio.wait_all_tasks_blocked()
            yield vigil
            tasks.cancel_scope.cancel()


def lines(tmp_path: Path, kind: str) -> list[Mapping[str, Any]]:
    return list(records(directories(tmp_path).audit, Wanted(kind=kind)))


async def test_a_signal_that_ends_a_stop_is_told_with_how_long_it_may_have_been(
    tmp_path: Path,
) -> None:
    clock = Clock()
    async with kept(tmp_path, clock):
        clock.now = 4.2
        os.kill(os.getpid(), signal.SIGCONT)
        await until(lambda: lines(tmp_path, "stopped") != [], "it is told")
        (line,) = lines(tmp_path, "stopped")
        # The vigil may have begun another turn just before.
        assert line["at_most_s"] in (0.0, 4.2)
        assert "signal" in line["why"]


async def test_a_long_gap_is_told_without_a_signal(tmp_path: Path) -> None:
    clock = Clock()
    async with kept(tmp_path, clock):
        clock.now = STALLED_S + 5
        await until(lambda: lines(tmp_path, "stopped") != [], "it is told")
        assert lines(tmp_path, "stopped")[0]["at_most_s"] == STALLED_S + 5


async def test_another_socket_at_its_place_is_told_once_and_so_is_its_absence(
    tmp_path: Path,
) -> None:
    async with kept(tmp_path, Clock()):
        (tmp_path / "s.sock").unlink()
        await until(lambda: len(lines(tmp_path, "socket")) == 1, "it is told")
        with socket.socket(socket.AF_UNIX) as theirs:
            theirs.bind(str(tmp_path / "s.sock"))
            await until(lambda: len(lines(tmp_path, "socket")) == 2, "it is told")
        await anyio.sleep(1.2)
        assert [line["what"] for line in lines(tmp_path, "socket")] == ["gone", "replaced"]


async def test_who_is_not_let_in_is_told_and_many_are_counted(tmp_path: Path) -> None:
    async with kept(tmp_path, Clock()) as vigil:
        for pid in range(TOLD_A_TURN + 3):
            vigil.tried(Peer(1000, pid, 1), "it did not greet")
        for _ in range(5):
            vigil.tried(Peer(1000, 0, 1), "it did not greet")
        await until(lambda: len(lines(tmp_path, "turned_away")) == TOLD_A_TURN + 1, "it is told")
        first, *_, last = lines(tmp_path, "turned_away")
        assert (first["pid"], first["times"], first["why"]) == (0, 6, "it did not greet")
        assert last["why"] == "3 other processes as well"

"""A slated in this process, for tests: directories of its own, a real socket, and a made-up person."""

from __future__ import annotations

import fcntl
import os
import select
import shutil
import signal
import socket
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

from slated import person
from slated.daemon import serving
from slated.settings import Directories
from slated.switchboard import Switchboard
from slated.wire import control, reach, start
from slated.wire.calls import Calls
from slated.wire.peer import Peer, started
from slated.wire.serve import Connection

LOOK: Mapping[str, object] = {"client": "desktop", "tool": "desktop_screenshot", "ours": True}
CLICK: Mapping[str, object] = {
    "client": "desktop",
    "tool": "desktop_click",
    "ours": True,
    "arguments": {"target": "w1", "x": 1, "y": 2},
    "floor": "reversible",
}
RISKY: Mapping[str, object] = {
    "client": "claude",
    "tool": "Bash",
    "arguments": {"command": "rm -rf /srv/data"},
    "cwd": "/srv",
}


def directories(tmp_path: Path) -> Directories:
    """Directories of a person who has nothing yet."""
    home, runtime, state = tmp_path / "home", tmp_path / "run", tmp_path / "state"
    for one in (home, runtime, state):
        one.mkdir(mode=0o700, exist_ok=True)
    return Directories(home, home / "policy.toml", runtime, state, state / "audit")


@asynccontextmanager
async def slated(tmp_path: Path) -> AsyncIterator[Switchboard]:
    """A switchboard with everything real behind it but the person."""
    async with serving(directories(tmp_path), mark=lambda pid, began: False) as board:
        yield board


@asynccontextmanager
async def caller(board: Switchboard) -> AsyncIterator[Calls]:
    """A connection to it from this process."""
    ours, theirs = socket.socketpair()
    near = await anyio.abc.SocketStream.from_socket(ours)
    far = await anyio.abc.SocketStream.from_socket(theirs)
    peer = Peer(os.getuid(), os.getpid(), started(os.getpid()))
    calls, left = Calls(near), anyio.Event()

    async def serve() -> None:
        await board.connection(Connection(far, peer, b"", 1))
        left.set()

    async with near, far, anyio.create_task_group() as tasks:
        tasks.start_soon(serve)
        tasks.start_soon(calls.run)
        yield calls
        await near.aclose()
        with anyio.fail_after(5):
            await left.wait()
        tasks.cancel_scope.cancel()


@contextmanager
def alone() -> Iterator[dict[str, str]]:
    """An environment with directories of its own, short enough for sockets; what was started in it is ended."""
    place = Path(tempfile.mkdtemp(prefix="slc"))
    environ = {"XDG_RUNTIME_DIR": str(place), "XDG_STATE_HOME": str(place / "state")}
    try:
        yield environ
    finally:
        end(environ)
        shutil.rmtree(place)


def end(environ: Mapping[str, str], number: int = signal.SIGTERM) -> None:
    """End the slated of an environment, if there is one, and wait until it is gone."""
    lock = Path(environ["XDG_RUNTIME_DIR"]) / "slate/slated.lock"
    try:
        handle = os.open(lock, os.O_RDWR)
    except FileNotFoundError:
        return
    try:
        holder = os.pread(handle, 20, 0)
        if holder and not _free(handle):
            os.kill(int(holder), number)
            deadline = time.monotonic() + 10
            while not _free(handle):
                assert time.monotonic() < deadline, "slated does not end"
                select.select([], [], [], 0.01)
    finally:
        os.close(handle)


def _free(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    fcntl.flock(handle, fcntl.LOCK_UN)
    return True


def unmarking(environ: Mapping[str, str]) -> start.Daemon:
    """The slated of an environment, started so that it touches no process outside of the test."""
    daemon = control.daemon_of(environ)
    daemon.command.append("--no-marks")
    return daemon


@contextmanager
def connected(environ: Mapping[str, str], *, may_start: bool = True) -> Iterator[control.Control]:
    """A connection to the slated of an environment, started if need be."""
    link = reach.reach(unmarking(environ), say=lambda _: None, may_start=may_start)
    made = control.Control(link)
    try:
        yield made
    finally:
        made.close()


async def asked(board: Switchboard) -> Mapping[str, object]:
    """The first open question, once there is one."""
    with anyio.fail_after(5):
        while not board.questions():  # noqa: ASYNC110 - what opens it is what is tested
            await anyio.sleep(0.01)
    return board.questions()[0]


async def ask(calls: Calls, method: str, **params: Any) -> Any:
    return await calls.ask(method, params, deadline_s=5)


def a_person_sits_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this process pass for a person's."""
    monkeypatch.setattr(person, "why_not", lambda chain, tasks: "")

"""Puts a seat filter before the display of a launch: a process that outlives us, told which seat to name first."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import anyio

from slate_desktop import seat_filter
from slate_desktop.errors import Unavailable

_PROGRAM = Path(seat_filter.__file__).with_name("__main__.py")
_SOCKET, _WITNESS = "seat-", "drawn-"


class Display(Protocol):
    """Where the windows of one launch appear: a socket, alive while `life` is open in a process."""

    @property
    def socket(self) -> Path: ...

    @property
    def life(self) -> int: ...

    def handed_over(self) -> None: ...

    async def until_over(self) -> None: ...


@dataclass(slots=True)
class Filtered:
    """A display behind a filter. `life` keeps the filter, and the filter what is behind it."""

    socket: Path
    life: int
    _behind: Display
    _names: Sequence[Path]
    _end: int

    def handed_over(self) -> None:
        """Let go of our own hold, once the program has inherited its own. Call it once."""
        os.close(self.life)

    async def until_over(self) -> None:
        """Wait for the filter's end and reap it; take its sockets away. Call it once."""
        try:
            await self._behind.until_over()
            await anyio.wait_readable(self._end)
            os.waitid(os.P_PIDFD, self._end, os.WEXITED)  # noqa: ASYNC222  # it has ended
        finally:
            os.close(self._end)
        for name in self._names:
            name.unlink(missing_ok=True)


def filtered(
    display: Display,
    launch: str,
    own_seat: int,
    *,
    prefix: Sequence[str],
    env: Mapping[str, str],
    log: Path,
) -> Filtered:
    """A filter before `display`, which it takes over. `own_seat` is the seat's number in registries.

    `prefix` are words before its command that keep it alive when we end. What it has to say goes to
    `log`. Errors: `unavailable.filter`.
    """
    directory = display.socket.parent
    names = directory / f"{_SOCKET}{launch}", witness_socket(directory, launch)
    over, life = os.pipe()
    try:
        with ExitStack() as stack:
            stack.callback(os.close, over)
            listening, asked = (stack.enter_context(_listening(name)) for name in names)
            output = stack.enter_context(log.open("ab"))
            descriptors = listening.fileno(), asked.fileno(), over
            words = [*map(str, descriptors), str(display.socket), str(own_seat), *map(str, names)]
            process = subprocess.Popen(
                [*prefix, sys.executable, "-I", "-S", str(_PROGRAM), *words],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=output,
                cwd="/",
                env=env,
                pass_fds=(*descriptors, display.life),
                start_new_session=True,
            )
    except OSError as fault:
        os.close(life)
        for name in names:
            name.unlink(missing_ok=True)
        raise Unavailable(
            "filter",
            "the seat filter could not be started.",
            next_step="own_seat_first: false starts without it",
        ) from fault
    end = os.pidfd_open(process.pid)
    process.returncode = 0  # reaped by its descriptor; it may outlive us, and Popen would complain
    display.handed_over()
    return Filtered(names[0], life, display, names, end)


def witness_socket(directory: Path, launch: str) -> Path:
    """Where the filter of a launch tells how its windows are drawn."""
    return directory / f"{_WITNESS}{launch}"


def sweep(directory: Path, live: str) -> None:
    """Remove sockets of filters that were killed: of launches without a file `live` + launch."""
    for prefix in (_SOCKET, _WITNESS):
        for path in directory.glob(f"{prefix}*"):
            if not (directory / f"{live}{path.name.removeprefix(prefix)}").exists():
                path.unlink(missing_ok=True)


def _listening(name: Path) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX)
    try:
        listener.bind(os.fspath(name))
        listener.listen()
    except OSError:
        listener.close()
        raise
    return listener

"""Puts a seat filter before the display of a launch: a process that outlives us, told which seat to name first."""

from __future__ import annotations

import os
import select
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

import anyio

from slate_desktop import seat_filter
from slate_desktop.errors import Unavailable

_PROGRAM = Path(seat_filter.__file__).with_name("__main__.py")
DISMISSED_S = 2.0
_SOCKET, _WITNESS, _BELL = "seat-", "drawn-", "close-"


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


class _Waiting(NamedTuple):
    """A filter without a job: the socket it waits on, and a descriptor that tells its end."""

    control: socket.socket
    end: int


class Filters:
    """Starts filters in an environment; keeps one ahead, so that programs need not wait for theirs."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._env = env
        self._ahead: list[_Waiting] = []

    def prepare(self, prefix: Sequence[str]) -> None:
        """Have one ahead. `prefix`: words before its command that keep it alive when we end.

        `unavailable.filter` when it cannot be started.
        """
        if not self._ahead:
            self._ahead.append(self._start(prefix))

    def before(
        self,
        display: Display,
        launch: str,
        own_seat: int,
        *,
        prefix: Sequence[str],
        log: Path,
    ) -> Filtered:
        """A filter before `display`, which it takes over. `own_seat` is the seat's number in registries.

        What goes wrong in it is written to `log`. Errors: `unavailable.filter`.
        """
        directory = display.socket.parent
        names = directory / f"{_SOCKET}{launch}", witness_socket(directory, launch)
        over, life = os.pipe()
        try:
            with ExitStack() as stack:
                stack.callback(os.close, over)
                listeners = [stack.enter_context(_listening(name)) for name in names]
                output = stack.enter_context(log.open("ab"))
                descriptors = [listener.fileno() for listener in listeners]
                descriptors += [over, display.life, output.fileno()]
                words = "\0".join([str(display.socket), str(own_seat), *map(str, names)])
                end = self._give(words.encode(), descriptors, prefix)
        except OSError as fault:
            os.close(life)
            for name in names:
                name.unlink(missing_ok=True)
            raise _unavailable() from fault
        display.handed_over()
        return Filtered(names[0], life, display, names, end)

    def close(self) -> None:
        """Let the one ahead go. Safe twice."""
        while self._ahead:
            _dismiss(self._ahead.pop())

    def _give(self, words: bytes, descriptors: list[int], prefix: Sequence[str]) -> int:
        """Give a job to the filter ahead, or to a new one when there is none or it has died."""
        for waiting in [*self._ahead, None]:
            it = waiting or self._start(prefix)
            self._ahead.clear()
            try:
                socket.send_fds(it.control, [words], descriptors)
            except ConnectionError:
                _dismiss(it)
                continue
            it.control.close()
            return it.end
        raise OSError("a filter that was just started is gone")

    def _start(self, prefix: Sequence[str]) -> _Waiting:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            try:
                process = subprocess.Popen(
                    [*prefix, sys.executable, "-I", "-S", str(_PROGRAM), str(theirs.fileno())],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    cwd="/",
                    env=self._env,
                    pass_fds=(theirs.fileno(),),
                    start_new_session=True,
                )
            except OSError as fault:
                ours.close()
                raise _unavailable() from fault
        end = os.pidfd_open(process.pid)
        process.returncode = 0  # reaped by its descriptor; it may outlive us
        return _Waiting(ours, end)


def _dismiss(waiting: _Waiting) -> None:
    """A filter without a job ends when nobody is left to give it one."""
    waiting.control.close()
    if select.select([waiting.end], [], [], DISMISSED_S)[0]:
        os.waitid(os.P_PIDFD, waiting.end, os.WEXITED)
    os.close(waiting.end)


def _unavailable() -> Unavailable:
    return Unavailable(
        "filter",
        "the seat filter could not be started.",
        next_step="own_seat_first: false starts without it",
    )


def witness_socket(directory: Path, launch: str) -> Path:
    """Where the filter of a launch tells how its windows are drawn."""
    return directory / f"{_WITNESS}{launch}"


def doorbell(directory: Path, launch: str) -> Path:
    """Where the X server of a launch is asked to have its window closed."""
    return directory / f"{_BELL}{launch}"


def sweep(directory: Path, live: str) -> None:
    """Remove sockets of filters and X servers that were killed: of launches without a file `live` + launch."""
    for prefix in (_SOCKET, _WITNESS, _BELL):
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

"""The owner's side of the guard: starts it, hears what it tells, and makes sure of the end."""

from __future__ import annotations

import fcntl
import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio

from slate_desktop.errors import Unavailable
from slate_desktop.headless import guard

MARK_FILE = ".guard"
END_S = 3.0


@dataclass(frozen=True, slots=True)
class Order:
    """What to start and, at the end, to remove. All programs carry `mark` in their environment."""

    mark: str
    directory: str
    keep_directory: bool
    programs: Sequence[Mapping[str, object]]


class Keeper:
    """A running guard. It cleans up on `end`, when this process dies or a program of it ends."""

    def __init__(self, order: Order, lock: int) -> None:
        """Start the guard; the descriptor `lock` stays locked for as long as it lives."""
        self._order = order
        self._told = b""
        # Not a process of the event loop: one may be closed from another loop than its own.
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", guard.__file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={"LANG": "C.UTF-8"},
            cwd="/",
            start_new_session=True,
            pass_fds=(lock,),
            bufsize=0,
        )
        assert self._process.stdin is not None  # noqa: S101  # asked for in the line above
        assert self._process.stdout is not None  # noqa: S101
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        line = {
            "mark": order.mark,
            "lock": lock,
            "directory": order.directory,
            "keep_directory": order.keep_directory,
            "programs": list(order.programs),
        }
        self._stdin.write(json.dumps(line).encode() + b"\n")

    @property
    def pid(self) -> int:
        return self._process.pid

    async def event(self) -> dict[str, Any]:
        """The guard's next line. Raises Unavailable when the guard is gone."""
        while b"\n" not in self._told:
            await anyio.wait_readable(self._stdout)
            chunk = os.read(self._stdout.fileno(), 65536)
            if not chunk:
                raise Unavailable("session", "the guard of the headless session ended.")
            self._told += chunk
        line, _, self._told = self._told.partition(b"\n")
        event: dict[str, Any] = json.loads(line)
        return event

    def end(self) -> None:
        """Have everything of the session ended and removed; blocks for at most a few seconds."""
        self._stdin.close()
        handle = os.pidfd_open(self._process.pid)
        try:
            if not select.select([handle], [], [], END_S)[0]:
                self._kill()
        finally:
            os.close(handle)
        code = self._process.wait()
        self._stdout.close()
        left = not self._order.keep_directory and Path(self._order.directory).exists()
        if code != 0 or left:
            guard.sweep(self._order.mark, self._order.directory, self._order.keep_directory, None)

    def _kill(self) -> None:
        """End a guard that does not answer, both halves of it and what is below."""
        for pid, since in guard.belonging(self._order.mark, self._process.pid).items():
            guard.send(pid, since, signal.SIGKILL)
        self._process.kill()


def lock_place(directory: Path, mark: str) -> int:
    """Lock a new session's directory and note its mark in it. Returns the descriptor that locks."""
    # The directory itself is locked: systemd-tmpfiles then leaves everything in it alone, however old.
    lock = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    (directory / MARK_FILE).write_text(mark)
    return lock


def sweep_abandoned(directories: Sequence[Path], mark_name: str) -> None:
    """Clean up after sessions whose guards were both killed; those that live hold their lock."""
    for directory in directories:
        try:
            lock = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError:
            continue
        try:
            if os.fstat(lock).st_uid == os.getuid():
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                mark = (directory / MARK_FILE).read_text(errors="replace")
                if mark.startswith(f"{mark_name}="):
                    guard.sweep(mark, str(directory), False, None)
        except OSError:
            continue
        finally:
            os.close(lock)

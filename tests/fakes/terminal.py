"""A terminal that a command of `slate` runs on, and its other end."""

from __future__ import annotations

import os
import pty
import select
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

MAIN = Path(__file__).parents[2] / "slated/__main__.py"


class Terminal:
    """The other end of the terminal that a command runs on."""

    def __init__(self, master: int, pid: int) -> None:
        self.master, self.pid, self.shown = master, pid, b""

    def until(self, true: Callable[[], bool], within_s: float = 10) -> None:
        """Read what is shown until something holds."""
        deadline = time.monotonic() + within_s
        while not true():
            assert time.monotonic() < deadline, self.shown[-2000:]
            if select.select([self.master], [], [], 0.05)[0]:
                self.shown += os.read(self.master, 4096)

    def press(self, key: bytes) -> None:
        """Keys, as typed."""
        os.write(self.master, key)


@contextmanager
def terminal(environ: Mapping[str, str], *words: str) -> Iterator[Terminal]:
    """`slate` with these words on a terminal; it is left with q."""
    pid, master = pty.fork()
    if pid == 0:
        argv = [sys.executable, "-I", str(MAIN), *words]
        os.execve(argv[0], argv, {**environ, "TERM": "xterm", "LINES": "40", "COLUMNS": "100"})  # noqa: S606 - no shell is wanted
    try:
        yield Terminal(master, pid)
    finally:
        os.write(master, b"q")
        os.waitpid(pid, 0)
        os.close(master)

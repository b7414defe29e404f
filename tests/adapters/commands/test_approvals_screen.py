"""`slate approvals` on a real terminal: what it shows, and that a key at it is a person's answer."""

from __future__ import annotations

import os
import pty
import select
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import anyio
import anyio.to_thread
import pytest

from slated import __version__, settings
from slated.audit.reader import Wanted, records
from slated.daemon import serving
from slated.errors import Refused
from slated.switchboard import Switchboard
from slated.wire import control
from slated.wire.serve import Door, alone, listening
from tests.fakes.conscience import RISKY, a_person_sits_here, ask, caller
from tests.fakes.conscience import alone as place

pytestmark = pytest.mark.anyio
MAIN = Path(__file__).parents[3] / "slated/__main__.py"


class Terminal:
    """The other end of the terminal that approvals run on."""

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
        os.write(self.master, key)


@contextmanager
def approvals(environ: dict[str, str]) -> Iterator[Terminal]:
    pid, master = pty.fork()
    if pid == 0:
        argv = [sys.executable, "-I", str(MAIN), "approvals"]
        os.execve(argv[0], argv, {**environ, "TERM": "xterm", "LINES": "40", "COLUMNS": "100"})  # noqa: S606 - no shell is wanted
    try:
        yield Terminal(master, pid)
    finally:
        os.write(master, b"q")
        os.waitpid(pid, 0)
        os.close(master)


def answered(environ: dict[str, str], board: Switchboard, key: bytes) -> None:
    """A person opens approvals, reads the question, and presses a key, too early and then in time."""
    with approvals(environ) as terminal:
        terminal.until(lambda: board.service.approvals.approvers == 1)
        terminal.until(lambda: b"rm -rf /srv/data" in terminal.shown)
        terminal.until(lambda: b"reach.outside" in terminal.shown)
        terminal.press(key)
        terminal.until(lambda: b"not taken" in terminal.shown)
        assert board.questions() != []
        began = time.monotonic()
        terminal.until(lambda: time.monotonic() - began > 0.8)
        terminal.press(key)
        terminal.until(lambda: board.questions() == [])


@pytest.mark.parametrize(("key", "answer"), [(b"y", "once"), (b"a", "always"), (b"n", "deny")])
async def test_a_key_at_a_persons_terminal_answers_the_question(
    monkeypatch: pytest.MonkeyPatch, key: bytes, answer: str
) -> None:
    a_person_sits_here(monkeypatch)
    with place() as environ:
        where = settings.directories(environ)
        socket = control.daemon_of(environ).socket
        async with (
            alone(socket),
            serving(where, mark=lambda pid, began: False) as board,
            listening(socket) as listener,
            anyio.create_task_group() as tasks,
            caller(board) as agent,
        ):
            tasks.start_soon(Door(version=__version__).serve, listener, board.connection)
            tasks.start_soon(anyio.to_thread.run_sync, partial(answered, environ, board, key))
            with anyio.fail_after(20):
                while not board.service.approvals.approvers:  # noqa: ASYNC110 - it is another process
                    await anyio.sleep(0.02)
                if answer == "deny":
                    with pytest.raises(Refused):
                        await ask(agent, "admit", **RISKY)
                else:
                    granted = await ask(agent, "admit", **RISKY)
                    assert granted["answered"].startswith(answer)
                while board.service.approvals.approvers:  # noqa: ASYNC110 - it is another process
                    await anyio.sleep(0.02)
            tasks.cancel_scope.cancel()
        (line,) = records(where.audit, Wanted(kind="answer"))
        assert (line["answer"], str(line["by"]).split()[0]) == (answer, "approvals")

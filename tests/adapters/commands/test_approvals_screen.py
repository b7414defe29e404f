"""`slate approvals` on a real terminal: what it shows, and that a key at it is a person's answer."""

from __future__ import annotations

import time
from functools import partial

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
from tests.fakes.terminal import terminal

pytestmark = pytest.mark.anyio


def answered(environ: dict[str, str], board: Switchboard, key: bytes) -> None:
    """A person opens approvals, reads the question, and presses a key, too early and then in time."""
    with terminal(environ, "approvals") as screen:
        screen.until(lambda: board.service.approvals.approvers == 1)
        screen.until(lambda: b"rm -rf /srv/data" in screen.shown)
        screen.until(lambda: b"reach.outside" in screen.shown)
        screen.press(key)
        screen.until(lambda: b"not taken" in screen.shown)
        assert board.questions() != []
        began = time.monotonic()
        screen.until(lambda: time.monotonic() - began > 0.8)
        screen.press(key)
        screen.until(lambda: board.questions() == [])


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

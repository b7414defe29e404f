"""`slate review` on a real terminal: a person accepts one proposal and rejects another."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path

import anyio
import anyio.to_thread
import pytest

from slated import __version__, settings
from slated.audit.reader import Wanted, records
from slated.daemon import serving
from slated.switchboard import Switchboard
from slated.wire import control
from slated.wire.serve import Door, alone, listening
from tests.fakes.conscience import a_person_sits_here
from tests.fakes.conscience import alone as place
from tests.fakes.terminal import Terminal, terminal

pytestmark = pytest.mark.anyio


def reviewed(environ: dict[str, str], project: Path, board: Switchboard) -> None:
    """A person reads what waits, accepts the first proposal and rejects the second."""
    kept = board.stores.project(project)

    def waiting() -> int:
        return len(kept.catch_up.report().proposals)

    def calmly(screen: Terminal, key: bytes) -> None:
        began = time.monotonic()
        screen.until(lambda: time.monotonic() - began > 0.8)
        screen.press(key)

    with terminal(environ, "review", "--project", str(project)) as screen:
        screen.until(lambda: b"1 of 2" in screen.shown)
        screen.until(lambda: b"external-unverified" in screen.shown)
        screen.until(lambda: b"claude-code" in screen.shown)
        assert board.reviewers
        calmly(screen, b"a")
        screen.until(lambda: b"y: yes" in screen.shown)
        assert waiting() == 2
        calmly(screen, b"y")
        screen.until(lambda: b"written to" in screen.shown)
        assert waiting() == 1
        calmly(screen, b"r")
        screen.until(lambda: b"Say why" in screen.shown)
        screen.press(b"noise")
        calmly(screen, b"\r")
        screen.until(lambda: b"Everything was reviewed" in screen.shown)
        assert waiting() == 0


async def test_a_person_accepts_one_proposal_and_rejects_another(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
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
        ):
            tasks.start_soon(Door(version=__version__).serve, listener, board.connection)
            slates = board.stores.slates(tmp_path)

            def work() -> None:
                slates.open("task-1")
                slates.write_seed("task-1", "Use UTC.", "decision", harness="claude-code")
                slates.write_seed("task-1", "A finding.", "risk", harness="claude-code")
                slates.close("task-1")

            await anyio.to_thread.run_sync(work)
            await anyio.to_thread.run_sync(partial(reviewed, environ, tmp_path, board))
            tasks.cancel_scope.cancel()
        decided = [str(line["decision"]) for line in records(where.audit, Wanted(kind="review"))]
        assert decided == ["accepted", "rejected"]
    (page,) = (tmp_path / ".keryx/knowledge").rglob("*.md")
    assert "> " in page.read_text()

"""A slated on a real socket in this process, and this process's command line as its person's."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import anyio
import anyio.to_thread
import pytest

from slated import __version__, settings
from slated.__main__ import main
from slated.daemon import serving
from slated.switchboard import Switchboard
from slated.wire import control
from slated.wire.serve import Door, alone, listening
from tests.fakes.conscience import a_person_sits_here
from tests.fakes.conscience import alone as place


@asynccontextmanager
async def at_home(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Switchboard]:
    """`slate` in this process reaches this slated and passes for a person's."""
    a_person_sits_here(monkeypatch)
    with place() as environ:
        for name, value in environ.items():
            monkeypatch.setenv(name, value)
        socket = control.daemon_of(environ).socket
        async with (
            alone(socket),
            serving(settings.directories(environ), mark=lambda pid, began: False) as board,
            listening(socket) as listener,
            anyio.create_task_group() as tasks,
        ):
            tasks.start_soon(Door(version=__version__).serve, listener, board.connection)
            yield board
            tasks.cancel_scope.cancel()


async def slate(*words: str) -> int:
    """The exit code of a command."""
    return await anyio.to_thread.run_sync(partial(main, words))

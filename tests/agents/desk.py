"""A desktop that the real agent programs can drive: a private sway, found below a bed's runtime directory."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

from anyio.from_thread import start_blocking_portal

from slate_desktop.headless.session import Session, open_session
from tests.agents.bed import Bed
from tests.fakes.stage import alive, until
from tests.live.bed.finding import find
from tests.live.bed.patience import SLOW
from tests.live.bed.whereabouts import daemon_pid

END_S = 15.0


@contextmanager
def desk(made: Bed) -> Iterator[Session]:
    """A sway whose sockets lie where a desktop daemon of that bed looks for them; the daemon ends with it."""
    sway = find()
    assert not isinstance(sway, str), sway
    runtime = made.root / "r"
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(open_session(sway, slow=SLOW)) as session,
    ):
        for socket in (
            *session.runtime_dir.glob("sway-ipc.*.sock"),
            session.runtime_dir / "wayland-1",
        ):
            (runtime / socket.name).symlink_to(socket)
        try:
            yield session
        finally:
            pid = daemon_pid(runtime)
            if pid is not None:
                os.kill(pid, signal.SIGTERM)
                assert until(lambda: not alive(pid), END_S)

"""Labels programs we start: each launch gets a Wayland socket of its own, known to the compositor
as ours.
"""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass
from pathlib import Path

import anyio
from pywayland.protocol.security_context_v1 import WpSecurityContextManagerV1Proxy

from slate_desktop.errors import Unavailable
from slate_desktop.model import SANDBOX_ENGINE
from slate_desktop.wayland.globals import Globals

LONGEST_PATH = 107  # bytes in sockaddr_un, the ending zero left out
_PREFIX = "wayland-"


@dataclass(slots=True)
class Context:
    """A launch's display: the `socket` its programs connect to, while `life` is open in some of
    them.

    They inherit it, so it outlives the daemon. When its last holder is gone the compositor stops
    listening; whoever is connected by then stays so.
    """

    launch: str
    socket: Path
    life: int
    _over: int

    def handed_over(self) -> None:
        """Let go of our own hold, once the program has inherited its own. Call it once."""
        os.close(self.life)

    async def until_over(self) -> None:
        """Wait until nobody holds it any more, then take the socket away. Call it once."""
        try:
            await anyio.wait_readable(self._over)
            self.socket.unlink(missing_ok=True)
        finally:
            os.close(self._over)


class SecurityContexts:
    """Makes contexts in a directory of ours, which must exist and be ours alone."""

    def __init__(self, globals_: Globals, directory: Path) -> None:
        self._globals = globals_
        self._directory = directory
        self._sweep()

    async def open(self, launch: str, program: str) -> Context:
        """A display for one launch. `program` is what others may call it; `launch` labels its
        windows.

        Unavailable when the compositor has no security contexts or is gone.
        """
        path = self._directory / f"{_PREFIX}{launch}"
        if len(os.fsencode(path)) > LONGEST_PATH:
            raise Unavailable("path_too_long", f"{path} is too long a name for a socket")
        connection = self._globals.connection
        manager = self._globals.bind(WpSecurityContextManagerV1Proxy, 1)
        hears, life = os.pipe()
        try:
            with socket.socket(socket.AF_UNIX) as listening:
                listening.bind(os.fspath(path))
                listening.listen()
                context = connection.send(manager.create_listener, listening.fileno(), hears)
                connection.send(context.set_sandbox_engine, SANDBOX_ENGINE)
                connection.send(context.set_app_id, program)
                connection.send(context.set_instance_id, launch)
                connection.send(context.commit)
                connection.destroy(context)
                await connection.sync()
        except BaseException:
            os.close(life)
            os.close(hears)
            path.unlink(missing_ok=True)
            raise
        return Context(launch, path, life, hears)

    def _sweep(self) -> None:
        """Remove sockets of an earlier daemon on which nobody listens any more."""
        for path in self._directory.glob(f"{_PREFIX}*"):
            with socket.socket(socket.AF_UNIX) as probe:
                probe.settimeout(0)
                try:
                    probe.connect(os.fspath(path))
                except ConnectionRefusedError:
                    path.unlink(missing_ok=True)
                except OSError:
                    continue

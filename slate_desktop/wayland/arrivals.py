"""Programs that have just connected to the compositor and have not shown what they are.

A launcher or a lock screen takes the keyboard of every seat in the moment it appears, and nothing on the wire tells
before. But it has to connect first, tens of milliseconds earlier, and that can be seen. So nothing is sent while such a
program is at the door: a window that opens, or a second without one, says that it is none.
"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import anyio

from slate_desktop.model import Handle
from slate_desktop.wayland.toplevels import Toplevels

TABLE = Path("/proc/net/unix")
CONNECTED = b"03"
# From connecting to appearing fuzzel takes 26 ms here, swaylock 20; a loaded machine takes many times that.
UNEXPLAINED_S = 1.0
LOOK_EVERY_S = 0.01


class Arrivals:
    """Watches who connects to the compositor's socket at `socket`. Those already in are no arrivals."""

    def __init__(self, socket: Path, toplevels: Toplevels, *, table: Path = TABLE) -> None:
        self._socket, self._table, self._toplevels = os.fsencode(socket), table, toplevels
        self._inside = self._connected()
        self._shown = frozenset(toplevels.handles)
        self._at_door: dict[bytes, float] = {}

    def waiting(self) -> bool:
        """Whether somebody is at the door now."""
        now, inside = asyncio.get_running_loop().time(), self._connected()
        for arrival in inside - self._inside:
            self._at_door[arrival] = now
        self._inside = inside
        for _ in self._new_windows():
            if self._at_door:  # whose window it is is not told; who waits longest is the likeliest
                del self._at_door[next(iter(self._at_door))]
        self._at_door = {
            arrival: since
            for arrival, since in self._at_door.items()
            if arrival in inside and now - since < UNEXPLAINED_S
        }
        return bool(self._at_door)

    async def settled(self, deadline_s: float) -> bool:
        """Wait until nobody is at the door. False when somebody still is at the deadline."""
        with anyio.move_on_after(deadline_s):
            while self.waiting():  # noqa: ASYNC110  # the system does not announce it
                await anyio.sleep(LOOK_EVERY_S)
            return True
        return False

    def _new_windows(self) -> frozenset[Handle]:
        shown = frozenset(self._toplevels.handles)
        new, self._shown = shown - self._shown, shown
        return new

    def _connected(self) -> frozenset[bytes]:
        """The compositor's ends of its connections, by inode."""
        try:
            lines = self._table.read_bytes().splitlines()
        except OSError:  # a system that hides the table: then we know no more than the wire tells
            return frozenset()
        rows = (line.split(None, 7) for line in lines if line.endswith(self._socket))
        return frozenset(row[6] for row in rows if len(row) == 8 and row[5] == CONNECTED)

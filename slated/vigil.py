"""Notices what is done to slated itself, and logs it: that it was stopped, its socket replaced, its door tried."""

from __future__ import annotations

import logging
import os
import signal
import time
from collections import Counter
from collections.abc import Callable
from typing import Final

import anyio

from slated.errors import Unavailable
from slated.records import Records
from slated.wire.peer import Peer

TURN_S: Final = 1.0
STALLED_S: Final = 10.0
"""A gap this long between two turns is told even if no signal says where it came from."""
TOLD_A_TURN: Final = 8
"""Lines about the door in one turn; of more peers only the number is told."""

log = logging.getLogger(__name__)


class Vigil:
    """Watches over one slated. What cannot be seen from inside, such as a refused ptrace, is not told."""

    def __init__(
        self, records: Records, socket: str, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._records, self._socket, self._clock = records, socket, clock
        self._tried: Counter[tuple[int, int, str]] = Counter()

    def tried(self, peer: Peer, how: str) -> None:
        """Somebody connected who was not let in."""
        self._tried[peer.pid, peer.uid, how] += 1

    async def keep(self) -> None:
        """Watch until cancelled."""
        place = _place(self._socket)
        with anyio.open_signal_receiver(signal.SIGCONT) as continued:
            while True:
                began, signalled = self._clock(), False
                with anyio.move_on_after(TURN_S):
                    await anext(continued)
                    signalled = True
                await self._stopped(self._clock() - began, signalled=signalled)
                place = await self._moved(place)
                await self._door()

    async def _stopped(self, gap_s: float, *, signalled: bool) -> None:
        """Tell of a turn that was too long, or of a signal that ends a stop. No more than one line a turn."""
        if signalled:
            await self._note("stopped", at_most_s=round(gap_s, 1), why="a signal let it go on")
            await anyio.sleep(TURN_S)
        elif gap_s > STALLED_S:
            why = "frozen, traced, or the machine had no time for it"
            await self._note("stopped", at_most_s=round(gap_s, 1), why=why)

    async def _moved(self, before: tuple[int, int] | None) -> tuple[int, int] | None:
        """Tell of another file at the socket's place; new clients reach whoever made it."""
        now = _place(self._socket)
        if now != before:
            await self._note("socket", what="replaced" if now else "gone", path=self._socket)
        return now

    async def _door(self) -> None:
        """Tell who was not let in."""
        tried, self._tried = self._tried, Counter()
        for (pid, uid, how), times in tried.most_common(TOLD_A_TURN):
            await self._note("turned_away", what="connect", pid=pid, uid=uid, why=how, times=times)
        if (more := len(tried) - TOLD_A_TURN) > 0:
            await self._note("turned_away", what="connect", why=f"{more} other processes as well")

    async def _note(self, kind: str, **facts: object) -> None:
        try:
            await self._records.event(kind, **facts)
        except Unavailable as error:
            log.warning("not in the audit log", extra={"what": kind, "why": error.message})


def _place(path: str) -> tuple[int, int] | None:
    """Which file stands at a path; None if there is none."""
    try:
        facts = os.lstat(path)
    except OSError:
        return None
    return facts.st_dev, facts.st_ino

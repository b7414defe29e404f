"""What one connection holds: a seat, the refs it was given, and the order of its turns. Released when it ends."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import anyio

from slate_desktop.act import Limbs
from slate_desktop.errors import Unavailable
from slate_desktop.ports import Clipboard, Desk, Hands
from slate_desktop.sightings import Sightings

# Menus of the agent close when its focus leaves their window, so the seat stays where it was sent for a while.
IDLE_S = 30.0
REST_S = 1.0


class Lease:
    """One connection's hold on the desk.

    Input turns take the seat one after the other, in the order in which they ask for it.
    """

    def __init__(
        self, desk: Desk, hands: Hands, clipboard: Clipboard, sightings: Sightings
    ) -> None:
        self.desk = desk
        self.hands = hands
        self.sightings = sightings
        self.clipboard = clipboard
        self.limbs = Limbs(hands, desk.windows, desk.launcher, clipboard)
        self._seat = anyio.Lock()
        self._busy_until = anyio.current_time()
        self._resting = True

    @asynccontextmanager
    async def seat(self) -> AsyncIterator[None]:
        """Hold the seat for one turn."""
        async with self._seat:
            self._resting = False
            try:
                yield
            finally:
                self._busy_until = anyio.current_time()

    @property
    def working(self) -> bool:
        """Whether a turn holds the seat now."""
        return self._seat.locked()

    async def rest_when_idle(self) -> None:
        """Put the seat to rest once it has not been used for a while; runs as long as the lease."""
        while True:
            wait_s = IDLE_S if self._resting else self._busy_until + IDLE_S - anyio.current_time()
            await anyio.sleep(max(wait_s, 0.1))
            if not self._resting and anyio.current_time() - self._busy_until >= IDLE_S:
                async with self._seat:
                    await self.hands.rest()
                    self._resting = True

    async def close(self) -> None:
        """Release everything held and forget what was copied; safe when cancelled, and when the compositor is gone."""
        with suppress(Unavailable), anyio.move_on_after(REST_S, shield=True):
            await self.hands.rest()
            if self.clipboard.types:
                await self.clipboard.offer({})

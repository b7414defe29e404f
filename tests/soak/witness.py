"""Who watches: sway's binding and mode events, and every key a program outside the bed was sent."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio

from tests.live.bed.stage import Stage
from tests.live.bed.tree import BINDING_EVENT, MODE_EVENT, SUBSCRIBE, Sway

# What libwayland prints for a pressed key under WAYLAND_DEBUG: serial, time, key, state 1; @ or #
# by version.
_KEY_DOWN = re.compile(rb"wl_keyboard[@#]\d+\.key\(\d+, \d+, (\d+), 1\)")
_LEAVE = re.compile(rb"wl_keyboard[@#]\d+\.leave\(")


def keys_sent_to(log: Path) -> int:
    """How many key presses a program with WAYLAND_DEBUG=1 and its standard error in `log` was
    sent.
    """
    return len(_KEY_DOWN.findall(log.read_bytes()))


def times_left(log: Path) -> int:
    """How often the keyboard of any seat left such a program: what closes a launcher."""
    return len(_LEAVE.findall(log.read_bytes()))


class Bindings:
    """Counts what sway ran: by command for bindings, by name for modes."""

    def __init__(self, sway: Sway) -> None:
        self.ran: Counter[str] = Counter()
        self.modes: Counter[str] = Counter()
        self._sway = sway

    async def listen(self) -> None:
        """Count, for as long as it is not cancelled."""
        while True:
            await anyio.wait_readable(self._sway.fileno())
            kind, event = self._sway.next()
            if kind == BINDING_EVENT:
                self.ran[event["binding"]["command"]] += 1
            elif kind == MODE_EVENT:
                self.modes[event["change"]] += 1


@asynccontextmanager
async def bindings(stage: Stage) -> AsyncIterator[Bindings]:
    """A count of the bindings and modes that run inside the block."""
    sway = Sway(str(stage.session.sway_socket))
    sway.ask(SUBSCRIBE, '["binding", "mode"]')
    counts = Bindings(sway)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(counts.listen)
        try:
            yield counts
        finally:
            tasks.cancel_scope.cancel()
            sway.close()

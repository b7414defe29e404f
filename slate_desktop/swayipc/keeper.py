"""Keeps the background as it should be, by what sway announces."""

from __future__ import annotations

import logging
from enum import Enum, auto

import anyio

from slate_desktop.errors import Unavailable
from slate_desktop.swayipc.background import Background
from slate_desktop.swayipc.codec import Event
from slate_desktop.swayipc.ipc import Events

log = logging.getLogger(__name__)

_WINDOWS_CHANGED = ("new", "close", "move")
# Every program is told of outputs that come and go. One that is just starting may have something of its own to do then:
# an X server that was told so in the middle lost what was typed to it.
QUIET_S = 1.0


class _News(Enum):
    """What may have changed."""

    RELOAD = auto()
    OUTPUTS = auto()
    WINDOWS = auto()
    VISIT = auto()


class Keeper:
    """Says again after a reload what it makes sway forget, makes the background anew once its home has gone, gives each
    window an output of its own, and lets nothing of the person's lie there, nor themselves.
    """

    def __init__(self, events: Events, background: Background) -> None:
        self._background = background
        self._what: set[_News] = set()
        self._news = anyio.Event()
        events.listen(self._on_event)
        events.visits(self._on_visit)

    async def run(self) -> None:
        """Keep it, until cancelled."""
        while True:
            await self._news.wait()
            try:
                while self._what:
                    self._news, now = anyio.Event(), frozenset(self._what)
                    self._what.clear()
                    await self._keep(now)
                    with anyio.move_on_after(QUIET_S):
                        await self._news.wait()
                await self._background.settle(quiet=True)
            except Unavailable as error:
                # Nothing new is started in the background then; the next event may bring it back.
                log.warning("no background", extra={"code": error.code, "why": error.message})
                await anyio.sleep(QUIET_S)  # what was tried in vain has made events of its own

    async def _keep(self, news: frozenset[_News]) -> None:
        outputs = bool(news & {_News.RELOAD, _News.OUTPUTS})
        if outputs and await self._background.lost():
            await self._background.ensure()
        elif _News.RELOAD in news:
            await self._background.redo()
        if outputs or _News.VISIT in news:
            await self._background.give_back()
        await self._background.settle()

    def _on_event(self, event: Event, change: str) -> None:
        if event is Event.WORKSPACE and change == "reload":
            self._tell(_News.RELOAD)
        elif event is Event.OUTPUT:
            self._tell(_News.OUTPUTS)
        elif event is Event.WINDOW and change in _WINDOWS_CHANGED:
            self._tell(_News.WINDOWS)

    def _on_visit(self, workspace: str, came_from: str) -> None:
        if self._background.visited(workspace, came_from):
            self._tell(_News.VISIT)

    def _tell(self, one: _News) -> None:
        self._what.add(one)
        self._news.set()

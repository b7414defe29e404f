"""What seat filters saw of how windows are drawn, asked when it is wanted."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio

from slate_desktop.filtered import witness_socket
from slate_desktop.geometry import Point, Rect
from slate_desktop.model import Desktop, Drawn, Window, WindowId

ANSWERED_S = 0.2


class FilterWitness:
    """Implements `ports.Witness`. `state` is where launches have their sockets."""

    def __init__(self, state: Path) -> None:
        self._state = state
        self._pids: dict[WindowId, int] = {}

    async def drawn(self, desktop: Desktop, window: Window) -> Drawn | None:
        """How a window is drawn now; None when no filter saw it, or it could be one of several.

        Windows alike in program and title are told apart by their order, if as many were seen.
        """
        if window.sandbox is None:
            return None
        facts = _which(desktop, window, await self._asked(window.sandbox))
        return _drawn(facts) if facts is not None else None

    async def named(self, desktop: Desktop) -> Desktop:
        """The same with the programs' own pids: the compositor takes their filters for them."""
        self._pids = {w.id: self._pids[w.id] for w in desktop.windows if w.id in self._pids}
        new = [w for w in desktop.windows if w.sandbox is not None and w.id not in self._pids]
        for launch in {w.sandbox for w in new if w.sandbox is not None}:
            seen = await self._asked(launch)
            pids = {facts["pid"] for facts in seen}
            for window in (w for w in new if w.sandbox == launch):
                facts = _which(desktop, window, seen)
                if len(pids) == 1:
                    (self._pids[window.id],) = pids
                elif facts is not None:
                    self._pids[window.id] = facts["pid"]
        windows = (replace(w, pid=self._pids.get(w.id, w.pid)) for w in desktop.windows)
        return replace(desktop, windows=tuple(windows)) if self._pids else desktop

    async def _asked(self, launch: str) -> list[dict[str, Any]]:
        told = b""
        try:
            with anyio.fail_after(ANSWERED_S):
                async with await anyio.connect_unix(witness_socket(self._state, launch)) as filter_:
                    async for part in filter_:
                        told += part
            found: list[dict[str, Any]] = json.loads(told)
        except (OSError, ValueError, anyio.BrokenResourceError):
            return []
        return found


def _which(desktop: Desktop, window: Window, seen: list[dict[str, Any]]) -> dict[str, Any] | None:
    """What was seen of a window, if that can be told."""
    alike = sorted(w.id for w in desktop.windows if _alike(w, window))
    named = [f for f in seen if (f["app_id"], f["title"]) == (window.app_id, window.title)]
    return named[alike.index(window.id)] if len(named) == len(alike) and alike else None


def _alike(one: Window, other: Window) -> bool:
    return (one.sandbox, one.app_id, one.title) == (other.sandbox, other.app_id, other.title)


def _drawn(facts: dict[str, Any]) -> Drawn:
    return Drawn(Point(*facts["content"]), tuple(Rect(*box) for box in facts["popups"]))

"""What seat filters saw of how windows are drawn, asked when it is wanted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import anyio

from slate_desktop.filtered import witness_socket
from slate_desktop.geometry import Point, Rect
from slate_desktop.model import Desktop, Drawn, Window

ANSWERED_S = 0.2


class FilterWitness:
    """Implements `ports.Witness`. `state` is where launches have their sockets."""

    def __init__(self, state: Path) -> None:
        self._state = state

    async def drawn(self, desktop: Desktop, window: Window) -> Drawn | None:
        """How a window is drawn now; None when no filter saw it, or it could be one of several.

        Windows alike in program and title are told apart by their order, if as many were seen.
        """
        if window.sandbox is None:
            return None
        alike = sorted(w.id for w in desktop.windows if _alike(w, window))
        if window.id not in alike:
            return None
        seen = [
            facts
            for facts in await self._asked(window.sandbox)
            if (facts["app_id"], facts["title"]) == (window.app_id, window.title)
        ]
        return _drawn(seen[alike.index(window.id)]) if len(seen) == len(alike) else None

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


def _alike(one: Window, other: Window) -> bool:
    return (one.sandbox, one.app_id, one.title) == (other.sandbox, other.app_id, other.title)


def _drawn(facts: dict[str, Any]) -> Drawn:
    return Drawn(Point(*facts["content"]), tuple(Rect(*box) for box in facts["popups"]))

"""How long the bed waits: 5 s for anything, 60 s for an application to start, both stretched by
SLATE_SLOW.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio

SLOW = float(os.environ.get("SLATE_SLOW", "1"))
WAIT_S = 5 * SLOW
START_S = 60 * SLOW
_LOOK_EVERY_S = 0.01

Found = TypeVar("Found")


async def until(
    look: Callable[[], Found | None], what: str, *, deadline_s: float = WAIT_S
) -> Found:
    """The first truthy thing `look` sees; TimeoutError naming `what` and the last sight when the
    deadline comes first.

    For facts nobody announces (a file's bytes, another process's tree); whoever can wait for an
    event does that.
    """
    seen: Found | None = None
    with anyio.move_on_after(deadline_s):
        while True:
            seen = look()
            if seen:
                return seen
            await anyio.sleep(_LOOK_EVERY_S)
    raise TimeoutError(f"{what}: not within {deadline_s:.0f} s; last seen: {seen!r}")


async def until_it_says(
    ask: Callable[[], Awaitable[Found]], wanted: Found, what: str, *, deadline_s: float = WAIT_S
) -> None:
    """Ask again and again until the answer is `wanted`; TimeoutError with the last answer."""
    said: Found | None = None
    with anyio.move_on_after(deadline_s):
        while True:
            said = await ask()
            if said == wanted:
                return
            await anyio.sleep(_LOOK_EVERY_S)
    raise TimeoutError(f"{what}: not within {deadline_s:.0f} s; wanted {wanted!r}, got {said!r}")

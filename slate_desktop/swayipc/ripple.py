"""Tells when sway shows what its tree says.

Windows that open, move or change their size are in the tree at once. sway shows them there, and lets a pointer reach
them there, only when every window of the change has drawn itself anew, or after 0.2 s. Until then a click goes to what
was at that place before, or to nothing.
"""

from __future__ import annotations

import anyio

from slate_desktop.errors import Unavailable
from slate_desktop.model import PARKING_APP_ID
from slate_desktop.swayipc.codec import Ask, Json
from slate_desktop.swayipc.ipc import Ipc
from slate_desktop.swayipc.tree import integer, text, window_nodes

# Over 2, which is the width that sway gives by itself, and less than the way from our parking windows to the output.
_WIDTHS_PX = range(3, 61)
_LOOK_AGAIN_S = 0.005
_SHOWN_S = 2.0


class Ripple:
    """A change of the borders of our parking windows, which nobody sees. sway makes changes in order, and the width
    that its tree gives is the one in effect: once it is ours, all that was asked for before is in effect too.
    """

    def __init__(self, ipc: Ipc) -> None:
        self._ipc = ipc
        self._one = anyio.Lock()
        self._width_px = _WIDTHS_PX[0]

    async def passed(self) -> None:
        """Return once all that the tree says now is shown; at once where no window of ours is there to tell.

        `unavailable.layout` if that takes over 2 s.
        """
        async with self._one:
            self._width_px = _WIDTHS_PX[(self._width_px + 1) % len(_WIDTHS_PX)]
            words = f'[app_id="^{PARKING_APP_ID}$"] border pixel {self._width_px}'
            with anyio.move_on_after(_SHOWN_S):
                while True:
                    _, tree = await self._ipc.ask((Ask.RUN_COMMAND, words), (Ask.GET_TREE, ""))
                    widths = _widths(tree)
                    if not widths or self._width_px in widths:
                        return
                    words = "nop"
                    await anyio.sleep(_LOOK_AGAIN_S)
        raise Unavailable(
            "layout",
            "nothing was sent: the compositor has not finished moving its windows.",
            next_step="try again",
        )


def _widths(tree: Json) -> set[int]:
    return {
        integer(node, "current_border_width")
        for node in (window_nodes(tree) if isinstance(tree, dict) else ())
        if text(node, "app_id") == PARKING_APP_ID
    }

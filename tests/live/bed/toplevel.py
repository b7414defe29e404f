"""An application window of the bed, in plain colours, on a Screen."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

from tests.live.bed.lines import emit
from tests.live.bed.screen import Color, Marker, Screen, strict

_ACTIVATED = 4


class Toplevel:
    """One xdg_toplevel; it paints itself when configured and whenever told."""

    def __init__(  # noqa: PLR0913  # keywords only, each a wish of the test
        self,
        screen: Screen,
        *,
        title: str,
        app_id: str,
        width: int = 400,
        height: int = 300,
        color: Color = (64, 128, 192),
        stubborn: bool = False,
    ) -> None:
        self.title, self.width, self.height, self.color = title, width, height, color
        self.wished = (width, height)
        self.stubborn = stubborn
        self.markers: tuple[Marker, ...] = ()
        self.activated = False
        self.configured = False
        self.closed = False
        self.frames = 0
        self._screen = screen
        self._popups: list[tuple[Any, Any, Any]] = []
        self.surface = screen.surface()
        self.xdg_surface = screen.require("xdg_wm_base").get_xdg_surface(self.surface)
        self.role = self.xdg_surface.get_toplevel()
        self.xdg_surface.dispatcher["configure"] = strict(self._settled)
        self.role.dispatcher["configure"] = strict(self._configured)
        self.role.dispatcher["close"] = strict(self._asked_to_close)
        self.role.set_title(title)
        self.role.set_app_id(app_id)
        self.surface.commit()

    def name(self, title: str) -> None:
        """Set another title."""
        self.title = title
        self.role.set_title(title)

    def paint(self, color: Color | None = None, markers: Sequence[Marker] = ()) -> None:
        """Paint in one colour with marker rectangles."""
        self.color = color or self.color
        self.markers = tuple(markers)
        self._draw()

    def resize(self, width: int, height: int) -> None:
        """Choose another size; a tiled window is put back by the compositor."""
        self.wished = (width, height)
        self.width, self.height = width, height
        self._draw()

    def popup(
        self, *, x: int, y: int, width: int, height: int, color: Color, grab: str | None
    ) -> None:
        """Open a popup at a place in the window; `grab` names the seat whose last press opened
        it.
        """
        positioner = self._screen.require("xdg_wm_base").create_positioner()
        positioner.set_size(width, height)
        positioner.set_anchor_rect(x, y, 1, 1)
        positioner.set_anchor(5)  # top_left
        positioner.set_gravity(8)  # bottom_right
        surface = self._screen.surface()
        xdg_surface = self._screen.require("xdg_wm_base").get_xdg_surface(surface)
        role = xdg_surface.get_popup(self.xdg_surface, positioner)
        positioner.destroy()

        def show(it: Any, serial: int) -> None:
            it.ack_configure(serial)
            surface.attach(self._screen.buffer(width, height, color), 0, 0)
            surface.damage(0, 0, width, height)
            surface.commit()

        role.dispatcher["configure"] = strict(
            lambda _it, left, top, wide, high: emit("popup", x=left, y=top, width=wide, height=high)
        )
        role.dispatcher["popup_done"] = strict(lambda _it: self.close_popups())
        xdg_surface.dispatcher["configure"] = strict(show)
        if grab is not None:
            ear = self._screen.ear(grab)
            role.grab(ear.seat, ear.serial)
        surface.commit()
        self._popups.append((role, xdg_surface, surface))

    def close_popups(self) -> None:
        """Close what is open, the newest first, as the protocol demands."""
        while self._popups:
            for part in self._popups.pop():
                part.destroy()
            emit("popup_gone")

    def close(self) -> None:
        """Take the window away."""
        self.close_popups()
        for part in (self.role, self.xdg_surface, self.surface):
            part.destroy()
        self.closed = True

    def _configured(self, _role: Any, width: int, height: int, states: Any) -> None:
        # pywayland hands arrays over as bytes or as a list, by version.
        raw = (
            bytes(states)
            if not isinstance(states, list)
            else struct.pack(f"={len(states)}I", *states)
        )
        self.activated = _ACTIVATED in struct.unpack(f"={len(raw) // 4}I", raw[: len(raw) // 4 * 4])
        self.width, self.height = width or self.wished[0], height or self.wished[1]
        emit("configure", title=self.title, width=width, height=height, activated=self.activated)

    def _settled(self, it: Any, serial: int) -> None:
        it.ack_configure(serial)
        self.configured = True
        self._draw()

    def _draw(self) -> None:
        if not self.configured:
            return
        self.surface.attach(
            self._screen.buffer(self.width, self.height, self.color, self.markers), 0, 0
        )
        self.surface.damage(0, 0, self.width, self.height)
        frame = self.surface.frame()
        frame.dispatcher["done"] = strict(self._shown)
        self.surface.commit()

    def _shown(self, _callback: Any, _time_ms: int) -> None:
        self.frames += 1

    def _asked_to_close(self, _role: Any) -> None:
        emit("asked_to_close", title=self.title)
        if not self.stubborn:
            self.close()

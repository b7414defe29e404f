"""The small window of ours on which a seat rests, away from everything of the person's."""

from __future__ import annotations

import os

from pywayland.protocol.viewporter import WpViewporterProxy
from pywayland.protocol.wayland import WlBufferProxy, WlCompositorProxy, WlShm, WlShmProxy
from pywayland.protocol.xdg_shell import XdgWmBaseProxy

from slate_desktop.model import PARKING_APP_ID, Handle
from slate_desktop.wayland.globals import Globals
from slate_desktop.wayland.toplevels import Toplevels

GREY = b"\x40\x40\x40\xff"
SIZE_PX = 64


class Parking:
    """One window per seat: shared, one seat leaving would look as if all had left."""

    def __init__(self, globals_: Globals, toplevels: Toplevels, seat: str) -> None:
        self._connection, self._toplevels = globals_.connection, toplevels
        self._title = f"Slate: {seat} rests here"
        self._shell = globals_.bind(XdgWmBaseProxy, 5)
        self._connection.on(self._shell, "ping", self._on_ping)
        send = self._connection.send
        self._surface = send(globals_.bind(WlCompositorProxy, 4).create_surface)
        self._viewport = send(globals_.bind(WpViewporterProxy, 1).get_viewport, self._surface)
        self._buffer = _pixel(globals_)
        self._role = send(self._shell.get_xdg_surface, self._surface)
        self._window = send(self._role.get_toplevel)
        self._size = SIZE_PX, SIZE_PX
        self._connection.on(self._role, "configure", self._on_configure)
        self._connection.on(self._window, "configure", self._on_size)
        send(self._window.set_app_id, PARKING_APP_ID)
        send(self._window.set_title, self._title)
        send(self._surface.commit)

    @property
    def handle(self) -> Handle | None:
        """Its place in the window list, once it is mapped."""
        return self._toplevels.by_title(PARKING_APP_ID, self._title)

    async def mapped(self, deadline_s: float = 2.0) -> bool:
        """Wait until the compositor lists it."""
        return await self._connection.until(lambda: self.handle is not None, deadline_s)

    def close(self) -> None:
        """Take it down. Safe twice."""
        for proxy in (self._window, self._role, self._viewport, self._surface, self._buffer):
            self._connection.destroy(proxy)

    def _on_ping(self, serial: int) -> None:
        self._connection.send(self._shell.pong, serial)

    def _on_size(self, width: int, height: int, _states: bytes) -> None:
        self._size = width or SIZE_PX, height or SIZE_PX

    def _on_configure(self, serial: int) -> None:
        send = self._connection.send
        send(self._role.ack_configure, serial)
        send(self._viewport.set_destination, *self._size)
        send(self._surface.attach, self._buffer, 0, 0)
        send(self._surface.damage, 0, 0, *self._size)
        send(self._surface.commit)


def _pixel(globals_: Globals) -> WlBufferProxy:
    connection = globals_.connection
    descriptor = os.memfd_create("slate-parking")
    try:
        os.write(descriptor, GREY)
        pool = connection.send(globals_.bind(WlShmProxy, 1).create_pool, descriptor, len(GREY))
        buffer = connection.send(pool.create_buffer, 0, 1, 1, len(GREY), WlShm.format.xrgb8888)
        connection.destroy(pool)
    finally:
        os.close(descriptor)
    return buffer

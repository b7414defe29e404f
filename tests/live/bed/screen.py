"""A bed program's connection to the compositor: its globals, seats and picture buffers."""

from __future__ import annotations

import mmap
import os
import sys
import traceback
from collections.abc import Callable
from typing import Any

from pywayland.client.display import Display
from pywayland.protocol.wayland import WlCompositor, WlOutput, WlSeat, WlShm
from pywayland.protocol.xdg_shell import XdgWmBase

from tests.live.bed.ears import Ear

Color = tuple[int, int, int]
Marker = tuple[int, int, int, int, Color]
"""x, y, width, height in the buffer, and what to fill it with."""

_XRGB8888 = 1
# Versions this bed speaks; a compositor that offers less is met at its own.
_WANTED: dict[str, tuple[Any, int]] = {
    "wl_compositor": (WlCompositor, 4),
    "wl_shm": (WlShm, 1),
    "xdg_wm_base": (XdgWmBase, 3),
}


def strict(handler: Callable[..., None]) -> Callable[..., None]:
    """An event handler whose failure ends the program: pywayland prints and swallows exceptions
    of handlers.
    """

    def run(*arguments: Any) -> None:
        try:
            handler(*arguments)
        except Exception:  # noqa: BLE001  # the program must not live on with half an event handled
            traceback.print_exc()
            sys.stderr.flush()
            os._exit(70)

    return run


class Screen:
    """A connected display. `seats` by their announced number; `globals_` are the bound
    singletons by interface name.
    """

    def __init__(self, extra: dict[str, tuple[Any, int]] | None = None) -> None:
        self.display = Display()
        self.display.connect()
        self.globals_: dict[str, Any] = {}
        self.outputs: dict[str, Any] = {}
        self.ears: dict[int, Ear] = {}
        self._wanted = _WANTED | (extra or {})
        self._registry: Any = self.display.get_registry()
        self._registry.dispatcher["global"] = strict(self._announced)
        self._registry.dispatcher["global_remove"] = strict(self._withdrawn)
        self.sync()
        self.sync()  # the second brings the names of seats and outputs

    def sync(self) -> None:
        """All that happened in the compositor until now has been handled when this returns."""
        if self.display.roundtrip() < 0:
            raise ConnectionError("the compositor ended the connection")

    def read(self) -> None:
        """Handle what is waiting on the connection."""
        self.display.read()
        self.display.dispatch(block=False)

    def flush(self) -> None:
        """Send what is buffered."""
        self.display.flush()

    def ear(self, seat: str) -> Ear:
        """The listener of the seat with that name."""
        for ear in self.ears.values():
            if ear.name == seat:
                return ear
        raise ValueError(f"no seat {seat!r} among {[ear.name for ear in self.ears.values()]}")

    def require(self, interface: str) -> Any:
        """A bound global."""
        if interface not in self.globals_:
            raise ValueError(f"this compositor does not offer {interface}")
        return self.globals_[interface]

    def surface(self) -> Any:
        """A fresh wl_surface."""
        return self.require("wl_compositor").create_surface()

    def buffer(
        self, width: int, height: int, color: Color, markers: tuple[Marker, ...] = ()
    ) -> Any:
        """A filled wl_buffer that goes away once the compositor has released it."""
        memory = os.memfd_create("bed")
        os.ftruncate(memory, width * height * 4)
        pixels = mmap.mmap(memory, width * height * 4)
        pixels[:] = _bgrx(color) * (width * height)
        for left, top, wide, high, fill in markers:
            for row in range(max(top, 0), min(top + high, height)):
                start, end = max(left, 0), min(left + wide, width)
                if start < end:
                    pixels[(row * width + start) * 4 : (row * width + end) * 4] = _bgrx(fill) * (
                        end - start
                    )
        pixels.close()
        pool = self.require("wl_shm").create_pool(memory, width * height * 4)
        buffer = pool.create_buffer(0, width, height, width * 4, _XRGB8888)
        pool.destroy()
        os.close(memory)
        buffer.dispatcher["release"] = strict(lambda gone: gone.destroy())
        return buffer

    def _announced(self, registry: Any, number: int, interface: str, version: int) -> None:
        if interface == "wl_seat":
            self.ears[number] = Ear(registry.bind(number, WlSeat, min(version, 5)))
        elif interface == "wl_output":
            output = registry.bind(number, WlOutput, min(version, 4))
            output.dispatcher["name"] = strict(lambda it, name: self.outputs.update({name: it}))
        elif interface in self._wanted:
            kind, wanted = self._wanted[interface]
            self.globals_[interface] = registry.bind(number, kind, min(version, wanted))
            if interface == "xdg_wm_base":
                self.globals_[interface].dispatcher["ping"] = strict(
                    lambda it, serial: it.pong(serial)
                )

    def _withdrawn(self, _registry: Any, number: int) -> None:
        self.ears.pop(number, None)


def _bgrx(color: Color) -> bytes:
    red, green, blue = color
    return bytes((blue, green, red, 255))

"""The person's clipboard, asked of the compositor without a window."""

from __future__ import annotations

import os
import select
import time
from typing import Any

from pywayland.protocol.ext_data_control_v1 import ExtDataControlManagerV1

from tests.live.bed.screen import Screen, strict

NEEDED: dict[str, tuple[Any, int]] = {
    "ext_data_control_manager_v1": (ExtDataControlManagerV1, 1),
}
_TEXT = "text/plain;charset=utf-8"


class Clipboard:
    """A seat's selection, read and set without a window."""

    def __init__(self, screen: Screen, seat: str) -> None:
        self._screen = screen
        self._manager = screen.require("ext_data_control_manager_v1")
        self._device = self._manager.get_data_device(screen.ear(seat).seat)
        self._offer: Any = None
        self._types: dict[Any, list[str]] = {}
        self._source: Any = None
        self._device.dispatcher["data_offer"] = strict(self._offered)
        self._device.dispatcher["selection"] = strict(self._selected)
        screen.sync()

    def set(self, text: str) -> None:
        """Copy, as an application of the person does."""
        source = self._manager.create_data_source()
        for kind in (_TEXT, "text/plain"):
            source.offer(kind)

        def send(_source: Any, _kind: str, fd: int) -> None:
            with os.fdopen(fd, "wb") as pipe:
                pipe.write(text.encode())

        source.dispatcher["send"] = strict(send)
        source.dispatcher["cancelled"] = strict(lambda it: it.destroy())
        self._device.set_selection(source)
        self._source = source
        self._screen.sync()

    def text(self) -> str | None:
        """What a paste would give; None when it is empty or no text."""
        self._screen.sync()
        if self._offer is None or _TEXT not in self._types.get(self._offer, []):
            return None
        reading, writing = os.pipe()
        self._offer.receive(_TEXT, writing)
        self._screen.sync()  # our own source answers here, when it is the owner
        os.close(writing)
        data, deadline = b"", time.monotonic() + 5
        with os.fdopen(reading, "rb", buffering=0) as pipe:
            while select.select([pipe], [], [], max(0.0, deadline - time.monotonic()))[0]:
                chunk = pipe.read(65536)
                if not chunk:
                    return data.decode()
                data += chunk
        raise TimeoutError("the owner of the clipboard does not send it")

    def _offered(self, _device: Any, offer: Any) -> None:
        kinds: list[str] = []
        self._types[offer] = kinds
        offer.dispatcher["offer"] = strict(lambda _it, kind: kinds.append(kind))

    def _selected(self, _device: Any, offer: Any) -> None:
        self._offer = offer

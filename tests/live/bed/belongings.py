"""What belongs to the person besides focus: their clipboard and where their pointer is, both
asked of the compositor.
"""

from __future__ import annotations

import os
import select
import time
from typing import Any

from pywayland.protocol.ext_data_control_v1 import ExtDataControlManagerV1
from pywayland.protocol.ext_image_capture_source_v1 import ExtOutputImageCaptureSourceManagerV1
from pywayland.protocol.ext_image_copy_capture_v1 import ExtImageCopyCaptureManagerV1

from tests.live.bed.screen import Screen, strict

NEEDED: dict[str, tuple[Any, int]] = {
    "ext_data_control_manager_v1": (ExtDataControlManagerV1, 1),
    "ext_output_image_capture_source_manager_v1": (ExtOutputImageCaptureSourceManagerV1, 1),
    "ext_image_copy_capture_manager_v1": (ExtImageCopyCaptureManagerV1, 1),
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


class PointerWitness:
    """Where a seat's cursor is on an output, by the compositor's cursor session; None while it
    is elsewhere.
    """

    def __init__(self, screen: Screen, seat: str, output: str) -> None:
        self._screen = screen
        self.at: tuple[int, int] | None = None
        source = screen.require("ext_output_image_capture_source_manager_v1").create_source(
            screen.outputs[output]
        )
        manager = screen.require("ext_image_copy_capture_manager_v1")
        self._session = manager.create_pointer_cursor_session(source, screen.ear(seat).pointer)
        self._session.dispatcher["position"] = strict(self._moved)
        self._session.dispatcher["leave"] = strict(self._left)
        self._capture = self._session.get_capture_session()
        screen.sync()

    def _moved(self, _session: Any, x: int, y: int) -> None:
        self.at = (x, y)

    def _left(self, _session: Any) -> None:
        self.at = None

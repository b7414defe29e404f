"""The clipboard of one seat, through data control: no surface, no focus, and no other seat is touched."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress

import anyio
from anyio.abc import TaskGroup
from pywayland.protocol.ext_data_control_v1 import (
    ExtDataControlManagerV1Proxy,
    ExtDataControlOfferV1Proxy,
    ExtDataControlSourceV1Proxy,
)
from pywayland.protocol.wayland import WlSeatProxy

from slate_desktop.errors import BadRequest, Unavailable
from slate_desktop.wayland.globals import Globals

# A client that asked for the content and does not read it must not keep it for ever.
GIVE_S = 10.0
CHUNK_BYTES = 1 << 16


class SeatClipboard:
    """Implements the `Clipboard` port. What was copied by a program on the seat counts like what we offered."""

    def __init__(self, globals_: Globals, seat: WlSeatProxy, tasks: TaskGroup) -> None:
        self._connection, self._tasks = globals_.connection, tasks
        self._manager = globals_.bind(ExtDataControlManagerV1Proxy, 1)
        self._device = self._connection.send(self._manager.get_data_device, seat)
        self._types: dict[ExtDataControlOfferV1Proxy, list[str]] = {}
        self._selection: ExtDataControlOfferV1Proxy | None = None
        self._source: ExtDataControlSourceV1Proxy | None = None
        self._connection.on(self._device, "data_offer", self._on_offer)
        self._connection.on(self._device, "selection", self._on_selection)
        self._connection.on(self._device, "primary_selection", self._on_primary)
        self._connection.on(self._device, "finished", self.close)

    @property
    def types(self) -> tuple[str, ...]:
        """The media types that are offered now; empty when nothing was copied."""
        self._connection.dispatch()
        return tuple(self._types.get(self._selection, ())) if self._selection is not None else ()

    async def read(self, type_: str, *, limit: int, deadline_s: float) -> bytes:
        """The content as `type_`, unchanged.

        Errors: `bad_request.no_type`, `bad_request.too_large` (over `limit` bytes), `unavailable.clipboard` (its owner
        does not give it in time).
        """
        if type_ not in self.types or self._selection is None:
            raise BadRequest(
                "no_type", f"the clipboard does not hold {type_}", next_step="ask for a type it has"
            )
        hears, says = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            try:
                self._connection.send(self._selection.receive, type_, says)
                self._connection.flush()
            finally:
                os.close(says)
            data = bytearray()
            with anyio.move_on_after(deadline_s) as waited:
                while chunk := await _some(hears):
                    data += chunk
                    if len(data) > limit:
                        raise BadRequest(
                            "too_large",
                            f"the clipboard holds more than {limit} bytes",
                            next_step="copy less",
                        )
        finally:
            os.close(hears)
        if waited.cancelled_caught:
            raise Unavailable(
                "clipboard",
                "the program that copied it does not give it",
                next_step="copy it again, then ask again",
            )
        return bytes(data)

    async def offer(self, content: Mapping[str, bytes]) -> None:
        """Make `content` (media type → bytes) the clipboard; nothing at all empties it."""
        source = None
        if content:
            source = self._connection.send(self._manager.create_data_source)
            given = dict(content)

            def send(type_: str, descriptor: int) -> None:
                self._tasks.start_soon(_give, descriptor, given.get(type_, b""))

            def cancelled() -> None:
                self._connection.destroy(source)

            self._connection.on(source, "send", send)
            self._connection.on(source, "cancelled", cancelled)
            for type_ in given:
                self._connection.send(source.offer, type_)
        self._source = source
        self._connection.send(self._device.set_selection, source)
        await self._connection.sync()

    def close(self) -> None:
        """Give up the device. Safe twice."""
        for offer in [*self._types]:
            self._connection.destroy(offer)
        self._types.clear()
        self._selection = None
        self._connection.destroy(self._device)

    def _on_offer(self, offer: ExtDataControlOfferV1Proxy) -> None:
        self._connection.adopt_object(offer)
        self._types[offer] = []
        self._connection.on(offer, "offer", self._types[offer].append)

    def _on_selection(self, offer: ExtDataControlOfferV1Proxy | None) -> None:
        self._drop(self._selection)
        self._selection = offer

    def _on_primary(self, offer: ExtDataControlOfferV1Proxy | None) -> None:
        self._drop(offer)  # what is merely marked is nobody's business

    def _drop(self, offer: ExtDataControlOfferV1Proxy | None) -> None:
        if offer is not None:
            self._types.pop(offer, None)
            self._connection.destroy(offer)


async def _some(descriptor: int) -> bytes:
    while True:
        try:
            return os.read(descriptor, CHUNK_BYTES)
        except BlockingIOError:
            await anyio.wait_readable(descriptor)


async def _give(descriptor: int, data: bytes) -> None:
    """Write `data` to a client that pastes, as fast as it reads, and no longer than `GIVE_S`."""
    os.set_blocking(descriptor, False)
    rest = memoryview(data)
    try:
        with anyio.move_on_after(GIVE_S), suppress(BrokenPipeError):
            while rest:
                try:
                    rest = rest[os.write(descriptor, rest[:CHUNK_BYTES]) :]
                except BlockingIOError:
                    await anyio.wait_writable(descriptor)
    finally:
        os.close(descriptor)

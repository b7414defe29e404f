"""One client's connection as the filter hears it: which globals are held back, where its surfaces are."""

from __future__ import annotations

from collections.abc import Iterator

from slate_desktop.seat_filter.surfaces import Seen, Surfaces
from slate_desktop.seat_filter.wire import Frames, Message

_DISPLAY = 1  # the object every connection begins with
_GET_REGISTRY = 1
_DELETE_ID = 1
_BIND = 0
_GLOBAL = 0
_SEAT = "wl_seat"


class Conversation:
    """Watches what the client asks, and puts our seat before the others in what it is told.

    Seats announced before ours are held back until ours comes. Should it not come, they go on with
    the next message that is no announcement of the same registry, or when `release` is called.
    """

    def __init__(self, own_seat: int, numbered: Iterator[int]) -> None:
        self._own_seat = own_seat
        self._requests, self._events = Frames(), Frames()
        self._registries: set[int] = set()
        self._waiting: dict[int, list[bytes]] = {}  # registry: seats held back from it
        self._surfaces = Surfaces(numbered)

    def request(self, data: bytes) -> None:
        """Note what the client says. Garbage when that is no Wayland."""
        for message in self._requests.cut(data):
            if message.object == _DISPLAY:
                if message.opcode == _GET_REGISTRY:
                    self._registries.add(message.unsigned(0))
                    self._waiting[message.unsigned(0)] = []
            elif message.object in self._registries:
                if message.opcode == _BIND:
                    interface, after = message.text(1)
                    self._surfaces.bound(interface, message.unsigned(after + 1))
            else:
                self._surfaces.request(message)

    def event(self, data: bytes) -> bytes:
        """What the client is told, of what the compositor says: complete messages only."""
        told: list[bytes] = []
        for message in self._events.cut(data):
            if self._waiting and self._in_order(message, told):
                continue
            if message.object == _DISPLAY:
                if message.opcode == _DELETE_ID:
                    self._forget(message.unsigned(0))
            else:
                self._surfaces.event(message)
            told.append(message.data)
        return b"".join(told)

    @property
    def holding(self) -> bool:
        """Whether a seat is held back."""
        return any(self._waiting.values())

    def release(self) -> bytes:
        """Everything held back: our seat does not come."""
        return b"".join(b"".join(self._settled(registry)) for registry in self._holding())

    def windows(self) -> list[Seen]:
        """The client's windows."""
        return self._surfaces.seen()

    def _in_order(self, message: Message, told: list[bytes]) -> bool:
        """Put one message into `told` in its place; False when it is none of a new registry's."""
        held = self._waiting.get(message.object)
        if held is None or message.opcode != _GLOBAL:
            for registry in self._holding():
                told += self._settled(registry)
            return False
        if message.text(1)[0] != _SEAT:
            told.append(message.data)
        elif message.unsigned(0) == self._own_seat:
            told += [message.data, *self._settled(message.object)]
        else:
            held.append(message.data)
        return True

    def _holding(self) -> list[int]:
        return [registry for registry, held in self._waiting.items() if held]

    def _settled(self, registry: int) -> list[bytes]:
        return self._waiting.pop(registry)

    def _forget(self, id_: int) -> None:
        self._registries.discard(id_)
        self._waiting.pop(id_, None)
        self._surfaces.forget(id_)

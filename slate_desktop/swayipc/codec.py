"""The framing of sway's IPC: bytes to messages and back, and command words. Pure."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from enum import IntEnum
from struct import Struct

from slate_desktop.errors import Unavailable

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]

MAGIC = b"i3-ipc"
PAYLOAD_CAP = 16 << 20  # a tree of a thousand windows is 2 MB; anything near this is not sway
EVENT_BIT = 1 << 31
_HEADER = Struct("=6sII")  # sway writes length and type in the machine's own byte order

_PLAIN = re.compile(r"[A-Za-z0-9_-]+")


class Ask(IntEnum):
    """Requests, by sway's numbers."""

    RUN_COMMAND = 0
    GET_WORKSPACES = 1
    SUBSCRIBE = 2
    GET_OUTPUTS = 3
    GET_TREE = 4
    GET_VERSION = 7
    GET_SEATS = 101


class Event(IntEnum):
    """Events, by sway's numbers without the event bit."""

    WORKSPACE = 0
    OUTPUT = 1
    MODE = 2
    WINDOW = 3
    SHUTDOWN = 6


@dataclass(frozen=True, slots=True)
class Message:
    """One reply or event as it came; `payload` is JSON that may hold bytes which are not UTF-8."""

    type: int
    payload: bytes

    @property
    def is_event(self) -> bool:
        return bool(self.type & EVENT_BIT)

    @property
    def number(self) -> int:
        """The type without the event bit."""
        return self.type & ~EVENT_BIT

    def json(self) -> Json:
        """The payload read; broken bytes in a title become replacement characters. Unavailable if
        it is no JSON.
        """
        try:
            value: Json = json.loads(self.payload.decode("utf-8", "replace"))
        except (ValueError, RecursionError) as fault:
            raise garbled("the compositor's IPC sent a reply that is not JSON") from fault
        return value


def encode(kind: Ask, payload: str = "") -> bytes:
    """One request ready for the socket."""
    data = payload.encode()
    return _HEADER.pack(MAGIC, len(data), kind) + data


class Decoder:
    """Cuts a byte stream into messages, however it was torn."""

    def __init__(self) -> None:
        self._rest = bytearray()

    def feed(self, data: bytes) -> list[Message]:
        """The messages that `data` completes. Unavailable when the stream is not sway's IPC."""
        self._rest += data
        messages = []
        while (message := self._cut()) is not None:
            messages.append(message)
        return messages

    def _cut(self) -> Message | None:
        if not self._rest.startswith(MAGIC[: len(self._rest)]):
            raise garbled("what listens on the compositor's IPC socket does not speak sway's IPC")
        if len(self._rest) < _HEADER.size:
            return None
        _, length, kind = _HEADER.unpack_from(self._rest)
        if length > PAYLOAD_CAP:
            raise garbled(f"the compositor's IPC announced a reply of {length} bytes")
        end = _HEADER.size + length
        if len(self._rest) < end:
            return None
        payload = bytes(self._rest[_HEADER.size : end])
        del self._rest[:end]
        return Message(kind, payload)


def on(window: int, words: str) -> str:
    """A command for one window. `words` are ours; nothing a window says of itself is in them."""
    return f"[con_id={window:d}] {words}"


def output_name(name: str) -> str:
    """`name`, fit to stand in a command. Unavailable for one that is not plain: a comma there
    starts a new command.
    """
    if not _PLAIN.fullmatch(name):
        raise Unavailable("output_name", "an output has a name that cannot be used in a command")
    return name


def garbled(what: str) -> Unavailable:
    """The stream cannot be trusted any more; the connection must be dropped."""
    return Unavailable("compositor", what, next_step="desktop_status says which compositor this is")

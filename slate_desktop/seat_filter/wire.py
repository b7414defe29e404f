"""The Wayland wire as bytes: cutting a stream into messages, and reading their arguments."""

from __future__ import annotations

import struct
from typing import NamedTuple

_HEADER = struct.Struct("=II")
_UINT = struct.Struct("=I")
HEADER_BYTES = _HEADER.size


class Garbage(Exception):
    """What came is no Wayland: the connection that said it cannot go on."""


class Message(NamedTuple):
    """One request or event; `data` is all of it, header included."""

    object: int
    opcode: int
    data: bytes

    def unsigned(self, word: int) -> int:
        """The argument at a place, counted in words of 4 bytes after the header."""
        try:
            value: int = _UINT.unpack_from(self.data, HEADER_BYTES + 4 * word)[0]
        except struct.error:
            raise Garbage("a message ends before its arguments do") from None
        return value

    def signed(self, word: int) -> int:
        """The same as a signed number."""
        value = self.unsigned(word)
        return value - (1 << 32) if value >> 31 else value

    def text(self, word: int) -> tuple[str, int]:
        """A string argument and the place of what follows it."""
        size = self.unsigned(word)
        begin = HEADER_BYTES + 4 * (word + 1)
        if begin + size > len(self.data):
            raise Garbage("a string is longer than its message")
        raw = self.data[begin : begin + max(0, size - 1)]  # a zero byte ends it
        return raw.decode("utf-8", "replace"), word + 1 + (size + 3) // 4


class Frames:
    """Cuts one direction of a connection into messages and keeps what is incomplete."""

    def __init__(self) -> None:
        self._rest = b""

    @property
    def partial(self) -> bool:
        """Whether the beginning of a message waits for its end."""
        return bool(self._rest)

    def cut(self, data: bytes) -> list[Message]:
        """The messages that are complete with `data`. Garbage for a size that cannot be."""
        if self._rest:
            data = self._rest + data
        at, end, found = 0, len(data), []
        while end - at >= HEADER_BYTES:
            object_, word = _HEADER.unpack_from(data, at)
            size = word >> 16
            if size < HEADER_BYTES or size % 4 or not object_:
                raise Garbage(f"a message of {size} bytes to object {object_}")
            if end - at < size:
                break
            found.append(Message(object_, word & 0xFFFF, data[at : at + size]))
            at += size
        self._rest = data[at:]
        return found

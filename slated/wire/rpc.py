"""JSON-RPC as lines of bytes: cut them apart with a size limit, tell whose they are, write plain answers.

Standard library only and few imports of it: the front reads this before every agent's first answer.
"""

from __future__ import annotations

import json
import re

LINE_LIMIT = 16 << 20
"""Bytes of one line, either way. A 4K picture fits; what does not is answered with a clean error."""

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
SERVER_ERROR = -32000

MODERN_KEY = "io.modelcontextprotocol/protocolVersion"
"""In `params._meta` of every request since era 2026-07-28."""

Id = int | str

# Enough for the few short members that stand beside a request's params.
_EDGE = 4096
_ID = rb'"id"\s*:\s*(-?\d+|"(?:[^"\\]|\\.)*")'
_WORD = rb'"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"'
_ID_FIRST = re.compile(rb"\s*\{\s*(?:" + _WORD + rb"\s*,\s*)*" + _ID)
_ID_LAST = re.compile(_ID + rb"\s*(?:,\s*" + _WORD + rb"\s*)*\}\s*$")
# What our daemon writes (held by a test): the id comes before the result, so a picture need not be parsed.
_ANSWER = re.compile(rb'\{"jsonrpc":"2\.0","id":(-?\d+|"(?:[^"\\]|\\.)*"),"(?:result|error)":')


class TooLong:
    """A line over the limit, thrown away: how long it was, and the id of the request if that can be told."""

    __slots__ = ("id", "size")

    def __init__(self, id_: Id | None, size: int) -> None:
        self.id = id_
        self.size = size


class Lines:
    """Bytes in, whole lines out. A line over `limit` is dropped as it comes, so memory stays bounded."""

    def __init__(self, limit: int = LINE_LIMIT) -> None:
        self._limit = limit
        self._parts: list[bytes] = []
        self._size = 0
        self._edges: tuple[bytes, bytes] | None = None

    def feed(self, data: bytes) -> list[bytes | TooLong]:
        """The lines that are complete now, without their newline; empty ones are left out."""
        made: list[bytes | TooLong] = []
        start = 0
        while (end := data.find(b"\n", start)) >= 0:
            self._keep(data[start:end])
            line = self._take()
            if not isinstance(line, bytes) or line.strip():
                made.append(line)
            start = end + 1
        self._keep(data[start:])
        return made

    def _keep(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._edges is not None:
            self._edges = (self._edges[0], (self._edges[1] + piece)[-_EDGE:])
            return
        self._parts.append(piece)
        if self._size > self._limit:
            whole = b"".join(self._parts)
            self._edges = (whole[:_EDGE], whole[-_EDGE:])
            self._parts = []

    def _take(self) -> bytes | TooLong:
        parts, size, edges = self._parts, self._size, self._edges
        self._parts, self._size, self._edges = [], 0, None
        return b"".join(parts) if edges is None else TooLong(find_id(*edges), size)


def find_id(head: bytes, tail: bytes) -> Id | None:
    """The id of a message that cannot be parsed, read off its two ends; None if it is not there.

    Programs write it first or last. Inside text the quotes around it would be escaped, so neither end can be fooled.
    """
    found = _ID_FIRST.match(head) or _ID_LAST.search(tail)
    return _id(found[1]) if found else None


def answered(line: bytes) -> Id | None:
    """The id a line of the daemon answers; None for its requests and notifications."""
    found = _ANSWER.match(line)
    return _id(found[1]) if found else None


def _id(text: bytes) -> Id | None:
    try:
        value: Id = json.loads(text)
    except ValueError:
        return None
    return value


def encode(message: dict[str, object]) -> bytes:
    """One message as one line, its newline included."""
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def error(id_: Id | None, code: int, message: str) -> bytes:
    """An error answer, as a line."""
    return encode({"jsonrpc": "2.0", "id": id_, "error": {"code": code, "message": message}})


def too_long(line: TooLong, limit: int = LINE_LIMIT) -> bytes:
    """The answer to a message over the limit."""
    text = (
        f"bad_request.size: nothing was done: the message has {line.size} bytes, "
        f"{limit} are allowed. next: send it in parts"
    )
    return error(line.id, INVALID_REQUEST, text)

"""The bed's own view of sway: a small blocking IPC reader, so that the product's client never
vouches for itself.
"""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Iterator
from typing import Any

_HEADER = struct.Struct("=6sII")
COMMAND, WORKSPACES, SUBSCRIBE, OUTPUTS, TREE, INPUTS, SEATS = 0, 1, 2, 3, 4, 100, 101
EVENT = 1 << 31
BINDING_EVENT, MODE_EVENT = EVENT | 5, EVENT | 2


class Sway:
    """One connection to a sway socket. Every answer comes within `deadline_s` or is a
    TimeoutError.
    """

    def __init__(self, path: str, *, deadline_s: float = 5) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(deadline_s)
        self._socket.connect(path)

    def ask(self, kind: int, payload: str = "") -> Any:
        """One question, its answer decoded."""
        body = payload.encode()
        self._socket.sendall(_HEADER.pack(b"i3-ipc", len(body), kind) + body)
        return self.next()[1]

    def next(self) -> tuple[int, Any]:
        """The next message: its type and content."""
        _magic, length, kind = _HEADER.unpack(self._exactly(_HEADER.size))
        return kind, json.loads(self._exactly(length))

    def fileno(self) -> int:
        """For select."""
        return self._socket.fileno()

    def close(self) -> None:
        """End it."""
        self._socket.close()

    def run(self, command: str) -> None:
        """A command that must succeed."""
        for result in self.ask(COMMAND, command):
            if not result["success"]:
                raise ValueError(f"sway refused {command!r}: {result.get('error')}")

    def windows(self) -> list[dict[str, Any]]:
        """All windows, as sway's nodes."""
        return [
            node
            for node in _nodes(self.ask(TREE))
            if node.get("pid") and node["type"] != "workspace"
        ]

    def window(self, name: str) -> dict[str, Any] | None:
        """The window with that app id or exact title."""
        return next(
            (node for node in self.windows() if name in (node.get("app_id"), node["name"])), None
        )

    def seats(self) -> dict[str, dict[str, Any]]:
        """Seats by name."""
        return {seat["name"]: seat for seat in self.ask(SEATS)}

    def focus(self, seat: str = "seat0") -> int:
        """The container that seat looks at; 0 while something else holds its keyboard."""
        return int(self.seats()[seat]["focus"])

    def _exactly(self, length: int) -> bytes:
        data = b""
        while len(data) < length:
            chunk = self._socket.recv(length - len(data))
            if not chunk:
                raise ConnectionError("sway closed its IPC socket")
            data += chunk
        return data


def _nodes(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield node
    for child in [*node["nodes"], *node["floating_nodes"]]:
        yield from _nodes(child)

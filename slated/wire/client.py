"""A client for one call: one line out, one line in. Standard library only, so that a command-line verb is quick."""

from __future__ import annotations

import json

from slated.errors import Unavailable
from slated.wire import rpc

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from collections.abc import Mapping
    from typing import Any

MODERN = "2026-07-28"


class Client:
    """MCP over a greeted connection. Since era 2026-07-28 there is no handshake: each request says who asks."""

    def __init__(self, link: socket.socket, *, name: str, version: str) -> None:
        self._link = link
        self._lines = rpc.Lines()
        self._got: list[bytes] = []
        self._last_id = 0
        self._meta = {
            rpc.MODERN_KEY: MODERN,
            "io.modelcontextprotocol/clientInfo": {"name": name, "version": version},
            "io.modelcontextprotocol/clientCapabilities": {},
        }

    def request(
        self, method: str, params: Mapping[str, object] | None = None, *, deadline_s: float = 120
    ) -> dict[str, Any]:
        """The result of a request.

        Raises `unavailable.daemon` when the connection ends or the answer does not come in time, `unavailable.protocol`
        with the daemon's own words when it refuses the request itself.
        """
        self._last_id += 1
        message = {
            "jsonrpc": "2.0",
            "id": self._last_id,
            "method": method,
            "params": {**(params or {}), "_meta": self._meta},
        }
        self._link.settimeout(deadline_s)
        try:
            self._link.sendall(rpc.encode(message))
            answer = self._answer()
        except OSError as error:
            raise Unavailable(
                "daemon", "the desktop daemon ended or does not answer.", next_step="try again"
            ) from error
        if "error" in answer:
            raise Unavailable("protocol", str(answer["error"].get("message")))
        result: dict[str, Any] = answer["result"]
        return result

    def close(self) -> None:
        """Leave; a call that still runs is cancelled."""
        self._link.close()

    def _answer(self) -> dict[str, Any]:
        while True:
            while not self._got:
                data = self._link.recv(1 << 18)
                if not data:
                    raise ConnectionError
                self._got += [line for line in self._lines.feed(data) if isinstance(line, bytes)]
            message: dict[str, Any] = json.loads(self._got.pop(0))
            if message.get("id") == self._last_id and "method" not in message:
                return message

"""The thinnest MCP client: blocking, standard library only, so that a measurement is of the
server and not of a client.
"""

from __future__ import annotations

import base64
import json
import select
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

PROTOCOL = "2025-06-18"
ANSWER_S = 60.0


class Server:
    """A started server process and the conversation with it."""

    def __init__(self, argv: Sequence[str], *, env: Mapping[str, str], log: Path) -> None:
        with log.open("ab") as errors:
            self._process = subprocess.Popen(
                argv,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=dict(env),
                bufsize=0,
            )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._in, self._out = self._process.stdin, self._process.stdout
        self._rest = b""
        self._number = 0

    def initialize(self) -> dict[str, Any]:
        """The handshake."""
        wish = {
            "protocolVersion": PROTOCOL,
            "capabilities": {},
            "clientInfo": {"name": "bench", "version": "1"},
        }
        result = self.request("initialize", wish)
        self._write({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return result

    def call(self, tool: str, **arguments: object) -> dict[str, Any]:
        """A tool call that must not answer with an error."""
        result = self.request("tools/call", {"name": tool, "arguments": arguments})
        if result.get("isError"):
            raise RuntimeError(f"{tool}: {result['content']}")
        return result

    def request(self, method: str, params: Mapping[str, object] | None = None) -> dict[str, Any]:
        """Any request and its result."""
        self._number += 1
        self._write(
            {"jsonrpc": "2.0", "id": self._number, "method": method, "params": dict(params or {})}
        )
        while True:
            message = json.loads(self._line())
            if message.get("id") != self._number:
                continue
            if "error" in message:
                raise RuntimeError(f"{method}: {message['error']}")
            result: dict[str, Any] = message["result"]
            return result

    def close(self) -> None:
        """End the conversation and wait for the process."""
        self._in.close()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._out.close()

    def _write(self, message: Mapping[str, object]) -> None:
        self._in.write(json.dumps(message).encode() + b"\n")

    def _line(self) -> bytes:
        deadline = time.monotonic() + ANSWER_S
        while b"\n" not in self._rest:
            if not select.select([self._out], [], [], max(0.0, deadline - time.monotonic()))[0]:
                raise TimeoutError(f"no answer within {ANSWER_S:.0f} s")
            chunk = self._out.read(1 << 20)
            if not chunk:
                raise ConnectionError("the server ended")
            self._rest += chunk
        line, _, self._rest = self._rest.partition(b"\n")
        return line


def picture(result: Mapping[str, Any]) -> bytes:
    """The bytes of the picture in a result."""
    return next(
        base64.b64decode(block["data"]) for block in result["content"] if block["type"] == "image"
    )

"""Slated's control socket from the outside: which daemon it is, one call and its answer, and failures as they were.

Standard library only, for the sake of hooks and of the command line.
"""

from __future__ import annotations

import json
import os
import sys

from slated import __version__
from slated.errors import BadRequest, Bug, Refused, SlateError, Stale, Unavailable
from slated.wire import rpc, start

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Mapping
    from typing import Any

NAME = "slated"
UNIT = "slated.service"
MCP = "mcp"
"""What the greeting of an MCP client says it shares: the same socket serves both."""
LINE_LIMIT = 1 << 20
"""Bytes of one line either way: the arguments of a tool call fit, a picture does not."""
_KINDS: dict[str, type[SlateError]] = {
    kind.kind: kind for kind in (BadRequest, Refused, Stale, Unavailable, Bug)
}


def daemon_of(environ: Mapping[str, str], *, version: str = __version__) -> start.Daemon:
    """The conscience of this user, and how to start it."""
    main = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "__main__.py")
    return start.Daemon(
        NAME,
        version=version,
        command=[sys.executable, "-I", main, "serve"],
        environ=environ,
        unit=UNIT,
    )


def failure(error: object) -> SlateError:
    """The failure in an error answer, as it was raised at the other end."""
    said = error if isinstance(error, dict) else {}
    facts = said.get("data")
    if not isinstance(facts, dict):
        return Unavailable("protocol", str(said.get("message", "an answer that says nothing")))
    kind, _, reason = str(facts.get("code", "")).partition(".")
    return _KINDS.get(kind, Bug)(
        reason, str(facts.get("message", "")), next_step=str(facts.get("next", ""))
    )


def failed(id_: rpc.Id | None, error: SlateError) -> bytes:
    """The error answer for a failure, as a line."""
    facts = {"code": error.code, "message": error.message, "next": error.next_step}
    said = {"code": rpc.SERVER_ERROR, "message": error.message, "data": facts}
    return rpc.encode({"jsonrpc": "2.0", "id": id_, "error": said})


class Control:
    """Calls over a greeted connection (`reach.reach`), one at a time."""

    def __init__(self, link: socket.socket) -> None:
        self._link = link
        self._lines = rpc.Lines(LINE_LIMIT)
        self._got: list[bytes] = []
        self._last_id = 0

    def ask(
        self,
        method: str,
        params: Mapping[str, object],
        *,
        deadline_s: float = 10,
        heard: Callable[[dict[str, Any]], None] | None = None,
    ) -> Any:
        """The result of a call. `heard` gets what the daemon tells meanwhile; each message has the deadline anew.

        Raises what the daemon raised, or `unavailable.slated` when it ends or does not answer in time.
        """
        self._last_id += 1
        message = {"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params}
        self._link.settimeout(deadline_s)
        try:
            self._link.sendall(rpc.encode(message))
            while True:
                answer = self.next(deadline_s)
                if answer.get("id") == self._last_id:
                    break
                if heard is not None:
                    heard(answer)
        except OSError as error:
            if isinstance(error, SlateError):
                raise
            raise gone() from error
        if "error" in answer:
            raise failure(answer["error"])
        return answer.get("result")

    def next(self, deadline_s: float) -> dict[str, Any]:
        """The next message, whatever it is. Raises TimeoutError after the deadline, ConnectionError at the end."""
        self._link.settimeout(deadline_s)
        while not self._got:
            data = self._link.recv(1 << 16)
            if not data:
                raise ConnectionError
            self._got += [line for line in self._lines.feed(data) if isinstance(line, bytes)]
        message: dict[str, Any] = json.loads(self._got.pop(0))
        return message

    def fileno(self) -> int:
        """The descriptor to wait on."""
        return self._link.fileno()

    @property
    def waiting(self) -> bool:
        """Whether a whole message was read already."""
        return bool(self._got)

    def close(self) -> None:
        """Hang up; questions of this connection stay open."""
        self._link.close()


def gone() -> Unavailable:
    """The failure of a call whose daemon ended."""
    return Unavailable(
        "slated",
        "slated ended or does not answer, so nothing above looking is allowed.",
        next_step="try again; if it stays so, the person can read its log",
    )

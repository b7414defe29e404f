"""Codex trusts a hook by its hash, through its own app-server: asked for ours, and told to trust exactly them."""

from __future__ import annotations

import json
import select
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from slated.agents.codex_config import command
from slated.agents.own import Own
from slated.errors import Unavailable

DEADLINE_S: Final = 30.0
_END_S: Final = 5.0
_CLIENT: Final = {"name": "slate", "title": "Slate", "version": "1"}


def trust(codex: str, home: Path, mine: Own, environ: Mapping[str, str]) -> int:
    """Make Codex (the program at `codex`) trust our hooks of its configuration in `home`; how many it trusts then.

    Raises `unavailable.codex` when it does not do as it is known to.
    """
    with _server(codex, home, environ) as ask:
        ask("initialize", {"clientInfo": _CLIENT, "capabilities": {"experimentalApi": True}})
        ours = [hook for hook in _hooks(ask, home) if hook["command"] == command(mine)]
        state = {hook["key"]: {"trusted_hash": hook["currentHash"]} for hook in ours}
        edit = {"keyPath": "hooks.state", "value": state, "mergeStrategy": "upsert"}
        ask("config/batchWrite", {"edits": [edit]})
        now = [hook for hook in _hooks(ask, home) if hook["command"] == command(mine)]
    return sum(hook["trustStatus"] == "trusted" for hook in now)


def _hooks(ask: Any, home: Path) -> list[dict[str, Any]]:
    told = ask("hooks/list", {"cwds": [str(home)]})
    return [hook for one in told.get("data", ()) for hook in one.get("hooks", ())]


@contextmanager
def _server(codex: str, home: Path, environ: Mapping[str, str]) -> Iterator[Any]:
    """Calls of an app-server that lives as long as the context."""
    try:
        process = subprocess.Popen(
            [codex, "app-server"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=dict(environ),
            cwd=home,
            bufsize=0,
        )
    except OSError as error:
        raise _failed(f"{codex} cannot be started") from error
    assert process.stdin is not None and process.stdout is not None  # noqa: S101, PT018 - both are pipes
    line = _Line(process, time.monotonic() + DEADLINE_S)
    try:
        yield line.ask
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        if isinstance(error, Unavailable):
            raise
        raise _failed("its app-server answered otherwise than expected") from error
    finally:
        with suppress(OSError):
            process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            process.wait(_END_S)
        if process.poll() is None:
            process.kill()
            process.wait()
        process.stdout.close()


class _Line:
    """JSON lines both ways, with one deadline for all of it."""

    def __init__(self, process: subprocess.Popen[bytes], deadline: float) -> None:
        self._in, self._out, self._deadline = process.stdin, process.stdout, deadline
        self._got = b""
        self._last_id = 0

    def ask(self, method: str, params: Mapping[str, object]) -> dict[str, Any]:
        """The result of a call."""
        self._last_id += 1
        self._send({"id": self._last_id, "method": method, "params": params})
        while True:
            message = json.loads(self._line())
            if message.get("id") == self._last_id and "method" not in message:
                break
        if "result" not in message:
            raise _failed(f"it refused {method}")
        if method == "initialize":
            self._send({"method": "initialized"})
        result: dict[str, Any] = message["result"]
        return result

    def _send(self, message: Mapping[str, object]) -> None:
        assert self._in is not None  # noqa: S101 - a pipe
        self._in.write(json.dumps(message).encode() + b"\n")

    def _line(self) -> bytes:
        assert self._out is not None  # noqa: S101 - a pipe
        while b"\n" not in self._got:
            left = self._deadline - time.monotonic()
            if left <= 0 or not select.select([self._out], [], [], left)[0]:
                raise _failed(f"its app-server did not answer within {DEADLINE_S:.0f} s")
            more = self._out.read(1 << 16)
            if not more:
                raise _failed("its app-server ended")
            self._got += more
        line, _, self._got = self._got.partition(b"\n")
        return line


def _failed(why: str) -> Unavailable:
    return Unavailable(
        "codex",
        f"Codex does not trust Slate's hooks yet: {why}.",
        next_step="start codex and trust the hooks with /hooks, or try again",
    )

"""A place for a fake daemon and its fronts: own directories, an environment built from nothing, nothing left behind."""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from slated.wire import rpc

FAKES = Path(__file__).parent
ENVELOPE = {
    rpc.MODERN_KEY: "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


class Stage:
    """Directories and environment; `front` is the argv of a front."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / "run").mkdir(mode=0o700)
        self.env = {
            "PATH": "/usr/bin:/bin",
            "HOME": str(root),
            "XDG_RUNTIME_DIR": str(root / "run"),
            "XDG_STATE_HOME": str(root / "state"),
            "PYTHON": sys.executable,
        }
        self.front = [sys.executable, "-I", "-S", str(FAKES / "front.py"), "fake"]
        self.socket = root / "run/slate/fake.sock"
        self.log = root / "state/slate/fake.log"

    @property
    def daemon_pid(self) -> int:
        """The pid of the daemon that serves, or served last."""
        return int(self.socket.with_suffix(".lock").read_text())

    @property
    def leases(self) -> list[str]:
        """A line per lease that is over: what it still held, and what it did."""
        ledger = Path(f"{self.socket}.ledger")
        return ledger.read_text().splitlines() if ledger.exists() else []

    def start(self, *extra: str, env: dict[str, str] | None = None) -> Front:
        """A front in a process of its own, with a raw client's hands on its pipes."""
        return Front([*self.front, *extra], {**self.env, **(env or {})})

    def kill(self, number: int = signal.SIGKILL) -> None:
        """Send the daemon a signal."""
        os.kill(self.daemon_pid, number)

    def close(self) -> None:
        """End the daemon if it still runs, and remove everything."""
        try:
            pid = self.daemon_pid
            os.kill(pid, signal.SIGKILL)
            until(lambda: not alive(pid), 5)
        except (OSError, ValueError):  # none was started, or it is gone
            pass
        shutil.rmtree(self.root)


class Front:
    """A client without any SDK: writes lines, reads lines, with deadlines."""

    def __init__(self, argv: list[str], env: dict[str, str]) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            argv, stdin=pipe, stdout=pipe, stderr=pipe, env=env, cwd="/"
        )
        self._lines = rpc.Lines(1 << 30)
        self._got: list[dict[str, Any]] = []
        self._id = 0

    def send(self, data: bytes) -> None:
        """Bytes as they are."""
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def ask(self, method: str, params: dict[str, Any] | None = None, *, modern: bool = True) -> int:
        """Send a request; its id."""
        self._id += 1
        sent = {**(params or {}), **({"_meta": ENVELOPE} if modern else {})}
        message = {"jsonrpc": "2.0", "id": self._id, "method": method, "params": sent}
        self.send(rpc.encode(message))
        return self._id

    def call(self, tool: str, *, modern: bool = True, **arguments: Any) -> int:
        """Send a tool call; its id."""
        return self.ask("tools/call", {"name": tool, "arguments": arguments}, modern=modern)

    def cancel(self, id_: int) -> None:
        """Call a request off."""
        params = {"requestId": id_}
        self.send(
            rpc.encode({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
        )

    def answer(self, id_: int, within_s: float = 10) -> dict[str, Any]:
        """The answer to a request; others are kept for their own."""
        deadline = time.monotonic() + within_s
        while True:
            for message in self._got:
                if message.get("id") == id_:
                    self._got.remove(message)
                    return message
            self._read(deadline)

    def nothing_for(self, id_: int, seconds: float) -> bool:
        """Whether no answer to `id_` comes in that time."""
        try:
            self.answer(id_, seconds)
        except TimeoutError:
            return True
        return False

    def result(self, id_: int, within_s: float = 10) -> dict[str, Any]:
        """The result of a request that must have one."""
        answer = self.answer(id_, within_s)
        result: dict[str, Any] = answer["result"]
        return result

    def _read(self, deadline: float) -> None:
        assert self.process.stdout is not None
        left = deadline - time.monotonic()
        number = self.process.stdout.fileno()
        if left <= 0 or not select.select([number], [], [], left)[0]:
            raise TimeoutError
        data = os.read(number, 1 << 18)
        if not data:
            raise EOFError
        for line in self._lines.feed(data):
            assert isinstance(line, bytes)
            self._got.append(json.loads(line))  # every single line has to be JSON

    def end(self) -> None:
        """Close standard input, the way clients say goodbye."""
        assert self.process.stdin is not None
        self.process.stdin.close()

    def close(self) -> None:
        """End the process if it has not, and close the pipes."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(5)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()

    def __enter__(self) -> Front:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@contextmanager
def stage() -> Iterator[Stage]:
    """A stage with a path short enough for sockets."""
    made = Stage(Path(tempfile.mkdtemp(prefix="slate-wire-")))
    try:
        yield made
    finally:
        made.close()


def alive(pid: int) -> bool:
    """Whether a process runs: neither gone nor waiting to be reaped."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def until(true: Any, within_s: float) -> bool:
    """Wait until `true()` is, polling for what has no event; False when it is not in time."""
    deadline = time.monotonic() + within_s
    while not true():
        if time.monotonic() > deadline:
            return False
        select.select([], [], [], 0.005)
    return True

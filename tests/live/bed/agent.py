"""A test's agent: a plain MCP client over stdio, with no library of the product's in between,
that can also misbehave.
"""

from __future__ import annotations

import base64
import itertools
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
from anyio.abc import Process, TaskGroup

from tests.live.bed.patience import START_S, WAIT_S
from tests.live.bed.program import ROOT

PROTOCOL = "2025-06-18"
SERVER: Sequence[str] = (sys.executable, "-m", "slate_desktop", "mcp")
_CALL_S = 60 * WAIT_S / 5


@dataclass(frozen=True, slots=True)
class Reply:
    """A tool's answer: its text, pictures as (mime type, bytes), machine-readable outcome, and
    whether it is an error.
    """

    text: str
    pictures: tuple[tuple[str, bytes], ...]
    outcome: Mapping[str, Any]
    error: bool

    @property
    def verdict(self) -> str:
        """The first line."""
        return self.text.split("\n", 1)[0]

    @property
    def code(self) -> str:
        """The error's code (`stale.window_gone`), "" for a success."""
        return self.verdict.split(":", 1)[0].strip() if self.error else ""


class Agent:
    """One MCP connection. Answers are matched to calls, so several calls may be open at once."""

    def __init__(self, process: Process) -> None:
        self.process = process
        self.notices: list[dict[str, Any]] = []
        self._ids = itertools.count(1)
        self._answers: dict[int, dict[str, Any]] = {}
        self._news = anyio.Event()
        self.ended = False

    async def call(self, tool: str, *, deadline_s: float = _CALL_S, **arguments: object) -> Reply:
        """Call a tool and wait for its answer."""
        return await self.answer(await self.post(tool, **arguments), deadline_s=deadline_s)

    async def ok(self, tool: str, **arguments: Any) -> Reply:
        """Call a tool that must not answer with an error."""
        reply = await self.call(tool, **arguments)
        assert not reply.error, f"{tool} {arguments}: {reply.text}"
        return reply

    async def post(self, tool: str, **arguments: object) -> int:
        """Send a call and do not wait; answers with its id."""
        return await self._send("tools/call", {"name": tool, "arguments": arguments})

    async def answer(self, call: int, *, deadline_s: float = _CALL_S) -> Reply:
        """Wait for the answer to a posted call."""
        result = await self._await(call, deadline_s)
        content = result.get("content", [])
        return Reply(
            text="\n".join(block["text"] for block in content if block["type"] == "text"),
            pictures=tuple(
                (block["mimeType"], base64.b64decode(block["data"]))
                for block in content
                if block["type"] == "image"
            ),
            outcome=result.get("_meta", {}).get("slate/outcome", {}),
            error=bool(result.get("isError", False)),
        )

    async def cancel(self, call: int) -> None:
        """Take a posted call back."""
        await self._write(
            {"method": "notifications/cancelled", "params": {"requestId": call, "reason": "test"}}
        )

    async def request(
        self, method: str, *, deadline_s: float = WAIT_S, **params: object
    ) -> dict[str, Any]:
        """Any other request and its result."""
        return await self._await(await self._send(method, params), deadline_s)

    async def initialize(self) -> dict[str, Any]:
        """The handshake; the daemon may have to be started for it."""
        wish = {
            "protocolVersion": PROTOCOL,
            "capabilities": {},
            "clientInfo": {"name": "bed", "version": "1"},
        }
        result = await self.request("initialize", deadline_s=START_S, **wish)
        await self._write({"method": "notifications/initialized"})
        return result

    async def listen(self) -> None:
        """Sort what the server says, until it ends."""
        assert self.process.stdout is not None
        rest = b""
        with suppress(anyio.ClosedResourceError):  # the test has hung up
            async for chunk in self.process.stdout:
                *lines, rest = (rest + chunk).split(b"\n")
                for line in lines:
                    await self._heard(json.loads(line))
                self._tell()
        self.ended = True
        self._tell()

    async def _heard(self, message: dict[str, Any]) -> None:
        if "method" not in message:
            self._answers[message["id"]] = message
        elif "id" in message:  # the server asks: only ping is known here
            answer: dict[str, object] = {"result": {}}
            if message["method"] != "ping":
                answer = {"error": {"code": -32601, "message": "this client only calls tools"}}
            await self._write({"id": message["id"], **answer})
        else:
            self.notices.append(message)

    async def _send(self, method: str, params: Mapping[str, object]) -> int:
        number = next(self._ids)
        await self._write({"id": number, "method": method, "params": params})
        return number

    async def _write(self, message: Mapping[str, object]) -> None:
        assert self.process.stdin is not None
        await self.process.stdin.send(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    async def _await(self, number: int, deadline_s: float) -> dict[str, Any]:
        with anyio.move_on_after(deadline_s):
            while number not in self._answers and not self.ended:
                await self._news.wait()
        message = self._answers.pop(number, None)
        if message is None:
            raise TimeoutError(
                "the server ended" if self.ended else f"no answer within {deadline_s:.0f} s"
            )
        if "error" in message:
            raise AssertionError(f"protocol error: {message['error']}")
        result: dict[str, Any] = message["result"]
        return result

    def _tell(self) -> None:
        news, self._news = self._news, anyio.Event()
        news.set()


@asynccontextmanager
async def connected(
    *,
    tasks: TaskGroup,
    env: Mapping[str, str],
    log: Path,
    argv: Sequence[str] = SERVER,
    handshake: bool = True,
) -> AsyncIterator[Agent]:
    """Start the front with exactly this environment and shake hands; it has ended when the block
    does.
    """
    with log.open("ab") as errors:
        process = await anyio.open_process(
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            cwd=ROOT,
            env=dict(env),
        )
    agent = Agent(process)
    tasks.start_soon(agent.listen)
    try:
        if handshake:
            await agent.initialize()
        yield agent
    finally:
        with anyio.CancelScope(shield=True):
            assert process.stdin is not None
            await process.stdin.aclose()
            with anyio.move_on_after(WAIT_S):
                await process.wait()
            if process.returncode is None:
                process.kill()
            await process.wait()
            await process.aclose()

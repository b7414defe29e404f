"""Many calls at once over one greeted connection, each with a deadline, for daemons that ask another daemon."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import anyio
from anyio.abc import SocketStream

from slated.wire import rpc
from slated.wire.control import LINE_LIMIT, failure, gone

_CHUNK = 1 << 16
_GONE = (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError)


class _Open:
    """A call that waits for its answer."""

    __slots__ = ("answer", "done")

    def __init__(self) -> None:
        self.done = anyio.Event()
        self.answer: dict[str, Any] | None = None


class Calls:
    """One end of a connection. `run` must be running for as long as it is used."""

    def __init__(self, stream: SocketStream) -> None:
        self._stream = stream
        self._sending = anyio.Lock()
        self._open: dict[int, _Open] = {}
        self._last_id = 0
        self.ended = False

    async def run(self) -> None:
        """Hand out answers until the connection ends; then every open call fails with `unavailable.slated`."""
        lines = rpc.Lines(LINE_LIMIT)
        try:
            while True:
                for line in lines.feed(await self._stream.receive(_CHUNK)):
                    if isinstance(line, bytes):
                        self._answered(json.loads(line))
        except (*_GONE, ValueError):
            return
        finally:
            self.ended = True
            for one in self._open.values():
                one.done.set()

    def _answered(self, message: dict[str, Any]) -> None:
        one = self._open.get(message.get("id", 0))
        if one is not None:
            one.answer = message
            one.done.set()

    async def ask(self, method: str, params: Mapping[str, object], *, deadline_s: float) -> Any:
        """The result of a call. Raises what the other end raised, or `unavailable.slated`."""
        self._last_id += 1
        id_, one = self._last_id, _Open()
        self._open[id_] = one
        try:
            if self.ended:
                raise gone()
            message = {"jsonrpc": "2.0", "id": id_, "method": method, "params": params}
            with anyio.move_on_after(deadline_s):
                async with self._sending:
                    await self._stream.send(rpc.encode(message))
                await one.done.wait()
        except _GONE as error:
            raise gone() from error
        finally:
            del self._open[id_]
        if one.answer is None:
            raise gone()
        if "error" in one.answer:
            raise failure(one.answer["error"])
        return one.answer.get("result")

"""The front: what an agent program starts. A byte pipe between its standard streams and a daemon's socket.

It imports little, so that it answers fast. It answers by itself only when the daemon cannot: calls that were open when
the daemon died, and messages over the size limit.
"""

from __future__ import annotations

import _thread
import json
import os
import select
import signal

from slated.errors import SlateError, Unavailable
from slated.wire import reach, rpc, start

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Mapping
    from typing import NoReturn

_CHUNK = 1 << 18
# Together below the 2 s in which a front has to be gone after its client.
_ANSWERS_DEADLINE_S = 1.4
_CLOSE_DEADLINE_S = 0.4


def main(daemon_of: Callable[[Mapping[str, str]], start.Daemon], *, share: str = "") -> NoReturn:
    """Serve the standard streams until either side ends: exit code 0 at the end of input, else 1.

    `daemon_of` gets the environment and says which daemon is meant; `share` is what the greeting says (see `reach`).
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    _fill_standard_streams()
    try:
        link = reach.reach(daemon_of(start.surroundings()), share=share, say=_say)
    except SlateError as error:
        _turn_away(error)
    Pipe(link).run()


def _fill_standard_streams() -> None:
    """A closed stream becomes an empty one; else the socket to the daemon would get its number."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def _say(text: str) -> None:
    os.write(2, f"slate: {text}\n".encode())


def _turn_away(error: SlateError) -> NoReturn:
    """Tell the person and the program why there is no desktop: on stderr and as the answer to the first request."""
    _say(sentence(error))
    lines = rpc.Lines()
    while select.select([0], [], [], 1.0)[0]:
        data = os.read(0, _CHUNK)
        for line in lines.feed(data):
            asked = None if isinstance(line, rpc.TooLong) else request(line)
            if asked is not None:
                _write(rpc.error(asked.id, rpc.SERVER_ERROR, sentence(error)))
                os._exit(1)
        if not data:
            break
    os._exit(1)


def sentence(error: SlateError) -> str:
    """A failure on one line."""
    return f"{error.code}: {error.message}" + (
        f" next: {error.next_step}" if error.next_step else ""
    )


class Asked:
    """A request that waits for its answer."""

    __slots__ = ("id", "is_call", "modern")

    def __init__(self, id_: rpc.Id, *, is_call: bool, modern: bool) -> None:
        self.id = id_
        self.is_call = is_call
        self.modern = modern

    def failed(self, error: SlateError) -> bytes:
        """The answer when the daemon has none: a tool result for a tool call, so that the model reads it."""
        if not self.is_call:
            return rpc.error(self.id, rpc.SERVER_ERROR, sentence(error))
        text = f"{error.code}: {error.message}\nnext: {error.next_step}"
        facts = {"error": {"code": error.code, "message": error.message, "next": error.next_step}}
        result: dict[str, object] = {
            "content": [{"type": "text", "text": text}],
            "isError": True,
            "_meta": {"slate/outcome": facts},
        }
        if self.modern:
            result["resultType"] = "complete"
        return rpc.encode({"jsonrpc": "2.0", "id": self.id, "result": result})


def request(line: bytes) -> Asked | None:
    """The request in a line of a client; None for anything else."""
    message = _object(line)
    id_, method = message.get("id"), message.get("method")
    if not isinstance(id_, int | str) or isinstance(id_, bool) or not isinstance(method, str):
        return None
    params = message.get("params")
    meta = params.get("_meta") if isinstance(params, dict) else None
    modern = isinstance(meta, dict) and rpc.MODERN_KEY in meta
    return Asked(id_, is_call=method == "tools/call", modern=modern)


def cancelled(line: bytes) -> rpc.Id | None:
    """The id of the request that a line of a client calls off."""
    if b"notifications/cancelled" not in line:
        return None
    message = _object(line)
    params = message.get("params")
    if message.get("method") != "notifications/cancelled" or not isinstance(params, dict):
        return None
    id_ = params.get("requestId")
    return id_ if isinstance(id_, int | str) else None


def _object(line: bytes) -> dict[str, object]:
    try:
        message = json.loads(line)
    except ValueError:  # the daemon answers what it cannot parse
        return {}
    return message if isinstance(message, dict) else {}


def _write(data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(1, view) :]


class Pipe:
    """One thread each way. Only whole lines are written, so a dying daemon leaves no half one behind."""

    def __init__(self, link: socket.socket) -> None:
        self._link = link
        self._open: dict[rpc.Id, Asked] = {}
        self._ended = False
        self._writing = _thread.allocate_lock()
        self._quiet = _thread.allocate_lock()
        self._quiet.acquire()

    def run(self) -> NoReturn:
        """Never returns: the process ends with the pipe."""
        _thread.start_new_thread(self._answers, ())
        try:
            self._requests()
        except OSError:
            # The daemon is gone; the other thread has or will have read its end, and ends the process.
            _wait(_ANSWERS_DEADLINE_S)
            os._exit(1)
        self._ended = True
        if self._open and not _client_gone():
            self._quiet.acquire(timeout=_ANSWERS_DEADLINE_S)
        try:
            self._link.shutdown(1)
        except OSError:  # the daemon was faster
            os._exit(0)
        _wait(_CLOSE_DEADLINE_S)
        os._exit(0)

    def _requests(self) -> None:
        lines = rpc.Lines()
        while data := os.read(0, _CHUNK):
            for line in lines.feed(data):
                if isinstance(line, rpc.TooLong):
                    self._answer(rpc.too_long(line))
                    continue
                if (asked := request(line)) is not None:
                    self._open[asked.id] = asked
                elif (id_ := cancelled(line)) is not None:
                    self._open.pop(id_, None)
                self._link.sendall(line + b"\n")

    def _answers(self) -> None:
        try:
            self._pass_answers()
        except OSError:  # the client does not read any more, or the daemon is gone
            _say("one side is gone")
        try:
            if not self._ended:
                self._give_up()
        finally:  # whatever happens here, the process must not stay behind
            os._exit(0 if self._ended else 1)

    def _pass_answers(self) -> None:
        lines = rpc.Lines()
        while data := self._link.recv(_CHUNK):
            for line in lines.feed(data):
                if isinstance(line, rpc.TooLong):
                    raise ConnectionError  # our daemon never sends one
                self._answer(line + b"\n")
                if (id_ := rpc.answered(line)) is not None:
                    self._open.pop(id_, None)
            if self._ended and not self._open and self._quiet.locked():
                self._quiet.release()

    def _answer(self, data: bytes) -> None:
        with self._writing:
            _write(data)

    def _give_up(self) -> None:
        error = Unavailable(
            "daemon",
            "the desktop daemon ended during this call; how far the call came is not known.",
            next_step="start this server again, then look before you repeat anything",
        )
        _say(sentence(error))
        try:
            for asked in list(self._open.values()):
                self._answer(asked.failed(error))
        except OSError:  # nobody reads
            pass


def _wait(seconds: float) -> None:
    """Give the other thread that long to end the process."""
    select.select([], [], [], seconds)


def _client_gone() -> bool:
    """Whether nobody can read our answers any more."""
    poll = select.poll()
    poll.register(1, 0)
    return bool(poll.poll(0))

"""One connection for questions to sway and one for its events, at a socket path that is given."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import anyio

from slate_desktop.errors import Unavailable, compositor_gone, window_gone
from slate_desktop.swayipc.codec import Ask, Decoder, Event, Json, Message, encode, garbled

ANSWER_S = 2.0
RECONNECT_S = (0.1, 0.2, 0.4, 0.8, 1.6)
_READ_BYTES = 1 << 18
_EVENTS = json.dumps([event.name.lower() for event in Event])

Listener = Callable[[Event, str], None]
"""Told each event and its `change` word: "new", "focus", "reload" …; for a mode, its name."""


class _Stream:
    """A connected socket."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def send(self, data: bytes) -> None:
        try:
            self._writer.write(data)
            await self._writer.drain()
        except OSError as fault:
            raise compositor_gone("the compositor closed its IPC connection") from fault

    async def receive(self) -> bytes:
        try:
            data = await self._reader.read(_READ_BYTES)
        except OSError as fault:
            raise compositor_gone("the compositor closed its IPC connection") from fault
        if not data:
            raise compositor_gone("the compositor closed its IPC connection")
        return data

    def hang_up(self) -> None:
        self._writer.transport.abort()


class Ipc:
    """Asks sway; safe for many tasks at once. Questions of one call travel together."""

    def __init__(self, path: str, *, answer_s: float = ANSWER_S) -> None:
        self._path = path
        self._answer_s = answer_s
        self._lock = anyio.Lock()
        self._stream: _Stream | None = None
        self._decoder = Decoder()

    async def ask(self, *questions: tuple[Ask, str]) -> list[Json]:
        """The answers, in order. Unavailable when the compositor is gone or does not answer in
        time.

        A connection left with an answer still to come is dropped: a late answer would be read as
        the next one.
        """
        settled = False
        async with self._lock:
            try:
                with _answered_within(self._answer_s):
                    messages = await self._exchange(questions)
                settled = True
            finally:
                if not settled:
                    self._drop()
        return [message.json() for message in messages]

    async def command(self, *commands: str) -> None:
        """Run commands in one go, each built by us from numbers and checked names (codec).

        Stale when a window is gone, Unavailable when sway refuses.
        """
        if not commands:
            return
        (results,) = await self.ask((Ask.RUN_COMMAND, "; ".join(commands)))
        if not isinstance(results, list):
            raise garbled("the compositor's IPC answered a command with something else")
        for result in results:
            if isinstance(result, dict) and result.get("success") is True:
                continue
            if isinstance(result, dict) and "No matching node" in str(result.get("error")):
                raise window_gone("that window")
            raise Unavailable("compositor_refused", "the compositor refused a window command")

    async def close(self) -> None:
        """Hang up, once what is being asked is answered. Safe at any time, also twice."""
        with anyio.CancelScope(shield=True):  # who asks has a deadline, so this has one
            async with self._lock:
                self._drop()

    async def _exchange(self, questions: Sequence[tuple[Ask, str]]) -> list[Message]:
        if self._stream is None:
            self._stream, self._decoder = await _connect(self._path), Decoder()
        await self._stream.send(b"".join(encode(kind, payload) for kind, payload in questions))
        messages: list[Message] = []
        while len(messages) < len(questions):
            messages += self._decoder.feed(await self._stream.receive())
        if [message.type for message in messages] != [kind for kind, _ in questions]:
            raise garbled("the compositor's IPC answered another question than was asked")
        return messages

    def _drop(self) -> None:
        stream, self._stream = self._stream, None
        if stream is not None:
            stream.hang_up()


class Events:
    """What sway announces. `run` pumps until the compositor is gone; waiters are then told so."""

    def __init__(self, path: str, *, answer_s: float = ANSWER_S) -> None:
        self._path = path
        self._answer_s = answer_s
        self._listeners: list[Listener] = []
        self._focus: list[Callable[[int], None]] = []
        self._visits: list[Callable[[str, str], None]] = []
        self._next = anyio.Event()
        self._alive = False
        self._over = False

    def listen(self, listener: Listener) -> None:
        """Call `listener` for each event, from the pump; it must return at once."""
        self._listeners.append(listener)

    def visits(self, listener: Callable[[str, str], None]) -> None:
        """Call `listener` with the workspace that a seat, any seat, changes to, and the output it was on before."""
        self._visits.append(listener)

    def focused(self, listener: Callable[[int], None]) -> None:
        """Call `listener` with the id of each window that gets the keyboard of the person's seat."""
        self._focus.append(listener)

    async def changed(self, *, deadline_s: float) -> bool:
        """Wait for the next window, workspace or output event; False when none came in time.

        Unavailable once the compositor is gone.
        """
        if self._over:
            raise compositor_gone("the compositor is gone")
        with anyio.move_on_after(deadline_s):
            await self._next.wait()
            if not self._alive:
                raise compositor_gone("the compositor closed its event connection")
            return True
        return False

    async def run(self, *, started: Callable[[], None] = lambda: None) -> None:
        """Read events, reconnecting with growing pauses, until sway is gone or says goodbye.

        `started` is called each time the subscription stands.
        """
        pauses = iter(RECONNECT_S)
        try:
            while not self._over:
                try:
                    await self._follow(started)
                except Unavailable:
                    if self._alive:  # it had answered, so this is a new failure
                        pauses = iter(RECONNECT_S)
                self._alive = False
                self._wake()
                pause_s = next(pauses, None)
                if pause_s is None or self._over:
                    return
                await anyio.sleep(pause_s)
        finally:
            self._over, self._alive = True, False
            self._wake()

    async def _follow(self, started: Callable[[], None]) -> None:
        with _answered_within(self._answer_s):
            stream = await _connect(self._path)
        try:
            decoder = Decoder()
            with _answered_within(self._answer_s):
                await stream.send(encode(Ask.SUBSCRIBE, _EVENTS))
                first = decoder.feed(await stream.receive())
            self._alive = True
            started()
            for message in first:
                self._tell(message)
            while not self._over:
                for message in decoder.feed(await stream.receive()):
                    self._tell(message)
        finally:
            stream.hang_up()

    def _tell(self, message: Message) -> None:
        if not message.is_event or message.number not in set(Event):
            return
        event, body = Event(message.number), message.json()
        change = str(body.get("change", "")) if isinstance(body, dict) else ""
        if event is Event.SHUTDOWN:
            self._over = True
        for listener in self._listeners:
            listener(event, change)
        if change == "focus":
            self._tell_focus(event, body)
        if event in (Event.WINDOW, Event.WORKSPACE, Event.OUTPUT):
            self._wake()

    def _tell_focus(self, event: Event, body: Json) -> None:
        match event, body:
            # Sway tells the focus of every seat; this flag is about the person's.
            case Event.WINDOW, {"container": {"id": int(id_), "focused": True}}:
                for told in self._focus:
                    told(id_)
            case Event.WORKSPACE, {"current": {"name": str(name)}, "old": {"output": str(output)}}:
                for visit in self._visits:
                    visit(name, output)

    def _wake(self) -> None:
        self._next.set()
        self._next = anyio.Event()


@contextmanager
def _answered_within(deadline_s: float) -> Iterator[None]:
    try:
        with anyio.fail_after(deadline_s):
            yield
    except TimeoutError as fault:
        raise compositor_gone(f"the compositor did not answer within {deadline_s:g} s") from fault


async def _connect(path: str) -> _Stream:
    # asyncio's own streams: anyio's leave an InvalidStateError in the loop when a cancelled read
    # and its data meet, which is just what a deadline makes likely.
    try:
        return _Stream(*await asyncio.open_unix_connection(path, limit=_READ_BYTES))
    except OSError as fault:
        raise compositor_gone("nothing answers on the compositor's IPC socket") from fault

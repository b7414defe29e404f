"""A connection to one bus: many calls at once with one deadline, few in flight, sent in packets, checked replies."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import anyio
import anyio.to_thread

from slate_desktop.atspi.words import NULL_PATH, REPLIES

if TYPE_CHECKING:
    from dbus_fast import Message
    from dbus_fast.aio import MessageBus

# More at once make toolkits answer that interfaces are missing which are there (R68).
IN_FLIGHT = 64
# Waiting until as many have been answered makes one system call of so many: a call each is what a walk pays most for.
PACKET = 32
CONNECT_S = 1.0


class Ask(NamedTuple):
    """One method call."""

    bus: str
    path: str
    interface: str
    member: str
    signature: str = ""
    body: tuple[Any, ...] = ()


class Fault(NamedTuple):
    """An error reply: its D-Bus name."""

    name: str


Answer = list[Any] | Fault | None
"""The body of a reply, an error, or None: not answered in time."""


Follow = Callable[[Ask, "Answer"], Sequence[Ask]]


class LinkLost(Exception):
    """The bus does not answer or closed the connection."""


class BusSilent(LinkLost):
    """Not a program but the bus itself, or its registry, does not answer."""


class Packet:
    """Messages that leave in one write: what `MessageBus.send` asks of a message, with the bytes of all."""

    unix_fds = None
    serial = 1  # each message has its own

    def __init__(self, messages: Sequence[Message]) -> None:
        self._messages = messages

    def _marshall(self, negotiate_unix_fd: bool) -> bytes:
        return b"".join([message._marshall(negotiate_unix_fd) for message in self._messages])


class Link:
    """One bus. Tasks may share it; each call of `all` is whole."""

    def __init__(self, bus: MessageBus) -> None:
        from dbus_fast import Message, MessageType
        from dbus_fast.errors import DBusFastError

        self._bus = bus
        self._message, self._good = Message, MessageType.METHOD_RETURN
        self._bad = DBusFastError
        self._open: dict[int, tuple[_Batch, int]] = {}
        self._holders, self._retired = 0, False
        bus.add_message_handler(self._heard)

    @classmethod
    async def open(cls, address: str) -> Link:
        """Connect. Errors: LinkLost after a second."""
        # Takes as long to import as all the rest of the desk, and many a daemon never needs it.
        await anyio.to_thread.run_sync(import_module, "dbus_fast.aio")
        from dbus_fast import BusType
        from dbus_fast.aio import MessageBus
        from dbus_fast.errors import DBusFastError

        try:
            with anyio.fail_after(CONNECT_S):
                bus = MessageBus(bus_address=address, bus_type=BusType.SESSION)
                return cls(await bus.connect())
        except (OSError, EOFError, TimeoutError, DBusFastError) as error:
            raise LinkLost from error

    @property
    def alive(self) -> bool:
        """Whether it is still connected."""
        return bool(self._bus.connected)

    async def all(self, asks: Sequence[Ask], deadline: float) -> list[Answer]:
        """The answers in the order of `asks`; None for those not come at `deadline` (of `anyio.current_time`).

        Errors: LinkLost when not one has come.
        """
        answers = await self._all(asks, deadline)
        if asks and all(answer is None for answer in answers):
            raise LinkLost
        return answers

    async def one(self, ask: Ask, deadline: float) -> Answer:
        """The answer to one call, None when it has not come at `deadline`."""
        return (await self._all([ask], deadline))[0]

    async def flow(self, asks: Sequence[Ask], follow: Follow, deadline: float) -> bool:
        """Send calls, and what `follow` makes of each answer, until nothing is left; False when some were not answered.

        Errors: as `all`.
        """
        batch = _Batch(self, list(asks), follow)
        await self._run(batch, deadline)
        if asks and all(answer is None for answer in batch.answers):
            raise LinkLost
        return batch.done.is_set()

    async def _all(self, asks: Sequence[Ask], deadline: float) -> list[Answer]:
        batch = _Batch(self, list(asks))
        await self._run(batch, deadline)
        return batch.answers

    async def _run(self, batch: _Batch, deadline: float) -> None:
        if not batch.asks:
            return
        if not self.alive:
            raise LinkLost
        batch.more()
        try:
            with anyio.move_on_at(deadline):
                await batch.done.wait()
        finally:
            for serial in batch.in_flight:
                self._open.pop(serial, None)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep it open for a block, though another task may retire it: its own program may well answer."""
        self._holders += 1
        try:
            yield
        finally:
            self._holders -= 1
            if self._retired and not self._holders:
                self.close()

    def retire(self) -> None:
        """Hang up once nobody holds it; late answers then reach nobody."""
        self._retired = True
        if not self._holders:
            self.close()

    def close(self) -> None:
        """Hang up."""
        if self._bus.connected:
            self._bus.disconnect()

    def send(self, asks: Sequence[tuple[int, Ask]], batch: _Batch) -> None:
        """Send some calls of a batch, each with its place in there."""
        messages = []
        for place, ask in asks:
            message = self._made(ask)
            if message is None:
                batch.take(place, Fault("no such address"))
                continue
            messages.append(message)
            self._open[message.serial] = (batch, place)
            batch.in_flight.add(message.serial)
        if messages and self.alive:
            self._bus.send(cast("Message", Packet(messages)))

    def _made(self, ask: Ask) -> Message | None:
        """The message; None for an address that cannot be: a vanished widget's parent has none."""
        if not ask.bus or ask.path == NULL_PATH:
            return None
        try:
            return self._message(
                destination=ask.bus,
                path=ask.path,
                interface=ask.interface,
                member=ask.member,
                signature=ask.signature,
                body=list(ask.body),
                serial=self._bus.next_serial(),
            )
        except self._bad:
            return None

    def _heard(self, message: Message) -> bool:
        slot = self._open.pop(message.reply_serial or 0, None)
        if slot is None:
            return False
        batch, place = slot
        batch.in_flight.discard(message.reply_serial or 0)
        if message.message_type is not self._good:
            batch.take(place, Fault(message.error_name or "error"))
        elif message.signature not in REPLIES.get(batch.asks[place].member, (message.signature,)):
            batch.take(place, Fault("another reply than its interface has"))
        else:
            batch.take(place, list(message.body))
        batch.soon()
        return True


class _Batch:
    """Calls under way."""

    def __init__(self, link: Link, asks: list[Ask], follow: Follow | None = None) -> None:
        self.answers: list[Answer] = [None] * len(asks)
        self.asks = asks
        self._follow = follow
        self.done = anyio.Event()
        self.in_flight: set[int] = set()
        self._left = len(asks)
        self._link, self._next = link, 0
        self._called = False

    def soon(self) -> None:
        """Send more once all answers that have come together are taken."""
        if not self._called and self._next < len(self.asks):
            self._called = True
            asyncio.get_running_loop().call_soon(self.more)

    def more(self) -> None:
        """Send what may be in flight, once it is a packet or the last."""
        self._called = False
        while self._next < len(self.asks) and len(self.in_flight) <= IN_FLIGHT - PACKET:
            end = min(len(self.asks), self._next + IN_FLIGHT - len(self.in_flight))
            places = range(self._next, end)
            self._next = end
            self._link.send([(place, self.asks[place]) for place in places], self)

    def take(self, place: int, answer: Answer) -> None:
        """An answer has come."""
        self.answers[place] = answer
        self._left -= 1
        if self._follow is not None:
            new = self._follow(self.asks[place], answer)
            self.asks += new
            self.answers += [None] * len(new)
            self._left += len(new)
        if not self._left:
            self.done.set()


def value(answer: Answer) -> Any:
    """The first thing in a reply, variants taken out; None for an error or a silence."""
    if not isinstance(answer, list) or not answer:
        return None
    return getattr(answer[0], "value", answer[0])

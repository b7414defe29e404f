"""A connection to one bus: many calls at once with one deadline, few in flight, and made anew after a silence."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

import anyio
import anyio.to_thread

if TYPE_CHECKING:
    from dbus_fast import Message
    from dbus_fast.aio import MessageBus

# More at once make toolkits answer that interfaces are missing which are there (R68).
IN_FLIGHT = 64
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


class LinkLost(Exception):
    """The bus does not answer or closed the connection."""


class Link:
    """One bus. Not for two tasks at the same time that both wait: each call of `all` is whole."""

    def __init__(self, bus: MessageBus) -> None:
        from dbus_fast import Message, MessageType

        self._bus = bus
        self._message, self._good = Message, MessageType.METHOD_RETURN
        self._open: dict[int, tuple[_Batch, int]] = {}
        bus.add_message_handler(self._heard)

    @classmethod
    async def open(cls, address: str) -> Link:
        """Connect. Errors: LinkLost after a second."""
        # Takes as long to import as all the rest of the desk, and many a daemon never needs it.
        await anyio.to_thread.run_sync(import_module, "dbus_fast.aio")
        from dbus_fast import BusType
        from dbus_fast.aio import MessageBus

        try:
            with anyio.fail_after(CONNECT_S):
                bus = MessageBus(bus_address=address, bus_type=BusType.SESSION)
                return cls(await bus.connect())
        except (OSError, EOFError, TimeoutError) as error:
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

    async def _all(self, asks: Sequence[Ask], deadline: float) -> list[Answer]:
        batch = _Batch(self, asks)
        if not asks:
            return []
        if not self.alive:
            raise LinkLost
        batch.more()
        try:
            with anyio.move_on_at(deadline):
                await batch.done.wait()
        finally:
            for serial in batch.in_flight:
                self._open.pop(serial, None)
        return batch.answers

    def close(self) -> None:
        """Hang up; late answers then reach nobody."""
        if self._bus.connected:
            self._bus.disconnect()

    def send(self, ask: Ask, batch: _Batch, place: int) -> int:
        """Send one call of a batch; returns its serial."""
        serial = self._bus.next_serial()
        message = self._message(
            destination=ask.bus,
            path=ask.path,
            interface=ask.interface,
            member=ask.member,
            signature=ask.signature,
            body=list(ask.body),
            serial=serial,
        )
        self._open[serial] = (batch, place)
        self._bus.send(message)
        return serial

    def _heard(self, message: Message) -> bool:
        slot = self._open.pop(message.reply_serial or 0, None)
        if slot is None:
            return False
        batch, place = slot
        batch.in_flight.discard(message.reply_serial or 0)
        if message.message_type is self._good:
            batch.take(place, list(message.body))
        else:
            batch.take(place, Fault(message.error_name or "error"))
        return True


class _Batch:
    """Calls under way."""

    def __init__(self, link: Link, asks: Sequence[Ask]) -> None:
        self.answers: list[Answer] = [None] * len(asks)
        self.done = anyio.Event()
        self.left = len(asks)
        self.in_flight: set[int] = set()
        self._link, self._asks, self._next = link, asks, 0

    def more(self) -> None:
        """Send what may be in flight."""
        while self._next < len(self._asks) and len(self.in_flight) < IN_FLIGHT:
            place = self._next
            self._next += 1
            self.in_flight.add(self._link.send(self._asks[place], self, place))

    def take(self, place: int, answer: Answer) -> None:
        """An answer has come."""
        self.answers[place] = answer
        self.left -= 1
        if self.left:
            self.more()
        else:
            self.done.set()


def value(answer: Answer) -> Any:
    """The first thing in a reply, variants taken out; None for an error or a silence."""
    if not isinstance(answer, list) or not answer:
        return None
    return getattr(answer[0], "value", answer[0])

"""Seats of two kinds, transient and named: taken, watched for losing their devices, given back."""

from __future__ import annotations

from collections.abc import Callable

from pywayland.protocol.ext_transient_seat_v1 import (
    ExtTransientSeatManagerV1Proxy,
    ExtTransientSeatV1Proxy,
)
from pywayland.protocol.wayland import WlSeat, WlSeatProxy

from slate_desktop.errors import Unavailable, compositor_gone
from slate_desktop.wayland.globals import Globals

MADE_S = 2.0
POINTER_AND_KEYBOARD = WlSeat.capability.pointer | WlSeat.capability.keyboard


class Seat:
    """A seat of the compositor's that we use. `lost` is called when its devices are taken away.

    `global_name` is its number in the registry, the same for every client.
    """

    def __init__(self, globals_: Globals, number: int) -> None:
        self._connection = globals_.connection
        self.global_name = number
        self.proxy = globals_.bind_offer(number, WlSeatProxy, 7)
        self.name = ""
        self.capabilities = 0
        self.lost: Callable[[], None] = lambda: None
        self._connection.on(self.proxy, "name", self._on_name)
        self._connection.on(self.proxy, "capabilities", self._on_capabilities)

    @classmethod
    async def named(cls, globals_: Globals, name: str) -> Seat:
        """The seat of that name in sway's configuration. `unavailable.seat` if there is none."""
        seats = [cls(globals_, offer.name) for offer in globals_.offers(WlSeatProxy)]
        await globals_.connection.sync()
        found = next((seat for seat in seats if seat.name == name), None)
        for seat in seats:
            if seat is not found:
                seat.close()
        if found is None:
            raise Unavailable(
                "seat",
                f"sway has no seat {name}.",
                next_step="include sway/slate-seat.conf in sway's configuration and start sway anew",
            )
        return found

    def close(self) -> None:
        """Give the seat back. Safe twice."""
        self._connection.destroy(self.proxy)

    def _on_name(self, name: str) -> None:
        self.name = name

    def _on_capabilities(self, capabilities: int) -> None:
        before, self.capabilities = self.capabilities, capabilities
        if before and not capabilities:
            self.lost()


class TransientSeat(Seat):
    """A seat that the compositor made for us and that dies with our connection."""

    def __init__(self, globals_: Globals, made: ExtTransientSeatV1Proxy, number: int) -> None:
        super().__init__(globals_, number)
        self._made = made

    @classmethod
    async def make(cls, globals_: Globals) -> TransientSeat:
        """A new seat, known by name. `unavailable.seat` if the compositor denies one."""
        connection = globals_.connection
        made = connection.send(globals_.bind(ExtTransientSeatManagerV1Proxy, 1).create)
        answers: list[int | None] = []
        connection.on(made, "ready", answers.append)
        connection.on(made, "denied", lambda: answers.append(None))
        if not await connection.until(lambda: bool(answers), MADE_S):
            raise compositor_gone(f"the compositor made no seat within {MADE_S:g} s.")
        name = answers[0]
        if name is None:
            connection.destroy(made)
            raise Unavailable(
                "seat", "the compositor denied a seat of our own.", next_step="desktop_status"
            )
        seat = cls(globals_, made, name)
        await connection.sync()
        return seat

    def close(self) -> None:
        """Give the seat back. Safe twice."""
        super().close()
        self._connection.destroy(self._made)


def restore_person(globals_: Globals) -> None:
    """Queue what makes the person's window `activated` again after a seat of ours has left it.

    A new seat is born focused on what the person looks at, and that marks the window anew.
    """
    connection = globals_.connection
    connection.destroy(connection.send(globals_.bind(ExtTransientSeatManagerV1Proxy, 1).create))

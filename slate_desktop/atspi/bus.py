"""The accessibility bus of a session: found when first needed, asked with deadlines, made anew after a silence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio

from slate_desktop.atspi.link import Ask, Link, LinkLost, value
from slate_desktop.atspi.words import PROPERTIES, REGISTRY
from slate_desktop.errors import Unavailable

if TYPE_CHECKING:
    from dbus_fast import Variant

FIND_S = 1.0
# Toolkits answer Cache.GetItems only while somebody listens to something; this is the rarest event there is.
LISTEN_TO = "window:create"


@dataclass(frozen=True, slots=True)
class BusPlace:
    """Where the accessibility bus is: its address, or the session bus that knows it."""

    address: str | None = None
    session_bus: str | None = None


class Bus:
    """The one connection to the accessibility bus."""

    def __init__(self, place: BusPlace) -> None:
        self._place = place
        self._link: Link | None = None
        self._turn = anyio.Lock()

    async def link(self) -> Link:
        """The connection, made if there is none. Errors: `unavailable.no_bus`."""
        async with self._turn:
            if self._link is None or not self._link.alive:
                try:
                    self._link = await self._connected()
                except LinkLost:
                    raise no_bus("it does not answer") from None
            return self._link

    def drop(self, link: Link) -> None:
        """Hang up after a silence: an answer that comes late must reach nobody. Who else uses it may finish."""
        link.retire()
        if self._link is link:
            self._link = None

    def close(self) -> None:
        """End the connection."""
        if self._link is not None:
            self._link.close()

    async def _connected(self) -> Link:
        address = self._place.address or await self._asked()
        link = await Link.open(address)
        listen = Ask(
            REGISTRY, "/org/a11y/atspi/registry", REGISTRY, "RegisterEvent", "s", (LISTEN_TO,)
        )
        if await link.one(listen, anyio.current_time() + FIND_S) is None:
            link.close()
            raise LinkLost
        return link

    async def _asked(self) -> str:
        if self._place.session_bus is None:
            raise no_bus("this session has no message bus")
        session = await Link.open(self._place.session_bus)
        try:
            deadline = anyio.current_time() + FIND_S
            ask = Ask("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress")
            address = value(await session.one(ask, deadline))
            enable = [
                Ask(
                    "org.a11y.Bus",
                    "/org/a11y/bus",
                    PROPERTIES,
                    "Set",
                    "ssv",
                    ("org.a11y.Status", name, on()),
                )
                for name in ("IsEnabled", "ScreenReaderEnabled")
            ]
            await session.all(enable, deadline)
        finally:
            session.close()
        if not isinstance(address, str) or not address:
            raise no_bus("nobody knows its address; at-spi2-core may not be installed")
        return address


def on() -> Variant:
    """True, as a property wants it."""
    from dbus_fast import Variant

    return Variant("b", True)


def no_bus(why: str) -> Unavailable:
    """There is no accessibility bus to speak to."""
    return Unavailable(
        "no_bus",
        f"no element can be read: the accessibility bus is not there ({why}).",
        next_step="pictures, pointer and keys work all the same: desktop_screenshot",
    )

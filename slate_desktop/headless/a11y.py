"""Switches accessibility on over a session bus and learns the address of the accessibility bus."""

from __future__ import annotations

from dbus_fast import BusType, DBusError, Message, MessageType, Variant
from dbus_fast.aio import MessageBus

from slate_desktop.errors import Unavailable

NAME, PATH = "org.a11y.Bus", "/org/a11y/bus"


async def switch_on(bus_address: str) -> str | None:
    """Address of the accessibility bus, or None where at-spi2-core is not installed.

    Must come before applications start: toolkits look once. The caller sets the deadline.
    """
    try:
        bus = await MessageBus(bus_address=bus_address, bus_type=BusType.SESSION).connect()
    except (OSError, EOFError) as error:
        raise Unavailable("bus", f"the session bus at {bus_address} does not answer.") from error
    try:
        reply = await _call(bus, "org.a11y.Bus", "GetAddress")
        if reply is None:
            return None
        for name in ("IsEnabled", "ScreenReaderEnabled"):
            body: list[object] = ["org.a11y.Status", name, Variant("b", True)]
            await _call(bus, "org.freedesktop.DBus.Properties", "Set", "ssv", body)
        return str(reply.body[0])
    except (DBusError, EOFError) as error:
        raise Unavailable(
            "bus", "the session bus closed while accessibility was switched on."
        ) from error
    finally:
        bus.disconnect()


async def _call(
    bus: MessageBus,
    interface: str,
    member: str,
    signature: str = "",
    body: list[object] | None = None,
) -> Message | None:
    """The reply, or None for an error: no such service, or a property this version lacks."""
    message = Message(
        destination=NAME,
        path=PATH,
        interface=interface,
        member=member,
        signature=signature,
        body=body or [],
    )
    reply = await bus.call(message)
    return reply if reply.message_type is MessageType.METHOD_RETURN else None

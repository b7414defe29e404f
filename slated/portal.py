"""Which of the person's files a sandboxed application was given, as the document portal has them."""

from __future__ import annotations

import os
from typing import Final

import anyio
from dbus_fast import Message, MessageType
from dbus_fast.aio import MessageBus
from dbus_fast.errors import DBusError

NAME: Final = "org.freedesktop.portal.Documents"
PATH: Final = "/org/freedesktop/portal/documents"
CALL_S: Final = 1.0


async def documents(address: str, app: str) -> tuple[str, ...]:
    """Absolute paths, outside of the sandbox, that an application of that id was given; none where no portal answers
    in time. `address` is the session bus.
    """
    try:
        with anyio.fail_after(CALL_S):
            bus = await MessageBus(bus_address=address).connect()
            try:
                answer = await bus.call(
                    Message(NAME, PATH, NAME, "List", signature="s", body=[app])
                )
            finally:
                bus.disconnect()
    except (TimeoutError, OSError, EOFError, DBusError):
        return ()
    if answer.message_type is not MessageType.METHOD_RETURN:
        return ()
    if answer.signature != "a{say}":
        return ()
    paths = (os.fsdecode(bytes(path).rstrip(b"\0")) for path in answer.body[0].values())
    return tuple(path for path in paths if path.startswith("/"))

"""Desktop notifications of open questions: to be denied or opened there, never allowed, since clicks can be forged."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, Protocol

import anyio
import anyio.to_thread
from dbus_fast import Message, MessageType, Variant
from dbus_fast.aio import MessageBus
from dbus_fast.errors import DBusError

from slated.errors import Stale, Unavailable
from slated.opening import Opening, opened, opening
from slated.questions import escaped

SERVER: Final = "org.freedesktop.Notifications"
PATH: Final = "/org/freedesktop/Notifications"
RETRY_S: Final = 60.0
CALL_S: Final = 2.0
BUS: Final = "org.freedesktop.DBus"
BUS_PATH: Final = "/org/freedesktop/DBus"
_DENY: Final = "deny"
_OPEN: Final = "open"

log = logging.getLogger(__name__)
FORGERS_TOLD: Final = 16
Deny = Callable[[str, str], Awaitable[object]]
"""Denies a question, by ref and digest."""
Tell = Callable[..., Awaitable[object]]
"""Writes down that somebody forged a click, with facts by name."""


class Questions(Protocol):
    """What notifications need of the rest."""

    def questions(self) -> list[Mapping[str, object]]:
        """The open questions."""
        ...

    def reachable(self, *, yes: bool) -> None:
        """A person can be told of questions from now on, or no longer."""
        ...

    approvers: dict[tuple[int, int], list[int]]
    """Approvals that are open."""


class Lost(Exception):
    """The bus, or whoever shows notifications, is gone."""


async def run(
    address: str, board: Questions, deny: Deny, changed: Callable[[], anyio.Event], tell: Tell
) -> None:
    """Show open questions for as long as this runs; a bus that is missing or ends is tried again. Never returns."""
    while True:
        try:
            await _while_connected(address, board, deny, changed, tell)
        except (Lost, OSError, EOFError, DBusError):
            log.info("nobody shows notifications", extra={"again_s": RETRY_S})
        await anyio.sleep(RETRY_S)


async def _while_connected(
    address: str, board: Questions, deny: Deny, changed: Callable[[], anyio.Event], tell: Tell
) -> None:
    bus = await MessageBus(bus_address=address).connect()
    shown = _Shown(bus)
    try:
        await shown.greet()
        board.reachable(yes=True)
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(_answers, shown, deny)
                tasks.start_soon(_opens, shown, board)
                tasks.start_soon(_forgeries, shown, tell)
                tasks.start_soon(_ends, bus)
                while True:
                    moved = changed()
                    await shown.show(board.questions())
                    await moved.wait()
        except BaseExceptionGroup as group:
            if all(isinstance(one, Lost) for one in group.exceptions):
                raise Lost from None
            raise
        finally:
            board.reachable(yes=False)
    finally:
        bus.disconnect()


async def _ends(bus: MessageBus) -> None:
    with suppress(OSError, EOFError, DBusError):
        await bus.wait_for_disconnect()  # type: ignore[no-untyped-call] # the library has no type for it
    raise Lost


async def _answers(shown: _Shown, deny: Deny) -> None:
    while True:
        ref, digest = await shown.denied()
        try:
            await deny(ref, digest)
        except Stale:
            log.info("denied too late", extra={"question": ref})


async def _forgeries(shown: _Shown, tell: Tell) -> None:
    while True:
        sender = await shown.forged()
        try:
            await tell(sender=sender, pid=await shown.pid_of(sender))
        except Unavailable as error:
            log.warning("not in the audit log", extra={"sender": sender, "why": error.message})


async def _opens(shown: _Shown, board: Questions) -> None:
    """Open approvals at a click, one window at a time."""
    while True:
        await shown.opened()
        how = shown.how
        if how is None or board.approvers:
            continue
        log.info("approvals are opened", extra={"argv": list(how.argv)})
        if not await opened(how):
            log.warning("approvals could not be opened")
        shown.forget_clicks()


class _Shown:
    """The notifications of one connection: which question each shows. `how` says how approvals can be opened."""

    how: Opening | None = None

    def __init__(self, bus: MessageBus) -> None:
        self._bus = bus
        self._owner = ""
        self._open = anyio.Event()
        self._ids: dict[str, tuple[int, str]] = {}
        self._denied: deque[tuple[str, str]] = deque(maxlen=64)
        self._clicked = anyio.Event()
        self._numbers: deque[int] = deque(maxlen=64)
        self._forgers: list[str] = []
        self._told = 0
        self._forgery = anyio.Event()
        bus.add_message_handler(self._signal)

    async def greet(self) -> None:
        """Make sure that somebody shows notifications, and listen to clicks. Raises Lost."""
        await self._call("GetServerInformation", "", [])
        rule = f"type='signal',interface='{SERVER}',member='ActionInvoked',path='{PATH}'"
        await self._ask("AddMatch", rule)
        await self._ask(
            "AddMatch", f"type='signal',sender='{BUS}',member='NameOwnerChanged',arg0='{SERVER}'"
        )
        self._owner = str((await self._ask("GetNameOwner", SERVER)).body[0])
        pid = await self.pid_of(self._owner)
        self.how = await anyio.to_thread.run_sync(opening, pid)

    async def pid_of(self, sender: str) -> int:
        """The process behind a name of the bus; 0 for one that has left it. Raises Lost."""
        answer = await self._message("GetConnectionUnixProcessID", "s", [sender], BUS, BUS_PATH)
        if answer.message_type is not MessageType.METHOD_RETURN:
            return 0
        return int(answer.body[0])

    async def forged(self) -> str:
        """Wait for the next program that forges clicks: its name on the bus. Each is told once, and not very many."""
        while self._told >= len(self._forgers):
            self._forgery = anyio.Event()
            await self._forgery.wait()
        self._told += 1
        return self._forgers[self._told - 1]

    async def _ask(self, member: str, about: str) -> Message:
        """A question to the bus itself."""
        return await self._call(member, "s", [about], to=BUS, path=BUS_PATH)

    async def show(self, questions: Sequence[Mapping[str, object]]) -> None:
        """Show what is open and is not shown yet; take away what is closed."""
        open_ = {str(question["ref"]): question for question in questions}
        for ref in [ref for ref in self._ids if ref not in open_]:
            number, _ = self._ids.pop(ref)
            await self._call("CloseNotification", "u", [number])
        for ref, question in open_.items():
            if ref not in self._ids:
                body = _notification(ref, question, opens=self.how is not None)
                made = await self._call("Notify", "susssasa{sv}i", body)
                self._ids[ref] = (int(made.body[0]), str(question["digest"]))
                self._match()

    async def denied(self) -> tuple[str, str]:
        """Wait for the next question that is denied: its ref and digest."""
        while not self._denied:
            await self._clicked.wait()
        return self._denied.popleft()

    async def opened(self) -> None:
        """Wait for the next click that wants approvals opened."""
        await self._open.wait()
        self.forget_clicks()

    def forget_clicks(self) -> None:
        """Clicks that wanted approvals opened until now are done with."""
        self._open = anyio.Event()

    def _signal(self, message: Message) -> None:
        if message.message_type is not MessageType.SIGNAL:
            return
        match message.sender, message.member, message.body:
            case str(sender), "NameOwnerChanged", [str(name), _, _] if (sender, name) == (
                BUS,
                SERVER,
            ):
                # Whoever shows notifications now was not looked at: greet it anew.
                self._bus.disconnect()
            # The bus writes the sender: a signal of anybody but whoever shows notifications is forged.
            case self._owner, "ActionInvoked", [int(number), str(action)] if action == _DENY:
                self._numbers.append(number)
                self._match()
            case self._owner, "ActionInvoked", [int(number), str(action)] if action == _OPEN:
                if any(number == shown for shown, _ in self._ids.values()):
                    self._open.set()
            case str(sender), "ActionInvoked", [int(), str()] if sender != self._owner:
                if sender not in self._forgers and len(self._forgers) < FORGERS_TOLD:
                    self._forgers.append(sender)
                    self._forgery.set()
            case _:
                return

    def _match(self) -> None:
        """Find the questions of clicks. A click may be heard before we know which question its number shows."""
        for ref, (shown, digest) in self._ids.items():
            if shown in self._numbers:
                self._numbers.remove(shown)
                self._denied.append((ref, digest))
                self._clicked.set()
                self._clicked = anyio.Event()

    async def _call(
        self, member: str, signature: str, body: list[Any], *, to: str = SERVER, path: str = PATH
    ) -> Message:
        answer = await self._message(member, signature, body, to, path)
        if answer.message_type is not MessageType.METHOD_RETURN:
            raise Lost
        return answer

    async def _message(
        self, member: str, signature: str, body: list[Any], to: str, path: str
    ) -> Message:
        message = Message(
            destination=to, path=path, interface=to, member=member, signature=signature, body=body
        )
        answer = None
        with anyio.move_on_after(CALL_S):
            answer = await self._bus.call(message)
        if answer is None:
            raise Lost
        return answer


def _notification(ref: str, question: Mapping[str, object], *, opens: bool) -> list[Any]:
    title = f"{ref}: an agent asks for your leave"
    tool = escaped(str(question["tool"]), 60)
    why = escaped(str(question["reason"]), 300)
    text = f"{tool}: {why}\nAnswer with: slate approvals"
    for character, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
        text = text.replace(character, entity)
    hints = {"urgency": Variant("y", 2), "category": Variant("s", "x-slate.question")}
    actions = [_DENY, "Deny", *([_OPEN, "Open"] if opens else [])]
    return ["Slate", 0, "dialog-question", title, text, actions, hints, 0]

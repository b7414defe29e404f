"""A scripted compositor: speaks the Wayland wire on a socket, records requests, sends events.

It knows the messages of protocols/ from the XML itself, and those of all other protocols from the
tables of pywayland. It runs in the test's own event loop and answers as it reads.
"""

from __future__ import annotations

import array
import asyncio
import importlib
import pkgutil
import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pywayland.protocol

XML = Path(__file__).parents[2] / "protocols"
SERVER_IDS = 0xFF000000
HEADER = struct.Struct("=II")


@dataclass(frozen=True)
class Argument:
    """One argument: its type's name in XML, and what interface a new object has."""

    kind: str
    interface: str | None = None


@dataclass(frozen=True)
class Message:
    """A request or an event."""

    name: str
    arguments: tuple[Argument, ...]


@dataclass(frozen=True)
class Interface:
    """Requests and events by opcode."""

    requests: tuple[Message, ...]
    events: tuple[Message, ...]


@dataclass(frozen=True)
class Request:
    """A request as it arrived. `batch` counts reads: what left in one flush shares it."""

    object: int
    interface: str
    name: str
    arguments: tuple[Any, ...]
    batch: int

    def __str__(self) -> str:
        return f"{self.interface}.{self.name}"


class Peer:
    """One client's compositor. `globals_` is (interface, version) in registry order, names from 1."""

    def __init__(self, sock: socket.socket, globals_: list[tuple[str, int]]) -> None:
        sock.setblocking(False)
        self._socket = sock
        self.globals_ = dict(enumerate(globals_, 1))
        self.objects: dict[int, str] = {1: "wl_display"}
        self.requests: list[Request] = []
        self.answers: dict[str, Callable[[Request], None]] = {}
        self.bound: dict[int, list[int]] = {}  # name of a global → objects made from it
        self.registries: list[int] = []
        self.silent = False  # reads and records, but answers no round trip
        self.batch = 0
        self.fault: Exception | None = None
        self._serial = 0
        self._next_id = SERVER_IDS - 1
        self._bytes = b""
        self.fds: list[int] = []
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(sock, self._read)

    def send(self, object_: int, event: str, *arguments: Any) -> None:
        """Send an event by name. A new object's argument is its id, see `new`; a descriptor is passed on as it is."""
        messages = interfaces()[self.objects[object_]].events
        opcode = next(n for n, message in enumerate(messages) if message.name == event)
        kinds = messages[opcode].arguments
        given = list(zip((kind.kind for kind in kinds), arguments, strict=True))
        body = b"".join(_packed(kind, value) for kind, value in given if kind != "fd")
        self._write(object_, opcode, body, [value for kind, value in given if kind == "fd"])

    def new(self, interface: str) -> int:
        """An id for an object that the compositor makes."""
        self._next_id += 1
        self.objects[self._next_id] = interface
        return self._next_id

    def add(self, interface: str, version: int) -> int:
        """Announce another global; its name."""
        name = max(self.globals_, default=0) + 1
        self.globals_[name] = interface, version
        for registry in self.registries:
            self.send(registry, "global", name, interface, version)
        return name

    def remove(self, name: int) -> None:
        """Take a global back."""
        del self.globals_[name]
        for registry in self.registries:
            self.send(registry, "global_remove", name)

    def fail(self, object_: int, code: int, message: str) -> None:
        """A protocol error, then the end."""
        self.send(1, "error", object_, code, message)
        self.close()

    def close(self) -> None:
        """Hang up. Safe twice."""
        if self._socket.fileno() >= 0:
            self._loop.remove_reader(self._socket)
            self._socket.close()

    @property
    def closed(self) -> bool:
        """Whether either side has hung up."""
        return self._socket.fileno() < 0

    def names(self) -> list[str]:
        """The requests so far, as interface.request."""
        return [str(request) for request in self.requests]

    def object_of(self, interface: str) -> int:
        """The newest live object of an interface."""
        return max(id_ for id_, name in self.objects.items() if name == interface)

    def _read(self) -> None:
        try:
            data, fds, _, _ = socket.recv_fds(self._socket, 1 << 16, 64)
        except ConnectionError:
            data, fds = b"", []
        if not data:
            self.close()
            return
        self.batch += 1
        self._bytes += data
        self.fds += fds
        try:
            self._handle_all()
        except Exception as fault:  # noqa: BLE001  # `wired` raises it in the test
            self.fault = fault
            self.close()

    def _handle_all(self) -> None:
        while len(self._bytes) >= HEADER.size:
            object_, word = HEADER.unpack_from(self._bytes)
            size = word >> 16
            if len(self._bytes) < size:
                return
            body, self._bytes = self._bytes[HEADER.size : size], self._bytes[size:]
            self._handle(object_, word & 0xFFFF, body)

    def _handle(self, object_: int, opcode: int, body: bytes) -> None:
        interface = self.objects[object_]
        message = interfaces()[interface].requests[opcode]
        request = Request(
            object_, interface, message.name, tuple(self._arguments(message, body)), self.batch
        )
        self.requests.append(request)
        if message.name in ("destroy", "release"):
            del self.objects[object_]
            self.send(1, "delete_id", object_)
        elif str(request) == "wl_display.sync" and not self.silent:
            self._serial += 1
            self.send(request.arguments[0], "done", self._serial)
            del self.objects[request.arguments[0]]
            self.send(1, "delete_id", request.arguments[0])
        elif str(request) == "wl_display.get_registry":
            self.registries.append(request.arguments[0])
            for name, (wanted, version) in self.globals_.items():
                self.send(request.arguments[0], "global", name, wanted, version)
        elif str(request) == "wl_registry.bind":
            self.bound.setdefault(request.arguments[0], []).append(request.arguments[3])
        answer = self.answers.get(str(request))
        if answer is not None:
            answer(request)

    def _arguments(self, message: Message, body: bytes) -> Iterator[Any]:
        place = 0

        def word() -> int:
            nonlocal place
            place += 4
            return int(struct.unpack_from("=I", body, place - 4)[0])

        def run() -> bytes:
            nonlocal place
            length = word()
            data = body[place : place + length]
            place += (length + 3) & ~3
            return data

        for argument in message.arguments:
            match argument.kind:
                case "int":
                    yield struct.unpack("=i", struct.pack("=I", word()))[0]
                case "fixed":
                    yield struct.unpack("=i", struct.pack("=I", word()))[0] / 256
                case "string":
                    interface = run()[:-1].decode()
                    yield interface
                case "array":
                    yield run()
                case "fd":
                    yield self.fds.pop(0)
                case "new_id":
                    id_ = word()
                    # Only wl_registry.bind names its interface on the wire, as a string before.
                    self.objects[id_] = argument.interface or interface
                    yield id_
                case _:
                    yield word()

    def _write(self, object_: int, opcode: int, body: bytes, fds: list[int]) -> None:
        size = HEADER.size + len(body)
        with suppress(OSError):  # a client that has hung up hears nothing more
            socket.send_fds(self._socket, [HEADER.pack(object_, size << 16 | opcode) + body], fds)


@contextmanager
def wired(*globals_: tuple[str, int]) -> Iterator[tuple[socket.socket, Peer]]:
    """A client's end of a socket pair, and the compositor at the other end."""
    ours, theirs = socket.socketpair()
    peer = Peer(theirs, list(globals_))
    try:
        yield ours, peer
    finally:
        peer.close()
    if peer.fault is not None:
        raise peer.fault


def states(*values: int) -> bytes:
    """The array of a state event."""
    return array.array("I", values).tobytes()


def _packed(kind: str, value: Any) -> bytes:
    if kind == "string":
        data: bytes = value.encode() + b"\0"
        return struct.pack("=I", len(data)) + data + bytes(-len(data) % 4)
    if kind == "array":
        return struct.pack("=I", len(value)) + bytes(value) + bytes(-len(value) % 4)
    if kind == "fixed":
        return struct.pack("=i", round(value * 256))
    return struct.pack("=i" if kind == "int" else "=I", value)


@cache
def interfaces() -> dict[str, Interface]:
    """Every interface we know, by name."""
    known: dict[str, Interface] = {}
    for module in pkgutil.iter_modules(pywayland.protocol.__path__):
        if module.name in NEEDED:
            loaded = importlib.import_module(f"pywayland.protocol.{module.name}")
            for table in map(_interface, vars(loaded).values()):
                known.update(table)
    for path in XML.glob("*.xml"):
        for element in ElementTree.parse(path).getroot().iter("interface"):  # noqa: S314  # ours
            known[element.attrib["name"]] = Interface(
                *(tuple(map(_message, element.findall(kind))) for kind in ("request", "event"))
            )
    return known


NEEDED = {
    "wayland",
    "xdg_output_unstable_v1",
    "xdg_shell",
    "viewporter",
    "ext_foreign_toplevel_list_v1",
    "ext_data_control_v1",
    "ext_transient_seat_v1",
    "ext_image_capture_source_v1",
    "ext_image_copy_capture_v1",
    "security_context_v1",
}
"""Modules of pywayland that tests speak; loading all takes longer than the tests."""


def _interface(thing: Any) -> dict[str, Interface]:
    """The tables of one of pywayland's interface classes, by its name; nothing of anything else."""
    if not (hasattr(thing, "_ptr") and hasattr(thing, "name")):
        return {}
    return {thing.name: Interface(_table(thing.requests), _table(thing.events))}


def _table(messages: list[Any]) -> tuple[Message, ...]:
    return tuple(
        Message(
            message.name,
            tuple(
                part
                for argument in message.arguments
                for part in _expanded(argument.argument_type.name, argument.interface)
            ),
        )
        for message in messages
    )


def _expanded(kind: str, interface: Any) -> Iterator[Argument]:
    plain = {"NewId": "new_id", "FileDescriptor": "fd"}.get(kind, kind.lower())
    if plain == "new_id" and interface is None:
        yield from (Argument("string"), Argument("uint"))
    yield Argument(plain, interface.name if interface else None)


def _message(element: ElementTree.Element) -> Message:
    return Message(
        element.attrib["name"],
        tuple(Argument(a.attrib["type"], a.get("interface")) for a in element.findall("arg")),
    )

"""An accessibility bus with a registry and scripted programs on it: plain records behind real D-Bus messages."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
from dbus_fast import BusType, Message, MessageType, Variant
from dbus_fast.aio import MessageBus

from slate_desktop.atspi.words import NULL_PATH, REGISTRY, ROLES, ROOT_PATH, STATES
from slate_desktop.geometry import Point, Rect

SHOWN = ("enabled", "sensitive", "showing", "visible")
NEW_ITEMS = "a((so)(so)(so)iiassusau)"
OLD_ITEMS = "a((so)(so)(so)a(so)assusau)"
CONFIG = """<busconfig><type>session</type><listen>unix:path={path}</listen>
<policy context="default">
<allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>
</policy>
</busconfig>"""


@dataclass
class Node:
    """A widget. `box` is in its window's coordinates; `kids` are below it; `text` with a caret at its end."""

    role: str
    name: str = ""
    states: tuple[str, ...] = SHOWN
    kids: list[Node] = field(default_factory=list)
    box: Rect | None = None
    actions: tuple[str, ...] = ()
    text: str | None = None
    editable: bool = False
    number: float | None = None
    told_count: int | None = None  # a child count that is not true
    labelled_by: Node | None = None
    path: str = ""
    parent: Node | None = None
    done: list[str] = field(default_factory=list)

    @property
    def interfaces(self) -> list[str]:
        """What it offers."""
        words = ["Accessible", "Component"]
        words += ["Action"] if self.actions else []
        words += ["Text"] if self.text is not None else []
        words += ["EditableText"] if self.editable else []
        words += ["Value"] if self.number is not None else []
        words += ["Selection"] if self.role in ("list", "combo box") else []
        return [f"org.a11y.atspi.{word}" for word in words]

    @property
    def bits(self) -> list[int]:
        """Its states as two words."""
        number = sum(1 << STATES.index(state) for state in self.states)
        return [number & 0xFFFFFFFF, number >> 32]

    def all(self) -> Iterator[Node]:
        """It and all below it."""
        yield self
        for kid in self.kids:
            yield from kid.all()


class Program:
    """A program on the bus. `cache` is how it answers GetItems: "new", "old" or "" (not at all).

    `uncached` paths are left out of the cache; a `frozen` program answers nothing; `calls` are the members asked for.
    `odd` replies are given for members, `mute` members not answered; `gone` paths have vanished since told.
    """

    def __init__(self, bus: MessageBus, root: Node, cache: str = "new") -> None:
        self.bus, self.root, self.cache = bus, root, cache
        self.uncached: set[str] = set()
        self.frozen = False
        self.answers_left: int | None = None
        self.calls: list[str] = []
        self.silent_interfaces: set[str] = set()
        self.toolkit = "fake"
        self.mute: set[str] = set()
        self.odd: dict[str, tuple[str, list[Any]]] = {}
        self.gone: set[str] = set()
        self._count = 0
        self.place()
        bus.add_message_handler(self._called)

    @property
    def name(self) -> str:
        """Its unique bus name."""
        return str(self.bus.unique_name)

    def place(self) -> None:
        """Give paths to widgets that have none, and parents to all."""
        self.root.path = ROOT_PATH
        for node in self.root.all():
            if not node.path:
                self._count += 1
                node.path = f"/org/a11y/atspi/accessible/{self._count}"
            for kid in node.kids:
                kid.parent = node

    def node(self, path: str) -> Node | None:
        """The widget at a path, if it is still in the tree."""
        return next((n for n in self.root.all() if n.path == path), None)

    def _called(self, message: Message) -> Message | bool:
        if message.message_type is not MessageType.METHOD_CALL or message.path is None:
            return False
        self.calls.append(str(message.member))
        if self.frozen or self.answers_left == 0 or message.member in self.mute:
            return True
        if self.answers_left is not None:
            self.answers_left -= 1
        try:
            signature, body = self._answer(message)
        except LookupError:
            return Message.new_error(message, "org.freedesktop.DBus.Error.UnknownMethod", "no")
        return Message.new_method_return(message, signature, body)

    def _answer(self, message: Message) -> tuple[str, list[Any]]:
        if message.member in self.odd:
            return self.odd[str(message.member)]
        if message.member == "GetItems":
            return self._items()
        node = self.node(str(message.path))
        if node is None:
            raise LookupError
        if message.member in ("Get", "Set"):
            return self._property(node, message)
        short = str(message.interface).rpartition(".")[2]
        if short in self.silent_interfaces:
            raise LookupError
        return getattr(self, f"_{message.member}")(node, *message.body)  # type: ignore[no-any-return]  # by name

    def _items(self) -> tuple[str, list[Any]]:
        if self.cache == "old":
            return OLD_ITEMS, [[]]
        if not self.cache:
            raise LookupError
        rows = [self._item(n) for n in self.root.all() if n.path not in self.uncached]
        return NEW_ITEMS, [rows]

    def _item(self, node: Node) -> list[Any]:
        above = node.parent
        index = above.kids.index(node) if above is not None else -1
        count = len(node.kids) if node.told_count is None else node.told_count
        return [
            self._ref(node),
            [self.name, ROOT_PATH],
            self._ref(above),
            index,
            count,
            node.interfaces,
            node.name,
            ROLES.index(node.role),
            "",
            node.bits,
        ]

    def _ref(self, node: Node | None) -> list[str]:
        return [self.name, node.path] if node is not None else ["", NULL_PATH]

    def _property(self, node: Node, message: Message) -> tuple[str, list[Any]]:
        name = message.body[1]
        if message.member == "Set":
            node.number = float(message.body[2].value)
            return "", []
        values = {
            "Name": Variant("s", node.name),
            "ChildCount": Variant("i", len(node.kids)),
            "ToolkitName": Variant("s", self.toolkit),
            "Parent": Variant("(so)", self._ref(None if node.path in self.gone else node.parent)),
        }
        if node.text is not None:
            values |= {
                "CharacterCount": Variant("i", len(node.text)),
                "CaretOffset": Variant("i", len(node.text)),
            }
        if node.number is not None:
            values["CurrentValue"] = Variant("d", node.number)
        return "v", [values[name]]

    def _GetChildren(self, node: Node) -> tuple[str, list[Any]]:  # noqa: N802 - the bus's word
        return "a(so)", [[self._ref(kid) for kid in node.kids]]

    def _GetChildAtIndex(self, node: Node, index: int) -> tuple[str, list[Any]]:  # noqa: N802
        return "(so)", [self._ref(node.kids[index] if index < len(node.kids) else None)]

    def _GetIndexInParent(self, node: Node) -> tuple[str, list[Any]]:  # noqa: N802
        return "i", [node.parent.kids.index(node) if node.parent is not None else -1]

    def _GetRelationSet(self, node: Node) -> tuple[str, list[Any]]:  # noqa: N802
        label = [[2, [self._ref(node.labelled_by)]]] if node.labelled_by is not None else []
        return "a(ua(so))", [[[1, []], *label]]

    def _GetRole(self, node: Node) -> tuple[str, list[Any]]:  # noqa: N802
        return "u", [ROLES.index(node.role)]

    def _GetState(self, node: Node) -> tuple[str, list[Any]]:  # noqa: N802
        return "au", [node.bits]

    def _GetInterfaces(self, node: Node) -> tuple[str, list[Any]]:  # noqa: N802
        return "as", [node.interfaces]

    def _GetExtents(self, node: Node, _kind: int) -> tuple[str, list[Any]]:  # noqa: N802
        box = node.box or Rect(-(2**31), -(2**31), 1, 1)
        return "(iiii)", [[box.x, box.y, box.width, box.height]]

    def _GetAccessibleAtPoint(  # noqa: N802
        self, node: Node, x: int, y: int, _kind: int
    ) -> tuple[str, list[Any]]:
        hit = [k for k in node.kids if k.box is not None and k.box.contains(Point(x, y))]
        return "(so)", [self._ref(hit[-1] if hit else None)]

    def _GetActions(self, node: Node) -> tuple[str, list[Any]]:  # noqa: N802
        if not node.actions:
            raise LookupError
        return "a(sss)", [[[name, "", ""] for name in node.actions]]

    def _GetName(self, node: Node, index: int) -> tuple[str, list[Any]]:  # noqa: N802
        return "s", [f"named {index}"]

    def _DoAction(self, node: Node, index: int) -> tuple[str, list[Any]]:  # noqa: N802
        node.done.append(node.actions[index])
        return "b", [True]

    def _GetText(self, node: Node, start: int, end: int) -> tuple[str, list[Any]]:  # noqa: N802
        if node.text is None:
            raise LookupError
        return "s", [node.text[start:end]]

    def _SetTextContents(self, node: Node, text: str) -> tuple[str, list[Any]]:  # noqa: N802
        if not node.editable:
            raise LookupError
        node.text = text
        return "b", [True]

    def _GrabFocus(self, node: Node) -> tuple[str, list[Any]]:  # noqa: N802
        node.states = (*node.states, "focused")
        return "b", [True]

    def _ScrollTo(self, node: Node, _where: int) -> tuple[str, list[Any]]:  # noqa: N802
        node.states = (*node.states, "showing")
        return "b", [True]

    def _GetSelectedChild(self, node: Node, index: int) -> tuple[str, list[Any]]:  # noqa: N802
        chosen = [kid for kid in node.kids if "selected" in kid.states]
        return "(so)", [self._ref(chosen[index] if index < len(chosen) else None)]

    def _SelectChild(self, node: Node, index: int) -> tuple[str, list[Any]]:  # noqa: N802
        menu = node.kids if node.role == "combo box" and len(node.kids) == 1 else ()
        for number, kid in enumerate(menu[0].kids if menu else node.kids):
            kid.states = (*SHOWN, "selected") if number == index else SHOWN
        return "b", [True]


class Registry:
    """The registry: lists the programs there are."""

    def __init__(self, bus: MessageBus) -> None:
        self.programs: list[Program] = []
        self.listeners: list[str] = []
        self.frozen = False
        bus.add_message_handler(self._called)

    def _called(self, message: Message) -> Message | bool:
        if message.message_type is not MessageType.METHOD_CALL or self.frozen:
            return self.frozen
        if message.member == "RegisterEvent":
            self.listeners.append(message.body[0])
            return Message.new_method_return(message)
        if message.member == "GetChildren":
            listed = [[program.name, ROOT_PATH] for program in self.programs]
            return Message.new_method_return(message, "a(so)", [listed])
        return False


@dataclass
class A11yBus:
    """The bus: its address, and a way to put programs on it."""

    address: str
    registry: Registry
    _buses: list[MessageBus]

    async def connect(self) -> MessageBus:
        """One more connection."""
        bus = await MessageBus(bus_address=self.address, bus_type=BusType.SESSION).connect()
        self._buses.append(bus)
        return bus

    async def program(self, *frames: Node, cache: str = "new") -> Program:
        """A program with these windows."""
        root = Node("application", "app", kids=list(frames))
        program = Program(await self.connect(), root, cache)
        self.registry.programs.append(program)
        return program


@asynccontextmanager
async def a11y_bus() -> AsyncIterator[A11yBus]:
    """A private bus that ends with the block."""
    directory = Path(tempfile.mkdtemp(prefix="slate-t-"))
    config = directory / "bus.conf"
    config.write_text(CONFIG.format(path=directory / "bus"))
    daemon = subprocess.Popen(  # noqa: ASYNC220 - it forks at once; what it prints is read in a thread
        ["dbus-daemon", "--nofork", "--print-address", f"--config-file={config}"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={"PATH": "/usr/bin:/bin"},
    )
    buses: list[MessageBus] = []
    try:
        assert daemon.stdout is not None
        address = (await anyio.to_thread.run_sync(daemon.stdout.readline)).decode().strip()
        own = await MessageBus(bus_address=address, bus_type=BusType.SESSION).connect()
        buses.append(own)
        await own.request_name(REGISTRY)
        yield A11yBus(address, Registry(own), buses)
    finally:
        for bus in buses:
            bus.disconnect()
        daemon.terminate()
        daemon.wait(5)
        if daemon.stdout is not None:
            daemon.stdout.close()
        shutil.rmtree(directory)


def editor() -> Node:
    """A window of 400x300: button, field, password field, check box, slider and a list of three, 20 pixels each."""
    field = (*SHOWN, "editable", "focusable")
    rows = [
        Node("list item", kids=[Node("label", name)], box=Rect(0, 100 + 20 * i, 400, 20))
        for i, name in enumerate(("one", "two", "three"))
    ]
    secret = "pw-Sentinel-77"  # noqa: S105 - what must never be read
    kids = [
        Node("push button", "Save", actions=("Click",)),
        Node("entry", "Name", field, text="abc", editable=True),
        Node("password text", "Key", field, text=secret, editable=True),
        Node("check box", "Agree", (*SHOWN, "checkable"), actions=("toggle",)),
        Node("slider", "Volume", number=50.0),
        Node("list", kids=rows),
    ]
    for number, kid in enumerate(kids):
        kid.box = Rect(0, 20 * number, 100 if number in (0, 3) else 400, 20)
    kids[-1].box = Rect(0, 100, 400, 60)
    return Node("frame", "Editor", kids=kids, box=Rect(0, 0, 400, 300))

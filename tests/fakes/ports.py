"""The outside behind its ports, without a compositor: each fake keeps a ledger of what it was asked
to do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import anyio

from slate_desktop.consoles import Consoles
from slate_desktop.elements import Deed, Detail, Element, Key, Seen, TextNow, Tree, Way
from slate_desktop.errors import SlateError, Unavailable, window_gone
from slate_desktop.geometry import Point, Rect, Size
from slate_desktop.intent import Intent
from slate_desktop.lease import Lease
from slate_desktop.model import (
    Desktop,
    Drawn,
    Handle,
    KeyBurst,
    Output,
    Pixels,
    Place,
    PointerStep,
    Window,
    WindowId,
)
from slate_desktop.outcome import Outcome
from slate_desktop.ports import Desk, Gate
from slate_desktop.sightings import Sightings
from slated.errors import Refused
from slated.model import Grant
from tests.fakes.terminals import FakeTerminals

SEAT = "transient-0"
SCREEN = Output("HEADLESS-1", Rect(0, 0, 1280, 800), 1.0, "normal", False, "1")
BACKGROUND = Output("HEADLESS-2", Rect(0, 5800, 1280, 800), 1.0, "normal", True, "agent")


def window(id_: int, **changes: object) -> Window:
    """A background window that fills the agent's output, but for `changes`."""
    made = Window(
        WindowId(id_),
        Handle(f"h{id_}"),
        f"title {id_}",
        f"app.{id_}",
        1000 + id_,
        BACKGROUND.rect,
        Place.BACKGROUND,
        "agent",
        "HEADLESS-2",
    )
    return replace(made, **changes)  # type: ignore[arg-type]  # the test names real fields


def on_screen(id_: int, **changes: object) -> Window:
    """A window on the person's screen."""
    place: dict[str, object] = {
        "place": Place.SCREEN,
        "workspace": "1",
        "output": "HEADLESS-1",
        "rect": SCREEN.rect,
    }
    return window(id_, **(place | changes))


def desktop(*windows: Window, person: int = 1, agent: int = 2) -> Desktop:
    """A desktop with a screen and a background; `person` and `agent` are what the seats look at."""
    return Desktop(windows, (SCREEN, BACKGROUND), {"seat0": person, SEAT: agent})


def pixels(size: Size = Size(8, 4), value: int = 0, *, current: bool = True) -> Pixels:
    """One flat colour."""
    data = bytes([value, value, value, 255]) * (size.width * size.height)
    return Pixels(size, size.width * 4, data, 0.0, current)


@dataclass
class FakeWindows:
    """A window manager that is what `now` says."""

    now: Desktop
    log: list[str] = field(default_factory=list)
    on_change: list[Callable[[], None]] = field(default_factory=list)
    on_drawn: list[Callable[[], None]] = field(default_factory=list)  # what is done before it is

    async def desktop(self, *, drawn: bool = False) -> Desktop:
        if drawn and self.on_drawn:
            self.on_drawn.pop(0)()
        return self.now

    async def changed(self, *, deadline_s: float) -> bool:
        if self.on_change:
            self.on_change.pop(0)()
            return True
        await anyio.sleep(min(deadline_s, 0.01))
        return False

    async def close(self, id_: WindowId) -> None:
        self.log.append(f"close {id_}")

    async def reshape(
        self,
        id_: WindowId,
        *,
        rect: Rect | None = None,
        floating: bool | None = None,
        fullscreen: bool | None = None,
        place: Place | None = None,
    ) -> None:
        where = f" {place}" if place is not None else ""
        self.log.append(f"reshape {id_} {rect} {floating} {fullscreen}{where}")

    async def arrange(self, ids: Sequence[WindowId], layout: str) -> None:
        self.log.append(f"arrange {list(ids)} {layout}")

    async def to_background(self, id_: WindowId) -> None:
        self.log.append(f"to_background {id_}")

    def put(self, *windows: Window) -> None:
        """Make these the open windows."""
        self.now = replace(self.now, windows=windows)

    def look_at(self, seat: str, id_: int) -> None:
        """Make a seat look at a window (0: a prompt)."""
        self.now = replace(self.now, focus={**self.now.focus, seat: id_})


@dataclass
class FakeHands:
    """Hands that write down what they do. `stubborn` handles never take the focus."""

    windows: FakeWindows
    log: list[str] = field(default_factory=list)
    stubborn: set[str] = field(default_factory=set)
    active: str = ""
    after_burst: Callable[[int], None] = lambda _count: None
    seat: str = SEAT
    bursts: list[KeyBurst] = field(default_factory=list)

    async def focus(self, handle: Handle) -> bool:
        self.log.append(f"focus {handle}")
        if handle in self.stubborn:
            return False
        self.active = handle
        for open_ in self.windows.now.windows:
            if open_.handle == handle:
                self.windows.look_at(self.seat, open_.id)
        return True

    def focused(self, handle: Handle) -> bool:
        return self.active == handle

    async def keys(self, handle: Handle, burst: KeyBurst, *, hold_s: float = 0) -> None:
        self.log.append(f"keys {handle} {len(burst.strokes)} hold {hold_s:g}")
        self.bursts.append(burst)
        if hold_s:
            await anyio.sleep(hold_s)
        self.after_burst(sum(line.startswith("keys") for line in self.log))

    async def pointer(
        self, output: str, steps: Sequence[PointerStep], *, modifiers: int = 0
    ) -> None:
        self.log.append(f"pointer {output} {[type(s).__name__ for s in steps]} mods {modifiers}")

    async def rest(self) -> None:
        self.log.append("rest")


@dataclass
class FakeEyes:
    """Pictures taken one after the other; the last one stays. A handle that is not there is gone."""

    pictures: dict[str, list[Pixels]] = field(default_factory=dict)
    looks: int = 0

    async def window(self, handle: Handle, *, settle: bool = True) -> Pixels:
        self.looks += 1
        shots = self.pictures.get(handle)
        if shots is None:
            raise window_gone("the window")
        return shots.pop(0) if len(shots) > 1 else shots[0]

    async def output(self, name: str) -> Pixels:
        return self.pictures[name][0]

    async def still(self, handle: Handle, *, quiet_s: float, deadline_s: float) -> bool:
        if handle not in self.pictures:
            raise window_gone("the window")
        return True


TOP = Key(":1.7", "/top")


def element(
    name: str, role: str = "push button", *states: str, path: str = "", **facts: object
) -> Element:
    """A widget straight below its window, on screen and usable, with `states` beside."""
    plain = {"showing", "visible", "enabled", "sensitive"}
    made = Element(
        Key(":1.7", path or f"/{role}/{name}".replace(" ", "_")),
        role,
        name,
        frozenset(plain | set(states)),
        1,
        (TOP,),
        interfaces=frozenset({"Component"}),
    )
    return replace(made, **facts)  # type: ignore[arg-type]  # the test names real fields


def frame(*elements: Element) -> Tree:
    """A window's tree: a frame and these below it."""
    top = Element(TOP, "frame", "title", frozenset({"showing", "visible", "enabled"}))
    return Tree((top, *elements))


@dataclass
class FakeWidgets:
    """Trees by window handle; windows without one have none by design. `deeds` are what was asked for; those whose
    way is in `refused` are not done.
    """

    trees: dict[str, Tree] = field(default_factory=dict)
    known: dict[Key, Detail] = field(default_factory=dict)
    written: dict[Key, TextNow] = field(default_factory=dict)
    hits: list[Element] = field(default_factory=list)
    deeds: list[Deed] = field(default_factory=list)
    refused: set[Way] = field(default_factory=set)
    on_deed: Callable[[Key, Deed], None] = lambda _key, _deed: None
    looks: int = 0
    on_look: Callable[[int], None] = lambda _count: None

    async def tree(self, window: Window, *, budget_s: float = 2.0, most: int = 6_000) -> Tree:
        self.looks += 1
        self.on_look(self.looks)
        if window.handle not in self.trees:
            raise Unavailable("no_tree", "it describes no elements, by design.", next_step="look")
        return self.trees[window.handle]

    async def details(
        self, window: Window, elements: Sequence[Element], *, characters: int = 400
    ) -> Mapping[Key, Detail]:
        return {e.key: self.known.get(e.key, Detail(Rect(10, 20, 30, 10))) for e in elements}

    async def texts(self, window: Window, keys: Sequence[Key], near: int) -> Mapping[Key, TextNow]:
        return {key: self.written[key] for key in keys if key in self.written}

    async def now(self, window: Window, seen: Seen) -> Seen | None:
        found = (await self.tree(window)).index().get(seen.element.key)
        if found is None:
            return None
        return replace(seen, element=found, detail=(await self.details(window, [found]))[found.key])

    async def hit(self, window: Window, point: Point) -> Sequence[Element]:
        return self.hits

    async def do(self, window: Window, key: Key, deed: Deed) -> bool:
        self.deeds.append(deed)
        if deed.way in self.refused:
            return False
        self.on_deed(key, deed)
        return True


@dataclass
class FakeLaunched:
    """A program that was started."""

    id: str = "launch-1"
    pid: int = 4242
    exit_code: int | None = None
    output_tail: str = ""


@dataclass
class FakeLauncher:
    """Starts nothing, and says what it would have started."""

    launched: FakeLaunched = field(default_factory=FakeLaunched)
    x_servers: set[str] = field(default_factory=set)  # launches that have one
    log: list[str] = field(default_factory=list)

    def command(self, app: str, files: Sequence[str]) -> Sequence[str]:
        return [f"/usr/bin/{app}", *files]

    async def start(
        self, argv: Sequence[str], *, cwd: str | None, seat: str | None = None, x11: bool = False
    ) -> FakeLaunched:
        how = (f" for {seat}" if seat else "") + (" on X" if x11 else "")
        self.log.append(f"start {list(argv)} in {cwd}{how}")
        return self.launched

    async def close(self, launch: str) -> bool:
        self.log.append(f"close {launch}")
        return launch in self.x_servers


@dataclass
class FakeClipboard:
    """A clipboard that holds what it was given, and announces it unless it is `deaf`."""

    content: dict[str, bytes] = field(default_factory=dict)
    log: list[str] = field(default_factory=list)
    deaf: bool = False

    @property
    def types(self) -> tuple[str, ...]:
        return () if self.deaf else tuple(self.content)

    async def read(self, type_: str, *, limit: int, deadline_s: float) -> bytes:
        self.log.append(f"read {type_}")
        return self.content[type_]

    async def offer(self, content: Mapping[str, bytes]) -> None:
        self.log.append(f"offer {list(content)}")
        self.content = dict(content)


@dataclass
class FakeWitness:
    """Has seen what a test says, by window."""

    seen: dict[WindowId, Drawn] = field(default_factory=dict)

    async def drawn(self, desktop: Desktop, window: Window) -> Drawn | None:
        return self.seen.get(window.id)


@dataclass
class FakeGate:
    """Admits everything, or refuses everything; keeps the receipts."""

    refuse: bool = False
    admitted: list[Intent] = field(default_factory=list)
    receipts: list[Outcome | SlateError] = field(default_factory=list)

    async def admit(self, intent: Intent, *, under: Grant | None = None) -> Grant:
        if self.refuse:
            raise Refused("policy", "nothing was sent: no.", next_step="leave it")
        self.admitted.append(intent)
        return Grant(intent.digest, intent.tier, len(self.admitted))

    async def finish(self, grant: Grant, outcome: Outcome | SlateError) -> None:
        self.receipts.append(outcome)


@dataclass
class Bench:
    """A whole desk of fakes and one lease on it."""

    windows: FakeWindows
    hands: FakeHands
    eyes: FakeEyes
    launcher: FakeLauncher
    clipboard: FakeClipboard
    gate: Gate
    lease: Lease
    widgets: FakeWidgets
    witness: FakeWitness
    terminals: FakeTerminals

    @property
    def adapters(self) -> list[str]:
        """Everything any adapter was asked to do."""
        return [*self.windows.log, *self.hands.log, *self.launcher.log, *self.clipboard.log]


def bench(now: Desktop, *, gate: Gate | None = None) -> Bench:
    """A desk that is what `now` says. Needs a running event loop."""
    windows = FakeWindows(now)
    hands, eyes, launcher = FakeHands(windows), FakeEyes(), FakeLauncher()
    clipboard = FakeClipboard()
    for open_ in now.windows:
        eyes.pictures[open_.handle] = [pixels()]
    counts: dict[str, int] = {}

    def number(letter: str) -> int:
        counts[letter] = counts.get(letter, 0) + 1
        return counts[letter]

    chosen = gate or FakeGate()
    widgets = FakeWidgets()
    witness = FakeWitness()
    terminals = FakeTerminals()
    consoles = Consoles(terminals.look, attended=True)
    desk = Desk(chosen, eyes, windows, launcher, widgets, witness, consoles)
    lease = Lease(desk, hands, clipboard, Sightings(number))
    return Bench(
        windows, hands, eyes, launcher, clipboard, chosen, lease, widgets, witness, terminals
    )

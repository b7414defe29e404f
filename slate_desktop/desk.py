"""Opens the adapters in order and closes them in reverse. The only importer of them: everything above sees ports."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import anyio
import anyio.to_thread
from anyio.abc import TaskGroup

from slate_desktop import ptys
from slate_desktop.atspi.bus import FIND_S, BusPlace, no_bus
from slate_desktop.atspi.link import Ask, Link, LinkLost, value
from slate_desktop.atspi.widgets import AtspiWidgets
from slate_desktop.consoles import Consoles
from slate_desktop.errors import Unavailable, compositor_gone
from slate_desktop.geometry import Size
from slate_desktop.hearing import Hearing
from slate_desktop.launch import ProgramLauncher
from slate_desktop.lease import Lease
from slate_desktop.model import Desktop, Foreground, Place
from slate_desktop.ports import Desk, Gate
from slate_desktop.refnumbers import RefNumbers
from slate_desktop.settings import Compositor
from slate_desktop.sightings import Sightings
from slate_desktop.swayipc.background import Background
from slate_desktop.swayipc.ipc import Events, Ipc
from slate_desktop.swayipc.keeper import Keeper
from slate_desktop.swayipc.windows import Naming, SwayWindows
from slate_desktop.tools import ALL
from slate_desktop.wayland.arrivals import Arrivals
from slate_desktop.wayland.capture import WindowEyes
from slate_desktop.wayland.connection import Connection
from slate_desktop.wayland.globals import Globals
from slate_desktop.wayland.hands import SeatHands, Seats
from slate_desktop.wayland.outputs import Outputs
from slate_desktop.wayland.security import SecurityContexts
from slate_desktop.wayland.toplevels import Toplevels
from slate_desktop.witness import FilterWitness
from slated.toolspec import ToolSpec
from slated.wire.peer import Peer, started

SUBSCRIBED_S = 5.0

OURSELVES = Peer(os.getuid(), os.getpid(), started(os.getpid()))
GateOf = Callable[[Peer], Gate]
"""Makes the gate of a connection, by who is at its other end."""


@dataclass(frozen=True, slots=True)
class DeskPlan:
    """What a desk is opened with. `background_size`: of the agent's output, when it has to be made."""

    compositor: Compositor
    state: Path  # runtime state of the daemon, 0700
    app_env: Mapping[str, str]  # environment of what is launched, without a display
    background_size: Size
    seats: int = 2
    named_seat: str | None = None  # of sway's configuration; the first lease gets it
    a11y_address: str | None = None  # of the accessibility bus
    session_bus: str | None = None  # which knows that address
    attended: bool = True  # whether a person types on the same desktop


class OpenDesk:
    """An open desk: hands out leases, one per connection."""

    registry: Sequence[ToolSpec] = ALL

    def __init__(
        self, desk: Desk, gate: GateOf, seats: Seats, numbers: RefNumbers, over: anyio.Event
    ) -> None:
        self._desk, self._gate = desk, gate
        self._seats, self._numbers, self._over = seats, numbers, over
        self._free: list[SeatHands] = []

    async def prepare(self, count: int, named: str | None = None) -> None:
        """Take the named seat and make seats ahead: programs accept input only from seats older than themselves."""
        if named is not None:
            self._free.append(await self._seats.make(named))
        while len(self._free) < count:
            self._free.append(await self._seats.make())

    @asynccontextmanager
    async def lease(self, peer: Peer) -> AsyncIterator[Lease]:
        """One connection's hold: a seat and refs of its own, and a gate that knows whose they are.

        The seat goes back when it ends.
        """
        desk = replace(self._desk, gate=self._gate(peer))
        hands = self._free.pop(0) if self._free else await self._seats.make()
        try:
            async with anyio.create_task_group() as chores:
                clipboard = hands.clipboard(chores)
                lease = Lease(desk, hands, clipboard, Sightings(self._numbers.next))
                chores.start_soon(lease.rest_when_idle)
                try:
                    yield lease
                finally:
                    await lease.close()
                    clipboard.close()
                    chores.cancel_scope.cancel()
        finally:
            self._give_back(hands)

    def _give_back(self, hands: SeatHands) -> None:
        """A named seat goes first again: it is the better one."""
        self._free.insert(0 if hands.lasting else len(self._free), hands)

    async def ended(self) -> str:
        """Wait until the compositor is gone; says so."""
        await self._over.wait()
        return "the compositor ended"

    async def occupied(self) -> bool:
        """Whether programs of the agent have windows open, which an idle daemon must not take down."""
        desktop = await self._desk.windows.desktop()
        return any(w.place is Place.BACKGROUND or w.sandbox is not None for w in desktop.windows)


@asynccontextmanager
async def open_desk(plan: DeskPlan, *, gate: GateOf) -> AsyncIterator[OpenDesk]:
    """Open everything a daemon works with. `gate` makes the gate of a connection.

    Errors: `unavailable.compositor`, `unavailable.protocol` (names the missing protocol), `unavailable.background`;
    they come in the group of the tasks, which `slated.errors.sole` opens.
    """
    async with AsyncExitStack() as stack:
        tasks = await stack.enter_async_context(anyio.create_task_group())
        stack.callback(tasks.cancel_scope.cancel)
        ipc, events = (
            Ipc(str(plan.compositor.sway_socket)),
            Events(str(plan.compositor.sway_socket)),
        )
        stack.push_async_callback(ipc.close)
        background = Background(ipc, plan.background_size)
        consoles = Consoles(_reader, attended=plan.attended)
        events.focused(consoles.person_at)
        over = await _follow(tasks, events, background)
        stack.push_async_callback(_leave, background)  # takes away also what was made in vain
        await background.ensure()
        await background.settle(quiet=True)
        connection = await stack.enter_async_context(
            Connection.open(plan.compositor.wayland_socket)
        )
        globals_ = await Globals.load(connection)
        outputs, toplevels = Outputs(globals_), Toplevels(globals_)
        eyes = WindowEyes(globals_, outputs, toplevels)
        stack.callback(eyes.close)
        seats = Seats(
            globals_, outputs, toplevels, Arrivals(plan.compositor.wayland_socket, toplevels)
        )
        stack.callback(seats.close)
        launcher = ProgramLauncher(
            SecurityContexts(globals_, plan.state),
            plan.state,
            plan.app_env,
            tasks,
            seats.global_name,
        )
        stack.callback(launcher.shut)
        await launcher.prepare()
        widgets = AtspiWidgets(BusPlace(plan.a11y_address, plan.session_bus))
        stack.callback(widgets.close)
        witness = FilterWitness(plan.state)
        windows = SwayWindows(ipc, events, background, _naming(witness, Hearing()))
        desk = Desk(gate(OURSELVES), eyes, windows, launcher, widgets, witness, consoles)
        opened = OpenDesk(desk, gate, seats, RefNumbers(plan.state), over)
        await opened.prepare(plan.seats, plan.named_seat)
        yield opened


async def _reader(pid: int) -> Foreground | None:
    return await anyio.to_thread.run_sync(ptys.look, pid)


def _naming(witness: FilterWitness, hearing: Hearing) -> Naming:
    """Whose windows are is known before what their programs make of keys."""

    async def named(desktop: Desktop) -> Desktop:
        return hearing.told(await witness.named(desktop))

    return named


async def _leave(background: Background) -> None:
    with suppress(Unavailable):  # a compositor that is gone has taken everything along
        await background.close()


async def _follow(tasks: TaskGroup, events: Events, background: Background) -> anyio.Event:
    """Follow sway's events and keep the background by them. The event that is returned is set when sway is gone."""
    keeper = Keeper(events, background)
    subscribed, over = anyio.Event(), anyio.Event()

    async def follow() -> None:
        await events.run(started=subscribed.set)
        over.set()

    tasks.start_soon(follow)
    with anyio.move_on_after(SUBSCRIBED_S):
        await subscribed.wait()
    if not subscribed.is_set():
        raise compositor_gone("the compositor does not announce its events")
    tasks.start_soon(keeper.run)
    return over


async def missing_protocols(wayland_socket: Path) -> Mapping[str, str]:
    """What a compositor does not offer, with what is lost without it; it is only asked.

    Errors: `unavailable.compositor`.
    """
    async with Connection.open(wayland_socket) as connection:
        return (await Globals.load(connection)).missing()


async def accessible(session_bus: str) -> bool:
    """Whether a session's bus can start the accessibility bus, or has; nothing is started for it.

    Errors: `unavailable.no_bus`.
    """
    try:
        link = await Link.open(session_bus)
        try:
            names = "ListActivatableNames"
            bus = "org.freedesktop.DBus"
            answer = await link.one(
                Ask(bus, "/org/freedesktop/DBus", bus, names), anyio.current_time() + FIND_S
            )
        finally:
            link.close()
    except LinkLost:
        raise no_bus("the session's bus does not answer") from None
    return "org.a11y.Bus" in (value(answer) or ())

"""The hands of one seat, as `ports.Hands` says: focus, bursts of strokes, pointer steps, rest."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import anyio
from anyio.abc import TaskGroup

from slate_desktop.errors import Unavailable, compositor_gone, person_prompt
from slate_desktop.model import Handle, KeyBurst, PointerStep
from slate_desktop.wayland.arrivals import Arrivals
from slate_desktop.wayland.bindings.virtual_keyboard_unstable_v1 import (
    ZwpVirtualKeyboardManagerV1Proxy,
)
from slate_desktop.wayland.bindings.wlr_virtual_pointer_unstable_v1 import (
    ZwlrVirtualPointerManagerV1Proxy,
)
from slate_desktop.wayland.clipboard import SeatClipboard
from slate_desktop.wayland.globals import Globals
from slate_desktop.wayland.keyboard import Keyboard
from slate_desktop.wayland.outputs import Outputs
from slate_desktop.wayland.parking import Parking
from slate_desktop.wayland.pointer import Pointers
from slate_desktop.wayland.seat import POINTER_AND_KEYBOARD, Seat, TransientSeat, restore_person
from slate_desktop.wayland.toplevels import Toplevels

FOCUS_S = 0.3
ARRIVALS_S = 2.0
BOUNCE_S = 0.03
REST_S = 1.0
DEVICES_S = 1.0
LAYOUTS = 5  # how often the layout may change under a move before it is let be
# A program hears nothing of a keyboard or pointer that it has not asked for yet.
TAKE_UP_S = 0.3


class SeatHands:
    """Keyboard and pointer of one seat. One call at a time, except `rest` and `close`."""

    def __init__(self, seats: Seats, seat: Seat, parking: Parking) -> None:
        self._seats, self._seat, self._parking = seats, seat, parking
        self._connection, self._toplevels = seats.globals.connection, seats.toplevels
        self._target: Handle | None = None  # the window this seat was sent to, as far as we know it
        self._resting = True
        self._shared = False  # the person uses the target too
        self._others: frozenset[Handle] = frozenset()  # focused, and not by seats of ours
        self._there = False  # the seat is where it was sent, as of the last batch
        self._captured = False  # something that is no window has taken the seat from there
        self._homing = False
        self._losses = 0
        self._make_devices()
        seat.lost = self._on_devices_lost
        self._toplevels.watch(self._on_windows_changed)

    @property
    def seat(self) -> str:
        """The compositor's name of the seat."""
        return self._seat.name

    @property
    def global_name(self) -> int:
        """The seat's number in every program's registry."""
        return self._seat.global_name

    @property
    def lasting(self) -> bool:
        """Whether the seat keeps its devices through a reload."""
        return not isinstance(self._seat, TransientSeat)

    @property
    def places(self) -> frozenset[Handle]:
        """Windows that are focused because this seat is there: its target and its parking."""
        return frozenset(h for h in (self._target, self._parking.handle) if h is not None)

    def clipboard(self, tasks: TaskGroup) -> SeatClipboard:
        """The clipboard of this seat; what programs paste from it is written by `tasks`."""
        return SeatClipboard(self._seats.globals, self._seat.proxy, tasks)

    async def focus(self, handle: Handle) -> bool:
        """Focus a window for this seat alone. True once it is activated, False after 0.3 s.

        False also when a program was just starting: it may be a launcher now, so look for prompts again.

        `stale.window_gone` if there is no such window.
        """
        await self._toplevels.known(handle)
        if self._seats.arrivals is not None and self._seats.arrivals.waiting():
            await self._seats.quiet()
            return False  # it may have been a launcher: whoever wants the focus looks again
        self._connection.dispatch()
        restore = self._move_to(handle, shared=self._toplevels.activated(handle))
        self._toplevels.activate(handle, self._seat.proxy)
        if restore:
            restore_person(self._seats.globals)
        with anyio.move_on_after(FOCUS_S):
            await self._connection.sync()
            if not await self._activated(handle, BOUNCE_S):
                # To the compositor the seat may be there already while another seat took the
                # window's activated state along when it left: only coming anew brings it back.
                # A lock screen looks the same from here, and ignores both requests.
                self.go_home(restore=False)
                self._toplevels.activate(handle, self._seat.proxy)
                await self._activated(handle, FOCUS_S)
        return self._toplevels.activated(handle)

    async def _activated(self, handle: Handle, deadline_s: float) -> bool:
        return await self._connection.until(lambda: self._toplevels.activated(handle), deadline_s)

    def focused(self, handle: Handle) -> bool:
        """Whether this window is activated, as of everything that has arrived."""
        self._connection.dispatch()
        return self._toplevels.activated(handle)

    async def keys(self, handle: Handle, burst: KeyBurst, *, hold_s: float = 0) -> None:
        """Focus and strokes in one flush, then a round trip. `hold_s` keeps the last stroke down.

        `unavailable.person_prompt` if no window has the focus any more, `unavailable.focus` if the
        window does not take it, `unavailable.compositor` if the seat lost its devices on the way (a
        reload): what arrived is then unknown.
        """
        await self._devices()
        losses = self._losses
        await self._still_focused(handle)
        while self._seats.arrivals is not None and self._seats.arrivals.waiting():
            if not await self._seats.quiet():
                raise person_prompt("a program has just started that may want the keyboard")
            await self._still_focused(handle)
        self._stop_if_lost(losses)  # of devices made a moment ago, programs know nothing yet
        self._connection.flush()  # so that the burst begins with an empty buffer and is sent as one
        self._toplevels.activate(handle, self._seat.proxy)
        self._keyboard.load(burst.keymap)
        self._keyboard.strokes(burst.strokes, keep_last=hold_s > 0, shift_key=burst.shift_key)
        try:
            self._connection.flush()
            await self._connection.sync()
            if hold_s > 0:
                await self._connection.until(lambda: self._let_go(handle, losses), hold_s)
        finally:
            self._release_keys()
        self._stop_if_lost(losses)

    async def pointer(
        self, output: str, steps: Sequence[PointerStep], *, modifiers: int = 0
    ) -> None:
        """Pointer steps on one output in one flush, modifiers (mask) held around them; round trip.

        Held modifiers are no strokes: they travel as a state, to whatever the pointer focuses.
        """
        await self._devices()
        losses = self._losses
        await self._seats.outputs.known(output)
        self._connection.dispatch()
        self._stop_if_lost(losses)
        before = self._toplevels.activated_handles()
        captured = self._captured
        self._resting = False
        try:
            self._keyboard.modify(modifiers, press=False)
            self._pointers.steps(output, steps)
        finally:
            self._keyboard.modify(0)
        self._toplevels.stir()
        await self._connection.sync()
        for _ in range(LAYOUTS):
            if self._pointers.corrected():  # an output of ours may come or go at any time
                await self._connection.sync()
        self._stop_if_lost(losses)
        if self._captured and not captured:
            # Not a launcher: the click has moved the seat to a window that the person has focused.
            self._captured, self._target = False, None
        reached = self._toplevels.activated_handles() - before
        # A click, or focus that follows the pointer, has moved the seat.
        if len(reached) == 1 and self._move_to(*reached, shared=False):
            restore_person(self._seats.globals)
            self._connection.flush()

    async def rest(self) -> None:
        """Release everything held, go back to our parking window. Safe at any time and twice."""
        with anyio.move_on_after(REST_S, shield=True):
            self._release_keys()
            self._pointers.release()
            self._connection.dispatch()
            # A launcher would close if our seat were focused elsewhere now; the compositor itself
            # brings the seat back to where it was.
            if not self._at_home and not self._captured and self._toplevels.activated_handles():
                self.go_home(restore=self._shared or self._target is None)
            self._target, self._shared, self._resting = None, False, True
            self._there = self._at_home
            await self._connection.sync(REST_S)

    def close(self) -> None:
        """Destroy the devices, the parking window and the seat. Safe twice."""
        self._seat.lost = lambda: None
        self._toplevels.unwatch(self._on_windows_changed)
        self._keyboard.close()
        self._pointers.close()
        self._parking.close()
        self._seat.close()
        with suppress(Unavailable):  # with the compositor all of it has gone
            self._connection.flush()

    async def _still_focused(self, handle: Handle) -> None:
        if self.focused(handle):
            self._move_to(handle, shared=True)  # if it is new to us, someone else had focused it
            return
        self._toplevels.title(handle)  # a closed window says so
        # A new window of the person takes every seat's focus along: then we take ours back. Not so
        # from a launcher or a lock screen.
        if self._captured or not self._toplevels.activated_handles():
            raise person_prompt("a launcher, a prompt or a lock screen holds the keyboard")
        if not await self.focus(handle):
            raise Unavailable(
                "focus",
                "nothing more was sent: the window does not take the keyboard focus.",
                next_step="desktop_screenshot it: something may be in front of it",
            )

    async def _devices(self) -> None:
        """Return once the seat has its devices and programs had time to take up those made anew."""
        self._connection.dispatch()
        ready_at = 0.0
        while self._losses and ready_at != self._made_at + TAKE_UP_S:  # until no new ones come
            ready_at = self._made_at + TAKE_UP_S
            await anyio.sleep_until(ready_at)
        if self._seat.capabilities != POINTER_AND_KEYBOARD:
            await self.equipped()

    async def equipped(self) -> None:
        """Wait until the compositor has given the seat its keyboard and pointer."""
        if not await self._connection.until(
            lambda: self._seat.capabilities == POINTER_AND_KEYBOARD, DEVICES_S
        ):
            raise compositor_gone("the compositor gave the seat no keyboard and pointer.")

    def _make_devices(self) -> None:
        self._made_at = anyio.current_time()
        bind = self._seats.globals.bind
        keyboards = bind(ZwpVirtualKeyboardManagerV1Proxy, 1)
        pointers = bind(ZwlrVirtualPointerManagerV1Proxy, 2)
        self._keyboard = Keyboard(self._connection, keyboards, self._seat.proxy)
        self._pointers = Pointers(
            self._connection,
            pointers,
            self._seat.proxy,
            self._seats.outputs,
            bound=not self.lasting,
        )

    def _on_devices_lost(self) -> None:
        # A reload has moved them to the person's seat: they go before anything is said with them.
        self._losses += 1
        self._keyboard.close()
        self._pointers.close()
        self._make_devices()

    def _stop_if_lost(self, losses: int) -> None:
        if self._losses != losses:
            raise compositor_gone("the compositor reloaded while strokes were on their way.")

    def _let_go(self, handle: Handle, losses: int) -> bool:
        return self._losses != losses or not self._toplevels.activated(handle)

    def _release_keys(self) -> None:
        with suppress(Unavailable):  # a compositor that is gone has released everything
            if self._keyboard.down:
                if self._target is not None and self._toplevels.activated(self._target):
                    self._toplevels.activate(self._target, self._seat.proxy)
                self._keyboard.release()
                self._connection.flush()

    def _move_to(self, handle: Handle, *, shared: bool) -> bool:
        """Note where the seat goes; whether the person is at what it leaves."""
        self._resting = False
        if handle == self._target:
            return False
        left_shared = self._target is not None and self._shared
        self._there = self._captured = False
        self._target, self._shared = handle, shared
        return left_shared

    def go_home(self, *, restore: bool = True) -> None:
        """Queue: focus our parking window; `restore` what we leave for the person."""
        home = self._parking.handle
        if home is None:
            return
        self._toplevels.activate(home, self._seat.proxy)
        if restore:
            restore_person(self._seats.globals)
        self._homing = True
        callback = self._connection.send(self._connection.display.sync)

        def settled(_serial: int) -> None:
            self._homing = False
            self._connection.destroy(callback)

        self._connection.on(callback, "done", settled)

    def _on_windows_changed(self) -> None:
        others = self._toplevels.activated_handles() - self._seats.places
        place = self._target or self._parking.handle
        there = place is not None and self._toplevels.activated(place)
        if there:
            self._captured = False
        elif self._there and place in self._toplevels.handles:
            # A window that takes the focus gains it in the batch in which ours loses it. Launchers
            # and lock screens are no windows; while they are there, new windows are called
            # activated too, without having the keyboard.
            self._captured = not others - self._others
        if self._resting:
            if others and not (there or self._captured or self._homing):
                self.go_home()
        elif bool(others) != bool(self._others):
            self._shared = not others  # the person came to our target, or left it
        self._there, self._others = there, others

    @property
    def _at_home(self) -> bool:
        home = self._parking.handle
        return home is None or self._toplevels.activated(home)


class Seats:
    """All seats of the daemon, made before the applications: those ignore younger seats."""

    def __init__(
        self,
        globals_: Globals,
        outputs: Outputs,
        toplevels: Toplevels,
        arrivals: Arrivals | None = None,
    ) -> None:
        self.globals, self.outputs, self.toplevels = globals_, outputs, toplevels
        self.arrivals = arrivals
        self._hands: list[SeatHands] = []

    @property
    def places(self) -> frozenset[Handle]:
        """Windows whose focus our own seats explain."""
        return frozenset().union(*(hands.places for hands in self._hands))

    def global_name(self, seat: str) -> int | None:
        """The number that a seat of ours has in every program's registry."""
        return next((hands.global_name for hands in self._hands if hands.seat == seat), None)

    async def quiet(self) -> bool:
        """Wait until no program is at the door that may turn out to be a launcher or a lock screen."""
        return self.arrivals is None or await self.arrivals.settled(ARRIVALS_S)

    async def make(self, name: str | None = None) -> SeatHands:
        """A seat with keyboard, pointer and parking window, at rest: a new one, or sway's own `name`."""
        if name is None:
            seat: Seat = await TransientSeat.make(self.globals)
        else:
            seat = await Seat.named(self.globals, name)
        parking = Parking(self.globals, self.toplevels, seat.name)
        hands = SeatHands(self, seat, parking)
        self._hands.append(hands)
        await parking.mapped()
        await hands.equipped()
        hands.go_home()  # it is born focused on what the person looks at
        await self.globals.connection.sync()
        return hands

    def close(self) -> None:
        """Destroy all seats. Safe twice."""
        while self._hands:
            self._hands.pop().close()

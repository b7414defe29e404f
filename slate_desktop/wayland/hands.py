"""The hands of one seat, as `ports.Hands` says: focus, bursts of strokes, pointer steps, rest."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import anyio

from slate_desktop.errors import Unavailable, compositor_gone, person_prompt
from slate_desktop.model import Handle, KeyBurst, PointerStep
from slate_desktop.wayland.bindings.virtual_keyboard_unstable_v1 import (
    ZwpVirtualKeyboardManagerV1Proxy,
)
from slate_desktop.wayland.bindings.wlr_virtual_pointer_unstable_v1 import (
    ZwlrVirtualPointerManagerV1Proxy,
)
from slate_desktop.wayland.globals import Globals
from slate_desktop.wayland.keyboard import Keyboard
from slate_desktop.wayland.outputs import Outputs
from slate_desktop.wayland.parking import Parking
from slate_desktop.wayland.pointer import Pointers
from slate_desktop.wayland.seat import TransientSeat, restore_person
from slate_desktop.wayland.toplevels import Toplevels

FOCUS_S = 0.3
REST_S = 1.0
DEVICES_S = 1.0


class SeatHands:
    """Keyboard and pointer of one transient seat. One call at a time, except `rest` and `close`."""

    def __init__(self, seats: Seats, seat: TransientSeat, parking: Parking) -> None:
        self._seats, self._seat, self._parking = seats, seat, parking
        self._connection, self._toplevels = seats.globals.connection, seats.toplevels
        self.target: Handle | None = None  # the window this seat was sent to; None: at rest
        self._shared = False  # the person uses the target too
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
    def places(self) -> frozenset[Handle]:
        """Windows that this seat's focus explains: its target and its parking window."""
        return frozenset(
            handle for handle in (self.target, self._parking.handle) if handle is not None
        )

    async def focus(self, handle: Handle) -> bool:
        """Focus a window for this seat alone. True once it is activated, False after 0.3 s."""
        await self._toplevels.known(handle)
        self._connection.dispatch()
        before = self._toplevels.activated_handles()
        left, self.target = self.target, handle
        shared, self._shared = self._shared, handle in before and handle != left
        self._toplevels.activate(handle, self._seat.proxy)
        if left not in (None, handle) and shared:
            restore_person(self._seats.globals)
        self._connection.flush()
        with anyio.move_on_after(FOCUS_S):
            await self._connection.sync()
        return await self._connection.until(lambda: self._toplevels.activated(handle), FOCUS_S)

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
        await self._ready(handle)
        losses = self._losses
        self._toplevels.activate(handle, self._seat.proxy)
        self._keyboard.load(burst.keymap)
        self._keyboard.strokes(burst.strokes, keep_last=hold_s > 0)
        try:
            self._connection.flush()
            await self._connection.sync()
            if hold_s > 0:
                await self._connection.until(
                    lambda: self._losses != losses or not self._toplevels.activated(handle), hold_s
                )
        finally:
            self._release()
        self._stop_if_lost(losses)

    async def pointer(
        self, output: str, steps: Sequence[PointerStep], *, modifiers: int = 0
    ) -> None:
        """Pointer steps on one output in one flush, modifiers (mask) held around them; a round trip.

        Modifiers go to the window last focused, which must still be focused.
        """
        if modifiers:
            if self.target is None:
                raise _no_focus()
            await self._ready(self.target)
        else:
            await self._devices()
        losses = self._losses
        if modifiers and self.target is not None:
            self._toplevels.activate(self.target, self._seat.proxy)
            self._keyboard.load(None)
            self._keyboard.modify(modifiers)
        try:
            self._pointers.steps(output, steps)
        finally:
            self._keyboard.release()
            self._connection.flush()
        await self._connection.sync()
        self._stop_if_lost(losses)

    async def rest(self) -> None:
        """Release everything held, go back to our parking window. Safe at any time and twice."""
        with anyio.move_on_after(REST_S, shield=True):
            self._release()
            self._pointers.release()
            self._connection.flush()
            self._connection.dispatch()
            leaving, self.target = self.target, None
            if leaving is not None and self._toplevels.activated_handles():
                self._go_home(restore=self._shared)
            self._shared = False
            await self._connection.sync(REST_S)

    def close(self) -> None:
        """Destroy the devices, the parking window and the seat. Safe twice."""
        self._seat.lost = lambda: None
        self._keyboard.close()
        self._pointers.close()
        self._parking.close()
        self._seat.close()

    async def _ready(self, handle: Handle) -> None:
        """Devices there, and the window focused as late as we can know."""
        await self._devices()
        if self.focused(handle):
            self.target = handle
            return
        # A new window of the person takes every seat's focus along; then some other window is
        # activated. A launcher or a lock leaves none, and focusing ours would close or race it.
        if not self._toplevels.activated_handles():
            raise person_prompt(
                "no window has the keyboard any more (a launcher, a prompt or a lock screen)"
            )
        if not await self.focus(handle):
            raise _no_focus()

    async def _devices(self) -> None:
        if not self._seat.capabilities:
            self._make_devices()
            self._connection.flush()
            if not await self._connection.until(lambda: self._seat.capabilities == 3, DEVICES_S):
                raise compositor_gone("the compositor gave the seat no keyboard and pointer.")

    def _make_devices(self) -> None:
        globals_ = self._seats.globals
        self._keyboard = Keyboard(
            self._connection, globals_.bind(ZwpVirtualKeyboardManagerV1Proxy, 1), self._seat.proxy
        )
        self._pointers = Pointers(
            self._connection,
            globals_.bind(ZwlrVirtualPointerManagerV1Proxy, 2),
            self._seat.proxy,
            self._seats.outputs,
        )

    def _on_devices_lost(self) -> None:
        # A reload has moved them to the person's seat: they must go before anything else is said
        # through them.
        self._losses += 1
        self._keyboard.close()
        self._pointers.close()
        self._connection.flush()

    def _stop_if_lost(self, losses: int) -> None:
        if self._losses != losses:
            raise compositor_gone(
                "the compositor reloaded while strokes were on their way; some may be missing."
            )

    def _release(self) -> None:
        with suppress(Unavailable):  # a compositor that is gone has released everything
            if self._keyboard.down:
                if self.target is not None and self._toplevels.activated(self.target):
                    self._toplevels.activate(self.target, self._seat.proxy)
                self._keyboard.release()
                self._connection.flush()

    def _go_home(self, *, restore: bool) -> None:
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
        self._connection.flush()

    def _on_windows_changed(self) -> None:
        others = self._toplevels.activated_handles() - self._seats.places
        if self.target is not None:
            self._shared = not others if self._had_others else self._shared
        elif not self._homing and others and not self._at_home:
            self._go_home(restore=True)
        self._had_others = bool(others)

    _had_others = False

    @property
    def _at_home(self) -> bool:
        home = self._parking.handle
        return home is None or self._toplevels.activated(home)


class Seats:
    """All seats of the daemon, made before the applications: those ignore younger seats."""

    def __init__(self, globals_: Globals, outputs: Outputs, toplevels: Toplevels) -> None:
        self.globals, self.outputs, self.toplevels = globals_, outputs, toplevels
        self._hands: list[SeatHands] = []

    @property
    def places(self) -> frozenset[Handle]:
        """Windows whose activated state our own seats explain."""
        return frozenset().union(*(hands.places for hands in self._hands))

    async def make(self) -> SeatHands:
        """A new seat with keyboard, pointer and parking window, at rest."""
        seat = await TransientSeat.make(self.globals)
        parking = Parking(self.globals, self.toplevels, seat.name)
        hands = SeatHands(self, seat, parking)
        self._hands.append(hands)
        await parking.mapped()
        await self.globals.connection.until(lambda: seat.capabilities == 3, DEVICES_S)
        return hands

    def close(self) -> None:
        """Destroy all seats. Safe twice."""
        while self._hands:
            self._hands.pop().close()


def _no_focus() -> Unavailable:
    return Unavailable(
        "focus",
        "nothing was sent: the window does not take the keyboard focus.",
        next_step="desktop_screenshot it; a dialog or a fullscreen window may be in front of it",
    )

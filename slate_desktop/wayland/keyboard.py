"""The virtual keyboard of one seat: keymap, strokes, ledger of what is down. Never flushes."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable

from pywayland.protocol.wayland import WlKeyboard, WlSeatProxy

from slate_desktop.keys import ALT, CTRL, MAIN_KEYMAP, MODIFIER_CODES, SUPER
from slate_desktop.model import KeyStroke
from slate_desktop.wayland.bindings.virtual_keyboard_unstable_v1 import (
    ZwpVirtualKeyboardManagerV1Proxy,
)
from slate_desktop.wayland.connection import Connection

GUARD = 32
"""Mod3, held in every request: no binding of the person's matches a key that comes with it.

It is called locked too: programs that compare modifiers with their own bindings leave out what is locked (foot).
"""

UP, DOWN = 0, 1


def clock_ms() -> int:
    """The time stamp of an input event."""
    return int(time.monotonic() * 1000) & 0xFFFFFFFF


class Keyboard:
    """One object for the seat's whole life: clients crash or forget the keymap when it goes."""

    def __init__(
        self, connection: Connection, maker: ZwpVirtualKeyboardManagerV1Proxy, seat: WlSeatProxy
    ) -> None:
        self._connection = connection
        self._proxy = connection.send(maker.create_virtual_keyboard, seat)
        self._keymap = ""
        self._down: list[int] = []
        self._modifiers = 0
        self.load(None)

    @property
    def down(self) -> tuple[int, ...]:
        """Codes of the keys that are down, in order."""
        return tuple(self._down)

    def load(self, keymap: str | None) -> None:
        """Queue a keymap (xkb text; None: the main one) unless it is the one in use."""
        text = keymap or MAIN_KEYMAP
        if text == self._keymap:
            return
        data = text.encode() + b"\0"
        descriptor = os.memfd_create("slate-keymap")
        try:
            os.write(descriptor, data)
            self._connection.send(
                self._proxy.keymap, WlKeyboard.keymap_format.xkb_v1, descriptor, len(data)
            )
        finally:
            os.close(descriptor)  # libwayland has its own duplicate
        self._keymap = text
        self._set_modifiers(self._modifiers)  # a new keymap makes the compositor forget them

    def strokes(
        self, strokes: Iterable[KeyStroke], *, keep_last: bool = False, shift_key: bool = False
    ) -> None:
        """Queue presses and releases. With `keep_last` the last key and its modifiers stay down.

        `shift_key` presses Shift also where it is no part of a chord.
        """
        queue = list(strokes)
        for place, stroke in enumerate(queue):
            self.modify(stroke.modifiers, shift_key=shift_key)
            self._key(stroke.keycode, DOWN)
            if not (keep_last and place == len(queue) - 1):
                self._key(stroke.keycode, UP)
        if not keep_last:
            self.modify(0)

    def modify(self, modifiers: int, *, press: bool = True, shift_key: bool = False) -> None:
        """Queue what makes exactly these modifiers (mask) held.

        A chord presses the keys too, for programs that watch them, unless `press` is false. Shift
        alone, as in text, travels in the mask only unless `shift_key` is true.
        """
        if modifiers == self._modifiers:
            return
        pressed = press and (shift_key or modifiers & (CTRL | ALT | SUPER))
        wanted = [code for bit, code in MODIFIER_CODES.items() if pressed and modifiers & bit]
        for code in [code for code in self._down if code in MODIFIER_CODES.values()]:
            if code not in wanted:
                self._key(code, UP)
        for code in wanted:
            if code not in self._down:
                self._key(code, DOWN)
        self._set_modifiers(modifiers)

    def release(self) -> None:
        """Queue the release of everything that is down."""
        for code in reversed(self._down.copy()):
            self._key(code, UP)
        if self._modifiers:
            self._set_modifiers(0)

    def close(self) -> None:
        """Destroy the keyboard; the compositor releases what was down. Safe twice."""
        self._connection.destroy(self._proxy)
        self._down.clear()

    def _key(self, code: int, state: int) -> None:
        if state == DOWN:
            self._down.append(code)
        else:
            self._down.remove(code)
        self._connection.send(self._proxy.key, clock_ms(), code, state)

    def _set_modifiers(self, modifiers: int) -> None:
        self._modifiers = modifiers
        self._connection.send(self._proxy.modifiers, modifiers | GUARD, 0, GUARD, 0)

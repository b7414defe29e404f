"""A person's hands: a virtual keyboard in a chosen layout and a virtual pointer, both on a seat
of the screen.
"""

from __future__ import annotations

import os
import time
from typing import Any

from slate_desktop.wayland.bindings.virtual_keyboard_unstable_v1 import ZwpVirtualKeyboardManagerV1
from slate_desktop.wayland.bindings.wlr_virtual_pointer_unstable_v1 import (
    ZwlrVirtualPointerManagerV1,
)
from tests.live.bed.screen import Screen
from tests.live.bed.xkb import Keymap, Press, character_of, keysym

NEEDED: dict[str, tuple[Any, int]] = {
    "zwp_virtual_keyboard_manager_v1": (ZwpVirtualKeyboardManagerV1, 1),
    "zwlr_virtual_pointer_manager_v1": (ZwlrVirtualPointerManagerV1, 2),
}
_MODIFIERS = {
    "shift": (42, 1),
    "ctrl": (29, 4),
    "alt": (56, 8),
    "super": (125, 64),
    "altgr": (100, 128),
}
_BUTTONS = {"left": 0x110, "right": 0x111, "middle": 0x112}
_NAMED = {"\n": "Return", "\t": "Tab"}
_TEXT_V1 = 1
_WHEEL = 0


def _now_ms() -> int:
    return int(time.monotonic() * 1000) & 0xFFFFFFFF


class Fingers:
    """Types in one layout and moves one pointer; each stroke goes out on its own, as a person's
    do.
    """

    def __init__(self, screen: Screen, seat: str, layout: str = "us") -> None:
        self._screen = screen
        wl_seat = screen.ear(seat).seat
        self._keyboard = screen.require("zwp_virtual_keyboard_manager_v1").create_virtual_keyboard(
            wl_seat
        )
        self._pointer = screen.require("zwlr_virtual_pointer_manager_v1").create_virtual_pointer(
            wl_seat
        )
        self._by_symbol: dict[int, Press] = {}
        self._by_character: dict[str, Press] = {}
        self.layout(layout)

    def layout(self, layout: str, variant: str = "", options: str = "") -> None:
        """Plug in a keyboard of another layout."""
        keymap = Keymap.of_layout(layout, variant=variant, options=options)
        text = keymap.text()
        memory = os.memfd_create("person")
        os.write(memory, text)
        self._keyboard.keymap(_TEXT_V1, memory, len(text))
        self._screen.flush()
        os.close(memory)
        self._by_symbol = keymap.presses()
        self._by_character = {}
        for symbol, press in self._by_symbol.items():
            character = character_of(symbol)
            known = self._by_character.get(character)
            if character and (known is None or press.modifiers < known.modifiers):
                self._by_character[character] = press
        keymap.close()

    def stroke(self, press: Press) -> None:
        """Press and release one key under its modifiers."""
        self._hold(press.modifiers, down=True)
        self._key(press.keycode, down=True)
        self._key(press.keycode, down=False)
        self._hold(press.modifiers, down=False)
        self._screen.flush()

    def character(self, character: str) -> None:
        """Type a character the layout has."""
        if character in _NAMED:
            self.stroke(self._by_symbol[keysym(_NAMED[character])])
        elif character in self._by_character:
            self.stroke(self._by_character[character])
        else:
            raise ValueError(f"the person's layout has no {character!r}")

    def chord(self, chord: str) -> None:
        """Strike `super+1`, `ctrl+shift+t`, `Escape`: the last part is a keysym's name."""
        *held, name = chord.split("+")
        press = self._by_symbol[keysym(name)]
        mask = press.modifiers
        for word in held:
            mask |= _MODIFIERS[word][1]
        self.stroke(Press(press.keycode, mask))

    def move(self, x: int, y: int, extent: tuple[int, int]) -> None:
        """Put the pointer at a place of the layout, which is `extent` large."""
        self._pointer.motion_absolute(_now_ms(), x, y, *extent)
        self._pointer.frame()
        self._screen.flush()

    def click(self, button: str) -> None:
        """Press and release a button where the pointer is."""
        for state in (1, 0):
            self._pointer.button(_now_ms(), _BUTTONS[button], state)
            self._pointer.frame()
        self._screen.flush()

    def scroll(self, notches: int) -> None:
        """Turn the wheel; positive is down."""
        self._pointer.axis_source(_WHEEL)
        self._pointer.axis_discrete(_now_ms(), 0, 15.0 * notches, notches)
        self._pointer.frame()
        self._screen.flush()

    def _key(self, keycode: int, *, down: bool) -> None:
        self._keyboard.key(_now_ms(), keycode, int(down))

    def _hold(self, mask: int, *, down: bool) -> None:
        # A virtual keyboard keeps no state of its own: the keys are pressed for those who watch
        # keys, the mask told apart.
        if not mask:
            return
        for keycode, bit in _MODIFIERS.values():
            if mask & bit:
                self._key(keycode, down=down)
        self._keyboard.modifiers(mask if down else 0, 0, 0, 0)

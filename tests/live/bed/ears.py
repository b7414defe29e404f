"""What one seat says to a window: every keyboard and pointer event, printed as it comes and kept
as a state.
"""

from __future__ import annotations

import hashlib
import mmap
import os
from typing import Any

from tests.live.bed.lines import emit
from tests.live.bed.xkb import Keymap

_POINTER, _KEYBOARD = 1, 2
_PRESSED = 1


class Ear:
    """Listens on one wl_seat. `facts()` is the state so far; `serial` the last input serial (for
    popups that grab).
    """

    def __init__(self, seat: Any) -> None:
        self.seat = seat
        self.name = "?"
        self.keyboard: Any = None
        self.pointer: Any = None
        self.serial = 0
        self.keymap_hash = ""
        self._keymap: Keymap | None = None
        self._facts: dict[str, Any] = {
            "focused": False,
            "modifiers": [0, 0, 0, 0],
            "down": [],
            "pointer": None,
        }
        self.forget()
        seat.dispatcher["name"] = self._named
        seat.dispatcher["capabilities"] = self._capable

    def forget(self) -> None:
        """Start counting anew; focus, modifiers and what is held stay."""
        self._facts |= {"text": "", "keys": 0, "buttons": 0, "motions": 0, "notches": [0, 0]}

    def facts(self) -> dict[str, Any]:
        """Focus, held modifiers (depressed, latched, locked, group) and keys, text typed,
        counts, pointer position.
        """
        return {"seat": self.name, "keymap": self.keymap_hash, **self._facts}

    def _named(self, _seat: Any, name: str) -> None:
        self.name = name

    def _capable(self, seat: Any, capabilities: int) -> None:
        emit("capabilities", seat=self.name, value=capabilities)
        # What a seat has lost stays dumb when it comes back: it is asked for anew.
        if self.keyboard is not None and not capabilities & _KEYBOARD:
            self.keyboard.release()
            self.keyboard = None
            self._facts |= {"focused": False, "down": []}
        if self.pointer is not None and not capabilities & _POINTER:
            self.pointer.release()
            self.pointer = None
            self._facts["pointer"] = None
        if capabilities & _KEYBOARD and self.keyboard is None:
            self.keyboard = seat.get_keyboard()
            for event in ("keymap", "enter", "leave", "key", "modifiers", "repeat_info"):
                self.keyboard.dispatcher[event] = getattr(self, f"_key_{event}")
        if capabilities & _POINTER and self.pointer is None:
            self.pointer = seat.get_pointer()
            for event in ("enter", "leave", "motion", "button", "axis", "axis_discrete"):
                self.pointer.dispatcher[event] = getattr(self, f"_pointer_{event}")

    def _key_keymap(self, _keyboard: Any, _format: int, fd: int, size: int) -> None:
        with mmap.mmap(fd, size, mmap.MAP_PRIVATE, mmap.PROT_READ) as view:
            text = view[:]
        os.close(fd)
        if self._keymap is not None:
            self._keymap.close()
        self._keymap = Keymap.parse(text)
        self.keymap_hash = hashlib.sha256(text).hexdigest()[:16]
        emit("keymap", seat=self.name, size=size, hash=self.keymap_hash)

    def _key_enter(self, _keyboard: Any, serial: int, _surface: Any, _keys: Any) -> None:
        self.serial, self._facts["focused"] = serial, True
        emit("key_enter", seat=self.name)

    def _key_leave(self, _keyboard: Any, _serial: int, _surface: Any) -> None:
        self._facts |= {"focused": False, "down": []}
        emit("key_leave", seat=self.name)

    def _key_modifiers(
        self, _keyboard: Any, _serial: int, depressed: int, latched: int, locked: int, group: int
    ) -> None:
        self._facts["modifiers"] = [depressed, latched, locked, group]
        if self._keymap is not None:
            self._keymap.update(depressed, latched, locked, group)
        emit(
            "modifiers",
            seat=self.name,
            depressed=depressed,
            latched=latched,
            locked=locked,
            group=group,
        )

    def _key_key(self, _keyboard: Any, serial: int, time_ms: int, key: int, state: int) -> None:
        self.serial = serial
        text, symbol = self._keymap.read(key) if self._keymap is not None else ("", "")
        down = [held for held in self._facts["down"] if held != key]
        if state == _PRESSED:
            down.append(key)
            self._facts["text"] += text
            self._facts["keys"] += 1
        self._facts["down"] = down
        emit(
            "key",
            seat=self.name,
            key=key,
            pressed=state == _PRESSED,
            text=text,
            symbol=symbol,
            time_ms=time_ms,
        )

    def _key_repeat_info(self, _keyboard: Any, rate: int, delay_ms: int) -> None:
        emit("repeat", seat=self.name, rate=rate, delay_ms=delay_ms)

    def _pointer_enter(self, _pointer: Any, serial: int, _surface: Any, x: Any, y: Any) -> None:
        self.serial = serial
        self._at("pointer_enter", x, y)

    def _pointer_leave(self, _pointer: Any, _serial: int, _surface: Any) -> None:
        self._facts["pointer"] = None
        emit("pointer_leave", seat=self.name)

    def _pointer_motion(self, _pointer: Any, _time_ms: int, x: Any, y: Any) -> None:
        self._facts["motions"] += 1
        self._at("motion", x, y)

    def _at(self, kind: str, x: Any, y: Any) -> None:
        self._facts["pointer"] = [round(float(x), 2), round(float(y), 2)]
        emit(kind, seat=self.name, x=float(x), y=float(y))

    def _pointer_button(
        self, _pointer: Any, serial: int, _time_ms: int, button: int, state: int
    ) -> None:
        self.serial = serial
        self._facts["buttons"] += state == _PRESSED
        emit(
            "button",
            seat=self.name,
            button=button,
            pressed=state == _PRESSED,
            at=self._facts["pointer"],
        )

    def _pointer_axis(self, _pointer: Any, _time_ms: int, axis: int, value: Any) -> None:
        emit("axis", seat=self.name, axis=("down", "right")[axis], value=float(value))

    def _pointer_axis_discrete(self, _pointer: Any, axis: int, notches: int) -> None:
        self._facts["notches"][axis] += notches
        emit("notches", seat=self.name, axis=("down", "right")[axis], count=notches)

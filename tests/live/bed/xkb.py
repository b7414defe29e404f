"""What a keymap says, asked of the system's libxkbcommon: the bed's own reading, independent of
the product's keymaps.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

_lib = ctypes.CDLL("libxkbcommon.so.0")
_TEXT_V1 = 1
_EVDEV_OFFSET = 8


class _Names(ctypes.Structure):
    _fields_ = tuple(
        (name, ctypes.c_char_p) for name in ("rules", "model", "layout", "variant", "options")
    )


def _declare(name: str, result: object, *arguments: object) -> None:
    function = getattr(_lib, name)
    function.restype, function.argtypes = result, arguments


_P, _U = ctypes.c_void_p, ctypes.c_uint32
_declare("xkb_context_new", _P, ctypes.c_int)
_declare("xkb_keymap_new_from_string", _P, _P, ctypes.c_char_p, ctypes.c_int, ctypes.c_int)
_declare("xkb_keymap_new_from_names", _P, _P, ctypes.POINTER(_Names), ctypes.c_int)
_declare("xkb_keymap_get_as_string", _P, _P, ctypes.c_int)
_declare("xkb_keymap_unref", None, _P)
_declare("xkb_keymap_min_keycode", _U, _P)
_declare("xkb_keymap_max_keycode", _U, _P)
_declare("xkb_keymap_num_levels_for_key", _U, _P, _U, _U)
_declare(
    "xkb_keymap_key_get_syms_by_level",
    ctypes.c_int,
    _P,
    _U,
    _U,
    _U,
    ctypes.POINTER(ctypes.POINTER(_U)),
)
_declare(
    "xkb_keymap_key_get_mods_for_level",
    ctypes.c_size_t,
    _P,
    _U,
    _U,
    _U,
    ctypes.POINTER(_U),
    ctypes.c_size_t,
)
_declare("xkb_state_new", _P, _P)
_declare("xkb_state_unref", None, _P)
_declare("xkb_state_update_mask", ctypes.c_int, _P, _U, _U, _U, _U, _U, _U)
_declare("xkb_state_key_get_utf8", ctypes.c_int, _P, _U, ctypes.c_char_p, ctypes.c_size_t)
_declare("xkb_state_key_get_one_sym", _U, _P, _U)
_declare("xkb_keysym_get_name", ctypes.c_int, _U, ctypes.c_char_p, ctypes.c_size_t)
_declare("xkb_keysym_from_name", _U, ctypes.c_char_p, ctypes.c_int)
_declare("xkb_keysym_to_utf32", _U, _U)
_libc = ctypes.CDLL(None)
_libc.free.argtypes = (_P,)

_context = _lib.xkb_context_new(0)


@dataclass(frozen=True, slots=True)
class Press:
    """An evdev key and the modifier mask under which it gives the wanted symbol."""

    keycode: int
    modifiers: int


class Keymap:
    """One compiled keymap and a state on it."""

    def __init__(self, pointer: int) -> None:
        if not pointer:
            raise ValueError("libxkbcommon does not accept this keymap")
        self._map = pointer
        self._state = _lib.xkb_state_new(pointer)

    @classmethod
    def parse(cls, text: bytes) -> Keymap:
        """From the text a compositor sends (a trailing NUL is allowed)."""
        return cls(_lib.xkb_keymap_new_from_string(_context, text.rstrip(b"\0"), _TEXT_V1, 0))

    @classmethod
    def of_layout(cls, layout: str, *, variant: str = "", options: str = "") -> Keymap:
        """From layout names, as a person would choose them."""
        names = _Names(b"evdev", b"pc105", layout.encode(), variant.encode(), options.encode())
        return cls(_lib.xkb_keymap_new_from_names(_context, ctypes.byref(names), 0))

    def text(self) -> bytes:
        """The whole keymap as text, NUL-terminated, ready to be handed to a compositor."""
        raw = _lib.xkb_keymap_get_as_string(self._map, _TEXT_V1)
        try:
            return ctypes.string_at(raw) + b"\0"
        finally:
            _libc.free(raw)

    def update(self, depressed: int, latched: int, locked: int, group: int) -> None:
        """Take over the modifiers a compositor reported."""
        _lib.xkb_state_update_mask(self._state, depressed, latched, locked, 0, 0, group)

    def read(self, keycode: int) -> tuple[str, str]:
        """The text and the keysym name an evdev key gives under the present modifiers."""
        buffer = ctypes.create_string_buffer(64)
        _lib.xkb_state_key_get_utf8(self._state, keycode + _EVDEV_OFFSET, buffer, 64)
        text = buffer.value.decode(errors="replace")
        _lib.xkb_keysym_get_name(
            _lib.xkb_state_key_get_one_sym(self._state, keycode + _EVDEV_OFFSET), buffer, 64
        )
        return text, buffer.value.decode()

    def presses(self) -> dict[int, Press]:
        """For each keysym of the first layout, the plainest key that gives it."""
        found: dict[int, Press] = {}
        for key in range(
            _lib.xkb_keymap_min_keycode(self._map), _lib.xkb_keymap_max_keycode(self._map) + 1
        ):
            for level in range(_lib.xkb_keymap_num_levels_for_key(self._map, key, 0)):
                for symbol in self._symbols(key, level):
                    press = Press(key - _EVDEV_OFFSET, self._mask(key, level))
                    if symbol not in found or press.modifiers < found[symbol].modifiers:
                        found[symbol] = press
        return found

    def _symbols(self, key: int, level: int) -> list[int]:
        symbols = ctypes.POINTER(_U)()
        count = _lib.xkb_keymap_key_get_syms_by_level(
            self._map, key, 0, level, ctypes.byref(symbols)
        )
        return [symbols[index] for index in range(count)]

    def _mask(self, key: int, level: int) -> int:
        masks = (_U * 8)()
        count = _lib.xkb_keymap_key_get_mods_for_level(self._map, key, 0, level, masks, 8)
        return min(masks[index] for index in range(count)) if count else 0

    def close(self) -> None:
        """Free it."""
        _lib.xkb_state_unref(self._state)
        _lib.xkb_keymap_unref(self._map)


def keysym(name: str) -> int:
    """The number of a keysym named as in keymap files (`Return`, `F10`, `eacute`)."""
    number = int(_lib.xkb_keysym_from_name(name.encode(), 0))
    if not number:
        raise ValueError(f"no keysym is called {name!r}")
    return number


def character_of(symbol: int) -> str:
    """The character a keysym types, "" for none."""
    code = int(_lib.xkb_keysym_to_utf32(symbol))
    return chr(code) if code else ""

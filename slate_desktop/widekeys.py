"""Keys for X11 programs, which keep their characters from one text to the next. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import product

from slate_desktop.keys import ASCII, MAIN_KEYMAP, SHIFT, keymap_with, packed, spelled
from slate_desktop.model import KeyBurst, KeyStroke

# Keys that the US layout does not need; the number in a name is the evdev code and eight.
NAMES = (*range(147, 191), *range(208, 256))
OFFSET = 8
_KEYS = tuple(KeyStroke(number - OFFSET, shift) for number, shift in product(NAMES, (0, SHIFT)))


class WideKeys:
    """Which key types which character, as of the last text.

    An X11 program looks a key up when it comes to read it, in the keymap of that moment. So a key that
    has a character keeps it until there is no other key left: then the one longest unused is taken.
    """

    def __init__(self) -> None:
        self._keys: dict[str, KeyStroke] = {}  # the longest unused first
        self._keymap = MAIN_KEYMAP

    def bursts(self, text: str) -> tuple[KeyBurst, ...]:
        """The strokes that type the text, as `keys.text_bursts`, with Shift pressed as a key."""
        bursts: list[KeyBurst] = []
        stretch: list[tuple[str, int]] = []
        others: set[str] = set()
        for character, width in spelled(text):
            if character not in ASCII and len(others | {character}) > len(_KEYS):
                bursts += self._typed(stretch, others)
                stretch, others = [], set()
            if character not in ASCII:
                others.add(character)
            stretch.append((character, width))
        return (*bursts, *self._typed(stretch, others))

    def pressed(self, bursts: Iterable[KeyBurst]) -> tuple[KeyBurst, ...]:
        """The same chords, under the keymap that is in use."""
        return tuple(
            replace(burst, keymap=burst.keymap or self._keymap, shift_key=True) for burst in bursts
        )

    def _typed(self, stretch: list[tuple[str, int]], others: set[str]) -> Iterator[KeyBurst]:
        self._keep(others)
        strokes = [(ASCII.get(c) or self._keys[c], width) for c, width in stretch]
        yield from packed(strokes, self._keymap, shift_key=True)

    def _keep(self, wanted: set[str]) -> None:
        """Give each of these a key, from those that want none now."""
        for character in sorted(wanted & self._keys.keys()):
            self._keys[character] = self._keys.pop(character)
        new = sorted(wanted - self._keys.keys())
        taken = set(self._keys.values())
        free = [key for key in _KEYS if key not in taken]
        for character in new:
            key = free.pop(0) if free else self._keys.pop(next(iter(self._keys)))
            self._keys[character] = key
        if new:
            self._keymap = keymap_with(self._symbols())

    def _symbols(self) -> dict[str, str]:
        used = {key: f"U{ord(character):04X}" for character, key in self._keys.items()}
        found = {}
        for number in NAMES:
            low, high = (used.get(KeyStroke(number - OFFSET, shift)) for shift in (0, SHIFT))
            if low or high:
                found[f"I{number}"] = f"{low or 'NoSymbol'}, {high or 'NoSymbol'}"
        return found

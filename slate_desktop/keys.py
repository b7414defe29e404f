"""From words and text to strokes: key names, chords, keymaps for characters no US key has. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from unicodedata import category

from slate_desktop.model import KeyBurst, KeyStroke
from slated.errors import BadRequest

SHIFT, CTRL, ALT, SUPER = 1, 4, 8, 64
"""Modifiers, as bits of an xkb mask."""

BURST_STROKES = 100
# What libwayland sends at once is 4096 bytes; the rest of it is for the focus, the keymap, the
# first and last modifiers and the round trip. One stroke is two requests of 20 bytes, a change of
# modifiers 24.
BURST_BYTES, STROKE_BYTES, MODIFIERS_BYTES, KEY_BYTES = 4000, 40, 24, 20

MODIFIERS = {
    "shift": SHIFT,
    "ctrl": CTRL,
    "control": CTRL,
    "ctl": CTRL,
    "alt": ALT,
    "super": SUPER,
    "win": SUPER,
    "windows": SUPER,
    "meta": SUPER,
    "logo": SUPER,
}
MODIFIER_CODES = {SHIFT: 42, CTRL: 29, ALT: 56, SUPER: 125}
"""The evdev code of the left key of each modifier."""

RETURN, TAB, SPACE = 28, 15, 57
UNIT = 0xFFFF
"""The largest character of 16 bits."""

_ROWS = (
    (2, "1234567890-=", "!@#$%^&*()_+"),
    (16, "qwertyuiop[]", "QWERTYUIOP{}"),
    (30, "asdfghjkl;'`", 'ASDFGHJKL:"~'),
    (43, "\\zxcvbnm,./", "|ZXCVBNM<>?"),
)
ASCII: dict[str, KeyStroke] = {
    " ": KeyStroke(SPACE),
    "\n": KeyStroke(RETURN),
    "\t": KeyStroke(TAB),
}
for _first, _plain, _shifted in _ROWS:
    for _place, (_low, _high) in enumerate(zip(_plain, _shifted, strict=True)):
        ASCII[_low] = KeyStroke(_first + _place)
        ASCII[_high] = KeyStroke(_first + _place, SHIFT)

# Chromium reads some high codes as other physical keys and drops two of them; the codes of the main
# block are safe in all.
_SLOTS: dict[int, str] = (
    {2 + i: f"AE{i + 1:02}" for i in range(12)}
    | {16 + i: f"AD{i + 1:02}" for i in range(12)}
    | {30 + i: f"AC{i + 1:02}" for i in range(11)}
    | {41: "TLDE", 43: "BKSL"}
    | {44 + i: f"AB{i + 1:02}" for i in range(10)}
)

_CODES = {
    "return": RETURN,
    "tab": TAB,
    "space": SPACE,
    "escape": 1,
    "backspace": 14,
    "delete": 111,
    "insert": 110,
    "home": 102,
    "end": 107,
    "pageup": 104,
    "pagedown": 109,
    "up": 103,
    "down": 108,
    "left": 105,
    "right": 106,
    "menu": 127,
    "print": 99,
    "pause": 119,
    "capslock": 58,
    "scrolllock": 70,
    **{f"f{n}": 58 + n for n in range(1, 11)},
    "f11": 87,
    "f12": 88,
    **{f"f{n}": 170 + n for n in range(13, 25)},
}
_ALIASES = {
    "enter": "return",
    "esc": "escape",
    "del": "delete",
    "ins": "insert",
    "pgup": "pageup",
    "prior": "pageup",
    "pgdn": "pagedown",
    "pgdown": "pagedown",
    "next": "pagedown",
    "arrowup": "up",
    "arrowdown": "down",
    "arrowleft": "left",
    "arrowright": "right",
    "spacebar": "space",
    "printscreen": "print",
}
_PUNCTUATION = {
    "plus": "+",
    "minus": "-",
    "equal": "=",
    "underscore": "_",
    "comma": ",",
    "period": ".",
    "dot": ".",
    "slash": "/",
    "backslash": "\\",
    "semicolon": ";",
    "colon": ":",
    "apostrophe": "'",
    "quotedbl": '"',
    "grave": "`",
    "asciitilde": "~",
    "asciicircum": "^",
    "bracketleft": "[",
    "bracketright": "]",
    "braceleft": "{",
    "braceright": "}",
    "parenleft": "(",
    "parenright": ")",
    "less": "<",
    "greater": ">",
    "bar": "|",
    "question": "?",
    "exclam": "!",
    "at": "@",
    "numbersign": "#",
    "dollar": "$",
    "percent": "%",
    "ampersand": "&",
    "asterisk": "*",
}


def keymap_with(overrides: Mapping[str, str]) -> str:
    """xkb text of the US layout with some keys replaced: what is between the brackets, by key name."""
    # F keys get one level: the stock ones switch virtual terminals with Ctrl+Alt, on the person's
    # machine.
    keys = {f"FK{n:02}": f"F{n}" for n in range(1, 25)} | dict(overrides)
    symbols = " ".join(f"replace key <{key}> {{ [ {symbol} ] }};" for key, symbol in keys.items())
    return (
        'xkb_keymap { xkb_keycodes { include "evdev+aliases(qwerty)" }; '
        'xkb_types { include "complete" }; xkb_compat { include "complete" }; '
        f'xkb_symbols {{ include "pc+us+inet(evdev)" {symbols} }}; }};'
    )


MAIN_KEYMAP = keymap_with({})
"""US layout, as xkb text; what chords and plain ASCII are typed under."""


def parse_chord(chord: str) -> KeyBurst:
    """One key with modifiers: "Return", "ctrl+shift+t", "alt+F4", "ctrl++", "é", "super".

    Names and modifiers in any case. A character that needs Shift gets it ("ctrl+?"); a letter beside
    a modifier is the plain key ("Ctrl+C" is Ctrl and c, Shift has to be named). `bad_request.key` for
    anything else, with near names.
    """
    *words, key = _split(chord)
    modifiers = 0
    for word in words:
        if word.lower() not in MODIFIERS:
            raise _unknown(chord, word, MODIFIERS)
        modifiers |= MODIFIERS[word.lower()]
    if len(key) == 1:
        return _character(key.lower() if modifiers and key in ASCII else key, modifiers, chord)
    name = key.lower().replace("_", "").replace("-", "")
    name = _ALIASES.get(name, name)
    if name in _CODES:
        return _tap(_CODES[name], modifiers)
    if name in _PUNCTUATION:
        return _character(_PUNCTUATION[name], modifiers, chord)
    if name in MODIFIERS:
        return _tap(MODIFIER_CODES[MODIFIERS[name]], modifiers)
    raise _unknown(chord, key, [*_CODES, *_ALIASES, *_PUNCTUATION, *MODIFIERS])


def text_bursts(text: str, *, halves: bool = False) -> tuple[KeyBurst, ...]:
    r"""The strokes that type `text`, code point by code point, in bursts that each fit one flush.

    "\n" is Return, "\t" is Tab, "\r\n" is one Return. Neighbouring bursts share a keymap as far as it
    reaches. `halves`: for programs that keep 16 bits of a character. `bad_request.character` names the
    first index that no key can type: other control characters, lone surrogates, noncharacters.
    """
    bursts: list[KeyBurst] = []
    stretch: list[tuple[str, int]] = []  # what one keymap can type
    keys: set[int] = set()  # of the codes that slots may use, those it needs as they are
    others: set[str] = set()
    for character, width in _halved(spelled(text)) if halves else spelled(text):
        stroke = ASCII.get(character)
        key = {stroke.keycode} & _SLOTS.keys() if stroke else set()
        other = set() if stroke else {character}
        if len(keys | key) + len(others | other) > len(_SLOTS):
            bursts += _typed(stretch, keys, others)
            stretch, keys, others = [], set(), set()
        keys |= key
        others |= other
        stretch.append((character, width))
    return (*bursts, *_typed(stretch, keys, others))


def spelled(text: str) -> list[tuple[str, int]]:
    """What is typed, each with its length in the text. Errors: `bad_request.character`."""
    found: list[tuple[str, int]] = []
    index = 0
    while index < len(text):
        width = 2 if text.startswith("\r\n", index) else 1
        character = "\n" if width == 2 else text[index]
        if character not in ASCII and not typeable(character):
            raise BadRequest(
                "character",
                f"nothing was typed: no key types U+{ord(character):04X} at index {index}.",
                next_step="leave it out, or send it as a key (desktop_key)",
            )
        found.append((character, width))
        index += width
    return found


def _halved(found: Iterable[tuple[str, int]]) -> Iterator[tuple[str, int]]:
    """Characters beyond 16 bits as two, whose lower 16 bits are the two halves of theirs in UTF-16.

    Such a program takes the rest of each away and puts the halves together again.
    """
    for character, width in found:
        if ord(character) > UNIT:
            units = character.encode("utf-16-be")
            for place in (0, 2):
                unit = int.from_bytes(units[place : place + 2], "big")
                yield chr(UNIT + 1 + unit), width if place else 0
        else:
            yield character, width


def typeable(character: str) -> bool:
    """Whether a keysym exists for this code point."""
    point = ord(character)
    return category(character) not in ("Cc", "Cs") and not (
        0xFDD0 <= point <= 0xFDEF or point & 0xFFFE == 0xFFFE
    )


def _typed(stretch: list[tuple[str, int]], keys: set[int], others: set[str]) -> Iterator[KeyBurst]:
    slots = dict(zip(sorted(others), (code for code in _SLOTS if code not in keys), strict=False))
    strokes = [
        (ASCII[character] if character in ASCII else KeyStroke(slots[character]), width)
        for character, width in stretch
    ]
    # The U form names the code point itself; some clients convert the older names wrongly.
    symbols = {_SLOTS[code]: f"U{ord(character):04X}" for character, code in slots.items()}
    return packed(strokes, keymap_with(symbols) if symbols else None)


def packed(
    strokes: Iterable[tuple[KeyStroke, int]], keymap: str | None, *, shift_key: bool = False
) -> Iterator[KeyBurst]:
    """Strokes, each with the characters of the text it is, in bursts that each fit one flush."""
    change = MODIFIERS_BYTES + (KEY_BYTES if shift_key else 0)
    burst: list[KeyStroke] = []
    cost = characters = modifiers = 0
    for stroke, width in strokes:
        price = STROKE_BYTES + (change if stroke.modifiers != modifiers else 0)
        if len(burst) == BURST_STROKES or cost + price > BURST_BYTES:
            yield KeyBurst(tuple(burst), keymap, characters, shift_key)
            burst, cost, characters = [], 0, 0
            price = STROKE_BYTES + (change if stroke.modifiers else 0)
        cost += price
        burst.append(stroke)
        characters += width
        modifiers = stroke.modifiers
    if burst:
        yield KeyBurst(tuple(burst), keymap, characters, shift_key)


def _character(character: str, modifiers: int, chord: str) -> KeyBurst:
    if character in ASCII:
        stroke = ASCII[character]
        return _tap(stroke.keycode, stroke.modifiers | modifiers)
    if not typeable(character):
        raise _unknown(chord, character, ())
    code, key = next(iter(_SLOTS.items()))
    return _tap(code, modifiers, keymap_with({key: f"U{ord(character):04X}"}))


def _tap(code: int, modifiers: int, keymap: str | None = None) -> KeyBurst:
    shift_key = bool(modifiers & SHIFT)
    return KeyBurst((KeyStroke(code, modifiers),), keymap, characters=1, shift_key=shift_key)


def _split(chord: str) -> list[str]:
    if chord.endswith("++"):
        return [*(word.strip() for word in chord[:-2].split("+")), "+"]
    return [chord] if len(chord) == 1 else [word.strip() for word in chord.split("+")]


def _unknown(chord: str, word: str, names: Iterable[str]) -> BadRequest:
    near = get_close_matches(word.lower(), [*names], n=3)
    return BadRequest(
        "key",
        f"nothing was sent: {word!r} in {chord!r} is no key name.",
        next_step=f"did you mean {', '.join(near)}?" if near else _EXAMPLES,
    )


_EXAMPLES = "names look like Return, ctrl+shift+t, F5, Page_Down, é"

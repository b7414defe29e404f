"""Typing into X11 programs: a key keeps its character, Shift is a key."""

from __future__ import annotations

import re
from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from slate_desktop.keys import (
    ASCII,
    BURST_BYTES,
    BURST_STROKES,
    KEY_BYTES,
    MODIFIERS_BYTES,
    SHIFT,
    STROKE_BYTES,
    parse_chord,
    typeable,
)
from slate_desktop.model import KeyBurst, KeyStroke
from slate_desktop.widekeys import NAMES, WideKeys

TEXT = st.text(st.characters().filter(lambda c: typeable(c) or c in "\n\t"), max_size=400)
SLOTS = 2 * len(NAMES)


def read(bursts: Iterable[KeyBurst]) -> str:
    """What a program reads that looks each key up in the keymap of its burst."""
    plain = {stroke: character for character, stroke in ASCII.items()}
    text = ""
    for burst in bursts:
        keys = plain | dict(_symbols(burst.keymap or ""))
        text += "".join(keys[stroke] for stroke in burst.strokes)
    return text


def _symbols(keymap: str) -> Iterable[tuple[KeyStroke, str]]:
    for number, low, high in re.findall(r"key <I(\d+)> { \[ (\w+), (\w+) \] }", keymap):
        for symbol, shift in ((low, 0), (high, SHIFT)):
            if symbol != "NoSymbol":
                yield KeyStroke(int(number) - 8, shift), chr(int(symbol[1:], 16))


@given(TEXT)
def test_what_is_typed_is_the_text(text: str) -> None:
    bursts = WideKeys().bursts(text)
    assert read(bursts) == text
    assert sum(burst.characters for burst in bursts) == len(text)
    assert all(burst.shift_key for burst in bursts)


@given(TEXT)
def test_a_burst_fits_one_flush(text: str) -> None:
    for burst in WideKeys().bursts(text):
        cost = modifiers = 0
        for stroke in burst.strokes:
            change = MODIFIERS_BYTES + KEY_BYTES
            cost += STROKE_BYTES + change * (stroke.modifiers != modifiers)
            modifiers = stroke.modifiers
        assert 0 < len(burst.strokes) <= BURST_STROKES
        assert cost <= BURST_BYTES


def test_r01_a_program_that_is_a_text_behind_reads_both_with_the_last_keymap() -> None:
    wide = WideKeys()
    texts = ["Mississippi é漢🐱", "büro κόσμος", "жщ é"]
    bursts = [burst for text in texts for burst in wide.bursts(text)]
    late = [KeyBurst(burst.strokes, bursts[-1].keymap) for burst in bursts]
    assert read(late) == "".join(texts)


def test_a_chord_leaves_the_keymap_in_use() -> None:
    wide = WideKeys()
    (typed,) = wide.bursts("é")
    (pressed,) = wide.pressed([parse_chord("ctrl+a")])
    assert pressed.keymap == typed.keymap
    assert pressed.shift_key


def test_only_when_all_keys_are_used_is_the_longest_unused_taken() -> None:
    wide = WideKeys()
    first = [chr(0x4E00 + n) for n in range(SLOTS)]
    wide.bursts("".join(first))
    wide.bursts(first[0])  # used again, so the second is the longest unused
    (burst,) = wide.bursts("é")
    kept = dict(_symbols(burst.keymap or "")).values()
    assert set(first) - set(kept) == {first[1]}


def test_a_text_of_more_characters_than_keys_takes_several_keymaps() -> None:
    text = "".join(chr(0x4E00 + n) for n in range(SLOTS + 50)) + chr(0x4E00)
    bursts = WideKeys().bursts(text)
    assert read(bursts) == text
    assert len({burst.keymap for burst in bursts}) == 2

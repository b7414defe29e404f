"""Names and text become strokes that a US keyboard with a few generated keys really makes."""

from __future__ import annotations

import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slate_desktop.keys import (
    ALT,
    BURST_BYTES,
    BURST_STROKES,
    CTRL,
    MAIN_KEYMAP,
    MODIFIERS_BYTES,
    SHIFT,
    STROKE_BYTES,
    SUPER,
    parse_chord,
    text_bursts,
)
from slate_desktop.model import KeyBurst, KeyStroke
from slated.errors import BadRequest

ROWS = {
    "AE": (2, "1234567890-=", "!@#$%^&*()_+"),
    "AD": (16, "qwertyuiop[]", "QWERTYUIOP{}"),
    "AC": (30, "asdfghjkl;'", 'ASDFGHJKL:"'),
    "AB": (44, "zxcvbnm,./", "ZXCVBNM<>?"),
}
TEXT = st.text(
    st.characters(exclude_categories=("Cs", "Cc", "Cn")) | st.sampled_from("\n\t aAzZ~é漢"),
    max_size=400,
)


def typed(bursts: tuple[KeyBurst, ...]) -> str:
    """What a US keyboard would print for these bursts; an independent reading of the keymap text."""
    return "".join(reading(burst.keymap)[stroke] for burst in bursts for stroke in burst.strokes)


def reading(keymap: str | None) -> dict[KeyStroke, str]:
    codes = {"TLDE": 41, "BKSL": 43}
    read = {
        KeyStroke(28): "\n",
        KeyStroke(15): "\t",
        KeyStroke(57): " ",
        KeyStroke(41): "`",
        KeyStroke(41, SHIFT): "~",
        KeyStroke(43): "\\",
        KeyStroke(43, SHIFT): "|",
    }
    for row, (first, low, high) in ROWS.items():
        for place, (plain, shifted) in enumerate(zip(low, high, strict=True)):
            codes[f"{row}{place + 1:02}"] = first + place
            read[KeyStroke(first + place)] = plain
            read[KeyStroke(first + place, SHIFT)] = shifted
    for key, point in re.findall(r"key <(\w+)> { \[ U([0-9A-F]+) \] }", keymap or ""):
        read.pop(KeyStroke(codes[key], SHIFT))
        read[KeyStroke(codes[key])] = chr(int(point, 16))
    return read


@given(TEXT)
def test_what_is_typed_is_the_text_code_point_by_code_point(text: str) -> None:
    bursts = text_bursts(text)
    assert typed(bursts) == text
    assert sum(burst.characters for burst in bursts) == len(text)


@given(TEXT)
def test_a_burst_fits_one_flush(text: str) -> None:
    for burst in text_bursts(text):
        cost = modifiers = 0
        for stroke in burst.strokes:
            cost += STROKE_BYTES + MODIFIERS_BYTES * (stroke.modifiers != modifiers)
            modifiers = stroke.modifiers
        assert 0 < len(burst.strokes) <= BURST_STROKES
        assert cost <= BURST_BYTES


def test_every_printable_ascii_character_is_a_key_of_the_us_layout() -> None:
    text = string.printable.replace("\r", "").replace("\x0b", "").replace("\x0c", "")
    bursts = text_bursts(text)
    assert typed(bursts) == text
    assert {burst.keymap for burst in bursts} == {None}


def test_r05_code_points_outside_latin_1_are_named_by_number() -> None:
    (burst,) = text_bursts("πο Ωω őű жщ 漢字 🐱")
    assert typed((burst,)) == "πο Ωω őű жщ 漢字 🐱"
    assert burst.keymap is not None
    assert re.search(r"\[ U1F431 \]", burst.keymap)
    assert not re.search(r"dead_|Greek_|Cyrillic_", burst.keymap)


def test_combining_marks_and_joined_emoji_are_typed_one_by_one_in_order() -> None:
    text = "e\u0301 👩\u200d🚀 n\u0303"
    assert typed(text_bursts(text)) == text


def test_one_keymap_serves_a_long_text_of_few_letters() -> None:
    bursts = text_bursts("árvíztűrő tükörfúrógép " * 40)
    assert len(bursts) > 5
    assert len({burst.keymap for burst in bursts}) == 1


def test_more_letters_than_slots_take_as_many_keymaps_as_needed() -> None:
    text = "".join(chr(0x4E00 + n) for n in range(100))
    bursts = text_bursts(text)
    assert typed(bursts) == text
    assert len({burst.keymap for burst in bursts}) == 3


def test_slots_use_only_codes_that_every_toolkit_takes() -> None:
    safe = {*range(2, 14), *range(16, 28), *range(30, 42), *range(43, 54)}
    bursts = text_bursts("".join(chr(0x4E00 + n) for n in range(200)))
    assert {stroke.keycode for burst in bursts for stroke in burst.strokes} <= safe


def test_a_line_break_of_windows_is_one_return() -> None:
    (burst,) = text_bursts("a\r\nb")
    assert typed((burst,)) == "a\nb"
    assert burst.characters == 4


@pytest.mark.parametrize(
    "bad", ["\x1b", "\r", "\x7f", "\x85", "\ud800", "\ufffe", "\ufdd0", "\x00"]
)
def test_what_no_key_types_is_refused_with_its_place(bad: str) -> None:
    with pytest.raises(BadRequest, match="at index 3") as caught:
        text_bursts("abc" + bad + "d")
    assert caught.value.code == "bad_request.character"


@given(TEXT)
def test_r03_what_is_cut_to_16_bits_is_the_text_in_utf_16(text: str) -> None:
    bursts = text_bursts(text, halves=True)
    heard = "".join(chr(ord(character) & 0xFFFF) for character in typed(bursts))
    assert heard.encode("utf-16-le", "surrogatepass").decode("utf-16-le") == text
    assert sum(burst.characters for burst in bursts) == len(text)


def test_nothing_is_no_burst() -> None:
    assert text_bursts("") == ()


@pytest.mark.parametrize(
    ("chord", "code", "modifiers"),
    [
        ("Return", 28, 0),
        ("ENTER", 28, 0),
        ("esc", 1, 0),
        ("Page_Up", 104, 0),
        ("page-down", 109, 0),
        ("ArrowLeft", 105, 0),
        ("F1", 59, 0),
        ("F10", 68, 0),
        ("f11", 87, 0),
        ("F12", 88, 0),
        ("F13", 183, 0),
        ("F24", 194, 0),
        ("a", 30, 0),
        ("A", 30, SHIFT),
        ("ctrl+shift+a", 30, CTRL | SHIFT),
        ("Ctrl+C", 46, CTRL),
        ("control + c", 46, CTRL),
        ("ctrl++", 13, CTRL | SHIFT),
        ("+", 13, SHIFT),
        ("ctrl+plus", 13, CTRL | SHIFT),
        ("ctrl+minus", 12, CTRL),
        ("ctrl+?", 53, CTRL | SHIFT),
        ("alt+F4", 62, ALT),
        ("win+Left", 105, SUPER),
        ("meta+logo+super+1", 2, SUPER),
        ("super", 125, 0),
        ("ctrl+shift", 42, CTRL),
        ("shift+Tab", 15, SHIFT),
        (" ", 57, 0),
        ("space", 57, 0),
        ("\n", 28, 0),
    ],
)
def test_chords_name_one_key_and_what_is_held_around_it(
    chord: str, code: int, modifiers: int
) -> None:
    burst = KeyBurst((KeyStroke(code, modifiers),), characters=1, shift_key=bool(modifiers & SHIFT))
    assert parse_chord(chord) == burst


def test_a_chord_of_a_letter_no_us_key_has_brings_its_keymap() -> None:
    burst = parse_chord("ctrl+é")
    assert burst.strokes == (KeyStroke(2, CTRL),)
    assert burst.keymap is not None
    assert "key <AE01> { [ U00E9 ] }" in burst.keymap


@pytest.mark.parametrize(
    ("chord", "near"),
    [
        ("Retrun", "return"),
        ("crtl+a", "ctrl"),
        ("pagup", "pageup"),
        ("", "names look like"),
        ("ctrl+", "names look like"),
        ("\x07", "names look like"),
        ("ctrl+ab", "tab"),
    ],
)
def test_an_unknown_name_is_refused_with_the_nearest_ones(chord: str, near: str) -> None:
    with pytest.raises(BadRequest, match="is no key name") as caught:
        parse_chord(chord)
    assert near in caught.value.next_step
    assert caught.value.code == "bad_request.key"


def test_no_function_key_switches_the_persons_virtual_terminal() -> None:
    for number in range(1, 25):
        assert f"replace key <FK{number:02}> {{ [ F{number} ] }};" in MAIN_KEYMAP

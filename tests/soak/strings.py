"""Random texts as hard to type as any a person writes."""

from __future__ import annotations

import random
import string

_LATIN = "éèüößñçøåőűłžšđæœÀÉÎÕÜßẞıİ€£¥§¿¡«»“”„…–—"
_GREEK = "αβγδεζηθικλμνξοπρστυφχψωΩΔΣάέήίόύώ"
_CYRILLIC = "абвгдежзийклмнопрстуфхцчшщъыьэюяЖЩЮЯёїєґ"
_CJK = "漢字語日本中文學習電車東京あいうえおカタカナ한국어서울"
_EMOJI = "🐱😀🎉🚀❤🏳🌈👩🔬🇩🇪✅🫠"
_COMBINING = "".join(map(chr, (0x0301, 0x0300, 0x0308, 0x0327, 0x0303, 0x20D7, 0x200D, 0xFE0F)))
_ASCII = string.ascii_letters + string.digits
# ASCII twice: most of what is typed is ASCII, and runs of it next to other scripts are where
# layouts change.
_MIXED = _ASCII + string.punctuation + " "
ALPHABETS = (
    *(_ASCII, _MIXED, string.punctuation),
    *(_LATIN, _GREEK, _CYRILLIC, _CJK, _EMOJI, _COMBINING),
)


def texts(count: int, seed: int, *, longest: int = 200) -> list[str]:
    """`count` texts of 1 to `longest` characters; the first two hold every ASCII sign and both
    ends of the range.
    """
    dice = random.Random(seed)  # repeatable, not secret
    fixed = [(string.punctuation + _ASCII + string.punctuation + _ASCII)[:longest], "/"]
    return [*fixed, *(_text(dice, longest) for _ in range(count - len(fixed)))][:count]


def _text(dice: random.Random, longest: int) -> str:
    length = dice.randint(1, longest)
    made = ""
    while len(made) < length:
        made += "".join(dice.choices(dice.choice(ALPHABETS), k=dice.randint(1, 12)))
    return made[:length]


def difference(wanted: str, got: str) -> str:
    """Where two texts part, in code points; "" when they are equal."""
    if wanted == got:
        return ""
    place = next(
        (i for i, (a, b) in enumerate(zip(wanted, got, strict=False)) if a != b),
        min(len(wanted), len(got)),
    )
    sides = [
        " ".join(f"U+{ord(c):04X}" for c in text[place : place + 4]) or "the end"
        for text in (wanted, got)
    ]
    return f"at {place} of {len(wanted)} (got {len(got)}): wanted {sides[0]}, got {sides[1]}"

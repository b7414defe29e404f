"""Other readings of a text: with its escapes resolved, and what its base64 and hexadecimal runs hold."""

from __future__ import annotations

import base64
import binascii
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field

_ESCAPE = re.compile(
    r"%([0-9A-Fa-f]{2})|\\u([0-9A-Fa-f]{4})|\\x([0-9A-Fa-f]{2})"
    r"|&#x([0-9A-Fa-f]{1,6});|&#([0-9]{1,7});|&(quot|apos|amp|lt|gt);"
)
_NAMED = {"quot": '"', "apos": "'", "amp": "&", "lt": "<", "gt": ">"}
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{24,}={0,2}")
_HEX = re.compile(r"(?<![0-9A-Fa-f])(?:[0-9A-Fa-f]{2}){16,}(?![0-9A-Fa-f])")
_TO_STANDARD = str.maketrans("-_", "+/")


@dataclass(frozen=True, slots=True)
class View:
    """A text with its escapes resolved, and the way back to the places of the original."""

    text: str
    _at: list[int] = field(repr=False)
    _source: list[int] = field(repr=False)

    def start(self, index: int) -> int:
        """Where in the original the character at `index` begins."""
        piece = bisect_right(self._at, index) - 1
        return self._source[piece] + index - self._at[piece]

    def end(self, index: int) -> int:
        """Where in the original the characters before `index` end."""
        piece = bisect_right(self._at, index) - 1
        if self._at[piece] == index and piece:
            return self._source[piece]
        return self._source[piece] + index - self._at[piece]


def unescaped(text: str) -> View | None:
    """The text with percent, backslash and character-entity escapes resolved; None when it has none."""
    if "%" not in text and "\\" not in text and "&" not in text:
        return None
    pieces: list[str] = []
    at: list[int] = [0]
    source: list[int] = [0]
    length = done = 0
    for match in _ESCAPE.finditer(text):
        plain = text[done : match.start()]
        pieces += (plain, _resolved(match))
        length += len(plain)
        at += (length, length + 1)
        source += (match.start(), match.end())
        length += 1
        done = match.end()
    if not pieces:
        return None
    pieces.append(text[done:])
    return View("".join(pieces), at, source)


def _resolved(match: re.Match[str]) -> str:
    kind = match.lastindex
    found = match[kind] if kind else ""
    if kind == 6:
        return _NAMED[found]
    number = int(found, 10 if kind == 5 else 16)
    return chr(number) if number <= 0x10FFFF else "\ufffd"


def encoded_runs(text: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, content) of each run that decodes to printable text."""
    for match in _HEX.finditer(text):
        inner = _printable(bytes.fromhex(match[0]))
        if inner is not None:
            yield match.start(), match.end(), inner
    for match in _BASE64.finditer(text):
        letters = match[0].rstrip("=").translate(_TO_STANDARD)
        letters = letters[: len(letters) - (len(letters) % 4 == 1)]
        try:
            raw = base64.b64decode(letters + "=" * (-len(letters) % 4))
        except binascii.Error:
            continue
        inner = _printable(raw)
        if inner is not None:
            yield match.start(), match.end(), inner


def _printable(raw: bytes) -> str | None:
    head = raw[:256]
    if not head or sum(32 <= one < 127 or one in (9, 10, 13) for one in head) * 10 < len(head) * 9:
        return None
    return raw.decode("latin-1")

"""Takes quotes, escapes and braces off the parts of a shell word, as bash would."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from slated.policy.syntax import Unresolved
from slated.policy.words import GLOB_CHARACTERS, UNKNOWN, Word

ANSI_LETTERS = {
    "n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "v": "\v",
    "\\": "\\", "'": "'", '"': '"', "?": "?",
}  # fmt: skip
ANSI = re.compile(
    r"\\(?:(?P<octal>[0-7]{1,3})|x(?P<hex>[0-9A-Fa-f]{1,2})|u(?P<u4>[0-9A-Fa-f]{1,4})"
    r"|U(?P<u8>[0-9A-Fa-f]{1,8})|(?P<letter>[ntrabeEfv\\'\"?]))"
)
MOST_BRACE_WORDS = 64


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of one word. `quoted` text is never a pattern, brace or tilde."""

    text: str
    quoted: bool
    splits: bool = False
    foreign: bool = False
    literal: bool = True
    process: bool = False


def bare(text: str) -> Iterator[Piece]:
    """Pieces of unquoted text: each escaped character is quoted, a continued line vanishes."""
    for part in re.findall(r"\\(?s:.)|[^\\]+", text):
        if part.startswith("\\"):
            if part != "\\\n":
                yield Piece(part[1:], quoted=True)
        else:
            yield Piece(part, quoted=False)


def unescaped(text: str, specials: str) -> str:
    """Text in double quotes or a here-document: a backslash counts only before `specials`."""
    return re.sub(
        r"\\((?s:.))",
        lambda found: "" if found[1] == "\n" else found[1] if found[1] in specials else found[0],
        text,
    )


def ansi(text: str) -> str:
    """The value of `$'…'`. Unresolved where the value depends on the locale or is cut by a NUL."""

    def value(found: re.Match[str]) -> str:
        if letter := found["letter"]:
            return ANSI_LETTERS[letter]
        code = (
            int(found["octal"], 8)
            if found["octal"]
            else int(found["hex"] or found["u4"] or found["u8"], 16)
        )
        if not 0 < code < 0x80:
            raise Unresolved("a $'…' word holds a byte that is not plain text")
        return chr(code)

    body = text[2:-1]
    if "\\" in ANSI.sub("", body):
        raise Unresolved("a $'…' word holds an unknown escape")
    return ANSI.sub(value, body)


def join(source: str, pieces: list[Piece]) -> Word:
    """One word from its pieces; an unquoted pattern character makes it a pattern."""
    return Word(
        source=source,
        text="".join(piece.text for piece in pieces),
        glob=any(not piece.quoted and set(piece.text) & set(GLOB_CHARACTERS) for piece in pieces),
        splits=any(piece.splits for piece in pieces),
        foreign=any(piece.foreign for piece in pieces),
        literal=all(piece.literal for piece in pieces),
        process=any(piece.process for piece in pieces),
    )


def braces(source: str, pieces: list[Piece]) -> list[Word]:
    """The words that brace expansion makes; Unresolved where braces nest or hold more than plain text."""
    flat = "".join("\1" * len(piece.text) if piece.quoted else piece.text for piece in pieces)
    found = re.search(r"\{[^{}]*(?:,|\.\.)[^{}]*\}", flat)
    if not found:
        if re.search(r"\{.*(?:,|\.\.).*\}", flat, re.DOTALL):
            raise Unresolved("it has nested braces")
        return [join(source, pieces)]
    before_it = flat[: found.start()]
    if before_it.count("{") > before_it.count("}"):
        raise Unresolved("it has nested braces")
    if "," not in found[0]:
        raise Unresolved("it has a brace sequence")
    before, inside, after = cut(pieces, found.start(), found.end())
    inner = "".join(piece.text for piece in inside)
    if "\1" in found[0] or UNKNOWN in inner:
        raise Unresolved("it has braces around quotes or variables")
    made: list[Word] = []
    for choice in inner[1:-1].split(","):
        middle = [Piece(choice, quoted=False, literal=False)] if choice else []
        if "~" in "".join(piece.text for piece in [*before, *middle, *after])[:1]:
            raise Unresolved("its braces make a word that starts with a tilde")
        made += braces(source, [*before, *middle, *after])
    if len(made) > MOST_BRACE_WORDS:
        raise Unresolved("its braces make too many words")
    return [word for word in made if word.text]


def cut(pieces: list[Piece], start: int, end: int) -> tuple[list[Piece], list[Piece], list[Piece]]:
    """The pieces before `start`, up to `end`, and after it, counted in characters."""
    parts: tuple[list[Piece], list[Piece], list[Piece]] = ([], [], [])
    offset = 0
    for piece in pieces:
        for character in piece.text:
            parts[(offset >= start) + (offset >= end)].append(replace(piece, text=character))
            offset += 1
    return parts

"""Finds the line of a setting in TOML text, for error messages; the text is known to parse."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

HEADER = re.compile(r"\s*(\[\[?)\s*([^\]]+?)\s*\]\]?")
KEY = re.compile(r"\s*([\w.-]+|\"[^\"]*\"|'[^']*')\s*=")


def line_of(text: str, location: Sequence[str | int]) -> int:
    """The line (from 1) where a setting stands, or the nearest one above it; 0 if the file has nothing of it."""
    best, depth = 0, 0
    for number, path in settings(text):
        shared = 0
        for have, want in zip(path, location, strict=False):
            if have != want:
                break
            shared += 1
        if shared > depth:
            best, depth = number, shared
    return best


def settings(text: str) -> Iterator[tuple[int, tuple[str | int, ...]]]:
    """Each header and key with its line and its full path; a table of a list has its index in the path."""
    section: tuple[str | int, ...] = ()
    counts: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if header := HEADER.match(line):
            name = header[2]
            section = tuple(unquoted(part) for part in name.split("."))
            if header[1] == "[[":
                counts[name] = counts.get(name, -1) + 1
                section = (*section, counts[name])
            yield number, section
        elif key := KEY.match(line):
            parts = [key[1]] if key[1][0] in "\"'" else key[1].split(".")
            yield number, (*section, *(unquoted(part) for part in parts))


def unquoted(text: str) -> str:
    return text.strip().strip("\"'")

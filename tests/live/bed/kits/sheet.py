"""What the applications of all toolkits have in common: parts, what they got, and the verbs that ask for both.

`kits.TOOLKIT SOCKET TITLE [WORDS]`: the conversation of `bed.lines` over a Unix socket, as the test does not start it.

parts    got    forget    text    fill {"text": "a"}    paint {"colour": "#a03050"}    say {"words": "Done"}    focus
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from typing import Any, Protocol

from tests.live.bed.lines import Lines, answer

PARTS = ("pad", "field", "menu", "source", "goal", "button", "words")
ITEMS = ("first", "second", "third", "fourth")
PRESS, WORDS, PARCEL = "Press me", "Nothing yet", "parcel"
PAINTED = "#3060a0"


class Kit(Protocol):
    """What each toolkit does in its way."""

    def parts(self) -> dict[str, list[float]]:
        """Left, top, width and height of each part, in pixels of the window's content."""

    def text(self) -> str:
        """What stands in the field."""

    def fill(self, text: str) -> None:
        """Put text there; the caret stands at its end."""

    def paint(self, colour: str) -> None:
        """Another colour of the pad."""

    def say(self, words: str) -> None:
        """Other words in the label."""

    def focus(self) -> None:
        """The keyboard goes to the field."""


class Sheet:
    """The verbs, and what was got since `forget`: pairs of kind and what."""

    def __init__(self) -> None:
        self._got: list[tuple[str, object]] = []

    def note(self, kind: str, what: object) -> None:
        """Write down one thing that was got."""
        self._got.append((kind, what))

    def noting(self, kind: str, what: object) -> Callable[..., None]:
        """A handler that does so."""
        return lambda *_: self.note(kind, what)

    def got(self) -> list[tuple[str, object]]:
        """All of it, in order."""
        return list(self._got)

    def forget(self) -> None:
        """Begin anew."""
        self._got.clear()

    def verbs(self, kit: Kit) -> dict[str, Callable[..., Any]]:
        """By name, for `bed.lines.answer`."""
        names = ("parts", "text", "fill", "paint", "say", "focus")
        return {name: getattr(kit, name) for name in names} | {
            "got": self.got,
            "forget": self.forget,
        }


def conversation(path: str) -> Lines:
    """Standard input and output become the socket."""
    link = socket.socket(socket.AF_UNIX)
    link.connect(path)
    for descriptor in (0, 1):
        os.dup2(link.fileno(), descriptor)
    return Lines()


def answered(lines: Lines, verbs: dict[str, Callable[..., Any]]) -> bool:
    """Answer what is there; False once the test has gone."""
    for line in lines.read():
        answer(verbs, line)
    return not lines.closed


def chord(key: str, *, ctrl: bool, alt: bool, shift: bool) -> str | None:
    """The name of a key with modifiers as the agent would give it; None for a key of plain text."""
    held = [name for name, down in (("ctrl", ctrl), ("alt", alt), ("shift", shift)) if down]
    plain = len(key) == 1 and not (ctrl or alt)
    return None if plain or not held else "+".join([*held, key.lower() if len(key) == 1 else key])

"""The application inside a terminal: it reads the terminal's input raw, with reports of the mouse and of pastes."""

from __future__ import annotations

import os
import re
import select
import sys
import tty
from contextlib import suppress

from tests.live.bed.kits.sheet import PAINTED, Sheet, answered, conversation

BUTTONS = {0: "left", 1: "middle", 2: "right"}
WHEELS = {64: (0, -1), 65: (0, 1), 66: (-1, 0), 67: (1, 0)}
KEYS = {b"\x0b": "ctrl+k", b"\x1bx": "alt+x", b"\x1b[15;2~": "shift+F5"}
# Reports of the mouse, chords, marks around a paste; the rest is text.
PIECES = re.compile(
    rb"\x1b\[<(\d+);\d+;\d+([Mm])|(\x0b|\x1bx|\x1b\[15;2~)|(\x1b\[20[01]~)|([^\x1b\x0b]+)",
    re.DOTALL,
)
SHOWN = b"\x1b[?1000h\x1b[?1006h\x1b[?2004h\x1b[?25l"


class Terminal:
    """What came through the terminal."""

    def __init__(self, sheet: Sheet, screen: int) -> None:
        self.sheet, self.screen = sheet, screen
        self.written = b""
        self.rest = b""
        os.write(screen, SHOWN)
        self.paint(PAINTED)

    def take(self, data: bytes) -> None:
        """Sort what arrived; the beginning of a report waits for its end."""
        data, self.rest = self.rest + data, b""
        place = 0
        while place < len(data):
            piece = PIECES.match(data, place)
            if piece is None:
                self.rest = data[place:]
                return
            self._piece(piece)
            place = piece.end()

    def _piece(self, piece: re.Match[bytes]) -> None:
        mouse, way, key, _, words = piece.groups()
        if mouse is not None:
            number = int(mouse)
            if number in WHEELS:
                self.sheet.note("wheel", list(WHEELS[number]))
            elif way == b"M":
                self.sheet.note("press", BUTTONS[number & 3])
        elif key is not None:
            self.sheet.note("key", KEYS[key])
        elif words is not None:
            self.written += words

    def parts(self) -> dict[str, list[float]]:
        """A part of its window that is surely inside."""
        inside: list[float] = [100, 80, 240, 120]
        drops = {"goal": inside} if os.environ["TERM"].startswith("foot") else {}
        return {"pad": inside, "field": inside, **drops}

    def text(self) -> str:
        """All that was typed."""
        with suppress(UnicodeDecodeError):
            return self.written.decode()
        return self.written.decode(errors="replace")

    def fill(self, text: str) -> None:
        """As if that had been typed."""
        self.written, self.rest = text.encode(), b""

    def paint(self, colour: str) -> None:
        """The background of all."""
        os.write(self.screen, f"\x1b]11;{colour}\x07\x1b[2J".encode())

    def say(self, words: str) -> None:
        """Show it."""
        os.write(self.screen, f"\x1b[H{words}\r\n".encode())

    def focus(self) -> None:
        """There is nothing else that could have it."""


def main(path: str) -> None:
    """Answer until the test or the terminal has gone."""
    keys, screen = os.dup(0), os.dup(1)
    tty.setraw(keys)
    sheet = Sheet()
    terminal = Terminal(sheet, screen)
    verbs, lines = sheet.verbs(terminal), conversation(path)
    while True:
        ready, _, _ = select.select([keys, lines.fd], [], [])
        if keys in ready:
            terminal.take(os.read(keys, 65536))
        if lines.fd in ready and not answered(lines, verbs):
            return


if __name__ == "__main__":
    main(sys.argv[1])

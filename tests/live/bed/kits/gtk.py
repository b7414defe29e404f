"""What the applications of GTK 3 and GTK 4 share: their text view and the loop that answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gi.repository import GLib

from tests.live.bed.kits.sheet import Kit, Sheet, answered, conversation


def text(view: Any) -> str:
    """What a text view holds."""
    buffer = view.get_buffer()
    return str(buffer.get_text(*buffer.get_bounds(), True))


def fill(view: Any, words: str) -> None:
    """Put text there."""
    view.get_buffer().set_text(words, len(words.encode()))


def run(make: Callable[..., Kit], arguments: Sequence[str]) -> None:
    """Open the window and answer until the test has gone."""
    path, title, *more = arguments
    sheet = Sheet()
    verbs = sheet.verbs(make(title, sheet, *more))
    loop, lines = GLib.MainLoop(), conversation(path)

    def readable(*_: object) -> bool:
        going = answered(lines, verbs)
        if not going:
            loop.quit()
        return going

    GLib.io_add_watch(lines.fd, GLib.PRIORITY_DEFAULT_IDLE, GLib.IO_IN | GLib.IO_HUP, readable)
    loop.run()

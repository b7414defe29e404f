"""What the GTK 3 and the GTK 4 test application share: the verbs they answer and the loop that
answers them.

text {"part": "view"}    set {"part": "view", "text": "a"}    clear    clicked
focus {"part": "entry"}    selected
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gi.repository import GLib

from tests.live.bed.lines import Lines, answer

VERBS = ("text", "set", "clear", "clicked", "focus", "selected")
ROWS = ("one", "two", "three")
ITEMS = ("First", "Second")


class Fields:
    """The parts an application hands over: an entry, a text view and a list; `used` is what its
    user touched.
    """

    def __init__(self, entry: Any, view: Any, rows: Any) -> None:
        self.used: list[str] = []
        self.entry, self.view, self.rows = entry, view, rows

    def text(self, part: str = "view") -> str:
        """What stands in a field."""
        if part == "entry":
            return str(self.entry.get_text())
        buffer = self.view.get_buffer()
        return str(buffer.get_text(*buffer.get_bounds(), True))

    def set(self, text: str, part: str = "view") -> None:
        """Put text into a field from the application's side; the cursor stands at its end."""
        if part == "entry":
            self.entry.set_text(text)
            self.entry.set_position(-1)
        else:
            self.view.get_buffer().set_text(text, len(text.encode()))

    def clear(self) -> None:
        """Empty both fields and forget what was used."""
        self.set("", "view")
        self.set("", "entry")
        self.used.clear()

    def clicked(self) -> list[str]:
        """Parts used since `clear`, in order."""
        return self.used

    def focus(self, part: str) -> None:
        """Move the keyboard focus inside the window."""
        {"entry": self.entry, "view": self.view}[part].grab_focus()

    def selected(self) -> str:
        """The name of the chosen row, "" for none."""
        row = self.rows.get_selected_row()
        return "" if row is None else str(row.get_name())

    def note(self, what: str) -> Callable[..., None]:
        """A signal handler that writes `what` down as used."""
        return lambda *_: self.used.append(what)


def answer_until_closed(fields: Fields) -> None:
    """Run the main loop and answer commands until stdin ends."""
    loop, lines = GLib.MainLoop(), Lines()
    verbs = {name: getattr(fields, name) for name in VERBS}

    def readable(*_: object) -> bool:
        for line in lines.read():
            answer(verbs, line)
        if lines.closed:
            loop.quit()
        return not lines.closed

    GLib.io_add_watch(lines.fd, GLib.PRIORITY_DEFAULT_IDLE, GLib.IO_IN | GLib.IO_HUP, readable)
    loop.run()

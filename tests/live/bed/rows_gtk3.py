"""The rows in GTK 3."""

from __future__ import annotations

from typing import Any

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk  # noqa: E402  # the version must be chosen before the import

from tests.live.bed.lines import Lines  # noqa: E402  # likewise


class Gtk3:
    """A list box whose order is a rank."""

    def __init__(self, title: str, used: list[str]) -> None:
        self.used = used
        self.labels: dict[str, Any] = {}
        self.rank: dict[str, int] = {}
        self.list = Gtk.ListBox()
        self.list.set_sort_func(lambda one, other: self._rank(one) - self._rank(other))
        self.window = Gtk.Window(title=title, default_width=480, default_height=420)
        scrolled = Gtk.ScrolledWindow()
        scrolled.add(self.list)
        self.window.add(scrolled)
        self.window.show_all()
        self.over: Any = None

    def _rank(self, row: Any) -> int:
        return self.rank.get(str(row.label.get_text()), 0)

    def add(self, name: str, at: int) -> None:
        """A new row."""
        self.rank = {n: r + (r >= at) for n, r in self.rank.items()} | {name: at}
        row, box, label, button = (
            Gtk.ListBoxRow(),
            Gtk.Box(),
            Gtk.Label(label=name),
            Gtk.Button(label="Pick"),
        )
        row.label = label
        button.connect("clicked", lambda *_: self.used.append(label.get_text()))
        box.add(label)
        box.add(button)
        row.add(box)
        self.labels[name] = label
        self.list.add(row)
        row.show_all()

    def sort(self, names: list[str]) -> None:
        """The same widgets in another order."""
        self.rank = {name: place for place, name in enumerate(names)}
        self.list.invalidate_sort()

    def rename(self, old: str, new: str) -> None:
        """Other words in the same widgets."""
        self.labels[new] = self.labels.pop(old)
        self.rank[new] = self.rank.pop(old)
        self.labels[new].set_text(new)

    def clear(self) -> None:
        """No rows."""
        for row in self.list.get_children():
            self.list.remove(row)
        self.labels.clear()
        self.rank.clear()

    def dialog(self, *, shown: bool) -> None:
        """A modal dialog, or none."""
        if self.over is not None:
            self.over.destroy()
            self.over = None
        if shown:
            self.over = Gtk.MessageDialog(transient_for=self.window, modal=True, text="Really?")
            self.over.show_all()

    def run(self, lines: Lines, verbs: dict[str, Any]) -> None:
        """Answer commands until stdin ends."""
        run(lines, verbs)


def run(lines: Lines, verbs: dict[str, Any]) -> None:
    """GLib's loop around the conversation."""
    from tests.live.bed.rows import run_lines

    loop = GLib.MainLoop()

    def readable(*_: object) -> bool:
        going = run_lines(lines, verbs)
        if not going:
            loop.quit()
        return going

    GLib.io_add_watch(lines.fd, GLib.PRIORITY_DEFAULT_IDLE, GLib.IO_IN | GLib.IO_HUP, readable)
    loop.run()


def open_(title: str, used: list[str]) -> Gtk3:
    """The window."""
    GLib.set_prgname("bed.rows")
    Gtk.init([])
    return Gtk3(title, used)

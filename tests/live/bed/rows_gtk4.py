"""The rows in GTK 4."""

from __future__ import annotations

from typing import Any

import gi

gi.require_version("Gtk", "4.0")
from gi.repository import GLib, Gtk  # noqa: E402  # the version must be chosen before the import

from tests.live.bed.lines import Lines  # noqa: E402  # likewise


class Gtk4:
    """A list box whose order is a rank."""

    def __init__(self, title: str, used: list[str]) -> None:
        self.used = used
        self.labels: dict[str, Any] = {}
        self.rank: dict[str, int] = {}
        self.list = Gtk.ListBox()
        self.list.set_sort_func(lambda one, other: self._rank(one) - self._rank(other))
        scrolled = Gtk.ScrolledWindow(child=self.list)
        self.window = Gtk.Window(title=title, default_width=480, default_height=420, child=scrolled)
        self.window.present()
        self.over: Any = None

    def _rank(self, row: Any) -> int:
        return self.rank.get(str(row.get_child().get_first_child().get_text()), 0)

    def add(self, name: str, at: int) -> None:
        """A new row."""
        self.rank = {n: r + (r >= at) for n, r in self.rank.items()} | {name: at}
        box, label, button = Gtk.Box(), Gtk.Label(label=name), Gtk.Button(label="Pick")
        button.connect("clicked", lambda *_: self.used.append(label.get_text()))
        box.append(label)
        box.append(button)
        self.labels[name] = label
        self.list.append(Gtk.ListBoxRow(child=box))

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
        while (row := self.list.get_first_child()) is not None:
            self.list.remove(row)
        self.labels.clear()
        self.rank.clear()

    def dialog(self, *, shown: bool) -> None:
        """A modal dialog, or none."""
        if self.over is not None:
            self.over.destroy()
            self.over = None
        if shown:
            self.over = Gtk.Window(transient_for=self.window, modal=True, title="Really?")
            self.over.set_child(Gtk.Label(label="Really?"))
            self.over.present()

    def run(self, lines: Lines, verbs: dict[str, Any]) -> None:
        """Answer commands until stdin ends."""
        from tests.live.bed.rows import run_lines

        loop = GLib.MainLoop()

        def readable(*_: object) -> bool:
            going = run_lines(lines, verbs)
            if not going:
                loop.quit()
            return going

        GLib.io_add_watch(lines.fd, GLib.PRIORITY_DEFAULT_IDLE, GLib.IO_IN | GLib.IO_HUP, readable)
        loop.run()


def open_(title: str, used: list[str]) -> Gtk4:
    """The window."""
    GLib.set_prgname("bed.rows")
    Gtk.init()
    return Gtk4(title, used)

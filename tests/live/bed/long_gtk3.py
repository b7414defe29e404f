"""A GTK 3 list of as many rows as asked for: `long_gtk3 TITLE ROWS`; answers `alive` and `selected`."""

from __future__ import annotations

import sys
from typing import Any

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk  # noqa: E402  # the version must be chosen before the import

from tests.live.bed.lines import Lines  # noqa: E402  # likewise
from tests.live.bed.rows_gtk3 import run  # noqa: E402  # likewise


def build(title: str, count: int) -> dict[str, Any]:
    """Open the window; the verbs."""
    store = Gtk.ListStore(str, int)
    for number in range(count):
        store.append([f"row {number}", number])
    view = Gtk.TreeView(model=store)
    for place, name in enumerate(("name", "number")):
        view.append_column(Gtk.TreeViewColumn(name, Gtk.CellRendererText(), text=place))
    scrolled = Gtk.ScrolledWindow()
    scrolled.add(view)
    box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
    box.pack_start(Gtk.Button(label="Above"), False, False, 0)
    box.pack_start(scrolled, True, True, 0)
    window = Gtk.Window(title=title, default_width=480, default_height=420)
    window.add(box)
    window.show_all()

    def selected() -> str:
        model, chosen = view.get_selection().get_selected()
        return "" if chosen is None else str(model[chosen][0])

    return {"alive": lambda: True, "selected": selected}


if __name__ == "__main__":
    GLib.set_prgname("bed.long")
    Gtk.init([])
    run(Lines(), build(sys.argv[1], int(sys.argv[2])))

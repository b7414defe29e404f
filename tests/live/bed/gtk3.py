"""A GTK 3 application that answers for itself: an entry, a text view, a button, a check box, a
list and a menu.
"""

from __future__ import annotations

import sys
from typing import Any

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk  # noqa: E402  # the version must be chosen before the import

from tests.live.bed.gtk import ITEMS, ROWS, Fields, answer_until_closed  # noqa: E402  # likewise


def build(title: str) -> Fields:
    """Open the window."""
    rows, check, button = (
        Gtk.ListBox(),
        Gtk.CheckButton(label="Agree"),
        Gtk.Button(label="Press me"),
    )
    fields = Fields(Gtk.Entry(), Gtk.TextView(wrap_mode=Gtk.WrapMode.CHAR), rows)
    button.connect("clicked", fields.note("button"))
    check.connect("toggled", fields.note("check"))
    for name in ROWS:
        row = Gtk.ListBoxRow(name=name)
        row.add(Gtk.Label(label=name))
        rows.add(row)
    scrolled = Gtk.ScrolledWindow(vexpand=True)
    scrolled.add(fields.view)
    box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
    for part in (menu(fields), fields.entry, button, check, rows, scrolled):
        box.add(part)
    window = Gtk.Window(title=title, default_width=480, default_height=420)
    window.add(box)
    window.show_all()
    fields.view.grab_focus()
    return fields


def menu(fields: Fields) -> Any:
    """A menu bar with one menu."""
    bar, top, items = Gtk.MenuBar(), Gtk.MenuItem(label="File"), Gtk.Menu()
    for label in ITEMS:
        item = Gtk.MenuItem(label=label)
        item.connect("activate", fields.note(f"menu {label}"))
        items.append(item)
    top.set_submenu(items)
    bar.append(top)
    return bar


if __name__ == "__main__":
    GLib.set_prgname("bed.gtk3")  # becomes the app id
    Gtk.init([])
    answer_until_closed(build(sys.argv[1]))

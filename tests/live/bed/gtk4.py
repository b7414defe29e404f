"""A GTK 4 application that answers for itself: an entry, a text view, a button, a check box, a
list and a menu.
"""

from __future__ import annotations

import sys
from typing import Any

import gi

gi.require_version("Gtk", "4.0")
from gi.repository import Gio, GLib, Gtk  # noqa: E402  # the version must be chosen before the import

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
        rows.append(Gtk.ListBoxRow(name=name, child=Gtk.Label(label=name)))
    box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
    window = Gtk.Window(title=title, default_width=480, default_height=420, child=box)
    scrolled = Gtk.ScrolledWindow(vexpand=True, child=fields.view)
    for part in (menu(fields, window), fields.entry, button, check, rows, scrolled):
        box.append(part)
    window.present()
    fields.view.grab_focus()
    return fields


def menu(fields: Fields, window: Any) -> Any:
    """A menu button with one menu."""
    items, actions = Gio.Menu(), Gio.SimpleActionGroup()
    for label in ITEMS:
        action = Gio.SimpleAction(name=label.lower())
        action.connect("activate", fields.note(f"menu {label}"))
        actions.add_action(action)
        items.append(label, f"bed.{label.lower()}")
    window.insert_action_group("bed", actions)
    return Gtk.MenuButton(label="File", menu_model=items)


if __name__ == "__main__":
    GLib.set_prgname("bed.gtk4")  # becomes the app id
    Gtk.init()
    answer_until_closed(build(sys.argv[1]))

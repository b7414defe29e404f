"""A GTK 3 window that is one button: whoever presses it is asked by a dialog."""

from __future__ import annotations

import sys
from typing import Any

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk  # noqa: E402  # the version must be chosen before the import


def main(title: str) -> None:
    """Run until the window closes."""
    window = Gtk.Window(title=title)
    button = Gtk.Button(label="Ask")

    def ask(_button: Any) -> None:
        dialog = Gtk.MessageDialog(transient_for=window, text="Really?", title=f"{title} asks")
        dialog.show()

    button.connect("clicked", ask)
    window.add(button)
    window.connect("destroy", Gtk.main_quit)
    window.show_all()
    Gtk.main()


if __name__ == "__main__":
    GLib.set_prgname("bed.asking")  # becomes the app id
    Gtk.init([])
    main(sys.argv[1])

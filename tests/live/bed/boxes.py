"""A window with one combo box whose title says what is chosen in it: `boxes gtk3|gtk4|qt5|qt6`."""

from __future__ import annotations

import importlib
import sys
from typing import Any

TITLE = "bed boxes"
FRUIT = ("apple", "pear", "plum", "quince")
LABEL = "Fruit"
PAGE = (
    f"<!doctype html><meta charset=utf-8><title>{TITLE}</title>"
    f"<label>{LABEL} <select onchange=\"document.title = '{TITLE}: ' + this.value\">"
    + "".join(f"<option>{name}" for name in FRUIT)
    + "</select></label>"
)


def gtk(version: int) -> None:
    """GTK: a combo box in 3, a drop-down in 4; a label stands for it."""
    gi = importlib.import_module("gi")
    gi.require_version("Gtk", f"{version}.0")
    gtk_ = importlib.import_module("gi.repository.Gtk")
    glib = importlib.import_module("gi.repository.GLib")
    glib.set_prgname("bed.boxes")
    window: Any = gtk_.Window(title=TITLE, default_width=400, default_height=300)
    box, label = gtk_.Box(spacing=8), gtk_.Label(label=LABEL)
    if version == 3:
        combo: Any = gtk_.ComboBoxText()
        for name in FRUIT:
            combo.append_text(name)
        combo.set_active(0)
        chosen, told = combo.get_active_text, "changed"
    else:
        combo = gtk_.DropDown.new_from_strings(FRUIT)
        chosen, told = lambda: FRUIT[combo.get_selected()], "notify::selected"
    combo.connect(told, lambda *_: window.set_title(f"{TITLE}: {chosen()}"))
    label.set_mnemonic_widget(combo)
    for part in (label, combo):
        (box.add if version == 3 else box.append)(part)
    (window.add if version == 3 else window.set_child)(box)
    (window.show_all if version == 3 else window.present)()
    glib.MainLoop().run()


def qt(version: int) -> None:
    """Qt, in a form."""
    widgets: Any = importlib.import_module(f"PyQt{version}.QtWidgets")
    application = widgets.QApplication(["bed boxes"])
    window, combo = widgets.QWidget(), widgets.QComboBox()
    window.setWindowTitle(TITLE)
    window.resize(400, 300)
    combo.addItems(FRUIT)
    combo.currentTextChanged.connect(lambda name: window.setWindowTitle(f"{TITLE}: {name}"))
    widgets.QFormLayout(window).addRow(LABEL, combo)
    window.show()
    application.exec()


if __name__ == "__main__":
    kind = sys.argv[1]
    (gtk if kind.startswith("gtk") else qt)(int(kind[-1]))

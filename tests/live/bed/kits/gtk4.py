"""The application of GTK 4."""

from __future__ import annotations

import sys
from typing import Any

import gi

gi.require_version("Gtk", "4.0")
gi.require_version("Gdk", "4.0")
from gi.repository import (  # noqa: E402  # the version must be chosen before the import
    Gdk,
    Gio,
    GLib,
    GObject,
    Gtk,
)

from tests.live.bed.kits import gtk  # noqa: E402  # likewise
from tests.live.bed.kits.sheet import (  # noqa: E402  # likewise
    ITEMS,
    PAINTED,
    PARCEL,
    PRESS,
    WORDS,
    Sheet,
    chord,
)

BUTTONS = {1: "left", 2: "middle", 3: "right"}


class Gtk4:
    """The window."""

    def __init__(self, title: str, sheet: Sheet) -> None:
        self.sheet = sheet
        self.style = Gtk.CssProvider()
        self.view, self.label = Gtk.TextView(wrap_mode=Gtk.WrapMode.CHAR), Gtk.Label(label=WORDS)
        button, pad = Gtk.Button(label=PRESS), self._pad()
        button.connect("clicked", sheet.noting("pressed", "button"))
        source, goal = self._source(), self._goal()
        keys = Gtk.EventControllerKey()
        keys.connect("key-pressed", self._key)
        keys.set_propagation_phase(Gtk.PropagationPhase.CAPTURE)
        self.view.add_controller(keys)
        self.window = Gtk.Window(title=title, default_width=600, default_height=420)
        menu, scrolled = self._menu(), Gtk.ScrolledWindow(vexpand=True, child=self.view)
        line = Gtk.Box()
        for part in (menu, button, source, goal, self.label):
            line.append(part)
        box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        for part in (pad, scrolled, line):
            box.append(part)
        self.window.set_child(box)
        self._parts = dict(
            pad=pad,
            field=scrolled,
            menu=menu,
            source=source,
            goal=goal,
            button=button,
            words=self.label,
        )
        self.window.present()
        self.paint(PAINTED)
        self.focus()

    def _pad(self) -> Any:
        pad = Gtk.Box(name="pad", height_request=150)
        pad.get_style_context().add_provider(self.style, Gtk.STYLE_PROVIDER_PRIORITY_USER)
        click = Gtk.GestureClick(button=0)
        wheel = Gtk.EventControllerScroll(flags=Gtk.EventControllerScrollFlags.BOTH_AXES)

        def press(gesture: Any, count: int, _x: float, _y: float) -> None:
            kind = "double" if count == 2 else "press"
            self.sheet.note(kind, BUTTONS[gesture.get_current_button()])

        def turned(_wheel: Any, right: float, down: float) -> bool:
            self.sheet.note("wheel", [right, down])
            return True

        click.connect("pressed", press)
        wheel.connect("scroll", turned)
        pad.add_controller(click)
        pad.add_controller(wheel)
        return pad

    def _source(self) -> Any:
        source, drag = Gtk.Label(label="take this"), Gtk.DragSource()
        drag.connect("prepare", lambda *_: Gdk.ContentProvider.new_for_value(PARCEL))
        source.add_controller(drag)
        return source

    def _goal(self) -> Any:
        goal = Gtk.Label(label="put it here")
        drop = Gtk.DropTarget.new(GObject.TYPE_STRING, Gdk.DragAction.COPY)

        def dropped(_target: Any, value: str, _x: float, _y: float) -> bool:
            self.sheet.note("drop", value)
            return True

        drop.connect("drop", dropped)
        goal.add_controller(drop)
        return goal

    def _menu(self) -> Any:
        items, actions = Gio.Menu(), Gio.SimpleActionGroup()
        for name in ITEMS:
            action = Gio.SimpleAction(name=name)
            action.connect("activate", self.sheet.noting("chosen", name))
            actions.add_action(action)
            items.append(name, f"kit.{name}")
        self.window.insert_action_group("kit", actions)
        return Gtk.MenuButton(label="Choose", menu_model=items)

    def _key(self, _keys: Any, keyval: int, _code: int, state: Any) -> bool:
        mask = Gdk.ModifierType
        point = Gdk.keyval_to_unicode(keyval)
        name = chord(
            chr(point) if point else Gdk.keyval_name(keyval),
            ctrl=bool(state & mask.CONTROL_MASK),
            alt=bool(state & mask.ALT_MASK),
            shift=bool(state & mask.SHIFT_MASK),
        )
        if name is None or name == "ctrl+v" or name.endswith(("_L", "_R")):
            return False
        self.sheet.note("key", name)
        return True

    def parts(self) -> dict[str, list[float]]:
        """Where the parts are: the window's own origin is the content's, inside its shadow."""
        found = {}
        for name, widget in self._parts.items():
            _, box = widget.compute_bounds(self.window)
            found[name] = [box.get_x(), box.get_y(), box.get_width(), box.get_height()]
        return found

    def text(self) -> str:
        """The field."""
        return gtk.text(self.view)

    def fill(self, text: str) -> None:
        """Put text there."""
        gtk.fill(self.view, text)

    def paint(self, colour: str) -> None:
        """The pad's colour."""
        self.style.load_from_data(f"#pad {{ background: {colour}; }}".encode())

    def say(self, words: str) -> None:
        """The label."""
        self.label.set_text(words)

    def focus(self) -> None:
        """The field."""
        self.view.grab_focus()


if __name__ == "__main__":
    GLib.set_prgname("kit.gtk4")  # becomes the app id
    Gtk.init()
    gtk.run(Gtk4, sys.argv[1:])

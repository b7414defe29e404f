"""The application of GTK 3."""

from __future__ import annotations

import sys
from typing import Any

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("Gdk", "3.0")
from gi.repository import Gdk, GLib, Gtk  # noqa: E402  # the version must be chosen before the import

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
TARGETS = [Gtk.TargetEntry.new("text/plain", 0, 0), Gtk.TargetEntry.new("text/uri-list", 0, 1)]


class Gtk3:
    """The window."""

    def __init__(self, title: str, sheet: Sheet, parcel: str = PARCEL) -> None:
        self.sheet, self.parcel = sheet, parcel
        self.style = Gtk.CssProvider()
        self.view, self.label = Gtk.TextView(wrap_mode=Gtk.WrapMode.CHAR), Gtk.Label(label=WORDS)
        button, pad = Gtk.Button(label=PRESS), self._pad()
        source, goal = self._source(), self._goal()
        menu = self._menu()
        button.connect("clicked", sheet.noting("pressed", "button"))
        self.view.connect("key-press-event", self._key)
        scrolled = Gtk.ScrolledWindow(vexpand=True)
        scrolled.add(self.view)
        line = Gtk.Box()
        for part in (menu, button, source, goal, self.label):
            line.add(part)
        box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        for part in (pad, scrolled, line):
            box.add(part)
        self.window = Gtk.Window(title=title, default_width=600, default_height=420)
        self.window.add(box)
        self._parts = dict(
            pad=pad,
            field=scrolled,
            menu=menu,
            source=source,
            goal=goal,
            button=button,
            words=self.label,
        )
        self.window.show_all()
        self.paint(PAINTED)
        self.focus()

    def _pad(self) -> Any:
        pad = Gtk.EventBox(name="pad")
        pad.set_size_request(-1, 150)
        pad.add_events(
            Gdk.EventMask.BUTTON_PRESS_MASK
            | Gdk.EventMask.SCROLL_MASK
            | Gdk.EventMask.SMOOTH_SCROLL_MASK
        )
        context = pad.get_style_context()
        context.add_provider(self.style, Gtk.STYLE_PROVIDER_PRIORITY_USER)
        pad.connect("button-press-event", self._press)
        pad.connect("scroll-event", self._scroll)
        return pad

    def _source(self) -> Any:
        source = Gtk.EventBox()
        source.add(Gtk.Label(label="take this"))
        source.drag_source_set(Gdk.ModifierType.BUTTON1_MASK, TARGETS, Gdk.DragAction.COPY)
        source.connect("drag-data-get", self._hand_over)
        return source

    def _hand_over(self, _widget: Any, _context: Any, data: Any, info: int, _time: int) -> None:
        if info:
            data.set_uris([self.parcel])
        else:
            data.set_text(self.parcel, -1)

    def _goal(self) -> Any:
        goal = Gtk.EventBox()
        goal.add(Gtk.Label(label="put it here"))
        goal.drag_dest_set(Gtk.DestDefaults.ALL, TARGETS[:1], Gdk.DragAction.COPY)

        def received(_w: Any, _c: Any, _x: int, _y: int, data: Any, _i: int, _t: int) -> None:
            self.sheet.note("drop", data.get_text())

        goal.connect("drag-data-received", received)
        return goal

    def _menu(self) -> Any:
        items = Gtk.Menu()
        for name in ITEMS:
            item = Gtk.MenuItem(label=name)
            item.connect("activate", self.sheet.noting("chosen", name))
            items.append(item)
        items.show_all()
        return Gtk.MenuButton(label="Choose", popup=items, use_popover=False)

    def _press(self, _pad: Any, event: Any) -> None:
        double = event.type == Gdk.EventType._2BUTTON_PRESS
        if double or event.type == Gdk.EventType.BUTTON_PRESS:
            self.sheet.note("double" if double else "press", BUTTONS[event.button])

    def _scroll(self, _pad: Any, event: Any) -> None:
        smooth, right, down = event.get_scroll_deltas()
        if smooth:
            self.sheet.note("wheel", [right, down])
        else:
            way = event.get_scroll_direction()[1].value_nick
            step = {"up": [0, -1], "down": [0, 1], "left": [-1, 0], "right": [1, 0]}
            self.sheet.note("wheel", step[way])

    def _key(self, _view: Any, event: Any) -> bool:
        state, mask = event.state, Gdk.ModifierType
        point = Gdk.keyval_to_unicode(event.keyval)
        name = chord(
            chr(point) if point else Gdk.keyval_name(event.keyval),
            ctrl=bool(state & mask.CONTROL_MASK),
            alt=bool(state & mask.MOD1_MASK),
            shift=bool(state & mask.SHIFT_MASK),
        )
        if name is None or event.is_modifier or name == "ctrl+v":
            return False
        self.sheet.note("key", name)
        return True

    def parts(self) -> dict[str, list[float]]:
        """Where the parts are."""
        found = {}
        for name, widget in self._parts.items():
            x, y = widget.translate_coordinates(self.window, 0, 0)
            found[name] = [x, y, widget.get_allocated_width(), widget.get_allocated_height()]
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
    GLib.set_prgname("kit.gtk3")  # becomes the app id
    Gtk.init([])
    gtk.run(Gtk3, sys.argv[1:])

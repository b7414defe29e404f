"""A scripted sway on the Wayland wire: seats, devices, outputs and both window lists."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from slate_desktop.model import Handle
from tests.fakes.wayland_peer import Peer, Request, states, wired

GLOBALS = (
    ("wl_compositor", 6),
    ("wl_shm", 1),
    ("wp_viewporter", 1),
    ("xdg_wm_base", 6),
    ("zxdg_output_manager_v1", 3),
    ("ext_transient_seat_manager_v1", 1),
    ("zwp_virtual_keyboard_manager_v1", 1),
    ("zwlr_virtual_pointer_manager_v1", 2),
    ("ext_foreign_toplevel_list_v1", 1),
    ("zwlr_foreign_toplevel_manager_v1", 3),
    ("ext_data_control_manager_v1", 1),
    ("wl_output", 4),
    ("wl_output", 4),
)
OUTPUTS = {"SCREEN-1": (0, 0, 1280, 720), "SCREEN-2": (1280, 0, 1280, 720)}
KEYBOARD_AND_POINTER, ACTIVATED = 3, 2


@dataclass
class FakeWindow:
    """A window: its objects in the two lists, and whether a seat is there."""

    handle: Handle
    listed: int
    managed: int
    activated: bool


class FakeDesk:
    """What sway does, as far as hands see it: one seat focuses one window at a time."""

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        self.windows: dict[Handle, FakeWindow] = {}
        self.refuses: set[Handle] = set()
        self.denies = False
        self.turned: dict[str, int] = {}
        self.lists = [0, 0]
        self._seats = 0
        self._outputs: dict[int, str] = {}
        self._places: dict[str, int] = {}
        self._titles: dict[int, list[str]] = {}
        answers = peer.answers
        answers["wl_registry.bind"] = self._bind
        answers["zxdg_output_manager_v1.get_xdg_output"] = self._place
        answers["ext_transient_seat_manager_v1.create"] = self._seat
        answers["zwlr_virtual_pointer_manager_v1.create_virtual_pointer"] = self._equip
        answers["zwlr_foreign_toplevel_handle_v1.activate"] = self._activate
        answers["xdg_surface.get_toplevel"] = self._toplevel
        answers["xdg_toplevel.set_app_id"] = lambda r: self._name(r, 1)
        answers["xdg_toplevel.set_title"] = lambda r: self._name(r, 0)
        answers["xdg_surface.ack_configure"] = self._map

    @classmethod
    @contextmanager
    def wired(cls) -> Iterator[tuple[socket.socket, FakeDesk]]:
        """A client's end, and the desk at the other."""
        with wired(*GLOBALS) as (sock, peer):
            yield sock, cls(peer)

    def open(self, title: str, app_id: str, *, activated: bool = False) -> Handle:
        """Map a window, announced as sway does: first in the one list, then in the other."""
        handle = Handle(f"id{len(self.windows)}")
        listed = self.announce_listed(handle, title, app_id)
        managed = self.announce_managed(title, app_id)
        self.windows[handle] = FakeWindow(handle, listed, managed, False)
        self._state(self.windows[handle], activated=activated)
        return handle

    def announce_listed(self, handle: str, title: str, app_id: str) -> int:
        """Only in the list that has identifiers."""
        listed = self.peer.new("ext_foreign_toplevel_handle_v1")
        self.peer.send(self.lists[0], "toplevel", listed)
        self.peer.send(listed, "identifier", handle)
        self.peer.send(listed, "title", title)
        self.peer.send(listed, "app_id", app_id)
        self.peer.send(listed, "done")
        return listed

    def announce_managed(self, title: str, app_id: str) -> int:
        """Only in the list that focuses."""
        managed = self.peer.new("zwlr_foreign_toplevel_handle_v1")
        self.peer.send(self.lists[1], "toplevel", managed)
        self.peer.send(managed, "title", title)
        self.peer.send(managed, "app_id", app_id)
        self.peer.send(managed, "done")
        return managed

    def deactivate_all(self) -> None:
        """A launcher or a lock screen takes the keyboard of all seats."""
        for window in self.windows.values():
            if window.activated:
                self._state(window, activated=False)

    def pull(self, title: str, app_id: str) -> None:
        """A new window of the person takes the focus of every seat."""
        self.deactivate_all()
        self.open(title, app_id, activated=True)

    def restore(self) -> None:
        """The person's newest window is activated again beside ours."""
        self._state([*self.windows.values()][-1], activated=True)

    def leave_home(self) -> None:
        """Our seat leaves its parking window, which is the first that was opened."""
        self._state(next(iter(self.windows.values())), activated=False)

    def reload(self) -> None:
        """Every virtual device goes to the person's seat."""
        self.peer.send(self.peer.object_of("wl_seat"), "capabilities", 0)

    def rename(self, handle: Handle, title: str) -> None:
        """A window gets another title."""
        window = self.windows[handle]
        for object_ in (window.listed, window.managed):
            self.peer.send(object_, "title", title)
            self.peer.send(object_, "done")

    def unplug(self, name: str) -> None:
        """An output goes."""
        self.peer.remove(next(n for n, output in self._outputs.items() if output == name))

    def plug(self, name: str) -> None:
        """An output comes back."""
        self._outputs = {n: output for n, output in self._outputs.items() if output != name}
        self.peer.add("wl_output", 4)

    def place_of(self, name: str) -> int:
        """The object that tells where an output is."""
        return self._places[name]

    def _state(self, window: FakeWindow, *, activated: bool) -> None:
        window.activated = activated
        self.peer.send(window.managed, "state", states(ACTIVATED) if activated else b"")
        self.peer.send(window.managed, "done")

    def _bind(self, request: Request) -> None:
        name, interface, _, object_ = request.arguments
        match interface:
            case "wl_output":
                taken = set(self._outputs.values())
                self._outputs[name] = next(output for output in OUTPUTS if output not in taken)
                transform = self.turned.get(self._outputs[name], 0)
                self.peer.send(object_, "geometry", 0, 0, 0, 0, 0, "", "", transform)
                self.peer.send(object_, "name", self._outputs[name])
            case "wl_seat":
                self.peer.send(object_, "name", f"transient-{self._seats}")
                self.peer.send(object_, "capabilities", 0)
            case "ext_foreign_toplevel_list_v1":
                self.lists[0] = object_
            case "zwlr_foreign_toplevel_manager_v1":
                self.lists[1] = object_

    def _place(self, request: Request) -> None:
        place, output = request.arguments
        name = next(n for n, objects in self.peer.bound.items() if output in objects)
        self._places[self._outputs[name]] = place
        x, y, width, height = OUTPUTS[self._outputs[name]]
        self.peer.send(place, "logical_position", x, y)
        self.peer.send(place, "logical_size", width, height)

    def _seat(self, request: Request) -> None:
        if self.denies:
            self.peer.send(request.arguments[0], "denied")
            return
        self._seats += 1
        self.peer.send(request.arguments[0], "ready", self.peer.add("wl_seat", 9))

    def _equip(self, request: Request) -> None:
        self.peer.send(request.arguments[0], "capabilities", KEYBOARD_AND_POINTER)

    def _activate(self, request: Request) -> None:
        window = next(w for w in self.windows.values() if w.managed == request.object)
        if window.handle in self.refuses or window.activated:
            return
        for other in self.windows.values():
            if other.activated and other is not window:
                self._state(other, activated=False)
        self._state(window, activated=True)

    def _toplevel(self, request: Request) -> None:
        self._titles[request.arguments[0]] = ["", ""]
        self.peer.send(request.arguments[0], "configure", 64, 64, b"")
        self.peer.send(request.object, "configure", 1)

    def _name(self, request: Request, place: int) -> None:
        self._titles[request.object][place] = request.arguments[0]

    def _map(self, _request: Request) -> None:
        title, app_id = self._titles[self.peer.object_of("xdg_toplevel")]
        self.open(title, app_id)

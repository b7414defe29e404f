"""Where a client's surfaces are, read off the few requests and events that say so.

No dataclasses here: importing them takes half as long as the whole filter needs to start.
Places follow the protocol's double buffering: they count once the surface is committed. Offsets are
in logical pixels.
"""

from __future__ import annotations

from typing import NamedTuple

from slate_desktop.seat_filter.wire import Garbage, Message

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    _Handler = Callable[["Surfaces", "Surface", Message], None]


class Box(NamedTuple):
    """A rectangle of logical pixels."""

    x: int
    y: int
    width: int
    height: int


class Place(NamedTuple):
    """A point of logical pixels."""

    x: int
    y: int

    def plus(self, other: Place) -> Place:
        """Both, one after the other."""
        return Place(self.x + other.x, self.y + other.y)


_ORIGIN = Place(0, 0)


class Surface:
    """A wl_surface, and what its role says of its place."""

    def __init__(self) -> None:
        self.shown = False  # it has a buffer
        self.place = _ORIGIN  # a subsurface: from its parent's corner; a popup: from its content
        self.geometry: Box | None = None  # where its content is in it, for a window or a popup
        self.size = _ORIGIN  # of a popup's content, by the compositor's word
        self.parent: Surface | None = None
        self.below: list[Surface] = []
        self.popup = False
        self.title = self.app_id = ""
        self.order = 0  # windows are numbered as they appear
        self.next_shown: bool | None = None
        self.next_place: Place | None = None
        self.next_size: Place | None = None
        self.next_geometry: Box | None = None

    def commit(self) -> None:
        """What was said since the last commit counts from now on."""
        if self.next_shown is not None:
            self.shown = self.next_shown
        self.geometry = self.next_geometry or self.geometry
        if self.popup:
            self.place, self.size = self.next_place or self.place, self.next_size or self.size
            self.next_place = self.next_size = None
        for child in self.below:
            if not child.popup and child.next_place is not None:
                child.place, child.next_place = child.next_place, None
        self.next_shown = self.next_geometry = None

    def leave(self) -> None:
        """Its role is gone: it is nowhere and shows nothing."""
        if self.parent is not None and self in self.parent.below:
            self.parent.below.remove(self)
        self.parent, self.popup, self.shown = None, False, False
        self.geometry = self.next_geometry = self.next_place = self.next_size = None

    def join(self, parent: Surface | None, *, popup: bool) -> None:
        """Take a place relative to another surface."""
        ancestor = parent
        while ancestor is not None:
            if ancestor is self:
                raise Garbage("a surface inside itself")
            ancestor = ancestor.parent
        self.leave()
        self.parent, self.popup, self.place = parent, popup, _ORIGIN
        if parent is not None:
            parent.below.append(self)


class Seen(NamedTuple):
    """A window as its client has drawn it. `content` is where its content begins in a picture of
    all its surfaces; `popups` are the contents of open menus, relative to it. `size` is the
    content's, None when the client does not say.
    """

    order: int
    title: str
    app_id: str
    content: Place
    size: Place | None
    popups: tuple[Box, ...]


class Surfaces:
    """The surfaces of one client. `numbered` gives windows their order among all clients."""

    def __init__(self, numbered: Iterator[int]) -> None:
        self._numbered = numbered
        self._objects: dict[int, tuple[_Handler, Surface]] = {}
        self._windows: list[Surface] = []

    def bound(self, interface: str, id_: int) -> None:
        """The client has bound a global."""
        handler = _GLOBALS.get(interface)
        if handler is not None:
            self._objects[id_] = handler, Surface()

    def request(self, message: Message) -> None:
        """Note a request of the client. Garbage when it cannot be one."""
        found = self._objects.get(message.object)
        if found is not None:
            handler, surface = found
            handler(self, surface, message)

    def event(self, message: Message) -> None:
        """Note an event: the compositor says where a popup is to be."""
        found = self._objects.get(message.object)
        if found is not None and found[0] is Surfaces._popup and message.opcode == 0:
            surface = found[1]
            surface.next_place = Place(message.signed(0), message.signed(1))
            surface.next_size = Place(message.signed(2), message.signed(3))

    def forget(self, id_: int) -> None:
        """The compositor has let go of an object: its number may come again as another's."""
        self._objects.pop(id_, None)

    def seen(self) -> list[Seen]:
        """The windows that show something, in the order in which they appeared."""
        return [_seen(window) for window in self._windows if window.shown]

    # -- requests, by the interface they are made to --

    def _compositor(self, _: Surface, message: Message) -> None:
        if message.opcode == 0:  # create_surface
            self._objects[message.unsigned(0)] = Surfaces._surface, Surface()

    def _surface(self, surface: Surface, message: Message) -> None:
        match message.opcode:
            case 0:  # destroy
                surface.leave()
                for child in list(surface.below):
                    child.leave()
            case 1:  # attach
                surface.next_shown = message.unsigned(0) != 0
            case 6:  # commit
                before = surface.shown
                surface.commit()
                if surface.shown and not before:
                    surface.order = next(self._numbered)

    def _subcompositor(self, _: Surface, message: Message) -> None:
        if message.opcode == 1:  # get_subsurface
            surface, parent = self._known(message.unsigned(1)), self._known(message.unsigned(2))
            if surface is not None:
                shown = surface.shown
                surface.join(parent, popup=False)
                surface.shown = shown
                self._objects[message.unsigned(0)] = Surfaces._subsurface, surface

    def _subsurface(self, surface: Surface, message: Message) -> None:
        match message.opcode:
            case 0:  # destroy
                surface.leave()
            case 1:  # set_position
                surface.next_place = Place(message.signed(0), message.signed(1))

    def _wm_base(self, _: Surface, message: Message) -> None:
        if message.opcode == 2:  # get_xdg_surface
            surface = self._known(message.unsigned(1))
            if surface is not None:
                self._objects[message.unsigned(0)] = Surfaces._xdg_surface, surface

    def _xdg_surface(self, surface: Surface, message: Message) -> None:
        match message.opcode:
            case 1:  # get_toplevel
                self._windows.append(surface)
                self._objects[message.unsigned(0)] = Surfaces._toplevel, surface
            case 2:  # get_popup
                surface.join(self._known(message.unsigned(1)), popup=True)
                self._objects[message.unsigned(0)] = Surfaces._popup, surface
            case 3:  # set_window_geometry
                surface.next_geometry = Box(*(message.signed(word) for word in range(4)))

    def _toplevel(self, surface: Surface, message: Message) -> None:
        match message.opcode:
            case 0:  # destroy
                surface.leave()
                if surface in self._windows:
                    self._windows.remove(surface)
            case 2:
                surface.title = message.text(0)[0]
            case 3:
                surface.app_id = message.text(0)[0]

    def _popup(self, surface: Surface, message: Message) -> None:
        if message.opcode == 0:  # destroy
            surface.leave()

    def _known(self, id_: int) -> Surface | None:
        found = self._objects.get(id_)
        return found[1] if found is not None else None


_GLOBALS: dict[str, _Handler] = {
    "wl_compositor": Surfaces._compositor,
    "wl_subcompositor": Surfaces._subcompositor,
    "xdg_wm_base": Surfaces._wm_base,
}


def _seen(window: Surface) -> Seen:
    corners: list[Place] = []
    popups: list[Box] = []
    content = _content(window)
    left = [(window, Place(-content.x, -content.y))]  # surfaces, and where their corners are
    while left:
        surface, corner = left.pop()
        corners.append(corner)
        begin = corner.plus(_content(surface))
        for child in surface.below:
            if child.popup and child.shown:
                at, inner = begin.plus(child.place), _content(child)
                popups.append(Box(*at, *child.size))
                left.append((child, Place(at.x - inner.x, at.y - inner.y)))
            elif child.shown:
                left.append((child, corner.plus(child.place)))
    size = None if window.geometry is None else Place(*window.geometry[2:])
    first = Place(-min(corner.x for corner in corners), -min(corner.y for corner in corners))
    return Seen(window.order, window.title, window.app_id, first, size, tuple(popups))


def _content(surface: Surface) -> Place:
    """Where the content of a window or popup begins in its surface. One that does not say has all
    its surfaces for content.
    """
    if surface.geometry is not None:
        return Place(surface.geometry.x, surface.geometry.y)
    inner = [child.place for child in surface.below if child.shown and not child.popup]
    return Place(min((0, *(p.x for p in inner))), min((0, *(p.y for p in inner))))

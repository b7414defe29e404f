"""Where surfaces are, from the requests that say so."""

from __future__ import annotations

import itertools

import pytest

from slate_desktop.seat_filter.surfaces import Seen, Surfaces
from slate_desktop.seat_filter.wire import Frames, Garbage
from tests.fakes.wayland_bytes import message

COMPOSITOR, SUBCOMPOSITOR, WM_BASE = 2, 3, 4
BUFFER = 99


class Client:
    """Says the requests of a client; ids are given out in order."""

    def __init__(self) -> None:
        self.surfaces = Surfaces(itertools.count(1))
        for id_, interface in (
            (COMPOSITOR, "wl_compositor"),
            (SUBCOMPOSITOR, "wl_subcompositor"),
            (WM_BASE, "xdg_wm_base"),
        ):
            self.surfaces.bound(interface, id_)
        self._ids = itertools.count(10)

    def say(self, object_: int, opcode: int, *arguments: int | str) -> None:
        for one in Frames().cut(message(object_, opcode, *arguments)):
            self.surfaces.request(one)

    def hear(self, object_: int, opcode: int, *arguments: int) -> None:
        for one in Frames().cut(message(object_, opcode, *arguments)):
            self.surfaces.event(one)

    def make(self, factory: int, opcode: int, *arguments: int) -> int:
        id_ = next(self._ids)
        self.say(factory, opcode, id_, *arguments)
        return id_

    def surface(self) -> int:
        return self.make(COMPOSITOR, 0)

    def show(self, surface: int, buffer: int = BUFFER) -> None:
        self.say(surface, 1, buffer, 0, 0)
        self.say(surface, 6)

    def window(
        self, title: str = "t", geometry: tuple[int, int, int, int] | None = None
    ) -> tuple[int, int, int]:
        """A window that is shown: its surface, xdg surface and toplevel."""
        surface = self.surface()
        xdg = self.make(WM_BASE, 2, surface)
        top = self.make(xdg, 1)
        self.say(top, 2, title)
        self.say(top, 3, "app")
        if geometry:
            self.say(xdg, 3, *geometry)
        self.show(surface)
        return surface, xdg, top

    def popup(
        self, parent: int, place: tuple[int, int, int, int], geometry: tuple[int, int, int, int]
    ) -> tuple[int, int, int]:
        """A popup that is shown: its surface, xdg surface and popup."""
        surface = self.surface()
        xdg = self.make(WM_BASE, 2, surface)
        popup = self.make(xdg, 2, parent, 5)
        self.hear(popup, 0, *place)
        self.say(xdg, 3, *geometry)
        self.show(surface)
        return surface, xdg, popup

    @property
    def only(self) -> Seen:
        (seen,) = self.surfaces.seen()
        return seen


def test_content_begins_where_the_shadow_ends() -> None:
    client = Client()
    client.window(geometry=(20, 15, 400, 300))
    assert client.only == (1, "t", "app", (20, 15), (400, 300), ())


def test_a_window_that_says_nothing_is_all_content() -> None:
    client = Client()
    client.window()
    assert (client.only.content, client.only.size) == ((0, 0), None)


def test_r43_a_menu_that_sticks_out_moves_the_content_in_the_picture() -> None:
    client = Client()
    _, xdg, _ = client.window(geometry=(10, 10, 400, 300))
    client.popup(xdg, (-50, -80, 120, 200), (5, 5, 120, 200))
    assert client.only.content == (55, 85)
    assert client.only.popups == ((-50, -80, 120, 200),)


def test_a_submenu_is_placed_from_its_menus_content() -> None:
    client = Client()
    _, xdg, _ = client.window(geometry=(0, 0, 400, 300))
    _, menu, _ = client.popup(xdg, (100, 50, 80, 100), (8, 8, 80, 100))
    client.popup(menu, (70, 10, 60, 60), (8, 8, 60, 60))
    assert client.only.popups == ((100, 50, 80, 100), (170, 60, 60, 60))
    assert client.only.content == (0, 0)


def test_what_is_said_counts_when_it_is_committed() -> None:
    client = Client()
    surface, xdg, _ = client.window(geometry=(0, 0, 400, 300))
    client.say(xdg, 3, 30, 30, 400, 300)
    assert client.only.content == (0, 0)
    client.say(surface, 6)
    assert client.only.content == (30, 30)


def test_a_popup_counts_while_it_shows_something() -> None:
    client = Client()
    _, xdg, _ = client.window(geometry=(0, 0, 400, 300))
    surface, _, popup = client.popup(xdg, (-9, 0, 10, 10), (0, 0, 10, 10))
    assert client.only.content == (9, 0)
    client.show(surface, buffer=0)
    assert (client.only.content, client.only.popups) == ((0, 0), ())
    client.show(surface)
    client.say(popup, 0)
    assert client.only.popups == ()


def test_a_popup_that_moves_is_where_it_was_until_its_next_commit() -> None:
    client = Client()
    _, xdg, _ = client.window(geometry=(0, 0, 400, 300))
    surface, _, popup = client.popup(xdg, (0, -10, 10, 10), (0, 0, 10, 10))
    client.hear(popup, 0, 0, -40, 10, 10)
    assert client.only.content == (0, 10)
    client.say(surface, 6)
    assert client.only.content == (0, 40)


def test_subsurfaces_stick_out_too_once_their_parent_says_so() -> None:
    client = Client()
    surface, _, _ = client.window(geometry=(0, 0, 400, 300))
    inner = client.surface()
    sub = client.make(SUBCOMPOSITOR, 1, inner, surface)
    client.say(sub, 1, -12, -4)
    client.show(inner)
    assert client.only.content == (0, 0)
    client.say(surface, 6)
    assert client.only.content == (12, 4)
    client.say(sub, 0)
    assert client.only.content == (0, 0)


def test_without_a_geometry_the_content_is_all_surfaces_but_menus() -> None:
    client = Client()
    surface, xdg, _ = client.window()
    inner = client.surface()
    sub = client.make(SUBCOMPOSITOR, 1, inner, surface)
    client.say(sub, 1, -12, -4)
    client.show(inner)
    client.say(surface, 6)
    assert client.only.content == (0, 0)
    client.popup(xdg, (-3, -5, 10, 10), (0, 0, 10, 10))
    assert client.only.content == (3, 5)


def test_windows_come_in_the_order_in_which_they_appear() -> None:
    client = Client()
    first, _, _ = client.window("a")
    client.window("b")
    assert [seen.title for seen in sorted(client.surfaces.seen())] == ["a", "b"]
    client.show(first, buffer=0)
    assert client.only.title == "b"
    client.show(first)
    assert [seen.title for seen in sorted(client.surfaces.seen())] == ["b", "a"]


def test_a_window_that_closes_is_forgotten_and_its_numbers_may_come_again() -> None:
    client = Client()
    surface, xdg, top = client.window()
    for id_ in (top, xdg, surface):
        client.say(id_, 0)
        client.surfaces.forget(id_)
    assert client.surfaces.seen() == []
    client.say(xdg, 3, 1, 2, 3, 4)  # another object now, of an interface that does not matter
    assert client.surfaces.seen() == []


def test_a_surface_inside_itself_is_garbage() -> None:
    client = Client()
    one, two = client.surface(), client.surface()
    client.make(SUBCOMPOSITOR, 1, one, two)
    with pytest.raises(Garbage):
        client.make(SUBCOMPOSITOR, 1, two, one)


def test_deep_nests_are_no_trouble() -> None:
    client = Client()
    parent, _, _ = client.window(geometry=(0, 0, 10, 10))
    for _ in range(3000):
        inner = client.surface()
        client.say(client.make(SUBCOMPOSITOR, 1, inner, parent), 1, -1, 0)
        client.show(inner)
        client.say(parent, 6)
        parent = inner
    assert client.only.content == (3000, 0)

"""Mints refs, keeps the facts behind them, and lets old ones go. One collection per connection."""

from __future__ import annotations

import hashlib
import re
from collections import OrderedDict
from collections.abc import Callable

from slate_desktop.elements import Glimpse, Key, Seen
from slate_desktop.errors import BadRequest, Stale
from slate_desktop.geometry import Point, Size
from slate_desktop.image import Plain
from slate_desktop.intent import (
    ElementSighting,
    FrameSighting,
    Menus,
    ScreenSighting,
    Sighting,
    WindowSighting,
)
from slate_desktop.model import Desktop, Window, WindowId
from slate_desktop.quote import quote

REF = re.compile(r"[wefq][1-9][0-9]*")

# A frame holds a look at the whole desktop; an agent that goes back further than this takes a new picture.
FRAMES_KEPT = 64

# Pictures without menus, each of a few megabytes, to find the content by once a menu sticks out.
PLAIN_KEPT = 4

# A long page has thousands of elements; an agent works with those of its last few looks.
ELEMENTS_KEPT = 10_000

LOOK_AGAIN = "desktop_windows gives new refs"


class Sightings:
    """The refs of one connection.

    `number(letter)` gives the next number for a kind of ref, never the same twice, also across restarts.
    """

    def __init__(self, number: Callable[[str], int]) -> None:
        self._number = number
        self._windows: dict[str, WindowSighting] = {}
        self._refs: dict[WindowId, str] = {}
        self._frames: OrderedDict[str, FrameSighting] = OrderedDict()
        self._scales: dict[WindowId, float] = {}
        self._shifted: set[WindowId] = set()
        self._plain: OrderedDict[WindowId, Plain] = OrderedDict()
        self._elements: OrderedDict[str, ElementSighting] = OrderedDict()
        self._element_refs: dict[tuple[Key, str, str], str] = {}
        self.glimpses: dict[WindowId, Glimpse] = {}
        self._shown: OrderedDict[WindowId | str | None, str] = OrderedDict()
        self.last: WindowSighting | None = None

    def see(self, window: Window) -> str:
        """The ref of a window; the facts behind it become what is given now."""
        ref = self._refs.get(window.id)
        if ref is None or self._windows[ref].window.handle != window.handle:
            ref = f"w{self._number('w')}"
            self._refs[window.id] = ref
        self._windows[ref] = WindowSighting(ref, window)
        return ref

    def showed(self, what: str, window: Window | None, data: bytes) -> None:
        """The agent is about to be given these bytes: the picture `f7`, or the `elements` of a window."""
        told = f"{what} sha256:{hashlib.sha256(data).hexdigest()}"
        ref = [what] if REF.fullmatch(what) else []
        for key in (*ref, window.id if window is not None else None):
            self._shown[key] = told
            self._shown.move_to_end(key)
        while len(self._shown) > 2 * FRAMES_KEPT:
            self._shown.popitem(last=False)

    def shown(self, sighting: Sighting) -> str:
        """What the agent was last given of what it aims at, with its hash; "" for nothing."""
        match sighting:
            case FrameSighting(ref):
                return self._shown.get(ref, "")
            case ScreenSighting():
                return self._shown.get(None, "")
            case _:
                return self._shown.get(sighting.window.id, "")

    def keep_plain(self, window: Window, plain: Plain) -> None:
        """Keep how a window looked without menus."""
        self._plain[window.id] = plain
        self._plain.move_to_end(window.id)
        while len(self._plain) > PLAIN_KEPT:
            self._plain.popitem(last=False)

    def plain(self, window: Window) -> Plain | None:
        """How a window last looked without menus, if that was seen."""
        return self._plain.get(window.id)

    def see_frame(  # noqa: PLR0913  # each is one plain fact about the picture
        self,
        window: Window | None,
        size: Size,
        scale: float,
        origin: Point,
        desktop: Desktop,
        menus: Menus | None = None,
        *,
        shown: Size | None = None,
    ) -> FrameSighting:
        """A ref for a picture that is about to be given."""
        ref = f"f{self._number('f')}"
        sighting = FrameSighting(ref, window, size, scale, origin, desktop, menus, shown)
        self._frames[sighting.ref] = sighting
        while len(self._frames) > FRAMES_KEPT:
            self._frames.popitem(last=False)
        if window is not None:
            self._scales[window.id] = scale
            self._shifted.discard(window.id)
            if origin.x < 0 or origin.y < 0:
                self._shifted.add(window.id)
        return sighting

    def see_element(self, window: Window, seen: Seen) -> str:
        """The ref of an element; the facts behind it become what is given now.

        An element that has changed its role, its name or its row is another one to an agent, and gets another ref.
        """
        it = seen.element
        mark = (it.key, f"{it.role}|{it.name}", seen.context)
        ref = self._element_refs.get(mark)
        if ref is None:
            ref = f"e{self._number('e')}"
            self._element_refs[mark] = ref
        self._elements[ref] = ElementSighting(ref, window, seen)
        self._elements.move_to_end(ref)
        while len(self._elements) > ELEMENTS_KEPT:
            _, old = self._elements.popitem(last=False)
            was = old.seen.element
            self._element_refs.pop((was.key, f"{was.role}|{was.name}", old.seen.context), None)
        return ref

    def element(self, ref: str) -> ElementSighting:
        """The element behind `e41`."""
        try:
            return self._elements[ref]
        except KeyError:
            raise _unknown(ref, "desktop_elements gives new refs") from None

    def scale_of_last_picture(self, window: Window) -> float:
        """How the last picture of a window was scaled; 1 when none was given."""
        return self._scales.get(window.id, 1.0)

    def last_picture_began_outside(self, window: Window) -> bool:
        """Whether the last picture of a window began left of its content or above it, at a menu."""
        return window.id in self._shifted

    def frame(self, ref: str) -> FrameSighting:
        """The picture behind `f7`."""
        try:
            return self._frames[ref]
        except KeyError:
            raise _unknown(ref) from None

    def window(self, name: str | None, desktop: Desktop) -> WindowSighting:
        """The window an agent names: a ref, an exact app id, or a part of one title only. None: the one it last used.

        Errors: `stale.unknown_ref`, `bad_request.no_window`, `bad_request.ambiguous_window` (lists them).
        """
        if name is None:
            if self.last is None:
                raise BadRequest(
                    "no_window",
                    "no window was named and none was used yet",
                    next_step="name one of desktop_windows",
                )
            return self.last
        if REF.fullmatch(name):
            return self.known(name)
        return self._by_name(name, desktop)

    def known(self, ref: str) -> WindowSighting:
        """The window behind `w3`."""
        try:
            return self._windows[ref]
        except KeyError:
            raise _unknown(ref) from None

    def use(self, sighting: WindowSighting) -> None:
        """Remember the window as the one last used."""
        self.last = sighting

    def _by_name(self, name: str, desktop: Desktop) -> WindowSighting:
        found = [w for w in desktop.windows if w.app_id == name]
        found = found or [w for w in desktop.windows if w.title == name]
        if not found:
            found = [w for w in desktop.windows if name.casefold() in w.title.casefold()]
        if len(found) == 1:
            return self._windows[self.see(found[0])]
        listed = ", ".join(f"{self.see(w)} {_short(w)}" for w in (found or desktop.windows)[:10])
        if found:
            raise BadRequest(
                "ambiguous_window",
                f"{len(found)} windows match: {listed}",
                next_step="use one of these refs",
            )
        raise BadRequest(
            "no_window",
            f"no window has that ref, app id or title; open are: {listed or 'none'}",
            next_step="use one of these refs, or desktop_launch",
        )


def _short(window: Window) -> str:
    return f"{quote(window.app_id, 40)} {quote(window.title, 40)}"


def _unknown(ref: str, next_step: str = LOOK_AGAIN) -> Stale:
    return Stale(
        "unknown_ref",
        f"nothing was sent: this connection was never given {ref}, or too long ago.",
        next_step=next_step,
    )

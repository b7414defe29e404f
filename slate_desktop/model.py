"""What the desktop is made of, as frozen records: windows, outputs, pictures, strokes. Pure.

Coordinates are logical pixels. `rect`s of windows and outputs are in the layout; points on a window are relative to its
content. Ids of the compositor (`WindowId`, `handle`) never reach the agent: it sees refs only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NewType

from slate_desktop.geometry import Point, Rect, Size

WindowId = NewType("WindowId", int)
"""The compositor's container id; unique while it lives."""

Handle = NewType("Handle", str)
"""The identifier that sway's tree and the Wayland window list share."""


PERSON = "seat0"
"""The person's seat; sway gives this name to the seat of all real devices."""

BACKGROUND_WORKSPACE = "agent"
"""The workspace that the background output shows."""

PARKING_APP_ID = "dev.slate.parking"
"""App id of the windows our seats rest on; they are never listed."""

SANDBOX_ENGINE = "dev.slate"
"""Name under which programs we start are labelled (wp_security_context); rules put their windows on the background."""


class Place(StrEnum):
    """Where a window is, seen from the person."""

    SCREEN = "screen"  # on one of the person's outputs, its workspace shown
    HIDDEN = "hidden"  # on a workspace of the person's that is not shown
    BACKGROUND = "background"  # on the agent's output
    SCRATCHPAD = "scratchpad"


@dataclass(frozen=True, slots=True)
class Window:
    """A window as the compositor has it now.

    `rect` is the content without our compositor's border and title bar, in the layout; `framed` is with them, for a tab
    with those of its whole group; `drawn` is how large its program draws the content, of which the rest is cut off
    (None: not measured). `floating`, `fullscreen` and `layout` ("splith", "splitv", "tabbed", "stacked", of its parent)
    decide what can cover it. `front` is false for a tab that is not shown. `x11` windows share one keyboard focus.
    `halves`: its program keeps 16 bits of the character that a key types; `x_server`: its program is an X server of
    its own.
    """

    id: WindowId
    handle: Handle
    title: str
    app_id: str
    pid: int | None
    rect: Rect
    place: Place
    workspace: str
    output: str
    floating: bool = False
    fullscreen: bool = False
    front: bool = True
    x11: bool = False
    layout: str = "splith"
    sandbox: str | None = None  # the launch it came from (wp_security_context instance id)
    framed: Rect | None = None
    drawn: Size | None = None
    halves: bool = False
    x_server: bool = False

    @property
    def hears_keys_only(self) -> bool:
        """Whether held modifiers reach it as keys only: an X server does not pass on their state."""
        return self.x11 or self.x_server

    def covers(self, point: Point) -> bool:
        """Whether a point of the layout is on the window or its frame."""
        return self.rect.contains(point) or (
            self.framed is not None and self.framed.contains(point)
        )


@dataclass(frozen=True, slots=True)
class Output:
    """A screen or the background: `rect` in the layout, `scale` physical pixels per logical pixel."""

    name: str
    rect: Rect
    scale: float
    transform: str
    background: bool
    workspace: str


@dataclass(frozen=True, slots=True)
class Desktop:
    """One consistent look at everything: windows in stacking order (later ones cover earlier ones)."""

    windows: tuple[Window, ...]
    outputs: tuple[Output, ...]
    focus: Mapping[str, int] = field(default_factory=dict)
    """Seat name → id of what it looks at: a window's, an empty workspace's, or 0 when something that is no window (a
    launcher, a password prompt, a lock screen) has its keyboard."""

    def window(self, id_: WindowId) -> Window | None:
        """The window with that id, if it is still there."""
        return next((w for w in self.windows if w.id == id_), None)

    def window_of(self, seat: str) -> Window | None:
        """The window that has a seat's keyboard."""
        id_ = self.focus.get(seat)
        return None if id_ is None else self.window(WindowId(id_))

    def output(self, name: str) -> Output | None:
        """The output of that name."""
        return next((o for o in self.outputs if o.name == name), None)


@dataclass(frozen=True, slots=True)
class Pixels:
    """A picture as captured: `data` is rows of BGRX bytes, `stride` bytes a row."""

    size: Size
    stride: int
    data: bytes
    taken_at: float  # seconds on the monotonic clock
    current: bool = (
        True  # false: the window did not repaint within the deadline, so this may be old
    )


@dataclass(frozen=True, slots=True)
class Foreground:
    """Who reads the keys of a terminal. `shell` is a shell at its prompt, by pid and start time (None: `why` not).

    `directory` is that shell's; `password`: what is typed is not shown, as when a password is asked for.
    """

    shell: tuple[int, int] | None = None
    why: str = ""
    directory: str = ""
    password: bool = False


@dataclass(frozen=True, slots=True)
class Drawn:
    """A window as its own program drew it. `content` is where its content begins in a picture of all its surfaces.

    `popups` are its open menus, relative to the content; they may stick out.
    """

    content: Point
    popups: tuple[Rect, ...] = ()


@dataclass(frozen=True, slots=True)
class KeyStroke:
    """One key pressed and released: evdev `keycode`, with `modifiers` (xkb mask bits) held around it."""

    keycode: int
    modifiers: int = 0


@dataclass(frozen=True, slots=True)
class KeyBurst:
    """Strokes that leave in one flush (at most 100), typed under `keymap` (xkb text; None: the layout in use)."""

    strokes: tuple[KeyStroke, ...]
    keymap: str | None = None
    characters: int = 0  # how many characters of the caller's text these strokes are
    shift_key: bool = False  # Shift is pressed too, not only held as a state


class Button(StrEnum):
    """A pointer button."""

    LEFT = "left"
    RIGHT = "right"
    MIDDLE = "middle"


@dataclass(frozen=True, slots=True)
class PointerMove:
    """Go to `point`, in the layout."""

    point: Point


@dataclass(frozen=True, slots=True)
class PointerPress:
    """Press (`down`) or release a button where the pointer is."""

    button: Button
    down: bool


@dataclass(frozen=True, slots=True)
class PointerScroll:
    """Scroll by whole notches; positive is down and right. `begun`: after a turn there and back that is not seen."""

    down: int = 0
    right: int = 0
    begun: bool = False


PointerStep = PointerMove | PointerPress | PointerScroll

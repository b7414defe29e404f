"""What is asked: an action, where it is aimed, and the sighting it was aimed by. Pure records."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, is_dataclass
from enum import Enum, StrEnum
from typing import Any

from slate_desktop.elements import Seen
from slate_desktop.geometry import Point, Rect, Size
from slate_desktop.model import Button, Desktop, KeyBurst, Place, Window, WindowId
from slated.model import Tier


@dataclass(frozen=True, slots=True)
class WindowSighting:
    """A window as it was when its ref was given."""

    ref: str
    window: Window


@dataclass(frozen=True, slots=True)
class Menus:
    """What stuck out of a window's content: `boxes` in its space, and how large all `surfaces` together were."""

    boxes: tuple[Rect, ...]
    surfaces: Size


@dataclass(frozen=True, slots=True)
class FrameSighting:
    """A picture that was given: `size` in its own pixels, `scale` of those per logical pixel.

    `origin` is the logical place of its top left corner: in the content of `window`, or in the layout for a screen.
    `shown` is how much it shows, in logical pixels (None: `size` by `scale`): the axes of a scaled picture are rounded
    apart, so one scale for both would miss by a pixel and more at the far end.
    """

    ref: str
    window: Window | None
    size: Size
    scale: float
    origin: Point
    desktop: Desktop
    menus: Menus | None = None
    shown: Size | None = None

    def logical(self, point: Point) -> Point:
        """Where a point of the picture is, in the space of `origin`."""
        if self.shown is None:
            return point.times(1 / self.scale).plus(self.origin)
        across, down = self.shown.width / self.size.width, self.shown.height / self.size.height
        return Point(point.x * across, point.y * down).plus(self.origin)


@dataclass(frozen=True, slots=True)
class ScreenSighting:
    """The screen as a whole, in layout pixels."""

    desktop: Desktop


@dataclass(frozen=True, slots=True)
class ElementSighting:
    """An element of `window` as it was when its ref was given."""

    ref: str
    window: Window
    seen: Seen


Sighting = WindowSighting | FrameSighting | ScreenSighting | ElementSighting


@dataclass(frozen=True, slots=True)
class Aim:
    """Where an intent points: a sighting, and a `point` in the sighting's own space."""

    sighting: Sighting
    point: Point | None = None


class Observe(StrEnum):
    """What an acting tool answers with."""

    AUTO = "auto"
    NONE = "none"
    TEXT = "text"
    IMAGE = "image"
    ELEMENTS = "elements"


# -- actions: what is done to the target --


@dataclass(frozen=True, slots=True)
class Click:
    button: Button = Button.LEFT
    count: int = 1
    hold_s: float = 0.0
    modifiers: int = 0


@dataclass(frozen=True, slots=True)
class Move:
    """Move the agent's pointer without pressing."""


@dataclass(frozen=True, slots=True)
class Scroll:
    down: int = 0
    right: int = 0
    modifiers: int = 0


@dataclass(frozen=True, slots=True)
class Drag:
    """Press where the aim is, move along `path`, release at its end. The points are in the space of the aim."""

    path: tuple[Point, ...]
    button: Button = Button.LEFT
    modifiers: int = 0


@dataclass(frozen=True, slots=True)
class TypeText:
    text: str
    submit: bool = False


@dataclass(frozen=True, slots=True)
class PressKeys:
    """Chords in order; `bursts[i]` is what `chords[i]` means, counted as one character each."""

    chords: tuple[str, ...]
    bursts: tuple[KeyBurst, ...]
    hold_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Press:
    """Do an element's action of that name, or (None) its best one, or click it."""

    name: str | None = None


@dataclass(frozen=True, slots=True)
class SetText:
    """Make an element hold `text`: as text, number, choice or on/off, whichever it has."""

    text: str
    submit: bool = False


@dataclass(frozen=True, slots=True)
class Focus:
    """Give the agent's keyboard focus to the target."""


@dataclass(frozen=True, slots=True)
class Close:
    """Ask the target to close."""


@dataclass(frozen=True, slots=True)
class Reshape:
    rect: Rect | None = None
    floating: bool | None = None
    fullscreen: bool | None = None
    place: Place | None = None  # to the person's screen, or back to the background


@dataclass(frozen=True, slots=True)
class Arrange:
    layout: str
    windows: tuple[WindowId, ...]


@dataclass(frozen=True, slots=True)
class Launch:
    """Start `argv` (already resolved from a desktop entry when `app` was named)."""

    argv: tuple[str, ...]
    cwd: str | None
    app: str | None
    timeout_s: float
    own_seat_first: bool = True
    x11: bool = False  # on an X server of its own


@dataclass(frozen=True, slots=True)
class FillClipboard:
    """Make `content` (media type → bytes) the clipboard of the agent's seat; `what` says it in words."""

    content: Mapping[str, bytes]
    what: str


@dataclass(frozen=True, slots=True)
class Look:
    """List, picture, wait or status: nothing is sent, `what` names the question for the log."""

    what: str


@dataclass(frozen=True, slots=True)
class Steps:
    """A batch; each step becomes an intent of its own when it is reached."""

    tools: tuple[str, ...]


Action = (
    Click
    | Move
    | Scroll
    | Drag
    | TypeText
    | PressKeys
    | Press
    | SetText
    | Focus
    | Close
    | Reshape
    | Arrange
    | Launch
    | FillClipboard
    | Look
    | Steps
)


@dataclass(frozen=True, slots=True)
class Console:
    """What an intent would do in a terminal, as far as that is known.

    `line` is what was typed to its shell since the last Return with what this adds, each finished line with its end;
    None where no shell at its prompt reads it. `doubt` says why more or other things may stand there; "" if it is
    certain that they do not. `serial` then tells one such line from the next. `directory` is that of the shell;
    `password`: the terminal does not show what is typed.
    """

    line: str | None
    doubt: str = ""
    directory: str = ""
    password: bool = False
    serial: int = 0


@dataclass(frozen=True, slots=True)
class Intent:
    """One thing an agent wants, with the facts it was aimed by.

    `arguments` are the validated arguments of the call, kept for the digest and the log.
    """

    tool: str
    tier: Tier
    action: Action
    aim: Aim | None = None
    observe: Observe = Observe.NONE
    arguments: Mapping[str, Any] = field(default_factory=dict)
    console: Console | None = None
    shown: str = ""
    """What the agent was last given of its target, with its hash; for the log only."""

    @property
    def digest(self) -> str:
        """SHA-256 over everything that decides what would happen; equal digests are the same intent."""
        facts: dict[str, object] = {
            "tool": self.tool,
            "action": [type(self.action).__name__, _plain(self.action)],
            "aim": _aim(self.aim),
            "arguments": _plain(dict(self.arguments)),
        }
        if self.console is not None:  # a yes to one line of a terminal is none to the next
            facts["console"] = _plain(self.console)
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def _aim(aim: Aim | None) -> object:
    match aim:
        case None:
            return None
        case Aim(WindowSighting(ref, window) | FrameSighting(ref, Window() as window), point):
            return [ref, window.id, window.handle, window.app_id, _plain(point)]
        case Aim(FrameSighting(ref), point):
            return [ref, _plain(point)]
        case Aim(ElementSighting(ref, window, seen), point):
            it = seen.element
            return [ref, window.id, window.handle, list(it.key), it.role, it.name, _plain(point)]
        case Aim(_, point):
            return ["screen", _plain(point)]


def _plain(value: object) -> object:
    """The value as JSON has it."""
    if is_dataclass(value) and not isinstance(value, type):
        return _plain(asdict(value))
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, bytes):
        return hashlib.sha256(value).hexdigest()
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value

"""What came of a call: what was delivered, what was verified and by what evidence. Pure records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from slate_desktop.elements import Difference, Glimpse
from slate_desktop.geometry import Point, Rect, Size
from slate_desktop.model import Desktop, Pixels, Place


class Verified(StrEnum):
    """Whether an effect was seen. Only `verify` decides it."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Scene:
    """One look before or after an action: the desktop, and the target's picture and elements when they were wanted."""

    desktop: Desktop
    pixels: Pixels | None = None
    glimpse: Glimpse | None = None


class Launched(Protocol):
    """A program that was started."""

    @property
    def id(self) -> str:
        """The launch id, equal to `Window.sandbox` of its windows."""

    @property
    def pid(self) -> int: ...

    @property
    def exit_code(self) -> int | None:
        """None while it runs."""

    @property
    def output_tail(self) -> str:
        """The last lines it printed, for an error a person can act on."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """What `act` sent. It says nothing about the effect.

    `sent` and `wanted` count characters or chords; `focus_held` is whether the target had the agent's keyboard after
    every burst; `launch` is the program that was started; `how` names the way taken where there are several; `seen` is
    the desktop after the last stroke, where it was looked at.
    """

    sent: int = 0
    wanted: int = 0
    focus_held: bool = True
    launch: Launched | None = None
    how: str = ""
    direct: bool = False  # written through the interface that also reads it back
    offered: tuple[str, ...] = ()  # media types the compositor announces on our seat
    seen: Desktop | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """The verdict on an effect, and what it rests on."""

    verified: Verified
    because: str
    changed: Rect | None = None  # in the captured picture
    opened: tuple[int, ...] = ()  # window ids
    closed: tuple[str, ...] = ()  # titles of windows that went
    differences: tuple[Difference, ...] = ()  # of elements
    handed_over: tuple[int, ...] = ()  # ids of windows of the program that a launch handed over to


@dataclass(frozen=True, slots=True)
class WindowLine:
    """A window as the agent is told of it. `title` and `app_id` are the application's words."""

    ref: str
    app_id: str
    title: str
    place: Place
    rect: Rect
    workspace: str
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Picture:
    """An encoded picture. `scale` is its pixels per logical pixel, `origin` the logical place of its corner."""

    data: bytes
    mime: str
    size: Size
    scale: float
    origin: Point


@dataclass(frozen=True, slots=True)
class FrameLine:
    """What is said of a picture that was given."""

    ref: str
    size: Size
    scale: float
    origin: Point
    of: str  # "w3" or "screen"
    current: bool
    blank: bool
    exact: bool  # whether the place of the content in the capture is certain
    age_s: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """Everything a reply is rendered from.

    `said` is the first line without its verdict. `lines` are further lines, already quoted where the screen's words are
    in them. `facts` ride beside the text for programs.
    """

    said: str
    verified: Verified | None = None
    because: str = ""
    frame: FrameLine | None = None
    picture: Picture | None = None
    opened: tuple[WindowLine, ...] = ()
    windows: tuple[WindowLine, ...] = ()
    lines: tuple[str, ...] = ()
    next_step: str = ""
    is_error: bool = False
    facts: Mapping[str, object] = field(default_factory=dict)

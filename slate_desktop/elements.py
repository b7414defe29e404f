"""Widgets as frozen records: what a tree is made of, what a ref is checked by, what can be done to one. Pure.

Boxes are logical pixels relative to the content of the window, as points on a window are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from slate_desktop.geometry import Rect


class Key(NamedTuple):
    """Where a widget answers: the unique bus name of its program and an object path in it."""

    bus: str
    path: str


@dataclass(frozen=True, slots=True)
class Element:
    """A widget as it answered. `place` is its ancestors' keys, nearest first, up to its window."""

    key: Key
    role: str
    name: str
    states: frozenset[str]
    depth: int = 0
    place: tuple[Key, ...] = ()
    children: int = 0
    interfaces: frozenset[str] | None = None  # None: not asked for yet
    description: str = ""

    @property
    def secret(self) -> bool:
        """Whether its value must never be read. GTK 4 and pages that show what is typed say so in the name at most."""
        return self.role == "password text" or (
            "editable" in self.states
            and self.role in ("text", "entry")
            and SECRET.search(self.name) is not None
            and SOUGHT.search(self.name) is None
        )

    @property
    def interactive(self) -> bool:
        """Whether a person could press, type into, choose or move it."""
        if self.role in PASSIVE:
            return False
        if self.role in ITEMS and not self.states & {"focusable", "selectable", "checkable"}:
            return False  # of a page's text, not of a list to choose from
        return self.role in INTERACTIVE or (
            "focusable" in self.states and self.role not in CONTAINERS
        )


@dataclass(frozen=True, slots=True)
class Detail:
    """What is asked only of widgets that are shown to the agent or acted on.

    `value` is their text, number or choice; None: they have none, or it is withheld. `filled` tells of a password field
    whether something is in it (None: not known).
    """

    box: Rect | None = None
    value: str | None = None
    actions: tuple[str, ...] = ()
    filled: bool | None = None
    length: int | None = None  # characters of the whole text, of which `value` may be the beginning
    label: str = ""  # of the widget that labels it, where its own name does not


@dataclass(frozen=True, slots=True)
class Tree:
    """The widgets of one window in reading order (parents before children).

    `cut` says what is missing and why, "" when nothing is.
    """

    elements: tuple[Element, ...]
    cut: str = ""
    took_ms: float = 0.0

    def index(self) -> Mapping[Key, Element]:
        """The elements by key."""
        return {element.key: element for element in self.elements}


@dataclass(frozen=True, slots=True)
class Glimpse:
    """One look at a window's elements: their tree, details of those worth comparing, text near carets."""

    tree: Tree
    details: Mapping[Key, Detail] = field(default_factory=dict)
    texts: Mapping[Key, TextNow] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Difference:
    """What became of one element: "+" it came, "-" it went, "~" it changed from `then` to what it is."""

    sign: str
    element: Element
    detail: Detail
    then: str = ""


@dataclass(frozen=True, slots=True)
class Seen:
    """The facts behind an element's ref: the widget, its detail, and the words of the row or group it stands in."""

    element: Element
    detail: Detail = field(default_factory=Detail)
    context: str = ""
    row: Key | None = None
    label: str = ""  # the words inside an element that has no name
    lineage: tuple[str, ...] = ()  # the roles of its ancestors, nearest first
    web: bool = False  # in a page, whose scripts believe only keys and pointer


@dataclass(frozen=True, slots=True)
class TextNow:
    """A widget's text around its caret: `before` ends at the caret, `count` is of the whole text."""

    count: int
    caret: int
    before: str


class Way(StrEnum):
    """What can be asked of a widget."""

    ACT = "action"
    FOCUS = "focus"
    WRITE = "text"
    VALUE = "value"
    CHOOSE = "choice"
    SHOW = "scrolling"


@dataclass(frozen=True, slots=True)
class Deed:
    """One request to a widget: `argument` names the action, is the text, the number or the choice."""

    way: Way
    argument: str = ""


SECRET = re.compile(
    r"(?<!\w)(?:password|passphrase|passcode|pin|pin code|passwort|kennwort|mot de passe|contraseña|senha|palavra-passe"
    r"|parola|jelszó|hasło|heslo|lozinka|wachtwoord|lösenord|passord|adgangskode|salasana|şifre|пароль)(?!\w)"
    r"|密码|密碼|口令|パスワード|暗証番号|비밀번호|암호",
    re.IGNORECASE,
)
SOUGHT = re.compile(r"(?<!\w)(?:search|filter|find)(?!\w)", re.IGNORECASE)
INTERACTIVE = frozenset(
    "push button|toggle button|check box|radio button|switch|combo box|entry|password text|spin button|slider|link"
    "|menu item|check menu item|radio menu item|menu|page tab|list item|tree item|table cell|text|icon|button menu"
    "|push button menu|toggle switch|date editor|dial|color chooser|font chooser|editbar|terminal".split(
        "|"
    )
)
ITEMS = frozenset(["list item", "tree item", "table cell"])
PASSIVE = frozenset(["separator", "filler", "label", "static", "image", "tool tip", "statusbar"])
CONTAINERS = frozenset(
    "application|filler|frame|window|dialog|panel|scroll pane|viewport|document web|document frame|internal frame"
    "|split pane"
    "|layered pane|root pane|glass pane|section|paragraph|landmark|list|table|tree|tree table|tool bar|menu bar"
    "|page tab list|grouping|form|list box|article|heading|scroll bar".split("|")
)
CONTEXT_CHARACTERS = 400
ROWS = frozenset(["list item", "table row", "tree item", "menu item", "table cell", "page tab"])
"""Roles whose words tell apart what looks the same inside them."""
TOPLEVELS = frozenset(["frame", "window", "dialog", "alert", "file chooser", "color chooser"])
MENUS = frozenset(["menu", "popup menu", "combo box"])
"""What opens as a popup: GTK tells boxes inside it in the popup's coordinates, and not where that is."""
DOCUMENTS = frozenset(["document web", "document frame"])
TEXT_ROLES = frozenset(
    "entry|text|password text|spin button|terminal|paragraph|document text|editbar|combo box|section".split(
        "|"
    )
)
ON = frozenset(["on", "true", "yes", "1", "checked"])
OFF = frozenset(["off", "false", "no", "0", "unchecked"])
CHECKS = frozenset(
    ["check box", "radio button", "toggle button", "switch", "check menu item", "radio menu item"]
)
NUMBERS = frozenset(["slider", "spin button", "scroll bar", "dial", "split pane"])
TOLD_STATES = (
    "focused",
    "checked",
    "indeterminate",
    "pressed",
    "selected",
    "expanded",
    "collapsed",
    "editable",
    "required",
    "invalid entry",
    "busy",
    "modal",
    "read only",
)
"""States worth a word, in the order they are told; what hides or disables is told apart."""


def in_popup(element: Element, lineage: Sequence[str], *, web: bool) -> bool:
    """Whether its box is in the coordinates of a popup, by the roles of its ancestors; a field stays in its window."""
    return bool(MENUS.intersection(lineage)) and not web and "editable" not in element.states


def hidden(element: Element) -> bool:
    """Whether it is not on screen now: scrolled away, in a closed menu, on another page."""
    return "showing" not in element.states


def disabled(element: Element) -> bool:
    """Whether it takes no input."""
    return not element.states & {"enabled", "sensitive"}


def told_states(element: Element) -> list[str]:
    """The words for its states."""
    words = [state for state in TOLD_STATES if state in element.states]
    if "expandable" in element.states and "expanded" not in words and "collapsed" not in words:
        words.append("collapsed")
    if element.interactive and disabled(element):
        words.append("disabled")
    if hidden(element):
        words.append("offscreen")
    return words


def row_of(element: Element, tree: Mapping[Key, Element]) -> Key | None:
    """The key of the row an element stands in, or is."""
    line = (element.key, *element.place)
    return next((key for key in line if key in tree and tree[key].role in ROWS), None)


def words_of(elements: Sequence[Element]) -> str:
    """The names of a row's elements in reading order: what tells it from rows that look the same."""
    return "|".join(e.name for e in elements if e.name)[:CONTEXT_CHARACTERS]


def same_number(one: str, other: str) -> bool:
    """Whether two texts are one number: 05 is 5."""
    number = _number(one)
    return number is not None and number == _number(other)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None

"""What is asked only of widgets that are shown: boxes in the window's content, values, actions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from slate_desktop.atspi.labels import ask_labels
from slate_desktop.atspi.link import Answer, Ask, Link, value
from slate_desktop.atspi.walk import attributes
from slate_desktop.atspi.words import (
    ACCESSIBLE,
    ACTION,
    COMPONENT,
    PROPERTIES,
    SELECTION,
    TEXT,
    VALUE,
    WINDOW_COORDS,
    short,
)
from slate_desktop.elements import TEXT_ROLES, Detail, Element, Key
from slate_desktop.geometry import Point, Rect
from slate_desktop.model import Window
from slate_desktop.outline import PLAIN_ACTIONS

VALUE_CHARACTERS = 400
SHADOWS_PX = 128  # those of two sides together
ROUNDED_PX = 4  # Firefox may tell a pixel less than its window has
EMBEDDED = "\ufffc"  # stands for a widget inside a text
BEYOND = "\ufeff"  # what Firefox gives past the end: it counts in UTF-16 and cuts in characters
FAR_PX = 1_000_000  # GTK 3 gives the smallest number there is to what is not on screen


async def with_interfaces(
    link: Link, elements: Sequence[Element], deadline: float
) -> dict[Key, frozenset[str]]:
    """The interfaces of widgets; asked of those that have not told."""
    silent = [e for e in elements if e.interfaces is None]
    answers = await link.all(
        [Ask(e.key.bus, e.key.path, ACCESSIBLE, "GetInterfaces") for e in silent], deadline
    )
    asked = {
        e.key: frozenset(map(short, answer[0])) if isinstance(answer, list) else frozenset[str]()
        for e, answer in zip(silent, answers, strict=True)
    }
    return {e.key: e.interfaces for e in elements if e.interfaces is not None} | asked


async def ask_details(
    link: Link,
    window: Window,
    elements: Sequence[Element],
    deadline: float,
    characters: int = VALUE_CHARACTERS,
) -> Mapping[Key, Detail]:
    """The details of widgets; those gone meanwhile are left out."""
    interfaces = await with_interfaces(link, elements, deadline)
    wanted = [(e, part) for e in elements for part in _parts(e, interfaces[e.key])]
    tops = list({e.place[-1] if e.place else e.key for e in elements})
    asks = [_ask(e.key, part) for e, part in wanted]
    asks += [_ask(top, "box") for top in tops]
    answers = await link.all(asks, deadline)
    corners = dict(zip(tops, (_rect(a) for a in answers[len(wanted) :]), strict=True))
    told: dict[Key, dict[str, Answer]] = {}
    for (element, part), answer in zip(wanted, answers, strict=False):
        told.setdefault(element.key, {})[part] = answer
    await _read_texts(link, told, characters, deadline)
    names = await _action_names(link, told, deadline)
    chosen = await _choices(link, told, deadline)
    labels = await ask_labels(link, elements, deadline)
    made = {
        e.key: _detail(
            e, told.get(e.key, {}), _corner(e, corners, window), names, chosen, characters
        )
        for e in elements
    }
    return made | {key: replace(made[key], label=label) for key, label in labels.items()}


def _parts(element: Element, interfaces: frozenset[str]) -> list[str]:
    parts = ["box"] if "Component" in interfaces else []
    if "Action" in interfaces and element.interactive:
        parts.append("actions")
    if "Text" in interfaces and (element.role in TEXT_ROLES or "editable" in element.states):
        parts += ["secret count"] if element.secret else ["count"]
    if "Value" in interfaces and not element.secret:
        parts.append("number")
    if (
        "Selection" in interfaces
        and element.role == "combo box"
        and "editable" not in element.states
    ):
        parts.append("choice")
    return parts


def _ask(key: Key, part: str) -> Ask:
    bus, path = key
    match part:
        case "box":
            return Ask(bus, path, COMPONENT, "GetExtents", "u", (WINDOW_COORDS,))
        case "actions":
            return Ask(bus, path, ACTION, "GetActions")
        case "count" | "secret count":
            return Ask(bus, path, PROPERTIES, "Get", "ss", (TEXT, "CharacterCount"))
        case "choice":
            return Ask(bus, path, SELECTION, "GetSelectedChild", "i", (0,))
        case _:
            return Ask(bus, path, PROPERTIES, "Get", "ss", (VALUE, "CurrentValue"))


async def _read_texts(
    link: Link, told: dict[Key, dict[str, Answer]], characters: int, deadline: float
) -> None:
    """The beginnings of texts, once their lengths are known: Firefox gives nothing for an end beyond the end."""
    counts = {key: value(parts["count"]) for key, parts in told.items() if "count" in parts}
    some = [(key, count) for key, count in counts.items() if isinstance(count, int)]
    asks = [
        Ask(key.bus, key.path, TEXT, "GetText", "ii", (0, min(count, characters)))
        for key, count in some
    ]
    for (key, _), answer in zip(some, await link.all(asks, deadline), strict=True):
        told[key]["text"] = answer


async def _action_names(
    link: Link, told: Mapping[Key, Mapping[str, Answer]], deadline: float
) -> dict[Key, tuple[str, ...]]:
    """Names of actions. Those that GetActions gives are in the person's language, in Chromium and Firefox empty."""
    found: dict[Key, list[str]] = {}
    nameless: list[tuple[Key, int]] = []
    for key, parts in told.items():
        answer = parts.get("actions")
        if isinstance(answer, list):
            found[key] = [row[0] if row[0].casefold() in PLAIN_ACTIONS else "" for row in answer[0]]
            nameless += [(key, i) for i, name in enumerate(found[key]) if not name]
    asks = [Ask(k.bus, k.path, ACTION, "GetName", "i", (i,)) for k, i in nameless]
    for (key, i), answer in zip(nameless, await link.all(asks, deadline), strict=True):
        found[key][i] = str(value(answer) or "")
    return {key: tuple(names) for key, names in found.items()}


async def _choices(
    link: Link, told: Mapping[Key, Mapping[str, Answer]], deadline: float
) -> dict[Key, str]:
    """The names of what combo boxes have chosen."""
    chosen = [
        (key, answer[0])
        for key, parts in told.items()
        if isinstance(answer := parts.get("choice"), list)
    ]
    asks = [
        Ask(bus, path, PROPERTIES, "Get", "ss", (ACCESSIBLE, "Name")) for _, (bus, path) in chosen
    ]
    answers = await link.all(asks, deadline)
    names = {key: value(answer) for (key, _), answer in zip(chosen, answers, strict=True)}
    return {key: name for key, name in names.items() if isinstance(name, str) and name}


def _detail(
    element: Element,
    told: Mapping[str, Answer],
    corner: Point | None,
    names: Mapping[Key, tuple[str, ...]],
    chosen: Mapping[Key, str],
    characters: int,
) -> Detail:
    box = _rect(told.get("box"))
    count = value(told.get("secret count" if element.secret else "count"))
    text = value(told.get("text"))
    number = value(told.get("number"))
    said = chosen.get(element.key)
    if said is None and isinstance(text, str):
        said = text.replace(EMBEDDED, "").rstrip(BEYOND)
    if said is None and isinstance(number, int | float):
        said = f"{number:g}"
    return Detail(
        None if box is None or corner is None else box.moved(Point(-corner.x, -corner.y)),
        None if element.secret else said,
        names.get(element.key, ()),
        count > 0 if element.secret and isinstance(count, int) else None,
        count if isinstance(count, int) and _is_part(text, characters) else None,
    )


def _is_part(text: object, characters: int) -> bool:
    # Qt counts in UTF-16, so that counts alone do not tell a part from the whole.
    return isinstance(text, str) and len(text) >= characters


def _rect(answer: Answer) -> Rect | None:
    """A rectangle, or None for what is not on screen."""
    if not isinstance(answer, list) or len(answer[0]) != 4:
        return None
    x, y, width, height = answer[0]
    if abs(x) > FAR_PX or abs(y) > FAR_PX or width <= 0 or height <= 0:
        return None
    return Rect(x, y, width, height)


def _corner(element: Element, tops: Mapping[Key, Rect | None], window: Window) -> Point | None:
    """Where the content begins in the coordinates of a widget's toplevel; None in a popup, whose place is not told."""
    top = tops[element.place[-1] if element.place else element.key]
    if top is None:
        return None
    wide, high = top.width - window.rect.width, top.height - window.rect.height
    if wide < -ROUNDED_PX or high < -ROUNDED_PX:  # smaller than the window: a popup of its own
        return None
    if not 0 < wide <= SHADOWS_PX or not 0 < high <= SHADOWS_PX:
        return Point(
            top.x, top.y
        )  # as large, or drawn larger than its tile because it will not be so small
    # A toplevel that is a little larger than its window has a shadow around the content.
    return Point(top.x + wide // 2, top.y + high // 2)


async def frame_of(
    link: Link, window: Window, tops: Sequence[Key], facts: Mapping[Key, Any], deadline: float
) -> list[Key]:
    """Of a program's toplevels the one that is this window, then its open popups."""
    asked = await attributes(link, [t for t in tops if t not in facts], deadline)
    told = {t: (facts[t].role, facts[t].name, facts[t].states) for t in tops if t in facts} | asked
    popups = [
        t
        for t in tops
        if t in told and told[t][0] == "window" and not told[t][1] and "showing" in told[t][2]
    ]
    frames = [t for t in tops if t in told and t not in popups]
    named = [t for t in frames if told[t][1] == window.title]
    if len(named) != 1 and len(frames) > 1:
        named = await _of_size(link, window, named or frames, deadline) or named
    if not named and frames:
        # A title can differ from the widget's name, as Qt's do; a lone toplevel is the window all the same.
        named = frames if len(frames) == 1 else []
    if not named and popups:
        named, popups = popups[:1], popups[1:]
    return [*named[:1], *popups]


async def _of_size(link: Link, window: Window, frames: Sequence[Key], deadline: float) -> list[Key]:
    answers = await link.all([_ask(frame, "box") for frame in frames], deadline)
    return [
        frame
        for frame, answer in zip(frames, answers, strict=True)
        if (box := _rect(answer)) is not None and box.size == window.rect.size
    ]

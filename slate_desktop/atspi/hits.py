"""Which widget a pointer would hit, by the program's own word."""

from __future__ import annotations

from collections.abc import Sequence

from slate_desktop.atspi.details import ask_details
from slate_desktop.atspi.link import Ask, Link, value
from slate_desktop.atspi.walk import attributes
from slate_desktop.atspi.words import (
    ACCESSIBLE,
    APPLICATION,
    COMPONENT,
    NULL_PATH,
    PROPERTIES,
    WINDOW_COORDS,
)
from slate_desktop.elements import Element, Key
from slate_desktop.geometry import Point
from slate_desktop.model import Window

DEEPEST = 60
ASKING = frozenset(["dialog", "alert", "file chooser", "color chooser", "font chooser"])
# Toolkits whose dialogs never say that they are modal.
SILENT = frozenset(["Qt"])


async def ask_hit(
    link: Link, window: Window, top: Key, point: Point, deadline: float
) -> tuple[Element, ...]:
    """The deepest widget at a point of the window's content, then what is around it; () when none is told."""
    at = point.plus(await _corner(link, window, top, deadline))
    body = (round(at.x), round(at.y), WINDOW_COORDS)
    line = [top]
    while len(line) < DEEPEST:
        ask = Ask(line[-1].bus, line[-1].path, COMPONENT, "GetAccessibleAtPoint", "iiu", body)
        found = _key(await link.one(ask, deadline))
        if found is None or found in line:
            break
        line.append(found)
    if len(line) == 1:
        return ()
    place = await _above(link, line[-1], top, deadline)
    keys = [line[-1], *place]
    facts = await attributes(link, keys, deadline)
    return tuple(
        Element(key, *facts[key], place=place[number:])
        for number, key in enumerate(keys)
        if key in facts
    )


async def modal(
    link: Link, frame: Key, tops: Sequence[Key], deadline: float
) -> tuple[Element, ...]:
    """A modal dialog of the program, which keeps all input from its other windows; then the window itself."""
    facts = await attributes(link, tops, deadline)
    dialogs = [
        top
        for top in tops
        if top != frame and top in facts and {"modal", "showing"} <= facts[top][2]
    ]
    if not dialogs or frame not in facts or "modal" in facts[frame][2]:
        return ()
    above = Element(dialogs[-1], *facts[dialogs[-1]], place=(frame,))
    return (above, Element(frame, *facts[frame]))


async def dialogs(
    link: Link, root: Key, frame: Key, tops: Sequence[Key], deadline: float
) -> tuple[Element, ...]:
    """The dialog of a program that does not tell whether its dialogs are modal; () where there is none."""
    facts = await attributes(link, [top for top in tops if top != frame], deadline)
    found = [
        top for top, (role, _, states) in facts.items() if role in ASKING and "showing" in states
    ]
    if not found:
        return ()
    ask = Ask(root.bus, root.path, PROPERTIES, "Get", "ss", (APPLICATION, "ToolkitName"))
    if value(await link.one(ask, deadline)) not in SILENT:
        return ()
    return (Element(found[-1], *facts[found[-1]]),)


async def _corner(link: Link, window: Window, top: Key, deadline: float) -> Point:
    whole = Element(top, "frame", "", frozenset(), interfaces=frozenset(["Component"]))
    box = (await ask_details(link, window, [whole], deadline))[top].box
    # The box is in the content; the corner is what was taken off to get there.
    return Point(0, 0) if box is None else Point(-box.x, -box.y)


async def _above(link: Link, key: Key, top: Key, deadline: float) -> tuple[Key, ...]:
    place: list[Key] = []
    while key != top and len(place) < DEEPEST:
        ask = Ask(key.bus, key.path, PROPERTIES, "Get", "ss", (ACCESSIBLE, "Parent"))
        above = _key([value(await link.one(ask, deadline))])
        if above is None or above in place:
            break
        place.append(above)
        key = above
    return tuple(place)


def _key(answer: object) -> Key | None:
    if not isinstance(answer, list) or not isinstance(answer[0], list | tuple):
        return None
    key = Key(*answer[0])
    return None if key.path == NULL_PATH or not key.bus else key

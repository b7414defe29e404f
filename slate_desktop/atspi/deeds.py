"""Requests to widgets: actions, focus, text, values, choices, scrolling into view."""

from __future__ import annotations

from slate_desktop.atspi.link import Answer, Ask, Link, value
from slate_desktop.atspi.words import (
    ACCESSIBLE,
    ACTION,
    COMPONENT,
    EDITABLE,
    PROPERTIES,
    SELECTION,
    VALUE,
)
from slate_desktop.elements import Deed, Key, Way

SCROLL_ANYWHERE = 6


async def perform(link: Link, key: Key, deed: Deed, deadline: float) -> bool:
    """Ask a widget; False when it does not offer that or says no."""
    bus, path = key
    match deed.way:
        case Way.ACT:
            return await _act(link, key, deed.argument, deadline)
        case Way.FOCUS:
            return _yes(await link.one(Ask(bus, path, COMPONENT, "GrabFocus"), deadline))
        case Way.WRITE:
            ask = Ask(bus, path, EDITABLE, "SetTextContents", "s", (deed.argument,))
            return _yes(await link.one(ask, deadline))
        case Way.VALUE:
            return await _value(link, key, float(deed.argument), deadline)
        case Way.CHOOSE:
            return await _choose(link, key, deed.argument, deadline)
        case Way.SHOW:
            ask = Ask(bus, path, COMPONENT, "ScrollTo", "u", (SCROLL_ANYWHERE,))
            return _yes(await link.one(ask, deadline))


async def _act(link: Link, key: Key, name: str, deadline: float) -> bool:
    answer = await link.one(Ask(key.bus, key.path, ACTION, "GetActions"), deadline)
    rows = answer[0] if isinstance(answer, list) else []
    names = [str(row[0]) for row in rows]
    if name not in names:  # Chromium and Firefox have names only for who asks one by one
        asks = [Ask(key.bus, key.path, ACTION, "GetName", "i", (i,)) for i in range(len(names))]
        names = [str(value(a) or "") for a in await link.all(asks, deadline)]
    if name not in names:
        return False
    ask = Ask(key.bus, key.path, ACTION, "DoAction", "i", (names.index(name),))
    return _yes(await link.one(ask, deadline))


async def _value(link: Link, key: Key, number: float, deadline: float) -> bool:
    from dbus_fast import Variant

    body = (VALUE, "CurrentValue", Variant("d", number))
    answer = await link.one(Ask(key.bus, key.path, PROPERTIES, "Set", "ssv", body), deadline)
    return isinstance(answer, list)


async def _choose(link: Link, key: Key, name: str, deadline: float) -> bool:
    """Choose the child of that name; where the only child is a list or a menu, its child: GTK 3 counts those."""
    names = await _named(link, key, deadline)
    if len(names) == 1 and name not in names.values():
        names = await _named(link, next(iter(names)), deadline)
    if name not in names.values():
        return False
    place = list(names.values()).index(name)
    ask = Ask(key.bus, key.path, SELECTION, "SelectChild", "i", (place,))
    return _yes(await link.one(ask, deadline))


async def _named(link: Link, key: Key, deadline: float) -> dict[Key, str]:
    """The children of a widget by name, in their order."""
    listed = await link.one(Ask(key.bus, key.path, ACCESSIBLE, "GetChildren"), deadline)
    children = [Key(*child) for child in listed[0]] if isinstance(listed, list) else []
    asks = [Ask(*child, PROPERTIES, "Get", "ss", (ACCESSIBLE, "Name")) for child in children]
    answers = await link.all(asks, deadline)
    return {k: str(value(a) or "") for k, a in zip(children, answers, strict=True)}


def _yes(answer: Answer) -> bool:
    return isinstance(answer, list) and (not answer or answer[0] is True)

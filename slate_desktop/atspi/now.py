"""What a ref's widget is now: asked again before anything is sent to it."""

from __future__ import annotations

from dataclasses import replace

from slate_desktop.atspi.details import ask_details, with_interfaces
from slate_desktop.atspi.inview import keys
from slate_desktop.atspi.link import Answer, Ask, Link, value
from slate_desktop.atspi.walk import Walk, assembled, attributes, remaining
from slate_desktop.atspi.words import ACCESSIBLE, PROPERTIES, of_gtk4
from slate_desktop.elements import Detail, Element, Key, Seen, words_of
from slate_desktop.model import Window

ROW_MOST = 100


async def ask_now(link: Link, window: Window, seen: Seen, deadline: float) -> Seen | None:
    """The widget, its place and the words of its row as they are now; None when it is gone."""
    then = seen.element
    facts = await attributes(link, [then.key], deadline)
    if then.key not in facts or "defunct" in facts[then.key][2]:
        return None
    role, name, states = facts[then.key]
    if "showing" in then.states and "visible" in states and of_gtk4(then.key.path):
        states |= {"showing"}  # it tells so of no widget; the tree knew how to take that
    place = await _place(link, then, deadline)
    now = Element(then.key, role, name, states, then.depth, place, then.children, None)
    interfaces = (await with_interfaces(link, [now], deadline))[now.key]
    now = Element(now.key, role, name, states, now.depth, place, now.children, interfaces)
    details = await ask_details(link, window, [now], deadline)
    context = await _context(link, seen, deadline)
    return replace(seen, element=now, detail=details.get(now.key, Detail()), context=context)


async def _place(link: Link, then: Element, deadline: float) -> tuple[Key, ...]:
    """The ancestors now, asked along the chain that was seen."""
    chain = [then.key, *then.place]
    asks = [Ask(k.bus, k.path, PROPERTIES, "Get", "ss", (ACCESSIBLE, "Parent")) for k in chain[:-1]]
    answers = await link.all(asks, deadline)
    place = []
    for child, above, answer in zip(chain, then.place, answers, strict=False):
        parent = _key(answer)
        if parent != above and await _lists(link, above, child, deadline):
            parent = above  # a toolkit whose ways up and down differ
        place.append(parent)
    return tuple(place)


async def _lists(link: Link, above: Key, child: Key, deadline: float) -> bool:
    answer = await link.one(Ask(above.bus, above.path, ACCESSIBLE, "GetChildren"), deadline)
    return isinstance(answer, list) and child in keys(answer[0])


def _key(answer: Answer) -> Key:
    found = value(answer)
    return Key(*found) if isinstance(found, list | tuple) and len(found) == 2 else Key("", "")


async def _context(link: Link, seen: Seen, deadline: float) -> str:
    """The words of the row, read again."""
    if seen.row is None:
        return ""
    steps = Walk(link, deadline, ROW_MOST)
    await steps.run([seen.row])
    return words_of(assembled([seen.row], steps, await remaining(steps, deadline)))

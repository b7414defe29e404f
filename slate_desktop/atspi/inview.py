"""Of a widget with thousands of children, those that are on screen now: found by points, not by going through all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from slate_desktop.atspi.link import Ask, Link, value
from slate_desktop.atspi.words import (
    ACCESSIBLE,
    COMPONENT,
    NULL_PATH,
    PROPERTIES,
    WINDOW_COORDS,
)
from slate_desktop.elements import Key
from slate_desktop.geometry import Rect

POINTS = 8
INSET_PX = 4
DEEPEST = 8


async def children_in_view(
    link: Link, key: Key, count: int, most: int, deadline: float
) -> list[Key]:
    """At most `most` children from the first to the last that a point of the visible part hits."""
    box = await _visible(link, key, deadline)
    if box is None:
        return []
    step = max(1, (box.height - 2 * INSET_PX) // (POINTS - 1))
    places = [box.y + INSET_PX + step * n for n in range(POINTS)]
    asks = [
        Ask(
            key.bus,
            key.path,
            COMPONENT,
            "GetAccessibleAtPoint",
            "iiu",
            (box.x + INSET_PX, y, WINDOW_COORDS),
        )
        for y in places
    ]
    hits = [value(answer) for answer in await link.all(asks, deadline)]
    found = {Key(*hit) for hit in hits if isinstance(hit, list | tuple) and hit[1] != NULL_PATH}
    numbers = [n for n in [await _number(link, key, hit, deadline) for hit in found] if n >= 0]
    if not numbers:
        return []
    start, end = min(numbers), min(count, max(numbers) + 1, min(numbers) + most)
    answers = await link.all(
        [
            Ask(key.bus, key.path, ACCESSIBLE, "GetChildAtIndex", "i", (n,))
            for n in range(start, end)
        ],
        deadline,
    )
    return keys([answer[0] for answer in answers if isinstance(answer, list)])


async def _visible(link: Link, key: Key, deadline: float) -> Rect | None:
    """The part of a widget that lies in the widget around it."""
    parent = value(
        await link.one(
            Ask(key.bus, key.path, PROPERTIES, "Get", "ss", (ACCESSIBLE, "Parent")), deadline
        )
    )
    around = Key(*parent) if isinstance(parent, list | tuple) else key
    asks = [
        Ask(k.bus, k.path, COMPONENT, "GetExtents", "u", (WINDOW_COORDS,)) for k in (key, around)
    ]
    boxes = [
        Rect(*answer[0])
        for answer in await link.all(asks, deadline)
        if isinstance(answer, list) and len(answer[0]) == 4
    ]
    if len(boxes) < 2:
        return boxes[0] if boxes else None
    part = boxes[0].intersection(boxes[1])
    return None if part.empty else part


async def _number(link: Link, key: Key, hit: Key, deadline: float) -> int:
    """The place of the child that a hit is or lies in; -1 when it lies elsewhere."""
    for _ in range(DEEPEST):
        ask = Ask(hit.bus, hit.path, PROPERTIES, "Get", "ss", (ACCESSIBLE, "Parent"))
        parent = value(await link.one(ask, deadline))
        if not isinstance(parent, list | tuple):
            return -1
        if Key(*parent) == key:
            told = await link.one(Ask(hit.bus, hit.path, ACCESSIBLE, "GetIndexInParent"), deadline)
            number = value(told)
            return number if isinstance(number, int) else -1
        hit = Key(*parent)
    return -1


def keys(references: Sequence[Any]) -> list[Key]:
    """References without the one that stands for nothing."""
    return [Key(bus, path) for bus, path in references if path != NULL_PATH]

"""What a program's cache tells of its widgets, all in one reply. It holds what was asked for before, and no more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import anyio

from slate_desktop.atspi.link import Ask, Link
from slate_desktop.atspi.words import CACHE, CACHE_PATH, interfaces, role, states
from slate_desktop.elements import Key

# The first reply may take long: a browser then finds out all names of a page.
SHARE = 0.7
# So often without an answer in that time, and it is not asked again.
STRIKES = 2


@dataclass(frozen=True, slots=True)
class Item:
    """What a program's cache says of a widget now."""

    parent: Key
    index: int
    count: int  # -1: not told
    interfaces: frozenset[str]
    name: str
    role: str
    states: frozenset[str]
    description: str


@dataclass(slots=True)
class Strikes:
    """Of which programs the caches are useless (they have none, or did not answer in time) and not asked for again."""

    counts: dict[str, int]

    async def items(self, link: Link, bus: str, deadline: float) -> dict[Key, Item]:
        """What a program has cached, {} when that is not worth asking for."""
        if self.counts.get(bus, 0) >= STRIKES:
            return {}
        now = anyio.current_time()
        # While it makes this reply it makes no other, so that to stop waiting would win nothing.
        found = await items(link, bus, now + SHARE * (deadline - now))
        if found is None:
            self.counts[bus] = STRIKES
        elif not found:
            self.counts[bus] = self.counts.get(bus, 0) + 1
        else:
            self.counts.pop(bus, None)
        return found or {}

    def forget(self, bus: str) -> None:
        """Hold nothing against a program: it answered nothing at all, as one that hangs does."""
        self.counts.pop(bus, None)


async def items(link: Link, bus: str, deadline: float) -> dict[Key, Item] | None:
    """What a program has cached, by key; None when it keeps no such cache (or an old or empty one), {} when late."""
    answer = await link.one(Ask(bus, CACHE_PATH, CACHE, "GetItems"), deadline)
    if answer is None:
        return {}
    if not isinstance(answer, list) or not answer[0]:
        return None
    return dict(map(_item, _in_order(answer[0])))


def _item(row: Sequence[Any]) -> tuple[Key, Item]:
    bits = row[9]
    return Key(*row[0]), Item(
        Key(*row[2]),
        row[3],
        row[4],
        interfaces(tuple(row[5])),
        row[6],
        role(row[7]),
        states(bits[0], bits[1]) if len(bits) >= 2 else frozenset(),
        row[8],
    )


def _in_order(rows: Sequence[Any]) -> Sequence[Any]:
    # Some versions put name before role, some role before name: the number tells.
    if isinstance(rows[0][7], int):
        return rows
    return [[*row[:6], row[7], row[6], *row[8:]] for row in rows]


class Offspring:
    """The children of widgets by a cache, where they are all in it."""

    def __init__(self, items: Mapping[Key, Item]) -> None:
        self._items = items
        self._kids: dict[Key, dict[int, Key]] = {}
        for key, item in items.items():
            self._kids.setdefault(item.parent, {})[item.index] = key

    def of(self, key: Key) -> Sequence[Key] | None:
        """The children of a widget; None when the cache does not hold every one there is now."""
        item = self._items.get(key)
        if item is None or item.count < 0:
            return None
        if not item.count:
            return ()
        kids = self._kids.get(key, {})
        found = [kids[i] for i in range(item.count) if i in kids]
        return found if len(found) == item.count == len(kids) else None

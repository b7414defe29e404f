"""The structure of a program's widgets: what its cache tells, checked by counts, and a bounded walk for the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import anyio

from slate_desktop.atspi.inview import children_in_view, keys
from slate_desktop.atspi.link import Answer, Ask, Link, value
from slate_desktop.atspi.words import (
    ACCESSIBLE,
    CACHE,
    CACHE_PATH,
    PROPERTIES,
    role,
    short,
    states,
)
from slate_desktop.elements import Element, Key

# A widget with more children than this is read in part: asking for all makes some toolkits build them all.
MOST_CHILDREN = 1000
PART = 200
NEW_ITEMS = "a((so)(so)(so)iiassusau)"


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
class Walk:
    """A walk under way: `kids` are the children read, `missing` how many of a widget's children were left out."""

    link: Link
    deadline: float
    limit: int
    items: dict[Key, Item] = field(default_factory=dict)
    kids: dict[Key, Sequence[Key]] = field(default_factory=dict)
    missing: dict[Key, int] = field(default_factory=dict)
    late: bool = False
    full: bool = False

    async def run(self, roots: Sequence[Key]) -> None:
        """Read the children of the roots, of those, and so on, within the budget."""
        seen, level = set(roots), list(roots)
        offspring = self._offspring()
        while level and not self.late:
            # GTK 4 tells its root to have no children, so a root is always asked.
            unknown = [k for k in level if k in roots or not self._known(k, offspring)]
            await self._ask_children(unknown, roots)
            fresh = [k for key in level for k in self.kids.get(key, ()) if k not in seen]
            level = list(dict.fromkeys(fresh))
            if len(seen) + len(level) > self.limit:
                self.full = True
                level = level[: max(0, self.limit - len(seen))]
            seen.update(level)
            if self.full:
                self._drop_unseen(seen)
                break

    def _drop_unseen(self, seen: set[Key]) -> None:
        for key, kids in self.kids.items():
            kept = [k for k in kids if k in seen]
            if len(kept) < len(kids):
                self.missing[key] = self.missing.get(key, 0) + len(kids) - len(kept)
                self.kids[key] = kept

    def _offspring(self) -> Mapping[Key, dict[int, Key]]:
        found: dict[Key, dict[int, Key]] = {}
        for key, item in self.items.items():
            found.setdefault(item.parent, {})[item.index] = key
        return found

    def _known(self, key: Key, offspring: Mapping[Key, dict[int, Key]]) -> bool:
        """Whether the cache, which is only what was asked for before, holds every child there is now."""
        item = self.items.get(key)
        if item is None or item.count < 0:
            return False
        kids = offspring.get(key, {})
        if len(kids) != item.count or (kids and max(kids) != item.count - 1):
            return item.count == 0
        if item.count:
            self.kids[key] = [kids[i] for i in range(item.count)] if min(kids) == 0 else ()
        return item.count == 0 or min(kids) == 0

    async def _ask_children(self, asked: Sequence[Key], roots: Sequence[Key]) -> None:
        counts = await self._counts([k for k in asked if k not in roots])
        counts |= {k: 1 for k in asked if k in roots}
        some = [k for k in asked if 0 < counts[k] <= MOST_CHILDREN]
        many = [k for k in asked if counts[k] > MOST_CHILDREN]
        asks = [Ask(k.bus, k.path, ACCESSIBLE, "GetChildren") for k in some]
        asks += [
            Ask(k.bus, k.path, ACCESSIBLE, "GetChildAtIndex", "i", (i,))
            for k in many
            for i in range(PART)
        ]
        answers = await self._all(asks)
        for key, answer in zip(some, answers, strict=False):
            if isinstance(answer, list):
                self.kids[key] = keys(answer[0])
        rest = answers[len(some) :]
        for place, key in enumerate(many):
            part = rest[place * PART : (place + 1) * PART]
            first = keys([a[0] for a in part if isinstance(a, list)])
            seen = await children_in_view(self.link, key, counts[key], PART, self.deadline)
            self.kids[key] = list(dict.fromkeys([*first, *seen]))
            self.missing[key] = counts[key] - len(self.kids[key])

    async def _counts(self, keys: Sequence[Key]) -> dict[Key, int]:
        told = {
            k: self.items[k].count for k in keys if k in self.items and self.items[k].count >= 0
        }
        asked = [k for k in keys if k not in told]
        asks = [
            Ask(k.bus, k.path, PROPERTIES, "Get", "ss", (ACCESSIBLE, "ChildCount")) for k in asked
        ]
        answers = await self._all(asks)
        found = {
            key: count if isinstance(count := value(answer), int) else 0
            for key, answer in zip(asked, answers, strict=True)
        }
        return told | found

    async def _all(self, asks: Sequence[Ask]) -> list[Answer]:
        answers = await self.link.all(asks, self.deadline)
        if any(answer is None for answer in answers):
            self.late = True
        return answers


async def items(link: Link, bus: str, deadline: float) -> dict[Key, Item] | None:
    """What a program has cached, by key; None when it keeps no such cache (or an old or an empty one)."""
    answer = await link.one(Ask(bus, CACHE_PATH, CACHE, "GetItems"), deadline)
    if not isinstance(answer, list) or not answer[0] or len(answer[0][0]) != 10:
        return None
    return {
        Key(*item[0]): Item(
            Key(*item[2]),
            item[3],
            item[4],
            frozenset(map(short, item[5])),
            item[6],
            role(item[7]),
            states(*item[9][:2]) if len(item[9]) >= 2 else frozenset(),
            item[8],
        )
        for item in _unwrapped(answer[0])
    }


def _unwrapped(rows: Sequence[Any]) -> Sequence[Any]:
    # Some versions put name before role, some role before name: the number tells.
    return [
        row if isinstance(row[7], int) else [*row[:6], row[7], row[6], *row[8:]] for row in rows
    ]


async def attributes(
    link: Link, keys: Sequence[Key], deadline: float
) -> dict[Key, tuple[str, str, frozenset[str]]]:
    """Role, name and states of widgets, asked one by one; those gone meanwhile are left out."""
    asks = [
        ask
        for key in keys
        for ask in (
            Ask(key.bus, key.path, ACCESSIBLE, "GetRole"),
            Ask(key.bus, key.path, PROPERTIES, "Get", "ss", (ACCESSIBLE, "Name")),
            Ask(key.bus, key.path, ACCESSIBLE, "GetState"),
        )
    ]
    answers = await link.all(asks, deadline)
    found = {}
    for place, key in enumerate(keys):
        number, name, bits = answers[place * 3 : place * 3 + 3]
        if isinstance(number, list) and isinstance(bits, list):
            found[key] = (
                role(number[0]),
                str(value(name) or ""),
                states(*bits[0][:2]) if len(bits[0]) >= 2 else frozenset(),
            )
    return found


def assembled(
    roots: Sequence[Key],
    walk: Walk,
    facts: Mapping[Key, tuple[str, str, frozenset[str]]],
) -> tuple[Element, ...]:
    """The elements in reading order, parents before their children."""
    found: list[Element] = []
    taken: set[Key] = set()
    stack: list[tuple[Key, int, tuple[Key, ...]]] = [(key, 0, ()) for key in reversed(roots)]
    while stack:
        key, depth, place = stack.pop()
        if key in taken:  # some toolkits list a widget below two parents
            continue
        taken.add(key)
        item, asked = walk.items.get(key), facts.get(key)
        if asked is None and item is None:
            continue
        name, kind, set_ = (
            (item.name, item.role, item.states) if item else (asked[1], asked[0], asked[2])  # type: ignore[index]  # one of both is there
        )
        kids = walk.kids.get(key, ())
        found.append(
            Element(
                key,
                kind,
                name,
                set_,
                depth,
                place,
                len(kids) + walk.missing.get(key, 0),
                item.interfaces if item else None,
                item.description if item else "",
            )
        )
        below = (key, *place)
        stack += [(kid, depth + 1, below) for kid in reversed(kids)]
    return tuple(_shown(found))


def _shown(found: list[Element]) -> list[Element]:
    """GTK 4.8 tells of no widget but its window that it is showing: there, visible has to do."""
    if any("showing" in e.states for e in found[1:]):
        return found
    return [
        replace(e, states=e.states | {"showing"}) if "visible" in e.states else e for e in found
    ]


def expired(deadline: float) -> bool:
    """Whether a deadline has passed."""
    return anyio.current_time() >= deadline

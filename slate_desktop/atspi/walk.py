"""The structure of a program's widgets: what its cache tells, checked by counts, and a bounded walk for the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import anyio

from slate_desktop.atspi.cache import Item, Offspring
from slate_desktop.atspi.inview import children_in_view, keys
from slate_desktop.atspi.link import Answer, Ask, Link, LinkLost, value
from slate_desktop.atspi.words import ACCESSIBLE, PROPERTIES, of_gtk4, role, states
from slate_desktop.elements import Element, Key

# A widget with more children than this is read in part: asking for all makes some toolkits build them all.
MOST_CHILDREN = 1000
PART = 200

Facts = tuple[str, str, frozenset[str]]
"""Role, name and states."""


@dataclass(slots=True)
class Walk:
    """A walk under way: `kids` are the children read, `missing` how many of a widget's children were left out.

    Each answer is followed at once by the questions it gives rise to: no level waits for the one above to be whole.
    """

    link: Link
    deadline: float
    limit: int
    items: dict[Key, Item] = field(default_factory=dict)
    kids: dict[Key, Sequence[Key]] = field(default_factory=dict)
    missing: dict[Key, int] = field(default_factory=dict)
    late: bool = False
    full: bool = False
    _seen: dict[Key, None] = field(default_factory=dict)
    _told: dict[Key, dict[str, Answer]] = field(default_factory=dict)
    _wide: list[tuple[Key, int]] = field(default_factory=list)
    _offspring: Offspring = field(default_factory=lambda: Offspring({}))

    async def run(self, roots: Sequence[Key]) -> None:
        """Read the children of the roots, of those, and so on, within the budget."""
        self._offspring = Offspring(self.items)
        self._seen = dict.fromkeys(roots)
        # GTK 4 tells its root to have no children, so a root is always asked.
        asks = [ask for key in roots for ask in (_children(key), *self._own(key))]
        while asks and not self.late:
            self.late = not await self.link.flow(asks, self._follow, self.deadline)
            wide, self._wide = self._wide, []
            asks = [ask for key, count in wide for ask in await self._part(key, count)]

    def found(self) -> Sequence[Key]:
        """All widgets met so far."""
        return list(self._seen)

    def facts(self) -> dict[Key, Facts]:
        """What was told on the way by widgets that no cache knows."""
        known = {key: _facts(told) for key, told in self._told.items()}
        return {key: facts for key, facts in known.items() if facts is not None}

    def _follow(self, ask: Ask, answer: Answer) -> Sequence[Ask]:
        key = Key(ask.bus, ask.path)
        if ask.member == "GetChildren":
            return self._enter(key, keys(answer[0])) if isinstance(answer, list) else ()
        what = str(ask.body[1]) if ask.body else ask.member
        if what == "ChildCount":
            count = value(answer)
            return self._counted(key, count if isinstance(count, int) else 0)
        self._told.setdefault(key, {})[what] = answer
        return ()

    def _enter(self, parent: Key, kids: Sequence[Key]) -> list[Ask]:
        """Take a widget's children, and theirs where the cache has them; what is to be asked then."""
        asks, stack = list[Ask](), [(parent, kids)]
        while stack:
            above, listed = stack.pop()
            fresh = [kid for kid in dict.fromkeys(listed) if kid not in self._seen]
            room = self.limit - len(self._seen)
            left_out = set(fresh[room:])
            if left_out:
                self.full = True
                self.missing[above] = self.missing.get(above, 0) + len(left_out)
            self.kids[above] = [kid for kid in listed if kid not in left_out]
            self._seen.update(dict.fromkeys(fresh[:room]))
            for kid in fresh[:room]:
                below = self._offspring.of(kid)
                if below is None:
                    asks += self._unknown(kid)
                elif below:
                    stack.append((kid, below))
        return asks

    def _unknown(self, key: Key) -> list[Ask]:
        item = self.items.get(key)
        if item is not None and item.count >= 0:
            return self._counted(key, item.count)
        count = Ask(key.bus, key.path, PROPERTIES, "Get", "ss", (ACCESSIBLE, "ChildCount"))
        return [count, *self._own(key)]

    def _own(self, key: Key) -> list[Ask]:
        # GTK 4 puts what it was asked about into its cache, where it comes at a tenth of the price.
        return [] if key in self.items or of_gtk4(key.path) else _own_facts(key)

    def _counted(self, key: Key, count: int) -> list[Ask]:
        if count > MOST_CHILDREN:
            self._wide.append((key, count))
        return [_children(key)] if 0 < count <= MOST_CHILDREN else []

    async def _part(self, key: Key, count: int) -> list[Ask]:
        """Read the first children of a very wide widget, and those in view."""
        asks = [
            Ask(key.bus, key.path, ACCESSIBLE, "GetChildAtIndex", "i", (i,)) for i in range(PART)
        ]
        answers = await self.link.all(asks, self.deadline)
        first = keys([answer[0] for answer in answers if isinstance(answer, list)])
        seen = await children_in_view(self.link, key, count, PART, self.deadline)
        kids = list(dict.fromkeys([*first, *seen]))
        self.missing[key] = count - len(kids)
        self.late |= any(answer is None for answer in answers)
        return self._enter(key, kids)


def _children(key: Key) -> Ask:
    return Ask(key.bus, key.path, ACCESSIBLE, "GetChildren")


def _own_facts(key: Key) -> list[Ask]:
    return [
        Ask(key.bus, key.path, ACCESSIBLE, "GetRole"),
        Ask(key.bus, key.path, PROPERTIES, "Get", "ss", (ACCESSIBLE, "Name")),
        Ask(key.bus, key.path, ACCESSIBLE, "GetState"),
    ]


def _facts(told: Mapping[str, Answer]) -> Facts | None:
    number, bits = told.get("GetRole"), told.get("GetState")
    if not isinstance(number, list) or not isinstance(bits, list):
        return None
    return (
        role(number[0]),
        str(value(told.get("Name")) or ""),
        states(*bits[0][:2]) if len(bits[0]) >= 2 else frozenset(),
    )


async def attributes(link: Link, keys: Sequence[Key], deadline: float) -> dict[Key, Facts]:
    """Role, name and states of widgets, asked one by one; those gone meanwhile are left out."""
    asks = [ask for key in keys for ask in _own_facts(key)]
    answers = await link.all(asks, deadline)
    found = {}
    for place, key in enumerate(keys):
        number, name, bits = answers[place * 3 : place * 3 + 3]
        facts = _facts({"GetRole": number, "Name": name, "GetState": bits})
        if facts is not None:
            found[key] = facts
    return found


async def remaining(steps: Walk, deadline: float) -> dict[Key, Facts]:
    """The facts of all that a walk has met and no cache knows; if it has stopped since, what it told."""
    told = steps.facts()
    missing = [k for k in steps.found() if k not in steps.items and k not in told]
    try:
        return told | await attributes(steps.link, missing, deadline)
    except LinkLost:
        if not told and not steps.items:
            raise
        return told


def assembled(
    roots: Sequence[Key],
    walk: Walk,
    facts: Mapping[Key, Facts],
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

"""The `Widgets` port over AT-SPI2: trees of windows, facts of single widgets, deeds."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TypeVar

import anyio

from slate_desktop.atspi.bus import Bus, BusPlace, no_bus
from slate_desktop.atspi.cache import Strikes
from slate_desktop.atspi.deeds import perform
from slate_desktop.atspi.details import VALUE_CHARACTERS, ask_details, frame_of
from slate_desktop.atspi.hits import ask_hit, dialogs, modal
from slate_desktop.atspi.inview import keys
from slate_desktop.atspi.link import Ask, BusSilent, Link, LinkLost
from slate_desktop.atspi.now import ask_now
from slate_desktop.atspi.programs import Programs, empty, frozen, worth_waiting
from slate_desktop.atspi.texts import ask_texts
from slate_desktop.atspi.walk import Walk, assembled, expired, remaining
from slate_desktop.atspi.words import ACCESSIBLE, of_gtk4
from slate_desktop.elements import Deed, Detail, Element, Key, Seen, TextNow, Tree
from slate_desktop.geometry import Point
from slate_desktop.model import Window
from slate_desktop.quote import quote

# All that one look may cost; a frozen program costs this much and no more.
BUDGET_S = 2.0
MOST = 6_000
# The part of the time that is kept for names, roles and states of what the walk has found.
NAMES_SHARE = 0.3
# Asking a cache again is cheaper than three calls for each of so many widgets.
ASK_AGAIN = 8
EMPTY_LOOK_S = 0.1

Given = TypeVar("Given")


class AtspiWidgets:
    """All windows' widgets. Nothing is kept between looks but which programs' caches are of no use."""

    def __init__(self, place: BusPlace) -> None:
        self._bus = Bus(place)
        self._programs = Programs()
        self._cache = Strikes({})

    async def connect(self) -> None:
        """Be on the bus before the first question. Errors: `unavailable.no_bus`."""
        await self._bus.link()

    def close(self) -> None:
        """Leave the bus."""
        self._bus.close()

    async def tree(self, window: Window, *, budget_s: float = BUDGET_S, most: int = MOST) -> Tree:
        """The widgets of a window, with its open menus and popups."""
        started = anyio.current_time()
        deadline = started + budget_s

        async def read(link: Link) -> Tree:
            root = await self._programs.root(link, window, deadline)
            tree = await self._read(link, window, root, deadline, most)
            while len(tree.elements) <= 1 and worth_waiting(window, started, deadline):
                await anyio.sleep(EMPTY_LOOK_S)
                tree = await self._read(link, window, root, deadline, most)
            return tree

        tree = await self._guarded(window, read)
        if len(tree.elements) <= 1:
            raise empty(window)
        took_ms = (anyio.current_time() - started) * 1e3
        return Tree(tree.elements, tree.cut, took_ms)

    async def _read(
        self, link: Link, window: Window, root: Key, deadline: float, most: int
    ) -> Tree:
        known = await self._cache.items(link, root.bus, deadline)
        top = await link.one(Ask(root.bus, root.path, ACCESSIBLE, "GetChildren"), deadline)
        if top is None:
            self._cache.forget(root.bus)
            raise LinkLost
        tops = keys(top[0]) if isinstance(top, list) else []
        roots = await frame_of(link, window, tops, known, deadline)
        if not roots:
            return Tree(())
        left_s = deadline - anyio.current_time()
        steps = Walk(link, deadline - NAMES_SHARE * left_s, most, dict(known))
        await steps.run(roots)
        unknown = sum(key not in steps.items for key in steps.found())
        if known and of_gtk4(roots[0].path) and unknown > ASK_AGAIN:
            steps.items |= await self._cache.items(link, root.bus, deadline)
        facts = await remaining(steps, deadline)
        elements = assembled(roots, steps, facts)
        if len(elements) < len(steps.found()) and expired(deadline):
            steps.late = True
        if steps.late:
            self._bus.drop(link)
        return Tree(elements, _cut(steps, len(elements), most))

    async def details(
        self, window: Window, elements: Sequence[Element], *, characters: int = VALUE_CHARACTERS
    ) -> Mapping[Key, Detail]:
        """Boxes, values and actions of widgets; of those gone meanwhile, nothing."""
        return await self._guarded(
            window, lambda link: ask_details(link, window, elements, _soon(), characters)
        )

    async def now(self, window: Window, seen: Seen) -> Seen | None:
        """The widget behind a ref as it is now; None when it is gone."""
        return await self._guarded(window, lambda link: ask_now(link, window, seen, _soon()))

    async def hit(self, window: Window, point: Point) -> Sequence[Element]:
        """What a pointer at a point of the content would hit by the program's own word, and what is around that.

        Behind them a dialog of the program, where that does not tell whether it keeps input from its other windows.
        """
        return await self._guarded(window, lambda link: self._hit(link, window, point, _soon()))

    async def _hit(
        self, link: Link, window: Window, point: Point, deadline: float
    ) -> tuple[Element, ...]:
        root = await self._programs.root(link, window, deadline)
        top = await link.one(Ask(root.bus, root.path, ACCESSIBLE, "GetChildren"), deadline)
        tops = keys(top[0]) if isinstance(top, list) else []
        frame = await frame_of(link, window, tops, {}, deadline)
        if not frame:
            return ()
        over = await modal(link, frame[0], tops, deadline)
        if over:
            return over
        found = await ask_hit(link, window, frame[0], point, deadline)
        return (*found, *await dialogs(link, root, frame[0], tops, deadline))

    async def do(self, window: Window, key: Key, deed: Deed) -> bool:
        """Ask something of a widget; False when it does not offer that or says no."""
        return await self._guarded(window, lambda link: perform(link, key, deed, _soon()))

    async def texts(self, window: Window, keys: Sequence[Key], near: int) -> Mapping[Key, TextNow]:
        """The text before the caret of widgets, `near` characters of it."""
        return await self._guarded(window, lambda link: ask_texts(link, keys, near, _soon()))

    async def _guarded(self, window: Window, asking: Callable[[Link], Awaitable[Given]]) -> Given:
        link = await self._bus.link()
        try:
            with link.held():
                return await asking(link)
        except BusSilent:
            self._bus.drop(link)
            raise no_bus("it does not answer") from None
        except LinkLost:
            self._bus.drop(link)
            raise frozen(window) from None


def _soon() -> float:
    return anyio.current_time() + BUDGET_S


def _cut(steps: Walk, read: int, most: int) -> str:
    """What a walk left out, in words."""
    words = []
    if steps.late:
        words.append(f"it answered too slowly: {read} read in time")
    if steps.full:
        words.append(f"only the first {most} were read")
    for key, count in steps.missing.items():
        name = steps.items[key].name if key in steps.items else ""
        kids = len(steps.kids[key])
        words.append(f"{kids} of {kids + count} children read of {quote(name or 'a list', 40)}")
    return "; ".join(words[:5])

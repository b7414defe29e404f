"""The lines that stand in terminals, for all connections: what may be on each, who else may have typed."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final

import anyio

from slate_desktop import shellline
from slate_desktop.errors import Stale
from slate_desktop.intent import (
    Action,
    Aim,
    Click,
    Console,
    Drag,
    ElementSighting,
    Intent,
    Press,
    PressKeys,
    SetText,
    TypeText,
)
from slate_desktop.model import PERSON, Desktop, Foreground, Handle, Window, WindowId
from slate_desktop.shellline import UNSEEN, Line
from slate_desktop.wish import is_terminal, window_of

CHANGES: Final = (TypeText, PressKeys, SetText, Press, Click, Drag)
"""Actions that may change what stands on a line."""
PROMPT_S: Final = 1.0
LOOK_S: Final = 0.03
JUST_S: Final = 3.0
"""So long after its start or a Return a shell may not be at its prompt yet, and is waited for."""
KEPT: Final = 256
THE_PERSON: Final = "the person has the keyboard there, or had it since the line began"

Look = Callable[[int], Awaitable[Foreground | None]]
"""Who reads the terminal that a process shows; None where it shows none."""


@dataclass(slots=True)
class _Held:
    """What is known of one terminal's line."""

    handle: Handle
    line: Line
    moved_s: float
    shell: tuple[int, int] | None = None
    serial: int = 0
    lock: anyio.Lock = field(default_factory=anyio.Lock)


@dataclass(slots=True)
class Sent:
    """How a turn in a terminal went: `whole` once all of it was sent, to that window."""

    whole: bool = False


class Consoles:
    """The lines of one desktop. `attended`: a person may type as well."""

    def __init__(self, look: Look, *, attended: bool) -> None:
        self._look, self._attended = look, attended
        self._held: OrderedDict[WindowId, _Held] = OrderedDict()
        self._person: int | None = None

    def person_at(self, id_: int | None) -> None:
        """The person's keyboard is on this window from now on."""
        if not self._attended:
            return
        self._person = id_
        held = self._held.get(WindowId(id_)) if id_ is not None else None
        if held is not None:
            held.line = held.line.doubted(THE_PERSON)

    def opened(self, desktop: Desktop, launch: str) -> None:
        """Windows that a launch has just opened: nobody has typed into them."""
        self.person_at(desktop.focus.get(PERSON))
        for window in desktop.windows:
            if window.sandbox == launch and window.id not in self._held:
                clean = Line().doubted(THE_PERSON) if window.id == self._person else Line()
                self._keep(window, clean)

    async def plan(self, aim: Aim | None, action: Action) -> Console | None:
        """What an action would do in the terminal it is aimed at; None where it is aimed at none."""
        window = window_of(aim)
        if window is None or aim is None or not isinstance(action, CHANGES):
            return None
        return (await self._planned(window, aim, action))[0]

    async def _planned(
        self, window: Window, aim: Aim, action: Action
    ) -> tuple[Console | None, Line, Foreground]:
        front = await self._settled(window)
        if front is None and not is_terminal(window.app_id):
            return None, Line(), Foreground()
        front = front or Foreground(why="what runs in this terminal cannot be seen from here")
        held = self._of(window)
        line = held.line
        if line.text and held.shell != front.shell:
            line = line.doubted("another shell reads it now")
        line = shellline.after(line, action, prompt=front.shell is not None)
        if isinstance(aim.sighting, ElementSighting):
            line = line.doubted("what the keys of an element do to the line is not known")
        if window.id == self._person:
            line = line.doubted(THE_PERSON)
        line = line.doubted(front.why)
        serial = held.serial if line.doubt else 0
        why = front.why or line.doubt
        typed = None if front.shell is None else line.done + line.text
        console = Console(typed, why, front.directory, front.password, serial)
        return console, line, front

    @asynccontextmanager
    async def turn(
        self, intent: Intent, desktop: Desktop, hit: Window | None
    ) -> AsyncIterator[Sent]:
        """Around what is sent for an intent to the window that it hits: the line must be as it was when the intent was
        judged, and is known afterwards only if all of it went out. Raises `stale.terminal_changed`; then nothing is
        sent.
        """
        self.person_at(desktop.focus.get(PERSON))
        for id_, other in self._held.items():
            by_chance = intent.console is None and hit is not None and hit.id == id_
            if isinstance(intent.action, Drag) or (
                by_chance and isinstance(intent.action, CHANGES)
            ):
                other.line = other.line.doubted("something other than keys was done there")
        window, sent = window_of(intent.aim), Sent()
        if intent.console is None or window is None or intent.aim is None:
            yield sent
            return
        held = self._of(window)
        async with held.lock:
            now, line, front = await self._planned(window, intent.aim, intent.action)
            if now != intent.console:
                raise Stale(
                    "terminal_changed",
                    "nothing was sent: the terminal, or what stands on its line, is not as it was.",
                    next_step="look, then make the call again",
                )
            held.line = held.line.doubted("not all that was typed arrived for sure")
            held.serial += 1
            yield sent
            # Text alone brings no prompt back; a Return may, and so may a chord.
            if line.done or not sent.whole or not isinstance(intent.action, TypeText):
                held.moved_s = anyio.current_time()
            if sent.whole:
                held.line, held.shell = shellline.begun(line), front.shell
                self.person_at(self._person)

    async def _settled(self, window: Window) -> Foreground | None:
        """Who reads the window's terminal; a shell that has just begun or just got a Return is given a moment."""
        if window.pid is None:
            return None
        front = await self._look(window.pid)
        held = self._held.get(window.id)
        if held is None or anyio.current_time() - held.moved_s > JUST_S:
            return front
        with anyio.move_on_after(PROMPT_S):
            while front is not None and front.shell is None and not front.password:
                await anyio.sleep(LOOK_S)
                front = await self._look(window.pid)
        return front

    def _of(self, window: Window) -> _Held:
        held = self._held.get(window.id)
        if held is None or held.handle != window.handle:
            held = self._keep(window, Line().doubted(UNSEEN))
        return held

    def _keep(self, window: Window, line: Line) -> _Held:
        held = self._held[window.id] = _Held(window.handle, line, anyio.current_time())
        while len(self._held) > KEPT:
            self._held.popitem(last=False)
        return held

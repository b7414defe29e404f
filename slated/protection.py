"""Keeps what can be taken back: marks before and after a call, processes that outlive it, pruning, undo's turn."""

from __future__ import annotations

import logging
import math
import secrets
import time
from collections.abc import AsyncIterator, Callable, Collection, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any, Final

import anyio
import anyio.from_thread
import anyio.to_thread

from slated import outlived
from slated.documents import Documents
from slated.errors import Refused, SlateError, Unavailable
from slated.extent import Extent, extent, leaves_files
from slated.outlived import Identity
from slated.policy.decide import Decision
from slated.policy.facts import WORKTREE
from slated.requests import Wanted
from slated.snapshots.marks import root_of
from slated.snapshots.timeline import Call
from slated.tasks import Task
from slated.undoable import Undoable

HELD_S: Final = 40.0
"""How long a call waits for an undo of its task; a hook waits 45 s."""
WRITING_S: Final = 2.0
"""How long after a desktop call what its application writes counts as the call's: saving goes on by itself."""
LATE_S: Final = 5.0
"""How long after that it may still be the call's: such a change is shared."""
PRUNE_S: Final = 3600.0
MOST_SHOWN: Final = 3

Portal = Callable[[str], Coroutine[Any, Any, tuple[str, ...]]]

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Covered:
    """What a call may change and how far undo covers it, known before it runs. `said` is for a person.

    `missed` are paths of the extent that could not be taken back; `usable` is false where undo cannot be used at all.
    """

    extent: Extent
    said: str
    missed: frozenset[str] = frozenset()
    usable: bool = True


@dataclass(frozen=True, slots=True)
class Shelter:
    """A call whose mark is taken. `uncovered` says what of it could not be taken back."""

    task: str
    call: str
    mark: int
    agent: Identity
    since_ticks: int
    desktop: bool
    uncovered: str = ""


class Protection:
    """The protection of one person's tasks. `portal` tells which files a sandboxed application was given."""

    def __init__(self, undoable: Undoable, home: str, portal: Portal) -> None:
        self.undoable = undoable
        self._home, self._portal = home, portal
        self._documents = Documents(home)
        self._open: dict[tuple[str, str], Shelter] = {}
        self._writing: dict[tuple[str, str], float] = {}
        self._late: dict[tuple[str, str], tuple[tuple[Identity, ...], float]] = {}
        self._held: dict[str, anyio.Event] = {}
        self._pruned: float | None = None

    # -- before a call ---------------------------------------------------------------------------

    async def covered(self, wanted: Wanted, task: Task, decision: Decision) -> Covered | None:
        """How far undo covers a decided call; None for one that changes no file."""
        if leaves_files(wanted, decision):
            return None
        return await anyio.to_thread.run_sync(self._covered, wanted, task, decision)

    def _covered(self, wanted: Wanted, task: Task, decision: Decision) -> Covered | None:
        found = extent(wanted, decision, self._home)
        if found is None:
            return None
        try:
            with self.undoable.using() as undo:
                roots = tuple(undo.roots)
        except SlateError as error:
            return Covered(found, f"cannot be used: {error.message}", usable=False)
        if wanted.call.client == "desktop":
            documents = (*self._given(wanted.window_pid), *self._application(wanted, task))
            inside = tuple(path for path in documents if root_of(path, roots))
            found = replace(found, documents=inside)
        missed = {}
        for path in (*found.named, *(f"{tree}/{WORKTREE}" for tree in found.around)):
            cover = self.undoable.covers(path)
            if not cover.covered:
                missed[path.removesuffix(f"/{WORKTREE}")] = cover.reason
        return Covered(found, _said(found, missed), frozenset(missed))

    def _given(self, pid: int | None) -> tuple[str, ...]:
        """What the portal gave the application of a window; it is asked only about sandboxed ones."""
        app = self._documents.sandbox(pid) if pid is not None else ""
        return anyio.from_thread.run(self._portal, app) if app else ()

    def _application(self, wanted: Wanted, task: Task) -> tuple[str, ...]:
        scene = wanted.call.scene
        if not scene.password:
            self._documents.heard(task.id, wanted.call.arguments)
        return self._documents.of(task.id, wanted.window_pid, scene.title)

    async def before(self, wanted: Wanted, task: Task, covered: Covered) -> Shelter:
        """Take the mark before a call; waits while an undo of the task is at work.

        Raises `unavailable` when it cannot be taken, or when it turns out not to hold what it should.
        """
        await self._turn(task.id)
        key = f"{wanted.call.name}.{secrets.token_hex(5)}"
        agent = (wanted.asker.pid, wanted.asker.started)
        made = Shelter(
            task.id, key, 0, agent, outlived.now_ticks(), desktop=wanted.call.client == "desktop"
        )
        return await anyio.to_thread.run_sync(self._before, made, task.prompt, covered)

    def _before(self, made: Shelter, prompt: int, covered: Covered) -> Shelter:
        call = Call(
            made.task, prompt, made.call, 0, None, covered.extent.targets, covered.extent.exact
        )
        with self.undoable.using() as undo, undo.together():
            self._settle(made.task)
            done = undo.protect(call)
            named = set(covered.extent.named) - covered.missed
            lost = [missed for missed in done.uncovered if missed.path in named]
            if lost:
                undo.settle(made.task, made.call)
                raise Unavailable(
                    "undo",
                    f"nothing was done: {lost[0].path} cannot be protected ({lost[0].why}).",
                    next_step="see to that, or leave this file alone",
                )
        made = replace(made, mark=done.mark, uncovered="; ".join(_told(done.uncovered)))
        self._open[made.task, made.call] = made
        return made

    async def _turn(self, task: str) -> None:
        try:
            with anyio.fail_after(HELD_S):
                while held := self._held.get(task) or self._held.get(""):
                    await held.wait()
        except TimeoutError:
            raise Refused(
                "undoing",
                "nothing was done: the person is undoing what this task did.",
                next_step="look at the files again before going on",
            ) from None

    # -- after a call ----------------------------------------------------------------------------

    async def after(self, shelter: Shelter, besides: Collection[int] = ()) -> None:
        """Take the mark after a call; after a desktop call a little later. `besides` are processes that only tell so.

        A failure is noted; the call then stays open until its task is quiet.
        """
        if shelter.desktop:
            self._writing[shelter.task, shelter.call] = time.monotonic() + WRITING_S
            return
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(self._after, shelter, besides)

    def unheard(self, shelter: Shelter) -> None:
        """Nobody will tell when the call is over: its mark is taken when its task begins another one, or is undone."""
        self._writing[shelter.task, shelter.call] = math.inf

    def _after(self, shelter: Shelter, besides: Collection[int] = ()) -> None:
        left: tuple[Identity, ...] = ()
        if not shelter.desktop:
            left = outlived.left_behind(shelter.agent, shelter.since_ticks, besides)
        late = bool(left) or shelter.desktop
        key = (shelter.task, shelter.call)
        try:
            with self.undoable.using() as undo:
                undo.settle(shelter.task, shelter.call, outlived=late)
        except (SlateError, OSError) as error:
            log.warning("no mark after a call", extra={"task": shelter.task, "why": str(error)})
            return
        self._open.pop(key, None)
        if late:
            self._late[key] = left, time.monotonic() + (LATE_S if shelter.desktop else 0.0)

    def _settle(self, task: str, *, all_: bool = True) -> None:
        """Take the marks after desktop calls of a task ("": of any), or of those alone whose time is over."""
        for key, until in list(self._writing.items()):
            if task in ("", key[0]) and (all_ or time.monotonic() >= until):
                self._writing.pop(key, None)
                if shelter := self._open.get(key):
                    self._after(shelter)

    async def quiet(self, task: str) -> None:
        """A task says that it is at no work: whatever it left open is settled."""
        await anyio.to_thread.run_sync(self._quiet, task)

    def _quiet(self, task: str) -> None:
        for shelter in [one for one in self._open.values() if one.task == task]:
            self._after(shelter)
        try:
            with self.undoable.using() as undo:
                undo.marks.close_left_open(lambda one: one != task)
        except (SlateError, OSError) as error:
            log.warning("calls stay open", extra={"task": task, "why": str(error)})

    async def ended(self, task: str) -> None:
        """A task is over."""
        await self.quiet(task)
        self._documents.forget(task)

    # -- undo's turn -----------------------------------------------------------------------------

    @asynccontextmanager
    async def held(self, task: str) -> AsyncIterator[None]:
        """No call of a task ("": of any) begins for as long as the context lasts."""
        while task in self._held:
            await self._held[task].wait()
        self._held[task] = anyio.Event()
        try:
            yield
        finally:
            self._held.pop(task).set()

    def at_work(self, task: str) -> bool:
        """Whether a call of a task ("": of any) is under way."""
        return any(task in ("", key[0]) for key in list(self._open) if key not in self._writing)

    # -- tending ---------------------------------------------------------------------------------

    async def begin(self, running: Collection[str]) -> None:
        """After a start: settle what ended tasks left open, and watch what outlived its call in a former life."""
        await anyio.to_thread.run_sync(self._begin, running)

    def _begin(self, running: Collection[str]) -> None:
        if not self.undoable.there:
            return
        try:
            with self.undoable.using() as undo:
                undo.marks.close_left_open(lambda task: task in running)
                lingering = undo.marks.lingering()
        except (SlateError, OSError) as error:
            log.warning("undo cannot be used", extra={"why": str(error)})
            return
        left = outlived.marked() if lingering else ()
        for task, call in lingering:
            self._late[task, call] = left, time.monotonic() + LATE_S

    async def at_rest(self, task: str) -> None:
        """From now on no application writes for a desktop call of a task ("": of any) any more."""
        await anyio.to_thread.run_sync(self._at_rest, task)

    def _at_rest(self, task: str) -> None:
        self._settle(task)
        for key, (processes, _) in list(self._late.items()):
            if task in ("", key[0]) and not processes:
                self._late[key] = processes, 0.0
        self._end_late()

    async def close(self) -> None:
        """Take the marks that are due, and let go of everything."""
        await anyio.to_thread.run_sync(self._settle, "")
        await anyio.to_thread.run_sync(self.undoable.close)

    async def tend(self) -> None:
        """To be called now and then: ends the time of processes that are gone, prunes once an hour."""
        if self._late or self._writing:
            await anyio.to_thread.run_sync(self._end_late)
        now = time.monotonic()
        if self.undoable.there and (self._pruned is None or now - self._pruned >= PRUNE_S):
            self._pruned = now
            await anyio.to_thread.run_sync(self._prune)

    def _end_late(self) -> None:
        self._settle("", all_=False)
        for key, (processes, until) in list(self._late.items()):
            if time.monotonic() < until or outlived.alive(processes):
                continue
            try:
                with self.undoable.using() as undo:
                    undo.marks.ended(*key)
            except (SlateError, OSError) as error:
                log.warning("a call's end is not kept", extra={"why": str(error)})
                return
            self._late.pop(key, None)

    def _prune(self) -> None:
        try:
            with self.undoable.using() as undo:
                done = undo.prune(self.undoable.keep())
        except (SlateError, OSError) as error:
            log.warning("nothing was pruned", extra={"why": str(error)})
            return
        if done.marks or done.failed:
            log.info("pruned", extra={"marks": done.marks, "failed": done.failed})


def _said(found: Extent, missed: dict[str, str]) -> str:
    """How far undo covers an extent, on one line."""
    if not (found.named or found.around or found.documents):
        return "knows nothing of what it may change"
    if not missed:
        return "covers all that it is known to change"
    reasons = list(dict.fromkeys(missed.values()))
    rest = f" (+{len(reasons) - MOST_SHOWN} more)" if len(reasons) > MOST_SHOWN else ""
    what = "nothing of it" if set(found.named + found.around) <= set(missed) else "not all of it"
    return f"covers {what}: {'; '.join(reasons[:MOST_SHOWN])}{rest}"


def _told(uncovered: Collection[object]) -> list[str]:
    shown = [f"{getattr(one, 'path', one)}: {getattr(one, 'why', '')}" for one in uncovered]
    rest = [f"{len(shown) - MOST_SHOWN} more"] if len(shown) > MOST_SHOWN else []
    return shown[:MOST_SHOWN] + rest

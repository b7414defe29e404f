"""The conscience as a process: opens log, rules and socket, tends them, and ends when nobody needs it."""

from __future__ import annotations

import importlib
import logging
import os
import sys
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final

import anyio
import anyio.from_thread
import anyio.to_thread
from anyio.abc import TaskGroup

from slated import __version__, kept, person, rulefile, untraceable
from slated.agents.door import Doors
from slated.agents.own import Own
from slated.approvals import Answer, Approvals
from slated.audit.anchors import Anchors, Journal, SideFile
from slated.audit.log import now, opened
from slated.audit.scribe import Scribe, key_of
from slated.errors import SlateError, Unavailable
from slated.files import opened as opened_directory
from slated.judgement import Judge
from slated.machine import Machine
from slated.protection import Protection
from slated.records import Records
from slated.service import Service
from slated.settings import PATH, Directories
from slated.slate.store import Event
from slated.snapshots.held import held
from slated.stores import Stores
from slated.switchboard import Switchboard
from slated.tasks import Tasks
from slated.undoable import Undoable
from slated.undoing import PersonsUndo
from slated.vigil import Vigil
from slated.wire import control, lifetime
from slated.wire.serve import Connection, Door, alone, listening

LINGER_S: Final = 600.0
ANCHOR_S: Final = 300.0
TEND_S: Final = 1.0

log = logging.getLogger(__name__)


async def run(
    socket: str,
    where: Directories,
    *,
    version: str = __version__,
    linger_s: float = LINGER_S,
    ready_fd: int | None = None,
    marks: bool = True,
) -> int:
    """Serve until told to end or unneeded for `linger_s`; the exit code. `ready_fd` gets a line once we serve.

    `marks`: whether agent programs are marked, so that what they start can be told.
    """
    mark = person.mark if marks else _unmarked
    try:
        place = where.runtime.parent / "bus"
        bus = f"unix:path={place}" if await anyio.Path(place).exists() else ""
        async with (
            alone(socket),
            serving(where, mark=mark, bus=bus) as board,
            listening(socket) as listener,
        ):

            async def may_leave() -> bool:
                return not board.service.busy

            vigil = Vigil(board.service.records, socket)
            door = Door(version=version, may_leave=may_leave, refused=vigil.tried)
            lifetime.tell(ready_fd, {"ready": True})
            log.info("ready", extra={"socket": socket})
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(lifetime.end_on_signal, tasks)
                tasks.start_soon(lifetime.end_when_left, door, tasks)
                tasks.start_soon(vigil.keep)
                tasks.start_soon(_end_when_unneeded, door, board, socket, linger_s, tasks)
                await door.serve(listener, partial(served, board))
    except Exception as error:  # noqa: BLE001 - the border: told to whoever waits, and logged
        return lifetime.failed(ready_fd, error)
    return 0


async def served(board: Switchboard, connection: Connection) -> None:
    """One connection: of an MCP client if its greeting says so, else of the control socket."""
    if connection.share == control.MCP:
        from slated import mcp_server  # the SDK takes as much memory as the rest together

        await mcp_server.serve_connection(connection, board)
    else:
        await board.connection(connection)


@asynccontextmanager
async def serving(
    where: Directories, *, mark: Callable[[int, int], bool] = person.mark, bus: str = ""
) -> AsyncIterator[Switchboard]:
    """A switchboard with everything behind it, tended for as long as the context lasts.

    `bus` is the address of the session bus that notifications go to, "" for none.
    """
    async with opened(where.audit) as writer:
        with opened_directory(where.audit, create=False) as handle:
            scribe = Scribe(key_of(handle))
        anchors = Anchors(SideFile(where.audit), Journal(where.audit))
        records = Records(writer, scribe, anchors)
        state = kept.load(where.audit)
        changed = _Changed()
        first = state.get("next_question", 1)
        approvals = Approvals(
            clock=time.time, first=first if isinstance(first, int) else 1, changed=changed.set
        )
        tasks = Tasks(lambda: f"t{writer.head.count + 1}", now, mark)
        _restore(state, tasks, approvals)
        rules = rulefile.RuleFile(where.policy, str(where.home), ())
        undoable = Undoable(rules, where.undo, skip=(str(where.state), str(where.runtime)))
        protection = Protection(undoable, str(where.home), partial(_given, bus))
        judge = Judge(rules, where.home, Machine(PATH), reach=undoable)
        service = Service(judge, approvals, tasks, records, protection=protection)
        mine = Own(sys.executable, f"{where.runtime}/{control.NAME}.sock")
        doors, undo = Doors(service, mine, where.home), PersonsUndo(protection, records)
        stores = _stores(where, records, undoable)
        board = Switchboard(service, lambda: _facts(where, undoable), doors, stores, undo)
        await records.event("start", version=__version__, pid=os.getpid(), uid=os.getuid())
        async with anyio.create_task_group() as group:
            group.start_soon(_tend, board, where.audit, changed)
            group.start_soon(_anchor, board)
            group.start_soon(_protect, protection, tasks)
            if bus:
                group.start_soon(_notify, bus, board, changed)
            group.start_soon(doors.watch)
            try:
                yield board
            finally:
                group.cancel_scope.cancel()
                stores.close()
                _keep(board, where.audit)
                with anyio.CancelScope(shield=True):
                    await records.anchor()
                    await protection.close()


async def _given(bus: str, app: str) -> tuple[str, ...]:
    """The files that the portal on a session bus ("" for none) gave an application."""
    if not bus:
        return ()
    # As long to import as notifications, and needed as seldom.
    await anyio.to_thread.run_sync(importlib.import_module, "slated.portal")
    from slated import portal

    return await portal.documents(bus, app)


def _restore(state: Mapping[str, Any], tasks: Tasks, approvals: Approvals) -> None:
    """What a former slated knew."""
    for told in state.get("tasks", ()):
        tasks.restore(told)
    for told in state.get("questions", ()):
        approvals.restore(told)


def _facts(where: Directories, undoable: Undoable) -> dict[str, object]:
    return {"version": __version__, "state": str(where.audit), "undo": undoable.told()}


def _stores(where: Directories, records: Records, undoable: Undoable) -> Stores:
    return Stores(
        where.state,
        f"user:local-{os.getuid()}",
        tell=partial(_tell, records),
        copies=partial(held, where.undo),
        wrote=partial(_edited, undoable),
    )


def _tell(records: Records, project: Path, event: Event) -> None:
    """A step of a slate into the log, from the worker thread that took it, also when its call was given up."""

    async def told() -> None:
        with anyio.CancelScope(shield=True):
            await records.slate(str(project), event.name, event.slate_id, event.facts)

    anyio.from_thread.run(told)


def _edited(undoable: Undoable, page: Path) -> None:
    """A page that a person accepted is theirs: an undo of what a task did meanwhile leaves it."""
    try:
        with undoable.using() as undo:
            undo.marks.edited(str(page), time.time_ns())
    except SlateError as error:
        log.warning("undo does not know of an accepted page", extra={"why": error.message})


def _unmarked(pid: int, began: int) -> bool:
    return False


class _Changed:
    """Told from anywhere that questions changed; waits for that. `next` is set with the next change, for others."""

    def __init__(self) -> None:
        self._event = anyio.Event()
        self.next = anyio.Event()

    def set(self) -> None:
        self._event.set()
        self.next.set()
        self.next = anyio.Event()

    async def wait(self, deadline_s: float) -> bool:
        with anyio.move_on_after(deadline_s):
            await self._event.wait()
            self._event = anyio.Event()
            return True
        return False


async def _tend(board: Switchboard, directory: Path, changed: _Changed) -> None:
    """Keep what must survive, deny what waited too long, flush what only looked, notice ended agent programs."""
    service, told = board.service, 0
    while True:
        moved = await changed.wait(TEND_S)
        for question in service.approvals.expire():
            await service.records.answer(question, Answer.DENY, "deadline")
            moved = True
        if moved or told != len(service.tasks.all()):
            told = len(service.tasks.all())
            _keep(board, directory)
            await board.changed()
        if not service.records.log.synced:
            try:
                await service.records.log.flush()
            except Unavailable as error:
                service.records.error = error.message
        for task in service.tasks.gone():
            await service.end_task(task.id)


def _keep(board: Switchboard, directory: Path) -> None:
    service = board.service
    try:
        kept.save(
            directory,
            {
                "next_question": service.approvals.next_number,
                "questions": board.questions(),
                "tasks": [task.told() for task in service.tasks.open()],
            },
        )
    except Unavailable as error:
        log.warning("not kept", extra={"why": error.message})


async def _notify(bus: str, board: Switchboard, changed: _Changed) -> None:
    # Takes as long to import as all the rest; who has no session bus does without.
    await anyio.to_thread.run_sync(importlib.import_module, "slated.notify")
    from slated import notify

    tell = partial(board.service.records.event, "forged_click")
    await notify.run(bus, board, board.deny, lambda: changed.next, tell)


async def _protect(protection: Protection, tasks: Tasks) -> None:
    """Look after undo: what a former life left open, processes that outlive their calls, pruning."""
    await protection.begin([task.id for task in tasks.open()])
    while True:
        await protection.tend()
        await anyio.sleep(TEND_S)


async def _anchor(board: Switchboard) -> None:
    while True:
        await anyio.sleep(ANCHOR_S)
        await board.service.records.anchor()


# -- process -------------------------------------------------------------------------------------


def prepare() -> None:
    """Make this process a daemon that nobody may trace, with its log as JSON lines on stderr."""
    untraceable.become()
    os.umask(0o077)
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(lifetime.JsonLines())
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)


async def _end_when_unneeded(
    door: Door, board: Switchboard, socket: str, linger_s: float, tasks: TaskGroup
) -> None:
    """End when nobody was connected for a while and nothing waits, or when our socket's place is gone."""
    quiet_since = anyio.current_time()
    while True:
        await anyio.sleep(min(linger_s, TEND_S))
        if door.inside or board.service.busy:
            quiet_since = anyio.current_time()
        quiet = anyio.current_time() - quiet_since >= linger_s
        if quiet or not await anyio.Path(socket).exists():
            log.info("nobody needs us")
            tasks.cancel_scope.cancel()
            return

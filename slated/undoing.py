"""What a person asks of undo: preview, apply, redo, resume, what is kept; answers in words and as plain data."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Final, Protocol

import anyio
import anyio.to_thread

from slated.errors import BadRequest, Refused, SlateError
from slated.protection import Protection
from slated.questions import escaped
from slated.records import Records
from slated.requests import Reader
from slated.snapshots import diffs, show
from slated.snapshots.apply import Result
from slated.snapshots.entries import shown
from slated.snapshots.planning import Selection, Undoing
from slated.snapshots.timeline import UNDO, Call, Timeline
from slated.snapshots.undo import Undo
from slated.wire.peer import Peer

BEAT_S: Final = 0.25
PIECE: Final = 100_000
"""Characters that go to the caller at once."""
MOST_DIFF: Final = 5_000
WHATS: Final = ("preview", "apply", "resume")
Notify = Callable[[str, Mapping[str, object]], Awaitable[None]]
Told = dict[str, object]


@dataclass(frozen=True, slots=True)
class Request:
    """One `slate undo`. `redo` is about the last undo instead of a task; `task` "" is the one that was last at work."""

    what: str
    task: str = ""
    last: bool = False
    to: int | None = None
    only: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    redo: bool = False
    diff: bool = False
    as_json: bool = False


def request(given: Reader) -> Request:
    """The parameters of a call. Raises `bad_request.field`."""
    what = given.text("what")
    if what not in WHATS:
        raise BadRequest("field", f"what must be one of {', '.join(WHATS)}.")
    return Request(
        what,
        given.text("task"),
        given.flag("last", default=False),
        given.number("to"),
        _paths(given, "only"),
        _paths(given, "include"),
        given.flag("redo", default=False),
        given.flag("diff", default=False),
        given.flag("json", default=False),
    )


def _paths(given: Reader, name: str) -> tuple[str, ...]:
    value = given.of.get(name, [])
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise BadRequest("field", f"{name} must be a list of paths.")
    return tuple(value)


@dataclass(slots=True)
class _Progress:
    """How far a worker thread is; told from there, read here."""

    stage: str = "looking"
    seen: int = 0
    of: int = 0

    def told(self) -> Told:
        return {"stage": self.stage, "seen": self.seen, "of": self.of}

    def __call__(self, seen: int) -> None:
        self.seen = seen


@dataclass(slots=True)
class _Work:
    """One request under way."""

    asked: Request
    notify: Notify
    progress: _Progress = field(default_factory=_Progress)

    async def run(self, work: Callable[[], object]) -> object:
        """Do it on a worker thread, telling how far it is; it is never left half done."""
        done, failed = None, None
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._beat)
            try:
                done = await anyio.to_thread.run_sync(work)
            except SlateError as error:
                failed = error
            tasks.cancel_scope.cancel()
        if failed is not None:
            raise failed
        return done

    async def _beat(self) -> None:
        while True:
            await anyio.sleep(BEAT_S)
            await self.notify("progress", self.progress.told())

    async def say(self, lines: Iterable[str], told: Told) -> None:
        """The words, or the data if those were asked for."""
        text = json.dumps(told) if self.asked.as_json else "\n".join(lines)
        for start in range(0, len(text), PIECE):
            await self.notify("part", {"text": text[start : start + PIECE]})


class PersonsUndo:
    """Undo as its person uses it. Who may call is for the caller to see to."""

    def __init__(self, protection: Protection, records: Records) -> None:
        self.protection, self._records = protection, records

    async def undo(self, asked: Request, notify: Notify, by: int) -> Told:
        """Do what is asked, telling of it by `notify`: `progress`, then `part`s of the answer. `by` is a pid."""
        work = _Work(asked, notify)
        await anyio.to_thread.run_sync(self.protection.undoable.open)
        with self.protection.undoable.using() as undo:
            if asked.what == "resume":
                return await self._resume(undo, work, by)
            task = "" if asked.redo else asked.task or _latest(undo.timeline())
            async with AsyncExitStack() as holding:
                if asked.what == "apply":
                    await self._turn(task, holding)
                plan = await work.run(partial(_plan, undo, asked, task, work.progress))
                if not isinstance(plan, Undoing):
                    raise TypeError
                return await self._one(undo, plan, work, by)

    async def _turn(self, task: str, holding: AsyncExitStack) -> None:
        """From now on no call of the task begins, and none is under way."""
        await holding.enter_async_context(self.protection.held(task))
        if self.protection.at_work(task):
            raise Refused(
                "undo.running",
                f"a call of {f'task {task}' if task else 'some task'} is under way.",
                next_step="wait until it is done, or end the task, then undo",
            )
        # Else what undo is about to write could be an application's work as well.
        await self.protection.at_rest(task)

    async def _one(self, undo: Undo, plan: Undoing, work: _Work, by: int) -> Told:
        asked = work.asked
        steps = sum(len(one.loud) for one in plan.plans.values())
        lines = [_head(plan), *show.preview(plan.plans, plan.unseen)]
        told: Told = {"task": plan.selection.task, **show.data(plan.plans, plan.unseen)}
        if asked.diff:
            found = await work.run(lambda: _diff(undo, plan))
            told["diff"] = found
            lines += ["", *found] if isinstance(found, list) else []
        if asked.what == "apply":
            await self._note("undo", plan.selection.task, by, steps=steps, redo=asked.redo)
            work.progress = _Progress("doing", 0, steps)
            done = await work.run(partial(undo.apply, plan, work.progress))
            if not isinstance(done, Result):
                raise TypeError
            await self._note("undone", plan.selection.task, by, undo=done.task)
            lines += _done(done, steps)
            told["done"] = {
                "undo": done.task,
                "lost": [[shown(path), what] for path, what in done.lost],
                "kept": [shown(k) for k in done.kept],
            }
        await work.say(lines, told)
        return {"steps": steps}

    async def _resume(self, undo: Undo, work: _Work, by: int) -> Told:
        await self._note("resume", "", by)
        done = await work.run(undo.resume)
        results = done if isinstance(done, list) else []
        whole = sum(bool(one.task) for one in results)
        lines = [f"{whole} undos were finished, {len(results) - whole} taken back"]
        if not results:
            lines = ["No undo was cut off."]
        lines += [line for one in results for line in _beside(one)]
        told: Told = {"finished": whole, "taken_back": len(results) - whole}
        told["kept"] = [shown(path) for one in results for path in one.kept]
        told["newer"] = [shown(path) for one in results for path in one.newer]
        await work.say(lines, told)
        return {"steps": len(results)}

    async def _note(self, kind: str, task: str, by: int, **facts: object) -> None:
        await self._records.event(kind, task=task, pid=by, **facts)

    # -- what is kept ----------------------------------------------------------------------------

    async def kept(self) -> Told:
        """The tasks that can be undone, the directories, what it takes."""
        return await anyio.to_thread.run_sync(self._kept)

    def _kept(self) -> Told:
        with self.protection.undoable.using() as undo:
            timeline = undo.timeline()
            roots = [
                {"path": shown(root), "by": "snapshots" if pictures.whole else "copies"}
                for root, pictures in undo.roots.items()
            ]
            return {
                "roots": roots,
                "bytes": undo.size(),
                "pending": undo.pending(),
                "tasks": [_task(timeline, task) for task in _tasks(timeline)],
            }

    async def calls(self, task: str) -> Told:
        """The marks of a task, one for each call."""
        return await anyio.to_thread.run_sync(self._calls, task)

    def _calls(self, task: str) -> Told:
        with self.protection.undoable.using() as undo:
            timeline = undo.timeline()
        found = [call for call in timeline.calls if call.task == task]
        if not found:
            raise BadRequest("undo.task", f"undo knows no call of task {escaped(task)}.")
        times = {mark.number: mark.started_ns for mark in timeline.marks}
        return {
            "task": task,
            "calls": [
                {
                    "mark": call.before,
                    "prompt": call.prompt,
                    "call": call.call,
                    "time": _time(times.get(call.before)),
                    "running": call.after is None,
                    "targets": [shown(path) for path in call.targets[:20]],
                    "more": max(0, len(call.targets) - 20),
                }
                for call in found
            ],
        }

    async def prune(self, by: int) -> Told:
        """Drop what is kept no longer, now."""
        await self._note("prune", "", by)
        return await anyio.to_thread.run_sync(self._prune)

    def _prune(self) -> Told:
        with self.protection.undoable.using() as undo:
            done = undo.prune(self.protection.undoable.keep())
            return {"marks": done.marks, "failed": done.failed, "bytes": undo.size()}


def _plan(undo: Undo, asked: Request, task: str, progress: Callable[[int], None]) -> Undoing:
    if asked.redo:
        plan = undo.redo(progress)
        if not (asked.only or asked.include):
            return plan
        task = plan.selection.task
        return undo.plan(Selection(task, only=asked.only, include=asked.include), progress)
    # Nothing but a bare `slate undo` means the last prompt; a task that is named is meant as a whole.
    last = asked.last or not (asked.task or asked.to is not None)
    return undo.plan(Selection(task, last, asked.to, asked.only, asked.include), progress)


def _latest(timeline: Timeline) -> str:
    calls = [call for call in timeline.calls if not call.task.startswith(UNDO)]
    if not calls:
        raise BadRequest("undo.task", "no task has changed anything that undo knows of.")
    return calls[-1].task


def _diff(undo: Undo, plan: Undoing) -> list[str]:
    found: list[str] = []
    for line in diffs.differences(undo.roots, plan):
        if len(found) == MOST_DIFF:
            return [*found, f"… cut after {MOST_DIFF:,} lines"]
        found.append(escaped(line))
    return found


def _head(plan: Undoing) -> str:
    chosen = plan.selection
    name = "the last undo" if chosen.task.startswith(UNDO) else f"task {chosen.task}"
    part = ", its last prompt" if chosen.last else ""
    part = f", from mark {chosen.to} on" if chosen.to is not None else part
    count = len(plan.calls)
    return f"{name}{part}: {count} call{'s' if count != 1 else ''}"


def _beside(done: Result) -> Iterator[str]:
    """What is not as it should be, or where else something is."""
    for path, what in done.lost:
        yield f"not set: {what} of {shown(path)}"
    for path in done.newer:
        yield f"it had come back and was written to since, it stays: {shown(path)}"
    for path in done.kept:
        yield f"a program writes or wrote to it meanwhile, kept beside it: {shown(path)}"


def _done(done: Result, steps: int) -> Iterator[str]:
    yield from _beside(done)
    if done.task:
        yield f"Done: {steps:,} taken back. `slate undo --redo` takes this back."


def _tasks(timeline: Timeline) -> list[str]:
    return list(dict.fromkeys(c.task for c in timeline.calls if not c.task.startswith(UNDO)))


def _task(timeline: Timeline, task: str) -> Told:
    calls: list[Call] = [call for call in timeline.calls if call.task == task]
    times = {mark.number: mark.started_ns for mark in timeline.marks}
    return {
        "task": task,
        "calls": len(calls),
        "prompts": len({call.prompt for call in calls}),
        "first": calls[0].before,
        "last": calls[-1].before,
        "since": _time(times.get(calls[0].before)),
        "until": _time(times.get(calls[-1].before)),
        "whole": calls[0].before in times,
    }


def _time(at_ns: int | None) -> str:
    if at_ns is None:
        return ""
    return datetime.fromtimestamp(at_ns / 1e9, UTC).isoformat(timespec="seconds")


# -- the control socket --------------------------------------------------------------------------


class Caller(Protocol):
    """The connection a call came over."""

    @property
    def peer(self) -> Peer:
        """Who called."""
        ...

    @property
    def undo(self) -> PersonsUndo:
        """Undo itself."""
        ...

    async def person(self, what: str) -> None:
        """Raise `refused.not_a_person` unless a person is at the other end."""
        ...

    async def notify(self, method: str, params: Mapping[str, object]) -> None:
        """Tell the caller something before the answer."""
        ...


async def undo(line: Caller, given: Reader) -> Told:
    """Take back what a task did (see `request`); told in notifications `progress` and `part`. Persons only."""
    await line.person("undo")
    return await line.undo.undo(request(given), line.notify, line.peer.pid)


async def snapshots(line: Caller, given: Reader) -> Told:
    """What undo keeps: all, or one task's marks. Pruning is for persons only."""
    if given.text("what") == "prune":
        await line.person("prune")
        return await line.undo.prune(line.peer.pid)
    task = given.text("task")
    return await (line.undo.calls(task) if task else line.undo.kept())


METHODS: Final[Mapping[str, Callable[[Caller, Reader], Awaitable[object]]]] = {
    "undo": undo,
    "snapshots": snapshots,
}
"""Every call about undo."""

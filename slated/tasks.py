"""Tasks: the runs of agent programs that asked for something, what they are called in the log, and which processes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from slated.wire import peer

KEPT = 200
"""How many ended tasks are remembered for `slate tasks`; the log has all of them."""


@dataclass(frozen=True, slots=True)
class Asker:
    """Who wants something: the agent program's process and, as far as its adapter knows, its session.

    `started` is the process's start time (clock ticks since boot): pid and it name one process for ever. `shell` is a
    person's own shell that called a tool by hand: no task, as far as answering questions goes.
    """

    pid: int
    started: int
    program: str = ""
    session: str = ""
    shell: bool = False


@dataclass(frozen=True, slots=True)
class Task:
    """One run of an agent program. `mode` is guarded, advisory or enforced, with `why` if it is advisory."""

    id: str
    asker: Asker
    cwd: str
    began: str
    mode: str = "enforced"
    why: str = ""
    marked: bool = False
    ended: str = ""
    calls: int = 0
    prompt: int = 0
    """How many prompts of the person it has had, as far as its program tells."""
    prompted: str = ""
    """The id of the last one."""

    def told(self) -> dict[str, object]:
        """The task as JSON."""
        return {
            "id": self.id,
            "program": self.asker.program,
            "session": self.asker.session,
            "pid": self.asker.pid,
            "started": self.asker.started,
            "shell": self.asker.shell,
            "cwd": self.cwd,
            "began": self.began,
            "ended": self.ended,
            "mode": self.mode,
            "why": self.why,
            "marked": self.marked,
            "calls": self.calls,
            "prompt": self.prompt,
            "prompted": self.prompted,
        }


class Tasks:
    """The tasks of this slated's life. `name` gives the next id, `clock` the time as the log has it.

    `mark` marks a process (pid, start time) and everything it starts from now on; it says whether it could.
    """

    def __init__(
        self,
        name: Callable[[], str],
        clock: Callable[[], str],
        mark: Callable[[int, int], bool],
    ) -> None:
        self._name, self._clock, self._mark = name, clock, mark
        self._tasks: dict[str, Task] = {}
        self._by_asker: dict[tuple[int, int, str], str] = {}

    def of(self, asker: Asker, cwd: str) -> tuple[Task, bool]:
        """The task of an asker, begun if it is new (then True), and one call more.

        Who tells no session, such as the desktop, belongs to the latest one of the same program.
        """
        key = (asker.pid, asker.started, asker.session)
        known = self._by_asker.get(key)
        if not asker.session:
            same = [t.id for t in self.open() if (t.asker.pid, t.asker.started) == key[:2]]
            known = same[-1] if same else known
        if known is not None and known in self._tasks:
            task = self._tasks[known] = replace(
                self._tasks[known], calls=self._tasks[known].calls + 1, ended=""
            )
            return task, False
        task = Task(
            id=self._name(),
            asker=asker,
            cwd=cwd,
            began=self._clock(),
            marked=not asker.shell and self._mark(asker.pid, asker.started),
            calls=1,
        )
        self._tasks[task.id] = task
        self._by_asker[key] = task.id
        self._forget()
        return task, True

    def describe(self, id_: str, *, mode: str, why: str) -> Task | None:
        """Say how far a task is guarded; None if there is no such task."""
        task = self._tasks.get(id_)
        if task is not None:
            task = self._tasks[id_] = replace(task, mode=mode, why=why)
        return task

    def prompt(self, id_: str, prompt: str) -> int:
        """A prompt of the person's begins in a task, unless it is the one that is on; its number."""
        task = self._tasks[id_]
        if not prompt or prompt != task.prompted:
            task = self._tasks[id_] = replace(task, prompt=task.prompt + 1, prompted=prompt)
        return task.prompt

    def end(self, id_: str) -> Task | None:
        """The task is over; None if it was already or is not known."""
        task = self._tasks.get(id_)
        if task is None or task.ended:
            return None
        task = self._tasks[id_] = replace(task, ended=self._clock())
        return task

    def restore(self, told: Mapping[str, object]) -> None:
        """Take up a task that a former slated knew, as its `told` said it."""
        match told:
            case {"id": str(id_), "pid": int(pid), "started": int(began), "cwd": str(cwd)}:
                session, program = str(told.get("session", "")), str(told.get("program", ""))
                asker = Asker(pid, began, program, session, told.get("shell") is True)
                self._tasks[id_] = Task(
                    id_,
                    asker,
                    cwd,
                    str(told.get("began", "")),
                    mode=str(told.get("mode", "enforced")),
                    why=str(told.get("why", "")),
                    marked=told.get("marked") is True,
                    prompt=number if isinstance(number := told.get("prompt"), int) else 0,
                    prompted=str(told.get("prompted", "")),
                )
                self._by_asker[(pid, began, session)] = id_
            case _:
                return

    def open(self) -> list[Task]:
        """Tasks that have not ended."""
        return [task for task in self._tasks.values() if not task.ended]

    def gone(self) -> list[Task]:
        """Open tasks whose agent program has ended."""
        return [t for t in self.open() if peer.started(t.asker.pid) != t.asker.started]

    def all(self) -> list[Task]:
        """All that are remembered, oldest first."""
        return list(self._tasks.values())

    def processes(self) -> set[tuple[int, int]]:
        """The agent programs of all open tasks, by pid and start time."""
        return {(t.asker.pid, t.asker.started) for t in self.open() if not t.asker.shell}

    def _forget(self) -> None:
        ended = [task for task in self._tasks.values() if task.ended]
        for task in ended[:-KEPT]:
            del self._tasks[task.id]

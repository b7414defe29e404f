"""The control socket: which calls there are, who may make them, and one connection's life."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Final

import anyio
from anyio.abc import TaskGroup

from slated import person, reviews, undoing
from slated.agents.door import Doors
from slated.approvals import Answer
from slated.errors import BadRequest, Bug, Refused, SlateError, sole
from slated.judgement import decision_told
from slated.policy.decide import ToolCall
from slated.records import Records
from slated.requests import Reader, Wanted, asker, wanted
from slated.service import Service
from slated.stores import Stores
from slated.tasks import Asker
from slated.wire import rpc
from slated.wire.control import LINE_LIMIT, failed
from slated.wire.peer import Peer
from slated.wire.serve import Connection

CALLS_AT_ONCE: Final = 64
AGENTS_KEPT: Final = 512
_CHUNK: Final = 1 << 16
_GONE = (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError)
_WAIT_S: Final = 600.0

log = logging.getLogger(__name__)
Told = Mapping[str, object]
Handler = Callable[["Line", Reader], Awaitable[object]]


class Switchboard:
    """Serves connections to one service. `facts` adds to what `status` tells, `doors` hears agent programs' hooks."""

    def __init__(
        self,
        service: Service,
        facts: Callable[[], Told],
        doors: Doors,
        stores: Stores,
        undo: undoing.PersonsUndo,
    ) -> None:
        self.service, self.facts, self.doors, self.stores = service, facts, doors, stores
        self.undo = undo
        self._watchers: list[Line] = []
        self._agents: dict[tuple[int, int], tuple[person.Process | None, bool]] = {}
        self.approvers: dict[tuple[int, int], list[int]] = {}
        """Connected approvals, by pid and start time, with the pids above each."""
        self.reviewers: dict[tuple[int, int], list[int]] = {}
        """The same of connected reviews."""

    async def connection(self, connection: Connection) -> None:
        """Serve one connection until it ends; whatever fails in it ends it alone."""
        line = Line(self, connection)
        try:
            await line.run()
        except Exception:
            log.exception("connection failed", extra={"pid": connection.peer.pid})
        finally:
            with anyio.CancelScope(shield=True):
                self.unwatch(line)
                await self.service.abandon(sorted(line.grants))

    def watch(self, line: Line) -> None:
        """Tell this connection of every change of the questions."""
        self._watchers.append(line)
        self.service.approvals.approvers += 1

    def unwatch(self, line: Line) -> None:
        """Stop telling it."""
        if line in self._watchers:
            self._watchers.remove(line)
            self.service.approvals.approvers -= 1
        self.approvers.pop(line.identity, None)
        self.reviewers.pop(line.identity, None)

    async def changed(self) -> None:
        """Questions were asked, answered or ran out."""
        for line in list(self._watchers):
            await line.notify("questions", {"open": self.questions()})

    def reachable(self, *, yes: bool) -> None:
        """Questions reach a person by another way than an approvals terminal from now on, or no longer."""
        self.service.approvals.approvers += 1 if yes else -1

    async def deny(self, ref: str, digest: str) -> None:
        """A no that came from a notification. Raises `stale.question`."""
        await self.service.answer(ref, digest, Answer.DENY, "notification")

    def questions(self) -> list[Told]:
        """The open questions as JSON."""
        return [question.told() for question in self.service.approvals.open()]

    def asker(self, told: Asker) -> Asker:
        """The agent program above a process. It is kept: a front may be gone when its daemon asks for it again."""
        key = (told.pid, told.started)
        found = self._agents.get(key)
        if found is None:
            chain = person.ancestry(told.pid)
            same = bool(chain) and chain[0].started == told.started
            agent, shell = person.agent_of(chain) if same else (None, False)
            found = (agent or (chain[0] if same else None), shell)
            if len(self._agents) >= AGENTS_KEPT:
                self._agents.pop(next(iter(self._agents)))
            self._agents[key] = found
        agent, shell = found
        if agent is None:
            return told
        program = told.program or agent.name
        return Asker(agent.pid, agent.started, program, told.session, shell)

    def is_ours(self, pid: int | None) -> bool:
        """Whether a window's process shows approvals or reviews: a terminal above them, or they themselves."""
        shown = (*self.approvers.values(), *self.reviewers.values())
        return pid is not None and any(pid in above for above in shown)


class Line:
    """One connection: its calls run side by side, each answer is one line."""

    def __init__(self, board: Switchboard, connection: Connection) -> None:
        self.board, self.service = board, board.service
        self.peer: Peer = connection.peer
        self._connection = connection
        self._sending = anyio.Lock(fast_acquire=True)
        self._running = 0
        self.grants: set[int] = set()

    @property
    def identity(self) -> tuple[int, int]:
        """The peer's process, by pid and start time."""
        return (self.peer.pid, self.peer.started or 0)

    async def run(self) -> None:
        """Serve until the peer leaves; calls that still wait then are given up."""
        lines = rpc.Lines(LINE_LIMIT)
        data = self._connection.first
        async with anyio.create_task_group() as calls:
            try:
                while True:
                    for line in lines.feed(data):
                        await self._take(line, calls)
                    data = await self._connection.stream.receive(_CHUNK)
            except _GONE:
                calls.cancel_scope.cancel()

    async def _take(self, line: bytes | rpc.TooLong, calls: TaskGroup) -> None:
        if isinstance(line, rpc.TooLong):
            await self._send(rpc.too_long(line, LINE_LIMIT))
            return
        try:
            message = json.loads(line)
            id_, method, params = message["id"], message["method"], message.get("params", {})
            fits = isinstance(id_, int | str) and isinstance(method, str)
            fits = fits and isinstance(params, dict)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            fits, id_ = False, None
        if not fits:
            wrong = BadRequest("message", "this line is no call.")
            await self._send(failed(id_ if isinstance(id_, int | str) else None, wrong))
        elif self._running >= CALLS_AT_ONCE:
            await self._send(failed(id_, Refused("busy", "too many calls at once.")))
        else:
            self._running += 1
            calls.start_soon(self._call, id_, method, params)

    async def _call(self, id_: rpc.Id, method: str, params: Mapping[str, object]) -> None:
        try:
            handler = METHODS.get(method)
            if handler is None:
                raise BadRequest("method", f"there is no method {json.dumps(method)}.")
            answer = rpc.encode(
                {"jsonrpc": "2.0", "id": id_, "result": await handler(self, Reader(params))}
            )
        except Exception as error:  # noqa: BLE001 - the border: what fails here is answered, never raised into the pump
            answer = failed(id_, _told(error))
        finally:
            self._running -= 1
        await self._send(answer)

    async def notify(self, method: str, params: Told) -> None:
        """Tell the peer something it did not ask for just now."""
        await self._send(rpc.encode({"jsonrpc": "2.0", "method": method, "params": params}))

    async def _send(self, data: bytes) -> None:
        try:
            async with self._sending:
                await self._connection.stream.send(data)
        except _GONE:
            return

    def chain(self) -> list[person.Process]:
        """The peer and its parents; empty if the process that connected is gone."""
        chain = person.ancestry(self.peer.pid)
        return chain if chain and chain[0].started == self.peer.started else []

    @property
    def stores(self) -> Stores:
        """What is kept for agents."""
        return self.board.stores

    @property
    def undo(self) -> undoing.PersonsUndo:
        """What a person takes back with."""
        return self.board.undo

    @property
    def records(self) -> Records:
        """The audit log."""
        return self.service.records

    def above(self) -> list[int]:
        """The peer's pid and those of what it may be shown in."""
        return [process.pid for process in self.chain()[:4]]

    def shows_questions(self) -> None:
        """From now on no agent may act on the terminal this connection comes from."""
        self.board.reviewers[self.identity] = self.above()

    async def person(self, what: str) -> None:
        """Raise `refused.not_a_person` unless a person is at the other end; that they are not is logged."""
        chain = self.chain()
        if why := person.why_not(chain, self.service.tasks.processes()):
            await self.records.turned_away(what, self.peer.pid, why, person.planted(chain))
            raise Refused(
                "not_a_person",
                f"only a person at a terminal may do this: {why}.",
                next_step="run it in a terminal window of its own",
            )

    def asker(self, told: Asker) -> Asker:
        """Who asks: the agent program above the process that the caller names, else above the caller."""
        return self.board.asker(
            told if told.pid else replace(told, pid=self.peer.pid, started=self.peer.started or 0)
        )


def _told(error: Exception) -> SlateError:
    cause = sole(error)
    if isinstance(cause, SlateError):
        return cause
    log.error("bug", exc_info=error)
    return Bug("unexpected", "a fault of slated.", next_step="read its log")


# -- methods -------------------------------------------------------------------------------------


async def status(line: Line, _: Reader) -> Told:
    """How slated is: audit, rules, questions, tasks."""
    service = line.service
    return {
        **line.board.facts(),
        "pid": os.getpid(),
        "audit": {
            "lines": service.records.log.head.count,
            "head": service.records.log.head.hash,
            "error": service.records.error,
        },
        "rules": [str(error) for error in service.judge.rule_errors()],
        "questions": len(service.approvals.open()),
        "approvers": service.approvals.approvers,
        "auto": service.approvals.auto(),
        "tasks": [task.told() for task in service.tasks.all()],
    }


async def admit(line: Line, given: Reader) -> Told:
    """Leave for one wish (see `requests.wanted`); waits for a person at most `wait_s`."""
    admission = await line.service.admit(_wanted(line, given))
    line.grants.add(admission.serial)
    return admission.told()


def _wanted(line: Line, given: Reader) -> Wanted:
    wish = wanted(given.of)
    scene = wish.call.scene
    if line.board.is_ours(given.number("window_pid")):
        scene = replace(scene, ours=True)
    call = replace(wish.call, scene=scene)
    return replace(wish, call=call, asker=line.asker(wish.asker))


async def finish(line: Line, given: Reader) -> Told:
    """The outcome of a grant of this connection, once."""
    serial = given.number("grant") or 0
    known = serial in line.grants
    line.grants.discard(serial)
    return {"known": known and await line.service.finish(serial, given.inner("outcome").of)}


async def hook(line: Line, given: Reader) -> object:
    """An event of an agent program's hook; what the hook prints, or nothing (see `agents.door`)."""
    told = line.asker(Asker(0, 0))
    event = given.inner("event")
    return await line.board.doors.event(given.text("program"), event, told, line.chain())


async def check(line: Line, given: Reader) -> Told:
    """What would be decided about a command line or a tool call, and why; nothing is asked or logged."""
    cwd = given.text("cwd", "/")
    if "command" in given.of:
        return decision_told(await line.service.judge.command(given.text("command"), cwd))
    call = ToolCall(
        given.text("client", "claude"),
        given.text("tool"),
        given.inner("arguments").of,
        ours=given.flag("ours", default=False),
    )
    return decision_told(await line.service.judge.decide(Wanted(call, cwd, Asker(0, 0))))


async def question(line: Line, given: Reader) -> Told:
    """Wait for a question's answer at most `wait_s`: open, once, always or deny, or gone for one that is not open."""
    found = line.service.approvals.find(given.text("question"))
    if found is None:
        return {"answer": "gone"}
    with anyio.move_on_after(given.seconds("wait_s", 0, _WAIT_S)):
        while found.answer is None:
            await found.changed.wait()
    return {"answer": str(found.answer) if found.answer else "open"}


async def task(line: Line, given: Reader) -> Told:
    """Begin a task or describe it: how far its agent program is guarded."""
    service = line.service
    made, fresh = service.tasks.of(line.asker(asker(given.inner("agent"))), given.text("cwd", "/"))
    if given.text("mode"):
        described = service.tasks.describe(made.id, mode=given.text("mode"), why=given.text("why"))
        made = described or made
    if fresh or given.text("mode"):
        await service.records.task("task", made)
    return made.told()


async def task_end(line: Line, given: Reader) -> Told:
    """A task is over."""
    await line.service.end_task(given.text("task"))
    return {}


async def attach(line: Line, _: Reader) -> Told:
    """Become a person's approvals terminal: told of every question from now on. Persons only."""
    await line.person("approvals")
    if line.identity not in line.board.approvers:
        line.board.watch(line)
        line.board.approvers[line.identity] = line.above()
        await line.service.records.event("approvals", pid=line.peer.pid)
    return {"open": line.board.questions()}


async def answer(line: Line, given: Reader) -> Told:
    """Answer a question. Persons only; a notification may deny."""
    await line.person(f"answer {given.text('question')}")
    try:
        said = Answer(given.text("answer"))
    except ValueError:
        raise BadRequest("field", "answer must be once, always or deny.") from None
    ref, digest = given.text("question"), given.text("digest")
    await line.service.answer(ref, digest, said, f"approvals {line.peer.pid}")
    return {}


async def auto(line: Line, given: Reader) -> Told:
    """Let a task run on auto for an hour, or end that. Persons only."""
    await line.person("auto")
    id_, on = given.text("task"), given.flag("on", default=True)
    if all(open_task.id != id_ for open_task in line.service.tasks.open()):
        raise BadRequest("task", f"there is no open task {json.dumps(id_)}.")
    until = line.service.approvals.set_auto(id_, on=on)
    await line.service.records.event("auto", task=id_, on=on, until=until)
    return {"until": until}


METHODS: Final[Mapping[str, Handler]] = {
    "status": status,
    "admit": admit,
    "finish": finish,
    "hook": hook,
    "check": check,
    "question": question,
    "task": task,
    "task_end": task_end,
    "attach": attach,
    "answer": answer,
    "auto": auto,
    **reviews.METHODS,
    **undoing.METHODS,
}
"""Every call of the control socket."""

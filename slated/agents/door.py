"""The second door: events of agent programs' hooks become wishes; their sessions are watched, guarded or advisory."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import anyio
import anyio.to_thread

from slated import person
from slated.agents import claude, codex
from slated.agents.event import Event, read
from slated.agents.own import Own
from slated.approvals import CALL_S
from slated.errors import BadRequest, SlateError
from slated.model import Verdict
from slated.person import Process
from slated.policy.decide import ToolCall
from slated.protection import Shelter
from slated.requests import Reader, Wanted, digest
from slated.service import Admission, Service
from slated.tasks import Asker, Task

WATCH_S: Final = 0.5
"""How long a change of the settings may go unseen."""
ADAPTERS: Final[Mapping[str, ModuleType]] = {claude.NAME: claude, codex.NAME: codex}
GUARDED: Final = "guarded"
ADVISORY: Final = "advisory"
_UNHEARD: Final = "slated was started again, and no hook has been heard since"
_SILENT: Final = "no hook of this session has been heard"
Answer = Mapping[str, object] | None


@dataclass(frozen=True, slots=True)
class Prompted:
    """A call that the program's own prompt asks about: the digest of what would run, and its undo mark."""

    digest: str
    shelter: Shelter | None


@dataclass(slots=True)
class Session:
    """One session of an agent program, from its first event on. `place` is where its adapter says its settings are."""

    task: str
    adapter: Any
    place: Any
    chain: Sequence[Process]
    seen: tuple[object, ...] = ()
    grants: dict[str, Admission] = field(default_factory=dict)
    prompted: dict[str, Prompted] = field(default_factory=dict)
    """What was left to the program's own prompt, by tool-use id."""


class Doors:
    """The sessions of all agent programs whose hooks have spoken."""

    def __init__(self, service: Service, mine: Own, home: Path) -> None:
        self._service, self._mine, self._home = service, mine, home
        self._sessions: dict[str, Session] = {}
        self.wait_s = CALL_S
        """How long a hook waits for a person."""

    async def event(
        self, program: str, given: Reader, asker: Asker, chain: Sequence[Process]
    ) -> Answer:
        """What the hook prints: the answer to one event, None for nothing.

        Raises `bad_request` for what is no event; then the hook itself says no.
        """
        adapter = ADAPTERS.get(program)
        if adapter is None:
            raise BadRequest("field", f"there are no hooks of {program!r}.")
        event = read(program, given)
        asker = replace(asker, session=event.session)
        session = await self._session(adapter, event, asker, chain)
        if event.prompt or event.moment == "UserPromptSubmit":
            self._service.tasks.prompt(session.task, event.prompt)
        match event.moment:
            case "PreToolUse":
                return await self._before(session, event, asker)
            case "PermissionRequest":
                return await self._prompt_due(session, event, asker)
            case "PostToolUse" | "PostToolUseFailure":
                await self._after(session, event, [process.pid for process in chain])
            case "UserPromptSubmit":
                record = self._service.records.event
                await record("prompt", task=session.task, prompt=event.prompt)
            case "Stop":
                await self._left(session)
                await self._service.quiet(session.task)
            case _:
                pass
        return None

    # -- calls -----------------------------------------------------------------------------------

    async def _before(self, session: Session, event: Event, asker: Asker) -> Answer:
        if await self._serves_itself(session, event):
            return _answer(session, event, Verdict.ALLOW, "Slate's own server decides")
        verdict, reason = await self._decided(session, event, asker)
        return _answer(session, event, verdict, reason)

    async def _prompt_due(self, session: Session, event: Event, asker: Asker) -> Answer:
        if await self._serves_itself(session, event):
            return _answer(session, event, Verdict.ALLOW, "")
        what = _digest(event)
        if any(one.digest == what for one in session.prompted.values()):
            return None
        granted = [grant for grant in session.grants.values() if grant.digest == what]
        if granted:
            answered = any(grant.answered for grant in granted)
            after: Answer = session.adapter.after_grant(event, answered=answered)
            return after
        verdict, reason = await self._decided(session, event, asker)
        return _answer(session, event, verdict, reason)

    async def _serves_itself(self, session: Session, event: Event) -> bool:
        """Whether the tool's own server asks slated, so that one action is asked about once."""
        if not event.server:
            return False
        ours: bool = await anyio.to_thread.run_sync(
            session.adapter.server_is_ours, session.place, event, self._mine
        )
        return ours

    async def _decided(self, session: Session, event: Event, asker: Asker) -> tuple[Verdict, str]:
        call = ToolCall(event.program, event.tool, event.arguments)
        wanted = Wanted(
            call, event.cwd, asker, digest=_digest(event), use=event.use, wait_s=self.wait_s
        )
        try:
            admission = await self._service.admit(wanted)
        except SlateError as error:
            if error.code == "refused.no_approver" and self._prompts(session):
                try:
                    shelter = await self._service.sheltered(wanted)
                except SlateError as failed:
                    return Verdict.DENY, f"{failed.message} {failed.next_step}".strip()
                session.prompted[event.use] = Prompted(wanted.digest, shelter)
                await self._service.records.event(
                    "prompt_due",
                    task=session.task,
                    tool=event.tool,
                    use=event.use,
                    intent=wanted.digest,
                )
                return (
                    Verdict.ASK,
                    f"Slate asks you, since a person's yes is needed: {error.message}",
                )
            return Verdict.DENY, f"{error.message} {error.next_step}".strip()
        session.grants[event.use or f"line {admission.line}"] = admission
        return Verdict.ALLOW, f"{admission.tier.word}: {admission.reason}"

    def _prompts(self, session: Session) -> bool:
        """Whether a person sits at the program's own prompt, started by them in a terminal of theirs."""
        if not session.adapter.PROMPTS_AT_ASK or not session.chain:
            return False
        agent, *above = session.chain
        if session.adapter.UNATTENDED & {word.partition("=")[0] for word in agent.words}:
            return False
        # The agent itself is what the task consists of; whoever started it must be a person.
        shown = replace(agent, name="prompt", program="", environ=(), marked=False)
        others = self._service.tasks.processes() - {(agent.pid, agent.started)}
        return not person.why_not([shown, *above], others)

    async def _after(self, session: Session, event: Event, besides: Collection[int]) -> None:
        came = "failed" if event.moment == "PostToolUseFailure" else "done"
        if (what := session.prompted.pop(event.use, None)) is not None:
            await self._service.over(what.shelter, besides)
            await self._service.records.event(
                "answer", task=session.task, tool=event.tool, use=event.use, intent=what.digest,
                answer="once", by=f"the prompt of {event.program}", outcome=came,
            )  # fmt: skip
        admission = session.grants.pop(event.use, None)
        if admission is not None:
            await self._service.finish(admission.serial, {"outcome": came}, besides)

    async def _left(self, session: Session) -> None:
        """What was let through and of which nothing was heard afterwards."""
        open_grants, session.grants = session.grants, {}
        prompted, session.prompted = session.prompted, {}
        for one in prompted.values():
            await self._service.over(one.shelter)
        for admission in open_grants.values():
            told = {"outcome": "unknown", "because": "the program said no more about it"}
            await self._service.finish(admission.serial, told)

    async def permit(
        self, asker: Asker, cwd: str, tool: str, arguments: Mapping[str, object], use: str
    ) -> None:
        """Leave for a tool of Claude Code, asked for by its own prompt; what its hook let through is not asked again.

        Raises what refuses it.
        """
        task, _ = self._service.tasks.of(asker, cwd)
        session = self._sessions.get(task.id)
        if session is not None and use and use in session.grants:
            return
        what = digest(claude.NAME, tool, arguments, cwd)
        call = ToolCall(claude.NAME, tool, arguments)
        admission = await self._service.admit(
            Wanted(call, cwd, asker, digest=what, use=use, wait_s=self.wait_s)
        )
        if session is not None:
            session.grants[use or f"line {admission.line}"] = admission
        else:
            await self._service.unheard(admission.serial)

    # -- sessions --------------------------------------------------------------------------------

    async def _session(
        self, adapter: Any, event: Event, asker: Asker, chain: Sequence[Process]
    ) -> Session:
        task, fresh = self._service.tasks.of(asker, event.cwd)
        session = self._sessions.get(task.id)
        if session is None or session.adapter is not adapter:
            above = [one for one in chain if (one.pid, one.started) == (asker.pid, asker.started)]
            agent = chain[chain.index(above[0]) :] if above else []
            words = agent[0].words if agent else ()
            environ = dict(v.split("=", 1) for p in chain[:1] for v in p.environ if "=" in v)
            place = adapter.place(event, words, environ, self._home)
            session = self._sessions[task.id] = Session(task.id, adapter, place, agent)
        await self._look(session, task, fresh=fresh)
        return session

    async def _look(self, session: Session, task: Task, *, fresh: bool = False) -> None:
        """Say how far a session is guarded, if its settings are not what they were."""
        seen = await anyio.to_thread.run_sync(_stamps, session.adapter.files(session.place))
        if seen == session.seen and not fresh:
            return
        session.seen = seen
        why: str = await anyio.to_thread.run_sync(
            session.adapter.why_advisory, session.place, self._mine
        )
        await self._describe(task, why, fresh=fresh)

    async def _describe(self, task: Task, why: str, *, fresh: bool = False) -> None:
        mode = ADVISORY if why else GUARDED
        if (task.mode, task.why) == (mode, why) and not fresh:
            return
        told = self._service.tasks.describe(task.id, mode=mode, why=why)
        if told is not None:
            await self._service.records.task("task", told)

    async def connected(self, asker: Asker, cwd: str) -> None:
        """An agent program is served by us: until a hook of its session is heard, it is not guarded."""
        task, _ = self._service.tasks.of(asker, cwd)
        if task.asker.program in person.AGENTS and task.mode != GUARDED:
            await self._describe(task, task.why or _SILENT)

    async def watch(self) -> None:
        """Look after the sessions for ever: their settings, and grants that a dead program left."""
        for task in self._service.tasks.open():
            if task.mode == GUARDED and task.id not in self._sessions:
                await self._describe(task, _UNHEARD)
        while True:
            await anyio.sleep(WATCH_S)
            tasks = {task.id: task for task in self._service.tasks.open()}
            for session in list(self._sessions.values()):
                if session.task in tasks:
                    await self._look(session, tasks[session.task])
                else:
                    await self._left(session)
                    del self._sessions[session.task]


def _answer(session: Session, event: Event, verdict: Verdict, reason: str) -> Answer:
    answer: Answer = session.adapter.answer(event, verdict, reason)
    return answer


def _digest(event: Event) -> str:
    return digest(event.program, event.tool, event.arguments, event.cwd)


def _stamps(paths: Sequence[Path]) -> tuple[object, ...]:
    """What a change of any of these files changes."""
    stamps: list[object] = []
    for path in paths:
        try:
            facts = os.stat(path)
        except OSError:
            stamps.append(None)
        else:
            stamps.append((facts.st_ino, facts.st_size, facts.st_mtime_ns))
    return tuple(stamps)

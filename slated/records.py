"""What of a wish, a question, an answer, a task goes into the audit log: one shape per kind, secrets out."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping, Sequence

from slated.approvals import Answer, Question
from slated.audit.anchors import Anchors
from slated.audit.log import Log, tell
from slated.audit.scribe import Scribe
from slated.errors import SlateError, Unavailable
from slated.model import Tier
from slated.policy.decide import Decision
from slated.requests import Wanted
from slated.tasks import Task

log = logging.getLogger(__name__)
UNSAID: Mapping[str, tuple[str, ...]] = {
    "remember": ("text",),
    "recall": ("query",),
    "forget": ("text",),
}
"""Arguments of our memory's tools that the log does not hold: what is forgotten must not live on in it."""


class Records:
    """Writes what happens. `error` is why the last line could not be written, "" if it could."""

    def __init__(self, writer: Log, scribe: Scribe, anchors: Anchors) -> None:
        self.log, self._scribe, self._anchors = writer, scribe, anchors
        self.error = ""

    async def _write(self, record: Mapping[str, object], *, flush: bool) -> int:
        try:
            line = self.log.append(record)
            if flush:
                await self.log.flush()
        except Unavailable as error:
            self.error = error.message
            raise
        self.error = ""
        return line

    async def call(
        self,
        wanted: Wanted,
        task: Task,
        decision: Decision,
        answered: str,
        undo: Mapping[str, object],
    ) -> int:
        """An allowed wish, on disk before it may run unless it only observes. The number of its line; 0 for a look
        that could not be logged. `undo` says which mark was taken and how far it reaches.
        """
        record = self._wish(wanted, task, decision, "allow")
        record |= {"answered": answered} if answered else {}
        record |= {name: self._scribe.text(str(value)) for name, value in undo.items() if value}
        try:
            line = await self._write(record, flush=decision.tier > Tier.OBSERVE)
        except Unavailable:
            if decision.tier > Tier.OBSERVE:
                raise
            log.warning("a look is not in the audit log", extra={"tool": wanted.call.name})
            return 0
        if decision.tier is Tier.CONFIRM:
            await self.anchor()
        return line

    async def refused(
        self, wanted: Wanted, task: Task, decision: Decision, error: SlateError
    ) -> None:
        """A wish that was not granted. It is refused whether or not the line can be written."""
        record = self._wish(wanted, task, decision, "deny") | {"code": error.code}
        try:
            await self._write(record, flush=False)
        except Unavailable:
            log.warning("a refusal is not in the audit log", extra={"tool": wanted.call.name})

    def _wish(
        self, wanted: Wanted, task: Task, decision: Decision, verdict: str
    ) -> dict[str, object]:
        call = wanted.call
        record: dict[str, object] = {
            "kind": "call",
            "task": task.id,
            "program": wanted.asker.program or call.client,
            "session": wanted.asker.session,
            "tool": self._scribe.text(call.name, limit=120),
            "tier": decision.tier.word,
            "verdict": verdict,
            "rule": decision.rule,
            "intent": wanted.digest,
            **self._scribe.summary(call.arguments, withhold=_unsaid(wanted)),
        }
        extra = {"use": wanted.use, "seen": wanted.seen, "under": wanted.under}
        record |= {name: value for name, value in extra.items() if value}
        if decision.tier is Tier.CONFIRM:
            record["reason"] = self._scribe.text(decision.reason)
        if decision.ignored:
            record["ignored"] = list(decision.ignored)
        return record

    async def outcome(self, line: int, task: str, tool: str, outcome: Mapping[str, object]) -> None:
        """What came of the call in a line."""
        said = {k: self._scribe.text(v) for k, v in outcome.items() if isinstance(v, str)}
        try:
            await self._write(
                {"kind": "outcome", "call": line, "task": task, "tool": tool, **said}, flush=False
            )
        except Unavailable:
            log.warning("an outcome is not in the audit log", extra={"line": line})

    async def question(self, question: Question) -> None:
        """A question is asked, on disk before a person sees it answered."""
        unsaid = UNSAID.get(question.tool, ())
        facts = [
            f"{name}: {'withheld' if name in unsaid else self._scribe.text(value, limit=400)}"
            for name, value in question.facts
        ]
        await self._write(
            {
                "kind": "question",
                "question": question.ref,
                "task": question.task,
                "tool": question.tool,
                "rule": question.rule,
                "intent": question.digest,
                "facts": facts[:20],
            },
            flush=True,
        )

    async def answer(self, question: Question, answer: Answer, by: str) -> None:
        """An answer, by whom."""
        await self._write(
            {
                "kind": "answer",
                "question": question.ref,
                "task": question.task,
                "tool": question.tool,
                "intent": question.digest,
                "answer": str(answer),
                "by": by,
            },
            flush=True,
        )

    async def task(self, kind: str, task: Task) -> None:
        """A task begins or ends. One that only looks may begin although the log cannot be written."""
        try:
            await self._write(
                {
                    "kind": kind,
                    "task": task.id,
                    "program": task.asker.program,
                    "session": task.asker.session,
                    "pid": task.asker.pid,
                    "cwd": self._scribe.text(task.cwd),
                    "mode": task.mode,
                    "marked": task.marked,
                },
                flush=False,
            )
        except Unavailable:
            log.warning("a task is not in the audit log", extra={"task": task.id})

    async def slate(self, project: str, name: str, slate: str, facts: Mapping[str, object]) -> None:
        """A step of a slate's life. The calls themselves are lines of their own, on disk before; so a line that cannot
        be written stops only an open by somebody else.
        """
        strict = name == "opened_by_another_peer"
        head = {
            "kind": "slate",
            "what": name,
            "slate": slate,
            "project": self._scribe.text(project),
        }
        try:
            await self._write({**head, **facts}, flush=strict)
        except Unavailable:
            if strict:
                raise
            log.warning("a step of a slate is not in the audit log", extra={"slate": slate})

    async def review(self, facts: Mapping[str, object], *, failed: str = "") -> None:
        """What a person decides, on disk before it is done; with `failed`, the code of why it then was not."""
        plain = {
            k: self._scribe.text(v) if isinstance(v, str) else v for k, v in facts.items() if v
        }
        await self._write(
            {"kind": "review", **plain, **({"failed": failed} if failed else {})}, flush=True
        )

    async def turned_away(self, what: str, pid: int, why: str, planted: Sequence[str] = ()) -> None:
        """Somebody wanted what only a person may. `planted` are variables that were to load code into our program."""
        record = {"kind": "turned_away", "what": what, "pid": pid, "why": self._scribe.text(why)}
        await self._write(record | ({"planted": list(planted)} if planted else {}), flush=True)

    async def event(self, kind: str, **facts: object) -> None:
        """Anything else that must be seen later: start, auto, rules that are broken."""
        await self._write({"kind": kind, **facts}, flush=True)

    async def anchor(self) -> None:
        """Tell the witnesses how far the log is."""
        try:
            await tell(self.log, self._anchors)
        except Unavailable as error:
            self.error = error.message


def _unsaid(wanted: Wanted) -> Collection[str]:
    """The arguments that are not told: all of them where a password is typed."""
    call = wanted.call
    if call.scene.password:
        return tuple(call.arguments)
    return UNSAID.get(call.name, ()) if call.client == "slate" else ()

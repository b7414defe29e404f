"""The one path of every wish: decide, protect, ask, record; and of every outcome and answer into the same log."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final, Protocol

import anyio

from slated.approvals import Answer, Approvals, Question, Wish, denied
from slated.errors import Refused, SlateError
from slated.judgement import Judge, rules_of
from slated.model import Tier
from slated.policy import gui
from slated.policy.decide import Decision, ToolCall
from slated.protection import Covered, Shelter
from slated.questions import facts_of, risky_of
from slated.records import Records
from slated.redact import contains_mask
from slated.requests import Wanted
from slated.tasks import Asker, Task, Tasks

POINTING: Final = frozenset("desktop_click desktop_drag desktop_move desktop_scroll".split())


class Protects(Protocol):
    """Whoever can take back what is done next."""

    async def covered(self, wanted: Wanted, task: Task, decision: Decision) -> Covered | None:
        """How far a decided call could be undone, before anybody is asked; None where it changes no file."""
        ...

    async def before(self, wanted: Wanted, task: Task, covered: Covered) -> Shelter:
        """Make sure that it can be undone."""
        ...

    async def after(self, shelter: Shelter, besides: Collection[int] = ()) -> None:
        """The call is over; `besides` are processes that only tell so."""
        ...

    def unheard(self, shelter: Shelter) -> None:
        """Nobody will tell when the call is over."""
        ...

    async def quiet(self, task: str) -> None:
        """The task is at no work right now."""
        ...

    async def ended(self, task: str) -> None:
        """The task is over."""
        ...


@dataclass(frozen=True, slots=True)
class Admission:
    """Leave to do one thing. `line` is its line in the log, `answered` who allowed it if somebody was asked."""

    serial: int
    task: str
    asker: Asker
    tool: str
    tier: Tier
    digest: str
    line: int
    rule: str
    reason: str
    answered: str = ""
    shelter: Shelter | None = None
    call: ToolCall | None = None
    use: str = ""

    @property
    def mark(self) -> str:
        """The undo mark; "" where nothing is covered."""
        return str(self.shelter.mark) if self.shelter else ""

    def told(self) -> dict[str, object]:
        """The admission as JSON."""
        return {
            "grant": self.serial,
            "task": self.task,
            "tier": self.tier.word,
            "digest": self.digest,
            "rule": self.rule,
            "reason": self.reason,
            "answered": self.answered,
            "mark": self.mark,
        }


class Service:
    """Decides and remembers for one person."""

    def __init__(
        self,
        judge: Judge,
        approvals: Approvals,
        tasks: Tasks,
        records: Records,
        *,
        protection: Protects | None = None,
    ) -> None:
        self.judge, self.approvals, self.tasks, self.records = judge, approvals, tasks, records
        self._protection = protection
        self._open: dict[int, Admission] = {}
        self._last_serial = 0
        self._met: set[int] = set()

    async def admit(self, wanted: Wanted) -> Admission:
        """Leave for a wish, after asking a person where the policy says so.

        Raises Refused (`denied`, `unanswered`, `no_approver`, `too_many_questions`, `outside_batch`), and
        `unavailable.audit` for anything above observe when the log cannot be written.
        """
        task, fresh = self.tasks.of(wanted.asker, wanted.cwd)
        if fresh:
            await self.records.task("task", task)
        decision = await self.judge.decide(wanted)
        try:
            covered = await self._covered(wanted, task, decision)
            answered = await self._answered(wanted, task, decision, covered)
            shelter = await self._sheltered(wanted, task, covered, answered)
        except SlateError as error:
            await self.records.refused(wanted, task, decision, error)
            raise
        try:
            undo = _undo(covered, shelter)
            line = await self.records.call(wanted, task, decision, answered, undo)
        except BaseException:
            with anyio.CancelScope(shield=True):
                await self.over(shelter)
            raise
        self._last_serial += 1
        admission = Admission(
            self._last_serial, task.id, wanted.asker, wanted.call.name, decision.tier, wanted.digest, line,
            decision.rule, decision.reason, answered, shelter, wanted.call, wanted.use,
        )  # fmt: skip
        self._open[admission.serial] = admission
        return admission

    async def _covered(self, wanted: Wanted, task: Task, decision: Decision) -> Covered | None:
        if self._protection is None or decision.tier is Tier.OBSERVE:
            return None
        return await self._protection.covered(wanted, task, decision)

    async def _sheltered(
        self, wanted: Wanted, task: Task, covered: Covered | None, answered: str
    ) -> Shelter | None:
        """The mark before it. A person who was told that there is no undo, and said yes, is obeyed."""
        if self._protection is None or covered is None or (answered and not covered.usable):
            return None
        return await self._protection.before(wanted, task, covered)

    async def sheltered(self, wanted: Wanted) -> Shelter | None:
        """The mark before something that somebody else asks the person about; see `over`."""
        task, _ = self.tasks.of(wanted.asker, wanted.cwd)
        decision = await self.judge.decide(wanted)
        covered = await self._covered(wanted, task, decision)
        return await self._sheltered(wanted, task, covered, "the program's prompt")

    async def over(self, shelter: Shelter | None, besides: Collection[int] = ()) -> None:
        """What a mark was taken for is over."""
        if self._protection is not None and shelter is not None:
            await self._protection.after(shelter, besides)

    async def quiet(self, id_: str) -> None:
        """A task is at no work right now."""
        if self._protection is not None:
            await self._protection.quiet(id_)

    async def _answered(
        self, wanted: Wanted, task: Task, decision: Decision, covered: Covered | None
    ) -> str:
        """Who allowed it: "" where nobody had to."""
        self._never(wanted, decision)
        if wanted.under is not None:
            batch = self._open.get(wanted.under)
            same = batch is not None and batch.asker == wanted.asker
            if batch is None or not same or decision.tier > batch.tier:
                raise Refused(
                    "outside_batch",
                    f"nothing was sent: {wanted.call.name} is not covered by what was granted for the batch.",
                    next_step="call it on its own",
                )
            return f"batch of line {batch.line}" if batch.answered else ""
        if decision.tier < Tier.CONFIRM:
            return ""
        if met := self._at_the_hook(wanted):
            return met
        wish = Wish(
            wanted.digest,
            task.id,
            (wanted.asker.pid, wanted.asker.started),
            wanted.call.name,
            next((r for r in rules_of(decision)), decision.rule),
            decision.reason,
            facts_of(wanted, decision, covered.said if covered else ""),
            risky_of(decision),
        )
        return await self._asked(wish, wanted.wait_s)

    def _at_the_hook(self, wanted: Wanted) -> str:
        """Who allowed this very call when the agent program's hook asked about it, "" if nobody did.

        It counts once, and only where a question here would show a person nothing more than the hook's did.
        """
        if not wanted.use or wanted.call.scene != gui.Scene():
            return ""
        name, who = wanted.call.name.replace(".", "_"), (wanted.asker.pid, wanted.asker.started)
        for serial, there in self._open.items():
            if (
                there.answered
                and serial not in self._met
                and there.call is not None
                and there.use == wanted.use
                and (there.asker.pid, there.asker.started) == who
                and there.call.name.startswith("mcp__")
                and there.call.name.rpartition("__")[2] == name
                and there.call.arguments == wanted.call.arguments
            ):
                self._met.add(serial)
                return f"hook of line {there.line}"
        return ""

    def _never(self, wanted: Wanted, decision: Decision) -> None:
        """Refuse what no yes can allow: acting on our own windows, pointing at a screen that shows a question, and
        writing our mark over the secret that it stands for.
        """
        call = wanted.call
        if decision.tier > Tier.OBSERVE and call.client != "slate":
            # What an edit takes out may hold the mark: then somebody else put it into the file.
            given = {k: v for k, v in call.arguments.items() if k != "old_string"}
            if contains_mask(given):
                raise Refused(
                    "mask",
                    "nothing was written: it holds Slate's mark for a withheld secret and would replace the secret.",
                    next_step="change only the other lines, or ask the person to do it",
                )
        if call.client != "desktop" or call.name in gui.LOOKS:
            return
        if call.scene.ours:
            raise Refused(
                "our_window",
                "nothing was sent: this window shows Slate's questions, which only a person answers.",
                next_step="leave it alone and wait for the answer",
            )
        blind = call.name in POINTING and not call.scene.app_id
        if blind and wanted.attended and self.approvals.open():
            raise Refused(
                "question_open",
                "nothing was sent: a question to the person is on their screen.",
                next_step="name a window instead of the screen, or wait for the answer",
            )

    async def _asked(self, wish: Wish, wait_s: float) -> str:
        while True:
            if before := self.approvals.known(wish):
                return before
            question = self.approvals.ask(wish)
            await self.records.question(question)
            answer = await self.approvals.wait(question, call_s=wait_s)
            if answer is Answer.DENY:
                late = question.by == "deadline"
                why = "nobody answered in time" if late else "a person said no"
                raise denied(why)
            if self.approvals.take(question):
                return f"{answer} {question.ref} ({question.by})"

    async def finish(
        self, serial: int, outcome: Mapping[str, object], besides: Collection[int] = ()
    ) -> bool:
        """What came of an admitted wish; False for a grant that is not open (used, or of a former life).

        `besides` are processes that only tell of it.
        """
        admission = self._open.pop(serial, None)
        self._met.discard(serial)
        if admission is None:
            return False
        await self.over(admission.shelter, besides)
        await self.records.outcome(admission.line, admission.task, admission.tool, outcome)
        return True

    async def unheard(self, serial: int) -> None:
        """Nobody will tell what comes of an admitted wish: its end is when its task does something else."""
        admission = self._open.pop(serial)
        if self._protection is not None and admission.shelter is not None:
            self._protection.unheard(admission.shelter)
        told = {"outcome": "unknown", "because": "no hook tells it"}
        await self.records.outcome(admission.line, admission.task, admission.tool, told)

    async def abandon(self, serials: list[int]) -> None:
        """Close the grants of a connection that ended before it told their outcome."""
        for serial in serials:
            await self.finish(serial, {"outcome": "unknown", "because": "the connection ended"})

    async def answer(self, ref: str, digest: str, answer: Answer, by: str) -> Question:
        """A person's answer, on disk before it counts. Raises `stale.question`."""
        question = self.approvals.find(ref)
        if question is not None and question.digest == digest:
            await self.records.answer(question, answer, by)
        return self.approvals.answer(ref, digest, answer, by)

    async def end_task(self, id_: str) -> None:
        """A task is over: its questions are denied, its answers forgotten, the log anchored."""
        task = self.tasks.end(id_)
        if task is None:
            return
        for question in self.approvals.task_ended(id_):
            await self.records.answer(question, Answer.DENY, "task end")
        if self._protection is not None:
            await self._protection.ended(id_)
        await self.records.task("task_end", task)
        await self.records.anchor()

    @property
    def busy(self) -> bool:
        """Whether something waits or is under way."""
        return bool(self._open or self.approvals.open())


def _undo(covered: Covered | None, shelter: Shelter | None) -> dict[str, object]:
    """What the log says of undo: the mark, how far it reaches, and what turned out not to be in it."""
    if covered is None:
        return {}
    taken = {"mark": shelter.mark, "uncovered": shelter.uncovered} if shelter else {}
    return {"undo": covered.said, **taken}

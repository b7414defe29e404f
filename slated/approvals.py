"""Questions to a person: opened, answered once or for a task, denied, left unanswered; and what is remembered of it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

import anyio

from slated.errors import Refused, Stale

DEADLINE_S = 600.0
CALL_S = 45.0
"""How long a call waits for a person: clients' own limits start at 60 s."""
DENIED_S = 600.0
OPEN_LIMIT = 3
HOUR_LIMIT = 20
AUTO_S = 3600.0
NEVER_AUTO = (
    "path.delayed path.secret path.special path.device window. slate. policy. desktop.person_seat desktop.password"
    " terminal. tool.unknown hint. delegat opaque. git.runs git.config shell. program."
).split()
"""Rules (by their start) that `/auto` does not cover: later execution, secrets, delegators, what cannot be read off."""


class Answer(StrEnum):
    """What a person says: this once, exactly this again for this task, no."""

    ONCE = "once"
    ALWAYS = "always"
    DENY = "deny"


@dataclass(slots=True)
class Question:
    """A question as the person sees it. `facts` are labelled, `risky` stands apart, `digest` names what runs.

    Times are seconds of the given clock.
    """

    ref: str
    digest: str
    task: str
    agent: tuple[int, int]
    tool: str
    rule: str
    reason: str
    facts: list[tuple[str, str]]
    risky: list[str]
    opened: float
    deadline: float
    answer: Answer | None = None
    by: str = ""
    changed: anyio.Event = field(default_factory=anyio.Event)

    def told(self) -> dict[str, object]:
        """The question as JSON."""
        return {
            "ref": self.ref,
            "digest": self.digest,
            "task": self.task,
            "agent": list(self.agent),
            "tool": self.tool,
            "rule": self.rule,
            "reason": self.reason,
            "facts": [list(fact) for fact in self.facts],
            "risky": self.risky,
            "opened": self.opened,
            "deadline": self.deadline,
        }


@dataclass(frozen=True, slots=True)
class Wish:
    """What a question is asked about."""

    digest: str
    task: str
    agent: tuple[int, int]
    tool: str
    rule: str
    reason: str
    facts: list[tuple[str, str]]
    risky: list[str]


class Approvals:
    """All questions of one slated. `clock` gives seconds since the epoch, `changed` is told of every change."""

    def __init__(
        self, *, clock: Callable[[], float], first: int, changed: Callable[[], None]
    ) -> None:
        self._clock, self._changed = clock, changed
        self._next = first
        self._open: dict[str, Question] = {}
        self._credits: dict[tuple[str, str], Question] = {}
        self._always: dict[tuple[str, str], str] = {}
        self._denied: dict[tuple[str, str], float] = {}
        self._asked: dict[tuple[int, int], deque[float]] = {}
        self._auto: dict[str, float] = {}
        self.approvers = 0
        """How many channels to a person are there now."""

    @property
    def next_number(self) -> int:
        """The number of the next question; never reused, so it is kept over restarts."""
        return self._next

    def known(self, wish: Wish) -> str:
        """What was answered before: "again" or "once" (used up by this), "auto", else "".

        Raises `refused.denied` for what a person denied less than ten minutes ago.
        """
        key = (wish.task, wish.digest)
        until = self._denied.get(key, 0.0)
        if until > self._clock():
            raise denied("a person denied exactly this a short while ago")
        if key in self._always:
            return "again"
        credit = self._credits.pop(key, None)
        if credit is not None and credit.deadline > self._clock():
            return "once"
        covered = not wish.rule.startswith(tuple(NEVER_AUTO))
        if covered and self._auto.get(wish.task, 0.0) > self._clock():
            return "auto"
        return ""

    def ask(self, wish: Wish) -> Question:
        """The open question about this, or a new one.

        Raises `refused.no_approver`, or `refused.too_many_questions` for an agent process with 3 open or 20 in an hour.
        """
        self.expire()
        for question in self._open.values():
            if (question.task, question.digest) == (wish.task, wish.digest):
                return question
        if not self.approvers:
            raise Refused(
                "no_approver",
                f"nothing was done: this needs a person's yes ({wish.reason}), and no way to ask one is open.",
                next_step="ask the person to run `slate approvals` in a terminal, or do it another way",
            )
        self._limit(wish.agent)
        now = self._clock()
        question = Question(
            f"q{self._next}", wish.digest, wish.task, wish.agent, wish.tool, wish.rule, wish.reason,
            wish.facts, wish.risky, now, now + DEADLINE_S,
        )  # fmt: skip
        self._next += 1
        self._open[question.ref] = question
        self._asked.setdefault(wish.agent, deque()).append(now)
        self._changed()
        return question

    def _limit(self, agent: tuple[int, int]) -> None:
        asked = self._asked.setdefault(agent, deque())
        while asked and asked[0] <= self._clock() - 3600:
            asked.popleft()
        waiting = sum(question.agent == agent for question in self._open.values())
        if waiting >= OPEN_LIMIT or len(asked) >= HOUR_LIMIT:
            what = f"{waiting} questions are open" if waiting >= OPEN_LIMIT else "20 in an hour"
            raise Refused(
                "too_many_questions",
                f"nothing was done and nobody was asked: {what} for this agent.",
                next_step="wait for the answers, or go on with what needs none",
            )

    async def wait(self, question: Question, *, call_s: float) -> Answer:
        """The answer, when it comes within `call_s` and the question's own deadline.

        Raises `refused.unanswered`; the question stays open, and a yes counts once for the same call.
        """
        left = min(call_s, question.deadline - self._clock())
        with anyio.move_on_after(max(0.0, left)):
            while question.answer is None:
                await question.changed.wait()
        self.expire()
        if question.answer is None:
            raise Refused(
                "unanswered",
                f"nothing was done yet: {question.ref} waits for a person's answer, since {question.reason}.",
                next_step=f"wait for {question.ref}, then make exactly the same call again",
            )
        return question.answer

    def take(self, question: Question) -> bool:
        """Use up a yes; False if another call of the same question was faster."""
        key = (question.task, question.digest)
        if question.answer is Answer.ALWAYS:
            return True
        return self._credits.pop(key, None) is not None

    def answer(self, ref: str, digest: str, answer: Answer, by: str) -> Question:
        """A person's answer. Raises `stale.question` for one that is closed or was not about this."""
        self.expire()
        question = self._open.get(ref)
        if question is None or question.digest != digest:
            raise Stale("question", f"{ref} is not open any more.", next_step="look again")
        del self._open[ref]
        self._settle(question, answer, by)
        return question

    def _settle(self, question: Question, answer: Answer, by: str) -> None:
        key = (question.task, question.digest)
        question.answer, question.by = answer, by
        if answer is Answer.ONCE:
            self._credits[key] = question
        elif answer is Answer.ALWAYS:
            self._always[key] = question.ref
        else:
            self._denied[key] = self._clock() + DENIED_S
        question.changed.set()
        self._changed()

    def expire(self) -> list[Question]:
        """Deny what waited too long; which questions that were."""
        late = [q for q in self._open.values() if q.deadline <= self._clock()]
        for question in late:
            del self._open[question.ref]
            self._settle(question, Answer.DENY, "deadline")
        return late

    def restore(self, told: Mapping[str, object]) -> None:
        """Take up a question that a former slated had open."""
        match told:
            case {
                "ref": str(ref),
                "digest": str(digest),
                "task": str(task),
                "agent": [int(pid), int(began)],
                "facts": list(facts),
                "risky": list(risky),
                "opened": float(opened) | int(opened),
                "deadline": float(deadline) | int(deadline),
            }:
                plain = [(str(fact[0]), str(fact[1])) for fact in facts]
                question = Question(
                    ref, digest, task, (pid, began), str(told.get("tool")), str(told.get("rule")),
                    str(told.get("reason")), plain, [str(r) for r in risky], opened, deadline,
                )  # fmt: skip
                self._open[ref] = question
                self._next = max(self._next, int(ref[1:]) + 1)
            case _:
                return

    def open(self) -> list[Question]:
        """Questions that wait for an answer, oldest first."""
        return list(self._open.values())

    def find(self, ref: str) -> Question | None:
        """An open question."""
        return self._open.get(ref)

    def task_ended(self, task: str) -> list[Question]:
        """Forget what was answered for a task and deny what it still asks; which questions that were."""
        self._auto.pop(task, None)
        for remembered in (self._always, self._credits, self._denied):
            for key in [key for key in remembered if key[0] == task]:
                remembered.pop(key)
        left = [q for q in self._open.values() if q.task == task]
        for question in left:
            del self._open[question.ref]
            self._settle(question, Answer.DENY, "task end")
        return left

    def set_auto(self, task: str, *, on: bool) -> float:
        """Let a task run confirm-tier calls unasked for an hour, or end that; until when."""
        self._auto.pop(task, None)
        if on:
            self._auto[task] = self._clock() + AUTO_S
        return self._auto.get(task, 0.0)

    def auto(self) -> dict[str, float]:
        """Tasks that run on auto, and until when."""
        return {task: until for task, until in self._auto.items() if until > self._clock()}


def denied(why: str) -> Refused:
    """The failure of what a person said no to."""
    return Refused(
        "denied",
        f"nothing was done: {why}.",
        next_step="do not try it again; ask the person, or do it another way",
    )

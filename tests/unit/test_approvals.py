"""Questions: who is asked, how often, for how long, and what of an answer is remembered."""

from __future__ import annotations

from dataclasses import replace

import anyio
import pytest

from slated.approvals import (
    AUTO_S,
    DEADLINE_S,
    DENIED_S,
    HOUR_LIMIT,
    Answer,
    Approvals,
    Question,
    Wish,
)
from slated.errors import Refused, Stale

pytestmark = pytest.mark.anyio
WISH = Wish(
    "d1", "t1", (10, 1), "Bash", "reach.outside", "it changes /x", [("path", "/x")], ["it is risky"]
)


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Desk:
    """Approvals with a clock and an approver."""

    def __init__(self, first: int = 1) -> None:
        self.clock, self.changes = Clock(), 0
        self.approvals = Approvals(clock=self.clock, first=first, changed=self._changed)
        self.approvals.approvers = 1

    def _changed(self) -> None:
        self.changes += 1

    def say(self, question: Question, answer: Answer) -> None:
        self.approvals.answer(question.ref, question.digest, answer, "test")


def test_a_yes_counts_once_for_the_same_intent_only() -> None:
    desk = Desk()
    desk.say(desk.approvals.ask(WISH), Answer.ONCE)
    assert desk.approvals.known(replace(WISH, digest="d2")) == ""
    assert desk.approvals.known(replace(WISH, task="t2")) == ""
    assert desk.approvals.known(WISH) == "once"
    assert desk.approvals.known(WISH) == ""


def test_r168_a_yes_for_the_task_covers_exactly_what_was_shown() -> None:
    """R168, R173: an approval of a program is not one of the program with other arguments."""
    desk = Desk()
    desk.say(desk.approvals.ask(WISH), Answer.ALWAYS)
    assert [desk.approvals.known(WISH) for _ in range(3)] == ["again"] * 3
    assert desk.approvals.known(replace(WISH, digest="d2")) == ""
    assert desk.approvals.known(replace(WISH, task="t2")) == ""


def test_a_yes_that_is_not_used_runs_out_with_its_question() -> None:
    desk = Desk()
    desk.say(desk.approvals.ask(WISH), Answer.ONCE)
    desk.clock.now += DEADLINE_S + 1
    assert desk.approvals.known(WISH) == ""


def test_a_no_is_remembered_for_ten_minutes() -> None:
    desk = Desk()
    desk.say(desk.approvals.ask(WISH), Answer.DENY)
    with pytest.raises(Refused) as caught:
        desk.approvals.known(WISH)
    assert caught.value.code == "refused.denied"
    desk.clock.now += DENIED_S + 1
    assert desk.approvals.known(WISH) == ""


def test_the_same_question_is_asked_once_at_a_time() -> None:
    desk = Desk()
    assert desk.approvals.ask(WISH) is desk.approvals.ask(WISH)
    assert desk.changes == 1


def test_r176_nobody_there_is_a_no_without_a_question() -> None:
    """R176: no approver is connected."""
    desk = Desk()
    desk.approvals.approvers = 0
    with pytest.raises(Refused) as caught:
        desk.approvals.ask(WISH)
    assert caught.value.code == "refused.no_approver"
    assert desk.approvals.open() == []


async def test_r176_a_question_that_runs_out_is_a_no_and_a_late_answer_is_none() -> None:
    """R176: the prompt times out; a late answer is ignored."""
    desk = Desk()
    question = desk.approvals.ask(WISH)
    desk.clock.now += DEADLINE_S + 1
    assert await desk.approvals.wait(question, call_s=45) is Answer.DENY
    assert question.by == "deadline"
    with pytest.raises(Stale):
        desk.say(question, Answer.ONCE)


async def test_a_call_waits_no_longer_than_it_may_and_the_question_stays_open() -> None:
    desk = Desk()
    question = desk.approvals.ask(WISH)
    with anyio.fail_after(2), pytest.raises(Refused) as caught:
        await desk.approvals.wait(question, call_s=0.02)
    assert caught.value.code == "refused.unanswered"
    assert "q1" in caught.value.message
    assert desk.approvals.find("q1") is question


async def test_of_two_calls_with_one_yes_one_goes_on() -> None:
    desk = Desk()
    question = desk.approvals.ask(WISH)
    desk.say(question, Answer.ONCE)
    assert await desk.approvals.wait(question, call_s=1) is Answer.ONCE
    assert [desk.approvals.take(question), desk.approvals.take(question)] == [True, False]


def test_an_agent_has_at_most_three_questions_open_and_twenty_in_an_hour() -> None:
    desk = Desk()
    for n in range(3):
        desk.approvals.ask(replace(WISH, digest=f"o{n}"))
    with pytest.raises(Refused, match="3 questions are open"):
        desk.approvals.ask(replace(WISH, digest="o4"))
    desk.approvals.ask(replace(WISH, digest="o4", agent=(11, 1)))
    for question in desk.approvals.open():
        desk.say(question, Answer.DENY)
    for n in range(3, HOUR_LIMIT):
        desk.say(desk.approvals.ask(replace(WISH, digest=f"h{n}")), Answer.DENY)
    with pytest.raises(Refused, match="20 in an hour"):
        desk.approvals.ask(replace(WISH, digest="more"))
    desk.clock.now += 3601
    desk.approvals.ask(replace(WISH, digest="more"))


def test_an_answer_to_another_digest_than_the_one_shown_does_not_count() -> None:
    desk = Desk()
    question = desk.approvals.ask(WISH)
    with pytest.raises(Stale):
        desk.approvals.answer(question.ref, "other", Answer.ONCE, "test")
    assert question.answer is None


@pytest.mark.parametrize(
    "rule",
    ["path.delayed", "path.secret", "window.ours", "desktop.person_seat", "tool.unknown"],
)
def test_auto_lasts_an_hour_and_never_covers_what_must_be_asked(rule: str) -> None:
    desk = Desk()
    until = desk.approvals.set_auto("t1", on=True)
    assert desk.approvals.known(WISH) == "auto"
    assert desk.approvals.known(replace(WISH, rule=rule)) == ""
    assert desk.approvals.known(replace(WISH, task="t2")) == ""
    assert desk.approvals.auto() == {"t1": until}
    desk.clock.now += AUTO_S + 1
    assert desk.approvals.known(WISH) == ""
    assert desk.approvals.auto() == {}


def test_auto_can_be_ended_and_does_not_beat_a_no() -> None:
    desk = Desk()
    desk.approvals.set_auto("t1", on=True)
    desk.say(desk.approvals.ask(WISH), Answer.DENY)
    with pytest.raises(Refused):
        desk.approvals.known(WISH)
    assert desk.approvals.set_auto("t1", on=False) == 0.0
    assert desk.approvals.known(replace(WISH, digest="d2")) == ""


def test_the_end_of_a_task_denies_its_questions_and_forgets_its_answers() -> None:
    desk = Desk()
    desk.say(desk.approvals.ask(replace(WISH, digest="always")), Answer.ALWAYS)
    question = desk.approvals.ask(WISH)
    other = desk.approvals.ask(replace(WISH, task="t2"))
    assert desk.approvals.task_ended("t1") == [question]
    assert question.answer is Answer.DENY
    assert desk.approvals.open() == [other]
    assert desk.approvals.known(replace(WISH, digest="always")) == ""


def test_a_question_is_taken_up_again_as_it_was_told() -> None:
    desk, later = Desk(first=7), Desk()
    told = desk.approvals.ask(WISH).told()
    later.approvals.restore(told)
    later.approvals.restore({"ref": "q9"})
    (question,) = later.approvals.open()
    assert question.told() == told
    assert later.approvals.ask(WISH) is question
    assert later.approvals.ask(replace(WISH, digest="new")).ref == "q8"

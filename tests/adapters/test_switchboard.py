"""The control socket: every call, by whom, and what is in the log afterwards."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path

import anyio
import pytest

from slated.audit.reader import Wanted, judged, records
from slated.errors import BadRequest, Refused, Stale, Unavailable
from tests.fakes.conscience import (
    CLICK,
    LOOK,
    RISKY,
    a_person_sits_here,
    ask,
    asked,
    caller,
    directories,
    slated,
)

pytestmark = pytest.mark.anyio


def logged(tmp_path: Path, **wanted: str) -> list[dict[str, object]]:
    return list(records(directories(tmp_path).audit, Wanted(**wanted)))


async def test_a_look_and_a_click_run_unasked_and_are_in_the_log_with_their_outcome(
    tmp_path: Path,
) -> None:
    async with slated(tmp_path) as board, caller(board) as calls:
        look = await ask(calls, "admit", **LOOK)
        click = await ask(calls, "admit", **CLICK)
        assert (look["tier"], click["tier"]) == ("observe", "reversible")
        assert await ask(calls, "finish", grant=click["grant"], outcome={"outcome": "yes"}) == {
            "known": True
        }
    lines = logged(tmp_path, kind="call")
    assert [(r["tool"], r["tier"], r["verdict"]) for r in lines] == [
        ("desktop_screenshot", "observe", "allow"),
        ("desktop_click", "reversible", "allow"),
    ]
    assert lines[1]["intent"] == click["digest"]
    outcomes = logged(tmp_path, kind="outcome")
    assert [(r["call"], r["outcome"]) for r in outcomes] == [
        (lines[1]["n"], "yes"),
        (lines[0]["n"], "unknown"),
    ]
    assert judged(directories(tmp_path).audit, {}).sound


async def test_r176_without_a_way_to_ask_a_person_the_answer_is_no_at_once(tmp_path: Path) -> None:
    """R176: no approver is connected; nothing runs, and the log has the entry."""
    async with slated(tmp_path) as board, caller(board) as calls:
        with pytest.raises(Refused) as caught:
            await ask(calls, "admit", **RISKY)
        assert caught.value.code == "refused.no_approver"
        assert "slate approvals" in caught.value.next_step
    (line,) = logged(tmp_path, kind="call")
    assert (line["verdict"], line["tier"], line["code"]) == (
        "deny",
        "confirm",
        "refused.no_approver",
    )


async def test_a_person_says_once_and_once_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_person_sits_here(monkeypatch)
    async with slated(tmp_path) as board, caller(board) as agent, caller(board) as human:
        assert await ask(human, "attach") == {"open": []}
        with pytest.raises(Refused) as caught:
            await ask(agent, "admit", **RISKY, wait_s=0)
        assert caught.value.code == "refused.unanswered"
        (question,) = board.questions()
        assert str(question["ref"]) in caught.value.message
        facts = {"question": question["ref"], "digest": question["digest"]}
        await ask(human, "answer", **facts, answer="once")
        granted = await ask(agent, "admit", **RISKY)
        assert granted["answered"] == "once"
        with pytest.raises(Refused):
            await ask(agent, "admit", **RISKY, wait_s=0)
        with pytest.raises(Stale):
            await ask(human, "answer", **facts, answer="once")
    kinds = [r["kind"] for r in logged(tmp_path) if r["kind"] in ("question", "answer", "call")]
    assert kinds == ["question", "call", "answer", "call", "question", "call"]


async def test_a_call_that_waits_goes_on_with_the_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_person_sits_here(monkeypatch)
    async with slated(tmp_path) as board, caller(board) as agent, caller(board) as human:
        await ask(human, "attach")
        got: list[str] = []

        async def wish() -> None:
            granted = await ask(agent, "admit", **RISKY)
            got.append(granted["answered"])

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(wish)
            question = await asked(board)
            facts = {"question": question["ref"], "digest": question["digest"]}
            assert await ask(agent, "question", question=question["ref"]) == {"answer": "open"}
            await ask(human, "answer", **facts, answer="always")
        assert got[0].startswith(f"always {question['ref']} (approvals ")
        again = await ask(agent, "admit", **RISKY)
        assert again["answered"] == "again"


async def test_a_no_is_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    a_person_sits_here(monkeypatch)
    async with slated(tmp_path) as board, caller(board) as agent, caller(board) as human:
        await ask(human, "attach")
        with pytest.raises(Refused):
            await ask(agent, "admit", **RISKY, wait_s=0)
        (question,) = board.questions()
        facts = {"question": question["ref"], "digest": question["digest"]}
        await ask(human, "answer", **facts, answer="deny")
        for _ in range(2):
            with pytest.raises(Refused) as caught:
                await ask(agent, "admit", **RISKY)
            assert caught.value.code == "refused.denied"
        assert board.questions() == []


@pytest.mark.promise("no-self-answer")
@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("attach", {}),
        ("answer", {"question": "q1", "digest": "x", "answer": "once"}),
        ("auto", {"task": "t1", "on": True}),
    ],
)
async def test_what_only_a_person_may_is_refused_and_logged_for_a_program(
    tmp_path: Path, method: str, params: dict[str, object]
) -> None:
    """This very process is no person's: pytest, not a terminal, stands above it."""
    async with slated(tmp_path) as board, caller(board) as calls:
        with pytest.raises(Refused) as caught:
            await ask(calls, method, **params)
        assert caught.value.code == "refused.not_a_person"
        assert board.service.approvals.approvers == 0
    (line,) = logged(tmp_path, kind="turned_away")
    assert str(line["what"]).startswith(method if method != "attach" else "approvals")


async def test_a_step_of_a_batch_needs_its_batch_and_is_not_asked_twice(tmp_path: Path) -> None:
    batch = {**CLICK, "tool": "desktop_batch", "arguments": {"steps": []}}
    async with slated(tmp_path) as board, caller(board) as calls:
        granted = await ask(calls, "admit", **batch)
        step = await ask(calls, "admit", **CLICK, under=granted["grant"])
        assert step["tier"] == "reversible"
        with pytest.raises(Refused) as caught:
            await ask(calls, "admit", **RISKY, under=granted["grant"])
        assert caught.value.code == "refused.outside_batch"
        await ask(calls, "finish", grant=granted["grant"])
        with pytest.raises(Refused):
            await ask(calls, "admit", **CLICK, under=granted["grant"])


async def test_a_grant_is_finished_once_and_only_by_whom_it_was_given_to(tmp_path: Path) -> None:
    async with slated(tmp_path) as board, caller(board) as one, caller(board) as two:
        granted = await ask(one, "admit", **CLICK)
        assert await ask(two, "finish", grant=granted["grant"]) == {"known": False}
        assert await ask(one, "finish", grant=granted["grant"]) == {"known": True}
        assert await ask(one, "finish", grant=granted["grant"]) == {"known": False}
        assert await ask(one, "finish", grant=999) == {"known": False}


async def test_r177_words_of_an_agent_that_lower_its_tier_are_ignored_and_noted(
    tmp_path: Path,
) -> None:
    """R177: the model itself marks a call as harmless."""
    lowered = {**RISKY, "arguments": {"command": "rm -rf /srv/data", "requires_approval": False}}
    async with slated(tmp_path) as board, caller(board) as calls:
        with pytest.raises(Refused):
            await ask(calls, "admit", **lowered)
    (line,) = logged(tmp_path, kind="call")
    assert (line["tier"], line["ignored"]) == ("confirm", ["requires_approval"])


async def test_status_tells_tasks_log_and_rules(tmp_path: Path) -> None:
    async with slated(tmp_path) as board, caller(board) as calls:
        await ask(calls, "admit", **LOOK)
        directories(tmp_path).policy.write_text("[tools]\nx = 1\n", encoding="utf-8")
        told = await ask(calls, "status")
        assert told["audit"]["error"] == ""
        assert told["audit"]["lines"] == board.service.records.log.head.count
        assert len(told["rules"]) == 1
        assert told["rules"][0].startswith("line 2:")
        assert [task["calls"] for task in told["tasks"]] == [1]


async def test_a_task_says_how_it_is_guarded_and_ends(tmp_path: Path) -> None:
    async with slated(tmp_path) as board, caller(board) as calls:
        made = await ask(
            calls, "task", agent={"session": "s"}, cwd="/x", mode="advisory", why="hooks are off"
        )
        assert (made["mode"], made["why"], made["session"]) == ("advisory", "hooks are off", "s")
        await ask(calls, "task_end", task=made["id"])
        told = await ask(calls, "status")
        assert told["tasks"][0]["ended"]
    assert [r["kind"] for r in logged(tmp_path, task=made["id"])] == ["task", "task_end"]


async def test_check_explains_and_logs_nothing(tmp_path: Path) -> None:
    async with slated(tmp_path) as board, caller(board) as calls:
        before = board.service.records.log.head
        told = await ask(calls, "check", command="cat x | rm y", cwd="/srv")
        assert told["tier"] == "confirm"
        assert [c["tier"] for c in told["commands"]] == ["observe", "confirm"]
        told = await ask(calls, "check", tool="Read", arguments={"file_path": "/etc/hostname"})
        assert told["tier"] == "observe"
        assert board.service.records.log.head == before


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("nothing", {}),
        ("admit", {"client": "claude"}),
        ("admit", {**CLICK, "floor": "none"}),
        ("admit", {**CLICK, "scene": {"harmless": True}}),
        ("admit", {**CLICK, "arguments": []}),
        ("answer", {"question": 1}),
    ],
)
async def test_calls_that_make_no_sense_are_told_so(
    tmp_path: Path,
    method: str,
    params: dict[str, object],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    a_person_sits_here(monkeypatch)
    async with slated(tmp_path) as board, caller(board) as calls:
        with pytest.raises(BadRequest):
            await ask(calls, method, **params)


@pytest.mark.promise("audit-before-stroke")
async def test_r192_when_the_log_cannot_be_written_only_looking_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R192: the disk is full, and then it is not."""
    async with slated(tmp_path) as board, caller(board) as calls:
        await ask(calls, "admit", **LOOK)

        def full(_: bytes) -> None:
            raise Unavailable("audit", "nothing was done: the disk is full.")

        with monkeypatch.context() as patch:
            patch.setattr(board.service.records.log._segment, "write", full)
            await ask(calls, "admit", **LOOK)
            with pytest.raises(Unavailable) as caught:
                await ask(calls, "admit", **CLICK)
            assert caught.value.code == "unavailable.audit"
            assert "disk is full" in (await ask(calls, "status"))["audit"]["error"]
        await ask(calls, "admit", **CLICK)
        assert (await ask(calls, "status"))["audit"]["error"] == ""


@pytest.mark.promise("audit-before-stroke")
async def test_the_line_of_an_action_is_on_disk_before_its_grant_is_given(tmp_path: Path) -> None:
    async with slated(tmp_path) as board, caller(board) as calls:
        await ask(calls, "admit", **CLICK)
        assert board.service.records.log.synced
        assert [r["tool"] for r in logged(tmp_path, kind="call")] == ["desktop_click"]


async def test_a_question_survives_a_restart_and_its_number_is_not_used_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_person_sits_here(monkeypatch)
    async with slated(tmp_path) as board, caller(board) as agent, caller(board) as human:
        await ask(human, "attach")
        with pytest.raises(Refused):
            await ask(agent, "admit", **RISKY, wait_s=0)
        before = board.questions()
    async with slated(tmp_path) as board, caller(board) as agent, caller(board) as human:
        assert (await ask(human, "attach"))["open"] == before
        facts = {"question": before[0]["ref"], "digest": before[0]["digest"]}
        await ask(human, "answer", **facts, answer="once")
        assert (await ask(agent, "admit", **RISKY))["answered"] == "once"
        other = {**RISKY, "arguments": {"command": "rm -rf /srv/other"}}
        with pytest.raises(Refused):
            await ask(agent, "admit", **other, wait_s=0)
        assert [q["ref"] for q in board.questions()] == ["q2"]


async def test_r189_many_writers_at_once_leave_whole_lines_in_one_chain(tmp_path: Path) -> None:
    """R189: eight programs with long records at the same time."""
    async with slated(tmp_path) as board, AsyncExitStack() as stack:
        lines = [await stack.enter_async_context(caller(board)) for _ in range(8)]

        async def write(number: int) -> None:
            for n in range(50):
                long = {**CLICK, "arguments": {"name": f"{number}.{n}", "text": "x" * 16_000}}
                await ask(lines[number], "admit", **long)

        async with anyio.create_task_group() as tasks:
            for number in range(8):
                tasks.start_soon(write, number)
    found = {str(r["summary"])[9:].split('"')[0] for r in logged(tmp_path, kind="call")}
    assert found == {f"{number}.{n}" for number in range(8) for n in range(50)}
    assert judged(directories(tmp_path).audit, {}).sound


async def test_r179_a_hint_raises_and_never_lowers(tmp_path: Path) -> None:
    """R179: `delete_file` that calls itself read-only; a look that calls itself destructive."""
    async with slated(tmp_path) as board, caller(board) as calls:
        foreign = {"client": "mcp", "tool": "delete_file", "hints": {"readOnlyHint": True}}
        raised = {**LOOK, "hints": {"destructiveHint": True}}
        for wish in (foreign, raised):
            with pytest.raises(Refused) as caught:
                await ask(calls, "admit", **wish)
            assert caught.value.code == "refused.no_approver"


async def test_r172_what_is_shown_is_what_was_asked_and_nothing_else_can_use_the_yes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R172: words with spaces, globs and quotes; another spelling is another intent."""
    a_person_sits_here(monkeypatch)
    odd = {**RISKY, "arguments": {"command": "rm -rf 'a b' \"c*\" $HOME/x"}}
    other = {**RISKY, "arguments": {"command": "rm -rf a b c* $HOME/x"}}
    async with slated(tmp_path) as board, caller(board) as agent, caller(board) as human:
        await ask(human, "attach")
        with pytest.raises(Refused):
            await ask(agent, "admit", **odd, wait_s=0)
        (question,) = board.questions()
        assert ["as written", "rm -rf 'a b' \"c*\" $HOME/x"] in question["facts"]  # type: ignore[operator] # JSON
        facts = {"question": question["ref"], "digest": question["digest"]}
        await ask(human, "answer", **facts, answer="always")
        with pytest.raises(Refused):
            await ask(agent, "admit", **other, wait_s=0)
        assert (await ask(agent, "admit", **odd))["answered"] == "again"

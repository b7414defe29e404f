"""Marks around calls as slated takes them: through its doors, with what outlives a call, and with undo's own turn."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest

from slated import protection as protections
from slated.agents.door import Doors
from slated.approvals import Answer
from slated.audit.reader import Wanted as Filter
from slated.audit.reader import records
from slated.errors import Refused, Unavailable
from slated.policy.decide import ToolCall
from slated.protection import Protection
from slated.requests import Wanted
from slated.snapshots.timeline import Call
from slated.switchboard import Switchboard
from slated.tasks import Asker
from slated.wire.peer import started
from tests.fakes.conscience import CLICK, LOOK, RISKY, ask, caller, directories, slated

pytestmark = pytest.mark.anyio


class Bench:
    """A slated over a home, and who asks it."""

    def __init__(self, board: Switchboard, home: Path) -> None:
        self.board, self.home = board, home
        made = board.undo.protection
        assert isinstance(made, Protection)
        self.protection = made
        self.asker = Asker(os.getpid(), started(os.getpid()) or 0, "claude", "s")

    def wish(self, tool: str, **arguments: object) -> Wanted:
        call = ToolCall("claude", tool, arguments)
        return Wanted(call, str(self.home / "project"), self.asker, digest=str(arguments))

    def calls(self) -> list[Call]:
        with self.protection.undoable.using() as undo:
            return list(undo.timeline().calls)


@asynccontextmanager
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    async with slated(tmp_path) as board:
        work = tmp_path / "home/project"
        work.mkdir(exist_ok=True)
        (work / ".git").mkdir(exist_ok=True)
        yield Bench(board, tmp_path / "home")


def sleeping() -> subprocess.Popen[bytes]:
    return subprocess.Popen(["sleep", "60"])


def logged(tmp_path: Path) -> Mapping[str, Any]:
    (line,) = records(directories(tmp_path).audit, Filter(kind="call"))
    return line


async def test_a_call_has_a_mark_before_and_one_after_and_the_log_has_its_number(
    tmp_path: Path,
) -> None:
    async with bench(tmp_path) as made:
        path = str(made.home / "project/f")
        one = await made.board.service.admit(made.wish("Write", file_path=path, content="x"))
        (call,) = made.calls()
        assert (call.task, call.after, call.exact) == (one.task, None, True)
        assert call.targets == (path,)
        assert one.mark == str(call.before)
        await made.board.service.finish(one.serial, {"outcome": "done"})
        (call,) = made.calls()
        assert call.after is not None
        assert call.until == call.after
    line = logged(tmp_path)
    assert line["mark"] == one.mark
    assert line["undo"] == "covers all that it is known to change"


async def test_what_the_programs_own_prompt_asks_about_is_protected_before_it_is_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Doors, "_prompts", lambda self, session: True)
    async with bench(tmp_path) as made, caller(made.board) as calls:
        cwd = str(made.home / "project")
        given: dict[str, object] = {"session_id": "s", "cwd": cwd, "hook_event_name": "PreToolUse"}
        given |= {"tool_name": "Bash", "tool_input": {"command": "python3 -c pass"}}
        for use, end in (("u1", "PostToolUse"), ("u2", "Stop")):
            event = {**given, "tool_use_id": use}
            answer = await ask(calls, "hook", program="claude", event=event)
            assert answer["hookSpecificOutput"]["permissionDecision"] == "ask"
            assert made.calls()[-1].after is None
            await ask(calls, "hook", program="claude", event={**event, "hook_event_name": end})
            assert made.calls()[-1].after is not None
        assert [call.targets for call in made.calls()] == [(f"{cwd}/",)] * 2


async def test_marks_belong_to_the_prompt_that_is_on(tmp_path: Path) -> None:
    async with bench(tmp_path) as made, caller(made.board) as calls:
        event = {"session_id": "s", "cwd": str(made.home / "project")}

        async def hook(moment: str, **told: object) -> None:
            given = {**event, "hook_event_name": moment, **told}
            await ask(calls, "hook", program="claude", event=given)

        for number, prompt in enumerate(("p1", "p2", "p2", ""), 1):
            if prompt:
                await hook("UserPromptSubmit", prompt_id=prompt)
            tool = {"tool_name": "Bash", "tool_input": {"command": f"echo > f{number}"}}
            await hook("PreToolUse", tool_use_id=f"u{number}", prompt_id=prompt, **tool)
            await hook("PostToolUse", tool_use_id=f"u{number}", prompt_id=prompt, **tool)
        await hook("UserPromptSubmit")
        assert [call.prompt for call in made.calls()] == [1, 2, 2, 2]
        (told,) = (await ask(calls, "status"))["tasks"]
        assert told["prompt"] == 3


async def test_what_cannot_be_protected_any_more_is_not_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was covered when it was decided; by now the disk is full."""
    async with bench(tmp_path) as made:
        (made.home / "project/f").write_text("x")
        wish = made.wish("Bash", command="rm f")
        task, _ = made.board.service.tasks.of(made.asker, "/")
        decision = await made.board.service.judge.decide(wish)
        covered = await made.protection.covered(wish, task, decision)
        assert covered is not None
        with made.protection.undoable.using() as undo:
            for pictures in undo.roots.values():
                monkeypatch.setattr(pictures, "_limits", replace(pictures._limits, floor=1 << 62))  # type: ignore[attr-defined]  # copies
        with pytest.raises(Unavailable, match="cannot be protected"):
            await made.protection.before(wish, task, covered)
        assert not made.protection.at_work(task.id)
        assert all(call.after is not None for call in made.calls())


async def test_with_a_state_that_cannot_be_used_a_persons_yes_still_counts(tmp_path: Path) -> None:
    """They were told that it cannot be undone. What is not asked about is not done."""
    where = directories(tmp_path)
    where.undo.write_text("no directory")
    async with bench(tmp_path) as made, caller(made.board) as calls:
        with pytest.raises(Unavailable):
            await ask(calls, "admit", **CLICK)
        made.board.service.approvals.approvers += 1
        asking = {**RISKY, "cwd": str(made.home / "project")}
        async with anyio.create_task_group() as tasks:

            async def say_yes() -> None:
                while not made.board.questions():  # noqa: ASYNC110 - what opens it is under test
                    await anyio.sleep(0.01)
                (question,) = made.board.service.approvals.open()
                said.append(dict(question.facts)["undo"])
                await made.board.service.answer(question.ref, question.digest, Answer.ONCE, "p")

            said: list[str] = []
            tasks.start_soon(say_yes)
            told = await ask(calls, "admit", **asking)
        assert said[0].startswith("cannot be used: ")
        assert told["mark"] == ""


async def test_a_call_that_is_left_open_is_settled_when_its_task_is_quiet_or_over(
    tmp_path: Path,
) -> None:
    async with bench(tmp_path) as made:
        service = made.board.service
        one = await service.admit(made.wish("Bash", command="echo > a"))
        assert made.protection.at_work(one.task)
        await service.quiet(one.task)
        assert not made.protection.at_work(one.task)
        two = await service.admit(made.wish("Bash", command="echo > b"))
        await service.end_task(two.task)
        assert [call.after is None for call in made.calls()] == [False, False]


async def test_what_a_former_slated_left_open_is_settled_when_its_task_runs_no_more(
    tmp_path: Path,
) -> None:
    async with bench(tmp_path) as made:
        await made.board.service.admit(made.wish("Bash", command="echo > a"))
        gone = replace(made.asker, pid=4_000_000, started=7)
        await made.board.service.admit(replace(made.wish("Bash", command="echo > b"), asker=gone))
    async with bench(tmp_path) as made:
        with anyio.fail_after(5):
            while made.calls()[1].after is None:  # noqa: ASYNC110 - a start has no event to wait for
                await anyio.sleep(0.01)
        assert made.calls()[0].after is None


async def test_a_process_that_outlives_its_call_is_watched_until_it_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with bench(tmp_path) as made:
        one = await made.board.service.admit(made.wish("Bash", command="echo > a"))
        child = sleeping()
        try:
            await made.board.service.finish(one.serial, {"outcome": "done"})
            (call,) = made.calls()
            assert call.after is not None
            assert call.until is None
            await made.protection.at_rest("")
            await made.protection.tend()
            assert made.calls()[0].until is None
        finally:
            child.send_signal(signal.SIGKILL)
            child.wait()
        with anyio.fail_after(5):
            while made.calls()[0].until is None:
                await made.protection.tend()
                await anyio.sleep(0.01)


async def test_an_application_may_still_write_for_a_moment_after_a_desktop_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protections, "LATE_S", 0.5)
    async with bench(tmp_path) as made, caller(made.board) as calls:
        (made.home / "project/notes.txt").write_text("x")
        click = {
            **CLICK,
            "scene": {"app_id": "mousepad", "title": "~/project/notes.txt - Mousepad"},
        }
        told = await ask(calls, "admit", **click)
        await ask(calls, "finish", grant=told["grant"], outcome={"outcome": "yes"})
        (call,) = made.calls()
        assert str(made.home / "project/notes.txt") in call.targets
        assert call.after is None, "what it writes right now is the call's"
        assert not made.protection.at_work(told["task"])
        await made.protection.at_rest("another")
        assert made.calls()[0].after is None
        again = await ask(calls, "admit", **click)
        assert [one.after is None for one in made.calls()] == [False, True]
        assert made.calls()[0].until is None, "what it writes a moment later may be"
        await ask(calls, "finish", grant=again["grant"], outcome={"outcome": "yes"})
        with anyio.fail_after(10):
            while any(one.until is None for one in made.calls()):
                await made.protection.tend()
                await anyio.sleep(0.02)


async def test_each_step_of_a_batch_has_its_own_mark_and_looks_have_none(tmp_path: Path) -> None:
    async with bench(tmp_path) as made, caller(made.board) as calls:
        batch = {**CLICK, "tool": "desktop_batch", "arguments": {"steps": []}}
        whole = await ask(calls, "admit", **batch)
        assert whole["mark"] == ""
        marks = []
        for step in (CLICK, {**CLICK, "tool": "desktop_move"}, CLICK, LOOK):
            told = await ask(calls, "admit", **step, under=whole["grant"])
            marks.append(bool(told["mark"]))
            await ask(calls, "finish", grant=told["grant"], outcome={"outcome": "yes"})
        await ask(calls, "finish", grant=whole["grant"], outcome={"outcome": "yes"})
        assert marks == [True, False, True, False]
        assert len(made.calls()) == 2


async def test_files_that_a_portal_gave_the_application_are_protected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with bench(tmp_path) as made, caller(made.board) as calls:
        given = str(made.home / "project/given.txt")
        asked: list[str] = []

        async def portal(app: str) -> tuple[str, ...]:
            asked.append(app)
            return given, "/elsewhere/given.txt"

        made.protection._portal = portal
        sandboxes = {os.getpid(): "org.example.Editor"}
        monkeypatch.setattr(
            made.protection._documents, "sandbox", lambda pid: sandboxes.get(pid, "")
        )
        told = await ask(calls, "admit", **CLICK, window_pid=os.getpid())
        await ask(calls, "finish", grant=told["grant"], outcome={"outcome": "yes"})
        assert asked == ["org.example.Editor"]
        (call,) = made.calls()
        assert given in call.targets
        assert not any(path.startswith("/elsewhere") for path in call.targets)


async def test_a_call_of_whose_end_nobody_tells_lasts_until_its_task_does_something_else(
    tmp_path: Path,
) -> None:
    """A session without hooks, which asks by its permission tool alone."""
    async with bench(tmp_path) as made:
        cwd, write = str(made.home / "project"), {"file_path": f"{made.home}/project/f"}
        await made.board.doors.permit(made.asker, cwd, "Write", write, "u1")
        await made.protection.tend()
        (call,) = made.calls()
        assert call.after is None
        assert not made.protection.at_work(call.task)
        await made.board.doors.permit(made.asker, cwd, "Write", write, "u2")
        assert [one.after is None for one in made.calls()] == [False, True]
        await made.protection.at_rest(call.task)
        assert [one.after is None for one in made.calls()] == [False, False]


async def test_no_call_begins_while_its_task_is_undone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protections, "HELD_S", 0.2)
    async with bench(tmp_path) as made:
        service = made.board.service
        one = await service.admit(made.wish("Bash", command="echo > a"))
        await service.finish(one.serial, {"outcome": "done"})
        for held in (one.task, ""):
            async with made.protection.held(held):
                with pytest.raises(Refused) as caught:
                    await service.admit(made.wish("Bash", command="echo > b"))
            assert caught.value.code == "refused.undoing"
        async with made.protection.held("another"):
            two = await service.admit(made.wish("Bash", command="echo > b"))
        await service.finish(two.serial, {"outcome": "done"})


async def test_what_is_kept_no_longer_is_pruned_by_and_by(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with bench(tmp_path) as made:
        (made.home / "policy.toml").write_text("[undo]\nkeep_tasks = 1\nfree_megabytes = 0\n")
        for session in ("one", "two"):
            asker = replace(made.asker, session=session)
            wish = replace(made.wish("Bash", command="echo > a"), asker=asker)
            one = await made.board.service.admit(wish)
            await made.board.service.finish(one.serial, {"outcome": "done"})
        assert len(made.calls()) == 2
        monkeypatch.setattr(protections, "PRUNE_S", 0.0)
        await made.protection.tend()
        assert [call.task for call in made.calls()] == [one.task]

"""The second door: events of hooks become wishes, answers and records; sessions say how far they are guarded."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio
import pytest

from slated import person
from slated.agents import claude_settings, door, edits
from slated.agents.claude_settings import Place
from slated.agents.own import Own
from slated.audit.reader import Wanted, records
from slated.errors import BadRequest, Refused
from slated.switchboard import Switchboard
from slated.tasks import Asker
from slated.wire.calls import Calls
from tests.fakes.conscience import a_person_sits_here, ask, asked, caller, directories, slated

pytestmark = pytest.mark.anyio
RISKY = "rm -rf /srv/data"


def logged(tmp_path: Path, **wanted: str) -> list[dict[str, object]]:
    return list(records(directories(tmp_path).audit, Wanted(**wanted)))


def event(tmp_path: Path, moment: str = "PreToolUse", **told: object) -> dict[str, object]:
    made: dict[str, object] = {
        "session_id": "s1",
        "transcript_path": f"{tmp_path}/home/.claude/projects/-w/s1.jsonl",
        "cwd": str(tmp_path),
        "hook_event_name": moment,
    }
    return {**made, **told}


def bash(command: str, use: str = "toolu_1") -> dict[str, Any]:
    return {"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": use}


async def hook(calls: Calls, given: Mapping[str, object], program: str = "claude") -> Any:
    return await ask(calls, "hook", program=program, event=given)


def decision(answer: Any) -> tuple[str, str]:
    told = answer["hookSpecificOutput"]
    return told["permissionDecision"], told["permissionDecisionReason"]


async def mode(calls: Calls) -> tuple[str, str]:
    task = (await ask(calls, "status"))["tasks"][-1]
    return task["mode"], task["why"]


def install(tmp_path: Path) -> Place:
    place = Place(tmp_path / "home/.claude", tmp_path)
    mine = Own(sys.executable, f"{tmp_path}/run/slated.sock")
    edits.apply(claude_settings.installed(place, mine))
    return place


async def test_what_observes_runs_unasked_and_its_outcome_is_logged(tmp_path: Path) -> None:
    async with slated(tmp_path) as board, caller(board) as calls:
        answer = await hook(calls, event(tmp_path, **bash("ls")))
        assert decision(answer)[0] == "allow"
        assert await hook(calls, event(tmp_path, "PostToolUse", **bash("ls"))) is None
        await hook(calls, event(tmp_path, **bash("ls", "2")))
        await hook(calls, event(tmp_path, "PostToolUseFailure", **bash("ls", "2")))
        await hook(calls, event(tmp_path, **bash("ls", "3")))
        await hook(calls, event(tmp_path, "Stop"))
    outcomes = [r["outcome"] for r in logged(tmp_path, kind="outcome")]
    assert outcomes == ["done", "failed", "unknown"]
    assert [r["use"] for r in logged(tmp_path, kind="call")] == ["toolu_1", "2", "3"]


@pytest.mark.parametrize(("said", "verdict"), [("once", "allow"), ("deny", "deny")])
async def test_what_needs_a_yes_waits_for_a_person(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, verdict: str
) -> None:
    a_person_sits_here(monkeypatch)
    got: list[Any] = []
    async with slated(tmp_path) as board, caller(board) as calls, caller(board) as human:
        await ask(human, "attach")

        async def wish() -> None:
            got.append(await hook(calls, event(tmp_path, **bash(RISKY))))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(wish)
            question = await asked(board)
            facts = {"question": question["ref"], "digest": question["digest"]}
            await ask(human, "answer", **facts, answer=said)
    assert decision(got[0])[0] == verdict


async def test_an_unanswered_question_is_a_no_that_says_how_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_person_sits_here(monkeypatch)
    async with slated(tmp_path) as board, caller(board) as calls, caller(board) as human:
        await ask(human, "attach")
        board.doors.wait_s = 0
        verdict, reason = decision(await hook(calls, event(tmp_path, **bash(RISKY))))
        assert verdict == "deny"
        assert "q1" in reason
        assert "same call again" in reason


async def test_with_nobody_to_ask_it_is_a_no(tmp_path: Path) -> None:
    async with slated(tmp_path) as board, caller(board) as calls:
        verdict, reason = decision(await hook(calls, event(tmp_path, **bash(RISKY))))
    assert verdict == "deny"
    assert "slate approvals" in reason


async def test_a_person_at_the_programs_own_prompt_is_asked_there_and_it_is_logged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door.Doors, "_prompts", lambda self, session: True)
    async with slated(tmp_path) as board, caller(board) as calls:
        assert decision(await hook(calls, event(tmp_path, **bash(RISKY))))[0] == "ask"
        due = event(tmp_path, "PermissionRequest", **{**bash(RISKY), "tool_use_id": ""})
        assert await hook(calls, due) is None
        await hook(calls, event(tmp_path, "PostToolUse", **bash(RISKY)))
    (answer,) = logged(tmp_path, kind="answer")
    assert (answer["by"], answer["use"]) == ("the prompt of claude", "toolu_1")


@pytest.mark.parametrize(
    ("words", "person_there", "prompts"),
    [
        (("claude",), True, True),
        (("claude", "-p"), True, False),
        (("claude", "--permission-prompt-tool=x"), True, False),
        (("claude",), False, False),
    ],
)
async def test_a_prompt_counts_where_a_person_started_the_program_and_sits_at_it(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    person_there: bool,
    prompts: bool,
) -> None:
    terminal, name = 1 if person_there else 0, "/usr/bin/foot"
    chain = [
        person.Process(9, 8, "claude", 1, terminal, 0, True, "/x/claude", words, ("CLAUDECODE=1",)),
        person.Process(8, 7, "bash", 1, terminal, 0, False, "/usr/bin/bash", ("bash",)),
        person.Process(7, 1, "foot", 1, 0, 0, False, name, ("foot",)),
    ]
    async with slated(tmp_path) as board:
        session = door.Session("t1", door.ADAPTERS["claude"], None, chain)
        assert board.doors._prompts(session) is prompts


async def test_codex_is_told_no_and_a_yes_by_silence(tmp_path: Path) -> None:
    async with slated(tmp_path) as board, caller(board) as calls:
        assert await hook(calls, event(tmp_path, **bash("ls")), "codex") is None
        due = event(tmp_path, "PermissionRequest", **{**bash("ls"), "tool_use_id": ""})
        told = await hook(calls, due, "codex")
        assert told["hookSpecificOutput"]["decision"] == {"behavior": "allow"}
        assert decision(await hook(calls, event(tmp_path, **bash(RISKY)), "codex"))[0] == "deny"
        assert (await mode(calls))[0] == "advisory"


async def test_a_prompt_that_no_hook_announced_is_decided_on_its_own(tmp_path: Path) -> None:
    async with slated(tmp_path) as board, caller(board) as calls:
        due = event(tmp_path, "PermissionRequest", **{**bash(RISKY), "tool_use_id": ""})
        told = await hook(calls, due)
        assert told["hookSpecificOutput"]["decision"]["behavior"] == "deny"


async def test_a_tool_of_our_own_server_is_left_to_it_and_a_namesake_is_not(tmp_path: Path) -> None:
    tool: dict[str, Any] = {
        "tool_name": "mcp__slate-desktop__desktop_click",
        "tool_input": {},
        "tool_use_id": "u",
    }
    user: dict[str, Any] = {"mcp_server": {"name": "slate-desktop", "source": "user"}}
    planted: dict[str, Any] = {"mcp_server": {"name": "slate-desktop", "source": "project"}}
    install(tmp_path)
    async with slated(tmp_path) as board, caller(board) as calls:
        assert decision(await hook(calls, event(tmp_path, **tool, **user)))[0] == "allow"
        assert decision(await hook(calls, event(tmp_path, **tool, **planted)))[0] == "deny"
    assert [r["verdict"] for r in logged(tmp_path, kind="call")] == ["deny"]


async def test_a_yes_at_the_hook_counts_for_the_same_call_of_a_server_that_asks_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hook and call meet by the tool-use id: the same tool, the same arguments, once."""
    a_person_sits_here(monkeypatch)
    hooked: dict[str, Any] = {
        "tool_name": "mcp__slate__forget",
        "tool_input": {"ids": [1]},
        "tool_use_id": "toolu_9",
        "mcp_server": {"name": "slate", "source": "project"},
    }
    call = {"client": "slate", "tool": "forget", "ours": True, "wait_s": 0, "floor": "confirm"}
    async with slated(tmp_path) as board, caller(board) as calls, caller(board) as human:
        await ask(human, "attach")

        async def yes() -> None:
            question = await asked(board)
            facts = {"question": question["ref"], "digest": question["digest"]}
            await ask(human, "answer", **facts, answer="once")

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(yes)
            assert decision(await hook(calls, event(tmp_path, **hooked)))[0] == "allow"
        for other in ({"ids": [2]}, {"ids": [1], "more": 1}):
            with pytest.raises(Refused):
                await ask(calls, "admit", **call, arguments=other, use="toolu_9")
        with pytest.raises(Refused):
            await ask(calls, "admit", **call, arguments={"ids": [1]}, use="toolu_8")
        seen = {**call, "arguments": {"ids": [1]}, "scene": {"app_id": "x"}}
        with pytest.raises(Refused):
            await ask(calls, "admit", **seen, use="toolu_9")
        got = await ask(calls, "admit", **call, arguments={"ids": [1]}, use="toolu_9")
        assert got["answered"].startswith("hook of line ")
        with pytest.raises(Refused):
            await ask(calls, "admit", **call, arguments={"ids": [1]}, use="toolu_9")


async def test_a_session_is_guarded_until_its_settings_say_otherwise(tmp_path: Path) -> None:
    install(tmp_path)
    async with slated(tmp_path) as board, caller(board) as calls:
        await hook(calls, event(tmp_path, "SessionStart"))
        assert await mode(calls) == ("guarded", "")
        planted = tmp_path / ".claude/settings.json"
        planted.parent.mkdir()
        planted.write_text(json.dumps({"disableAllHooks": True}))
        with anyio.fail_after(5):
            while (await mode(calls))[0] == "guarded":  # noqa: ASYNC110 - a file has no event
                await anyio.sleep(0.05)
        assert "switches all hooks off" in (await mode(calls))[1]
        planted.unlink()
        await hook(calls, event(tmp_path, "UserPromptSubmit", prompt_id="p"))
        assert await mode(calls) == ("guarded", "")
    modes = [r["mode"] for r in logged(tmp_path, kind="task")]
    assert modes[-3:] == ["guarded", "advisory", "guarded"]
    assert [r["prompt"] for r in logged(tmp_path, kind="prompt")] == ["p"]


async def test_after_a_restart_a_session_is_not_guarded_until_its_hook_is_heard(
    tmp_path: Path,
) -> None:
    install(tmp_path)
    async with slated(tmp_path) as board, caller(board) as calls:
        await hook(calls, event(tmp_path, "SessionStart"))
    async with slated(tmp_path) as board, caller(board) as calls:
        await settled(board)
        assert (await mode(calls))[0] == "advisory"
        await hook(calls, event(tmp_path, "UserPromptSubmit"))
        assert await mode(calls) == ("guarded", "")


async def settled(board: Switchboard) -> None:
    with anyio.fail_after(5):
        tasks = board.service.tasks
        while any(task.mode == "guarded" for task in tasks.open()):  # noqa: ASYNC110 - nor has a task
            await anyio.sleep(0.01)


async def test_a_permission_tool_is_not_asked_about_what_the_hook_let_through(
    tmp_path: Path,
) -> None:
    async with slated(tmp_path) as board, caller(board) as calls:
        await hook(calls, event(tmp_path, **bash("ls")))
        (task,) = board.service.tasks.open()
        asker = task.asker
        await board.doors.permit(asker, str(tmp_path), "Bash", {"command": "ls"}, "toolu_1")
        await board.doors.permit(asker, str(tmp_path), "Bash", {"command": "ls"}, "toolu_2")
    assert [r["use"] for r in logged(tmp_path, kind="call")] == ["toolu_1", "toolu_2"]


async def test_an_agent_program_that_only_connected_is_advisory(tmp_path: Path) -> None:
    async with slated(tmp_path) as board, caller(board) as calls:
        await board.doors.connected(Asker(1, 1, "claude", "s"), "/w")
        assert (await mode(calls))[0] == "advisory"
        await board.doors.connected(Asker(2, 1, "something", ""), "/w")
        assert (await mode(calls))[0] == "enforced"


@pytest.mark.parametrize(
    ("program", "given"), [("gemini", {"hook_event_name": "x"}), ("claude", {})]
)
async def test_what_is_no_event_is_refused(
    tmp_path: Path, program: str, given: dict[str, object]
) -> None:
    async with slated(tmp_path) as board, caller(board) as calls:
        with pytest.raises(BadRequest):
            await hook(calls, given, program)

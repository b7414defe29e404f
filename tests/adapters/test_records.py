"""What of a wish is written down: the fields of a line, and what must not be in one."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from slated.approvals import Answer, Approvals, Wish
from slated.audit.anchors import Anchors, SideFile
from slated.audit.log import opened
from slated.audit.reader import Wanted as Filter
from slated.audit.reader import records
from slated.audit.scribe import Scribe
from slated.errors import Refused, Unavailable
from slated.model import Tier
from slated.policy.decide import Decision, ToolCall
from slated.policy.gui import Scene
from slated.records import Records
from slated.requests import Wanted
from slated.tasks import Asker, Task

pytestmark = pytest.mark.anyio
ASKER = Asker(5, 6, "claude", "s1")
TASK = Task("t1", ASKER, "/srv", "now")
WANTED = Wanted(
    ToolCall("claude", "Bash", {"command": "ls"}), "/srv", ASKER, digest="d1", use="u1", seen="h1"
)
QUIET = Decision(Tier.OBSERVE, "program.reads", "it only reads")
STRICT = Decision(Tier.CONFIRM, "reach.outside", "it is outside", ignored=("trusted",))
SECRET = "ghp_" + "a1B2c3D4e5" * 4


@asynccontextmanager
async def written(tmp_path: Path) -> AsyncIterator[Records]:
    async with opened(tmp_path / "audit") as log:
        yield Records(log, Scribe(b"k" * 32), Anchors(SideFile(tmp_path / "audit")))


def lines(tmp_path: Path, kind: str) -> list[dict[str, Any]]:
    return list(records(tmp_path / "audit", Filter(kind=kind)))


async def test_a_call_says_who_what_which_tier_and_why(tmp_path: Path) -> None:
    async with written(tmp_path) as out:
        number = await out.call(WANTED, TASK, STRICT, "once q1 (approvals 7)", {"mark": "m3"})
    (line,) = lines(tmp_path, "call")
    said = {k: v for k, v in line.items() if k not in ("t", "prev")}
    assert said == {
        "n": number,
        "kind": "call",
        "task": "t1",
        "program": "claude",
        "session": "s1",
        "tool": "Bash",
        "tier": "confirm",
        "verdict": "allow",
        "rule": "reach.outside",
        "intent": "d1",
        "summary": '{"command":"ls"}',
        "use": "u1",
        "seen": "h1",
        "reason": "it is outside",
        "ignored": ["trusted"],
        "answered": "once q1 (approvals 7)",
        "mark": "m3",
    }
    told = SideFile(tmp_path / "audit").read()
    assert told is not None
    assert told[-1].head.count == number


@pytest.mark.promise("no-secret-stored")
async def test_no_secret_gets_into_any_line(tmp_path: Path) -> None:
    command = f"curl -H 'Authorization: Bearer {SECRET}' x"
    call = ToolCall("claude", "Bash", {"command": command})
    refusal = Refused("denied", "no")
    approvals = Approvals(clock=lambda: 0.0, first=1, changed=lambda: None)
    approvals.approvers = 1
    wish = Wish("d", "t1", (5, 6), "Bash", "r", "why", [("command", command)], [command])
    async with written(tmp_path) as out:
        await out.call(replace(WANTED, call=call), TASK, replace(STRICT, reason=command), "", {})
        await out.refused(
            replace(WANTED, call=call), TASK, replace(STRICT, reason=command), refusal
        )
        await out.outcome(3, "t1", "Bash", {"outcome": "yes", "because": command})
        await out.question(approvals.ask(wish))
        await out.task("task", replace(TASK, cwd=f"/srv/{SECRET}"))
        await out.turned_away("answer", 5, command)
    text = (tmp_path / "audit/000000000001.jsonl").read_text(encoding="utf-8")
    assert SECRET not in text
    assert text.count("withheld") >= 6


@pytest.mark.promise("no-secret-stored")
async def test_what_is_typed_into_a_password_field_is_not_kept(tmp_path: Path) -> None:
    scene = Scene(password=True)
    call = ToolCall("desktop", "desktop_type", {"text": "hunter2"}, ours=True, scene=scene)
    async with written(tmp_path) as out:
        await out.call(replace(WANTED, call=call), TASK, STRICT, "", {})
    assert "hunter2" not in (tmp_path / "audit/000000000001.jsonl").read_text(encoding="utf-8")


async def test_without_a_disk_only_looks_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: object) -> int:
        raise Unavailable("audit", "the disk is full")

    async with written(tmp_path) as out:
        monkeypatch.setattr(out.log, "append", full)
        assert await out.call(WANTED, TASK, QUIET, "", {}) == 0
        assert out.error == "the disk is full"
        for tier in (Tier.REVERSIBLE, Tier.CONFIRM):
            with pytest.raises(Unavailable):
                await out.call(WANTED, TASK, replace(QUIET, tier=tier), "", {})
        await out.refused(WANTED, TASK, STRICT, Refused("denied", "no"))
        await out.outcome(1, "t1", "x", {})
        await out.task("task", TASK)


async def test_answers_events_and_tasks_have_lines(tmp_path: Path) -> None:
    approvals = Approvals(clock=lambda: 0.0, first=4, changed=lambda: None)
    approvals.approvers = 1
    question = approvals.ask(Wish("d", "t1", (5, 6), "Bash", "r", "why", [("a", "b")], []))
    async with written(tmp_path) as out:
        await out.question(question)
        await out.answer(question, Answer.DENY, "approvals 7")
        await out.event("auto", task="t1", on=True)
        await out.task("task_end", TASK)
        await out.anchor()
    (asked,) = lines(tmp_path, "question")
    (answered,) = lines(tmp_path, "answer")
    assert (asked["question"], asked["facts"]) == ("q4", ["a: b"])
    assert (answered["question"], answered["answer"], answered["by"]) == (
        "q4",
        "deny",
        "approvals 7",
    )
    assert lines(tmp_path, "auto")[0]["on"] is True
    assert lines(tmp_path, "task_end")[0]["task"] == "t1"

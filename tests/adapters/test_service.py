"""The path of a wish: protection before leave, refusals recorded, grants used once."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

import pytest

from slated.audit.reader import Wanted as Filter
from slated.audit.reader import records
from slated.errors import Refused, Unavailable
from slated.extent import Extent
from slated.model import Tier
from slated.policy.decide import Decision
from slated.protection import Covered, Shelter
from slated.redact import mask
from slated.requests import Wanted, wanted
from slated.service import Service
from slated.tasks import Asker, Task
from slated.wire.peer import started
from tests.fakes.conscience import CLICK, LOOK, RISKY, directories, slated

pytestmark = pytest.mark.anyio


class Copies:
    """A protection that notes what it was asked to protect, or cannot."""

    def __init__(self, *, broken: bool = False) -> None:
        self.seen: list[str] = []
        self.over: list[int] = []
        self.broken = broken

    async def covered(self, wanted: Wanted, task: Task, decision: Decision) -> Covered | None:
        return Covered(Extent(), "covers all of it", usable=not self.broken)

    async def before(self, wanted: Wanted, task: Task, covered: Covered) -> Shelter:
        if self.broken:
            raise Unavailable("undo", "nothing was done: there is no room for a copy.")
        self.seen.append(wanted.call.name)
        return Shelter(task.id, "c", len(self.seen), (1, 1), 0, desktop=True)

    async def after(self, shelter: Shelter, besides: Collection[int] = ()) -> None:
        self.over.append(shelter.mark)

    def unheard(self, shelter: Shelter) -> None:
        """It is told in no test here."""

    async def quiet(self, task: str) -> None:
        """It is told in no test here."""

    async def ended(self, task: str) -> None:
        """It is told in no test here."""


def wish(of: object) -> Wanted:
    assert isinstance(of, dict)
    return replace(wanted(of), asker=Asker(os.getpid(), started(os.getpid()) or 0, "claude", "s"))


def with_copies(service: Service, copies: Copies) -> Service:
    return Service(
        service.judge, service.approvals, service.tasks, service.records, protection=copies
    )


async def test_what_changes_something_is_protected_first_and_a_look_is_not(tmp_path: Path) -> None:
    copies = Copies()
    async with slated(tmp_path) as board:
        service = with_copies(board.service, copies)
        look = await service.admit(wish(LOOK))
        click = await service.admit(wish(CLICK))
        assert copies.seen == ["desktop_click"]
        assert (look.mark, click.mark) == ("", "1")
        busy = [service.busy]
        await service.abandon([look.serial, click.serial])
        busy.append(service.busy)
        assert busy == [True, False]
        assert copies.over == [1]
    marks = [r.get("mark") for r in records(directories(tmp_path).audit, Filter(kind="call"))]
    assert marks == [None, "1"]


async def test_what_cannot_be_protected_is_not_done(tmp_path: Path) -> None:
    async with slated(tmp_path) as board:
        service = with_copies(board.service, Copies(broken=True))
        with pytest.raises(Unavailable):
            await service.admit(wish(CLICK))
    (line,) = records(directories(tmp_path).audit, Filter(kind="call"))
    assert (line["verdict"], line["code"]) == ("deny", "unavailable.undo")


async def test_each_admission_says_what_it_is_for_and_is_used_once(tmp_path: Path) -> None:
    async with slated(tmp_path) as board:
        one = await board.service.admit(wish(CLICK))
        two = await board.service.admit(wish(CLICK))
        assert one.serial != two.serial
        assert one.told() == {
            "grant": one.serial,
            "task": one.task,
            "tier": Tier.REVERSIBLE.word,
            "digest": wish(CLICK).digest,
            "rule": one.rule,
            "reason": one.reason,
            "answered": "",
            "mark": "1",
        }
        assert await board.service.finish(one.serial, {"outcome": "yes"})
        assert not await board.service.finish(one.serial, {"outcome": "yes"})


async def test_the_end_of_a_task_is_in_the_log_once(tmp_path: Path) -> None:
    async with slated(tmp_path) as board:
        made = await board.service.admit(wish(CLICK))
        await board.service.end_task(made.task)
        await board.service.end_task(made.task)
        await board.service.end_task("t0")
    ends = list(records(directories(tmp_path).audit, Filter(kind="task_end")))
    assert [end["task"] for end in ends] == [made.task]


@pytest.mark.promise("no-self-answer")
async def test_a_window_of_ours_is_never_a_target_and_nobody_is_asked(tmp_path: Path) -> None:
    async with slated(tmp_path) as board:
        board.service.approvals.approvers = 1
        for tool in ("desktop_click", "desktop_type", "desktop_element_click", "desktop_close"):
            ours = {**CLICK, "tool": tool, "scene": {"app_id": "foot", "ours": True}}
            with pytest.raises(Refused) as caught:
                await board.service.admit(wish(ours))
            assert caught.value.code == "refused.our_window"
        looked = {**LOOK, "scene": {"app_id": "foot", "ours": True}}
        await board.service.admit(wish(looked))
        assert board.questions() == []


@pytest.mark.promise("no-self-answer")
async def test_while_a_question_is_open_the_screen_is_not_pointed_at(tmp_path: Path) -> None:
    async with slated(tmp_path) as board:
        board.service.approvals.approvers = 1
        with pytest.raises(Refused):
            await board.service.admit(wish({**RISKY, "wait_s": 0}))
        with pytest.raises(Refused) as caught:
            await board.service.admit(wish(CLICK))
        assert caught.value.code == "refused.question_open"
        await board.service.admit(wish({**CLICK, "scene": {"app_id": "mousepad"}}))
        await board.service.admit(wish({**CLICK, "attended": False}))


CONFIG = "host: db\nport: 80\npassword: {}\n"


@pytest.mark.parametrize(
    ("client", "tool", "arguments"),
    [
        (
            "claude",
            "Write",
            {"file_path": "/srv/app.yaml", "content": CONFIG.format(mask("secret"))},
        ),
        (
            "claude",
            "Edit",
            {
                "file_path": "/srv/app.yaml",
                "old_string": "80",
                "new_string": f"81 {mask('secret')}",
            },
        ),
        ("claude", "MultiEdit", {"file_path": "/srv/a", "edits": [{"new_string": mask("secret")}]}),
        ("claude", "Bash", {"command": f"echo 'password: {mask('secret')}' > /srv/app.yaml"}),
        ("codex", "apply_patch", {"input": f"*** Update File: a\n+{mask('secret')}"}),
        ("desktop", "desktop_type", {"target": "e1", "text": mask("secret")}),
    ],
)
async def test_r244_a_mask_is_never_written_over_the_secret_it_stands_for(
    tmp_path: Path, client: str, tool: str, arguments: dict[str, object]
) -> None:
    """Nor is anybody asked, since a person would not see which secret is lost."""
    call = {"client": client, "tool": tool, "arguments": arguments, "cwd": "/srv"}
    async with slated(tmp_path) as board:
        board.service.approvals.approvers = 1
        with pytest.raises(Refused) as caught:
            await board.service.admit(wish({**call, "ours": client == "desktop"}))
        assert caught.value.code == "refused.mask"
        assert board.questions() == []


async def test_a_mask_may_be_looked_for_written_about_and_taken_out(tmp_path: Path) -> None:
    said = mask("secret")
    edit = {"file_path": "/srv/a", "old_string": f"x {said}", "new_string": "x"}
    async with slated(tmp_path) as board:
        for client, tool, arguments in (
            ("claude", "Bash", {"command": f"grep -r '{said}' ."}),
            (
                "slate",
                "slate.writeSeed",
                {"externalSessionId": "a", "text": f"the log says {said}"},
            ),
        ):
            call = {"client": client, "tool": tool, "arguments": arguments, "cwd": "/srv"}
            await board.service.admit(wish({**call, "ours": client == "slate"}))
        with pytest.raises(Refused) as caught:
            await board.service.admit(wish({"client": "claude", "tool": "Edit", "arguments": edit}))
        assert caught.value.code == "refused.no_approver"

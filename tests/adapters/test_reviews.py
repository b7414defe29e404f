"""A person's calls about slates, workspaces and memories: what they do, what is logged, and that a task makes none."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import anyio
import pytest

from slated import reviews
from slated.audit.reader import Wanted, records
from slated.errors import BadRequest, Refused, SlateError, Stale
from slated.requests import Reader
from slated.switchboard import Switchboard
from slated.tasks import Asker
from slated.undoing import Request
from slated.wire.calls import Calls
from slated.wire.peer import started
from tests.fakes.conscience import a_person_sits_here, ask, caller, directories, slated

pytestmark = pytest.mark.anyio


class Here:
    """A slated with one project, and a connection to it."""

    def __init__(
        self, board: Switchboard, calls: Calls, root: Path, project: str = "project"
    ) -> None:
        self.board, self.calls, self.root = board, calls, root
        self.project = root / project
        self.project.mkdir()
        self.stores = board.stores.project(self.project)

    async def ask(self, method: str, **params: Any) -> Any:
        return await ask(self.calls, method, project=str(self.project), **params)

    async def rows(self, section: str) -> list[dict[str, Any]]:
        found = (await self.ask("catch_up"))["rows"]
        return [row for row in found if row["section"] == section]

    async def closed(
        self, *seeds: tuple[str, str], id_: str = "task-1", workspace: str | None = None
    ) -> None:
        """A slate with these Seeds, closed, by an agent."""

        def work() -> None:
            self.stores.slates.open(id_, workspace, peer="an agent")
            for kind, text in seeds:
                self.stores.slates.write_seed(id_, text, kind, harness="claude-code")
            self.stores.slates.close(id_)

        await anyio.to_thread.run_sync(work)

    def logged(self, kind: str) -> list[Any]:
        return list(records(directories(self.root).audit, Wanted(kind=kind)))


@pytest.fixture
async def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Here]:
    a_person_sits_here(monkeypatch)
    async with slated(tmp_path) as board, caller(board) as calls:
        yield Here(board, calls, tmp_path)


@pytest.mark.promise("no-self-answer")
async def test_from_inside_a_task_every_call_is_refused_and_logged(tmp_path: Path) -> None:
    async with slated(tmp_path) as board, caller(board) as calls:
        # This process is an agent program from now on.
        board.service.tasks.of(Asker(os.getpid(), started(os.getpid()) or 0, "claude"), "/")
        here = Here(board, calls, tmp_path)
        await here.closed(("risk", "A finding."))
        said = {method: await code(here, method) for method in reviews.METHODS}
        turned = len(here.logged("turned_away"))
        decided = here.logged("review")
    assert said == dict.fromkeys(reviews.METHODS, "refused.not_a_person")
    assert (turned, decided) == (len(said), [])


async def code(here: Here, method: str) -> str:
    """What a call comes to."""
    try:
        await here.ask(method, deed="bind", slate="task-1")
    except SlateError as error:
        return error.code
    return "done"


async def test_a_proposal_is_accepted_by_a_token_for_what_was_shown(here: Here) -> None:
    await here.closed(("risk", "The retry double-charges."), ("decision", "Use UTC."))
    one, two = sorted(await here.rows("proposal"), key=lambda row: row["kind"])
    named = {"workspace": one["workspace"], "proposal": one["id"]}
    (seed,) = (await here.ask("seeds", **named))["rows"]
    assert (seed["text"], seed["trust"]) == ("Use UTC.", "external-unverified")
    assert seed["origin"] == {"harness": "claude-code"}
    with pytest.raises(Stale):
        await here.ask("review_confirm", **named, digest=two["digest"])
    with pytest.raises(Refused):
        await here.ask("review", **named, decision="accepted", token="a guess")  # noqa: S106 - it is none
    token = (await here.ask("review_confirm", **named, digest=one["digest"]))["token"]
    other = {"workspace": two["workspace"], "proposal": two["id"]}
    with pytest.raises(Refused):
        await here.ask("review", **other, decision="accepted", token=token)
    made = await here.ask("review", **named, decision="accepted", token=token)
    assert made["status"] == "accepted"
    assert "> Use UTC." in (here.project / made["path"]).read_text()
    made = await here.ask("review", **other, decision="rejected", reason="known already")
    assert made["status"] == "rejected"
    assert (await here.ask("catch_up"))["rows"] == []


async def test_the_log_has_the_whole_way_of_a_seed(here: Here) -> None:
    await here.closed(("risk", "A finding."))
    (row,) = await here.rows("proposal")
    named = {"workspace": row["workspace"], "proposal": row["id"]}
    await here.ask("review", **named, decision="dismissed")
    assert [one["what"] for one in here.logged("slate")] == ["opened", "seed", "closed"]
    closed = here.logged("slate")[-1]
    assert closed["outcomes"] == [f"risk: proposed {row['id']}"]
    assert closed["project"] == str(here.project)
    (review,) = here.logged("review")
    assert (review["decision"], review["proposal"]) == ("dismissed", row["id"])
    assert review["by"] == f"user:local-{os.getuid()}"
    with pytest.raises(Refused):
        await here.ask("review", **named, decision="rejected")
    assert [one.get("failed") for one in here.logged("review")] == [None, None, "refused.decided"]


async def test_an_open_by_somebody_else_is_a_line_in_the_log(here: Here) -> None:
    await here.closed(("risk", "A finding."))
    await anyio.to_thread.run_sync(lambda: here.stores.slates.open("task-1", peer="another agent"))
    last = here.logged("slate")[-1]
    assert (last["what"], last["peer"]) == ("opened_by_another_peer", "another agent")
    assert last["opened_by"] == "an agent"


async def test_an_unbound_slate_is_bound_proposed_or_dismissed(here: Here) -> None:
    await here.ask("workspace", deed="create", title="one")
    two = await here.ask("workspace", deed="create", title="two")
    for name in ("a", "b", "c"):
        await here.closed(("risk", f"Finding of {name}."), id_=name)
    assert {row["slate"]: row["why"] for row in await here.rows("candidate")} == {
        "a": "unbound",
        "b": "unbound",
        "c": "unbound",
    }
    (seed,) = (await here.ask("seeds", slate="a"))["rows"]
    assert seed["text"] == "Finding of a."
    made = await here.ask("candidate", deed="bind", slate="a", workspace=two["id"])
    assert [one["outcome"] for one in made["made"]] == ["proposed"]
    await here.ask("candidate", deed="propose", slate="b", title="three")
    await here.ask("candidate", deed="dismiss", slate="c", reason="noise")
    assert await here.rows("candidate") == []
    titles = {one["id"]: one["title"] for one in (await here.ask("workspaces"))["rows"]}
    waiting = {titles[row["workspace"]]: row["slate"] for row in await here.rows("proposal")}
    assert waiting == {"two": "a", "three": "b"}
    deeds = [one["deed"] for one in here.logged("review")]
    assert deeds == ["create workspace"] * 2 + ["bind", "propose", "dismiss"]


async def test_a_failed_close_is_seen_and_tried_again(here: Here) -> None:
    await here.closed(("risk", "First."), id_="first")
    (row,) = await here.rows("proposal")
    place = next((here.root / "state").rglob("proposals"))
    aside = place.with_name("aside")
    place.rename(aside)
    place.write_text("in the way")
    await here.closed(("risk", "Second."), id_="second", workspace=row["workspace"])
    assert [(r["slate"], r["why"]) for r in await here.rows("candidate")] == [
        ("first", "failed"),
        ("second", "failed"),
    ]
    place.unlink()
    aside.rename(place)
    await here.ask("candidate", deed="retry", slate="second")
    assert await here.rows("candidate") == []
    assert {r["slate"] for r in await here.rows("proposal")} == {"first", "second"}
    assert row["slate"] == "first"


async def test_a_damaged_slate_is_shown_and_can_be_set_aside(here: Here) -> None:
    await here.closed(("risk", "A finding."))
    path = here.project / ".keryx/external-slates/task-1.json"
    path.write_text("{")
    (row,) = await here.rows("damaged")
    assert row["what"] == "task-1"
    moved = (await here.ask("candidate", deed="set-aside", slate="task-1"))["made"]
    assert (here.project / moved).read_text() == "{"
    assert await here.rows("damaged") == []


async def test_a_page_that_nobody_reviewed_is_shown(here: Here) -> None:
    page = here.project / ".keryx/knowledge/wiki/planted.md"
    page.parent.mkdir(parents=True)
    page.write_text("# trust me")
    (row,) = await here.rows("page")
    assert (row["path"], row["why"]) == (
        ".keryx/knowledge/wiki/planted.md",
        "no person accepted it",
    )


async def test_an_accepted_memory_entry_is_recalled_by_agents(here: Here) -> None:
    await here.closed(("memory-entry", "The staging host is blue."))
    (row,) = await here.rows("proposal")
    named = {"workspace": row["workspace"], "proposal": row["id"]}
    token = (await here.ask("review_confirm", **named, digest=row["digest"]))["token"]
    await here.ask("review", **named, decision="accepted", token=token)
    (kept,) = here.board.stores.memory().recall("staging", scopes=(str(here.project),))
    assert kept.origins == (f"review:{row['id']}",)


async def test_an_undo_leaves_the_page_that_was_accepted_while_the_task_was_at_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_person_sits_here(monkeypatch)
    directories(tmp_path).policy.write_text("[undo]\nfree_megabytes = 0\n")
    async with slated(tmp_path) as board, caller(board) as calls:
        here = Here(board, calls, tmp_path, "home/project")
        await here.closed(("decision", "Use UTC."))
        (row,) = await here.rows("proposal")
        named = {"workspace": row["workspace"], "proposal": row["id"]}
        wish = {"client": "claude", "tool": "Bash", "arguments": {"command": "touch a"}}
        agent = {"pid": 1, "started": 1, "program": "claude", "session": "s"}
        given = await ask(calls, "admit", **wish, cwd=str(here.project), agent=agent)
        assert given["mark"]
        (here.project / "a").touch()
        token = (await here.ask("review_confirm", **named, digest=row["digest"]))["token"]
        made = await here.ask("review", **named, decision="accepted", token=token)
        await ask(calls, "finish", grant=given["grant"], outcome={"outcome": "done"})
        await board.undo.undo(Request("apply", task=given["task"]), _ignored, 1)
        assert not (here.project / "a").exists()
        assert "> Use UTC." in (here.project / made["path"]).read_text()


async def _ignored(_kind: str, _told: object) -> None:
    """What an undo says on its way."""


async def test_workspaces_are_made_changed_and_archived(here: Here) -> None:
    (here.project / "docs").mkdir()
    made = await here.ask("workspace", deed="create", title="Billing")
    named = {"workspace": made["id"]}
    await here.ask("workspace", deed="rename", title="Payments", **named)
    await here.ask("workspace", deed="add", kind="wiki", uri="./docs", **named)
    await here.ask("workspace", deed="member", subject="user:local-7", role="viewer", **named)
    shown = await here.ask("workspace", deed="show", **named)
    assert shown["title"] == "Payments"
    assert shown["resources"] == [{"kind": "wiki", "uri": "./docs"}]
    assert {"subject": "user:local-7", "role": "viewer"} in shown["members"]
    await here.ask("workspace", deed="remove", uri="./docs", **named)
    await here.ask("workspace", deed="member", subject="user:local-7", **named)
    shown = await here.ask("workspace", deed="archive", **named)
    assert (shown["status"], shown["resources"], len(shown["members"])) == ("archived", [], 1)
    assert (await here.ask("workspaces"))["rows"] == []
    assert len((await here.ask("workspaces", archived=True))["rows"]) == 1


async def test_the_person_reads_adds_and_forgets_memories(here: Here) -> None:
    kept = await here.ask("remember", text="Tabs, not spaces.")
    await here.ask("remember", text="Blue is staging.", scope=str(here.project))
    assert kept["origin"] == ["person"]
    assert len((await here.ask("memories"))["rows"]) == 2
    (found,) = (await here.ask("memories", query="staging"))["rows"]
    assert found["scope"] == str(here.project)
    assert (await here.ask("forget", ids=[kept["id"]]))["forgotten"] == 1
    assert (await here.ask("forget", scope=str(here.project)))["forgotten"] == 1
    with pytest.raises(BadRequest):
        await here.ask("forget", ids=[kept["id"]])


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("candidate", {"deed": "destroy", "slate": "a"}),
        ("workspace", {"deed": "destroy"}),
        ("forget", {}),
        ("forget", {"ids": [1], "scope": "user"}),
        ("forget", {"ids": ["1"]}),
        ("review_confirm", {"workspace": "w", "proposal": "p"}),
        ("review", {"workspace": "w", "proposal": "p", "decision": "maybe"}),
        ("seeds", {"slate": "nowhere"}),
    ],
)
async def test_what_makes_no_sense_is_said_to(here: Here, method: str, params: Any) -> None:
    with pytest.raises(BadRequest):
        await here.ask(method, **params)


async def test_a_relative_project_is_none(here: Here) -> None:
    with pytest.raises(BadRequest):
        await ask(here.calls, "catch_up", project="project")


async def test_a_terminal_that_shows_a_review_is_no_target(here: Here) -> None:
    assert not here.board.is_ours(os.getpid())
    await here.ask("catch_up", screen=True)
    assert here.board.is_ours(os.getpid())
    await here.calls._stream.aclose()
    with anyio.fail_after(5):
        while here.board.is_ours(os.getpid()):  # noqa: ASYNC110 - the other end notices in its own time
            await anyio.sleep(0.01)


async def test_the_largest_slate_is_told_in_pages(here: Here) -> None:
    await here.closed(*(("risk", f"{number} " + "長" * 3_990) for number in range(40)))
    (row,) = await here.rows("proposal")
    got: list[Any] = []
    start: int | None = 0
    while start is not None:
        page = await here.ask(
            "seeds", workspace=row["workspace"], proposal=row["id"], **{"from": start}
        )
        got += page["rows"]
        start = page["next"]
    assert [seed["text"].split()[0] for seed in got] == [str(number) for number in range(40)]


def test_a_page_holds_at_least_one_row_and_says_where_to_go_on() -> None:
    rows = [{"text": "x" * 150_000} for _ in range(3)]
    assert reviews.paged(rows, Reader({})) == {"rows": rows[:1], "next": 1}
    assert reviews.paged(rows, Reader({"from": 2})) == {"rows": rows[2:], "next": None}
    assert reviews.paged([], Reader({})) == {"rows": [], "next": None}

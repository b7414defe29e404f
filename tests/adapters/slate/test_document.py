"""The seed document's first two thirds, sentence by sentence: each line of the table names the test that holds it.

`seeds/slate-for-external-agents.txt`, from its first sentence to "Working memory", and "Not shipped".
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest

from slated.commands.review import seed_lines
from slated.errors import BadRequest, Refused, SlateError
from slated.slate.seeds import KINDS
from slated.slate.store import SlateStore
from slated.tools.slate import DENIED, TOOLS
from slated.toolspec import parse, schema
from tests.fakes.secret_shapes import SHAPES
from tests.fakes.slate_parts import Connection, Parts, SomePerson, SomeTask, parts

pytestmark = pytest.mark.anyio

DOCUMENT: dict[str, str] = {
    "Any MCP-connected harness can open a slate of its own": "test_a_fresh_project_gets_a_slate_and_a_workspace",
    "externalSessionId-scoped and never shared with a different id": "test_one_id_never_reaches_another",
    "write draft Seeds into it": "test_a_seed_comes_back_as_stored",
    "close it into the same propose / review pipeline": "test_a_bound_slate_becomes_proposals",
    "This covers slate.open / slate.writeSeed / slate.close": "test_there_are_these_three_tools_and_no_other",
    "Local stdio / in-process only": "test_http_is_refused_before_storage",
    "a call over HTTP is refused before it touches storage": "test_http_is_refused_before_storage",
    "All three are mutating": "test_there_are_these_three_tools_and_no_other",
    "slate.open answers an ExternalSlate": "test_a_fresh_project_gets_a_slate_and_a_workspace",
    "found nothing to bind to, and created one": "test_a_fresh_project_gets_a_slate_and_a_workspace",
    "Pass an explicit workspaceId to skip that judgment": "test_an_explicit_workspace_is_taken",
    "anchors is stored exactly as sent": "test_anchors_are_kept_as_sent",
    "no tree walk, nothing inferred": "test_anchors_are_kept_as_sent",
    "A second open is a no-op": "test_a_second_open_changes_no_byte",
    "never a second file, never a re-resolved workspace": "test_a_second_open_changes_no_byte",
    "writeSeed answers the SlateSeed appended": "test_a_seed_comes_back_as_stored",
    "kind is one of six": "test_the_six_kinds_and_none_are_taken",
    "an untagged Seed defaults to follow-up at review time": "test_an_untagged_seed_is_reviewed_as_a_follow_up",
    "An unrecognized value is refused outright": "test_an_unknown_kind_is_refused_in_the_documents_words",
    "origin and trust are written by the handler": "test_origin_and_trust_are_the_servers",
    "a caller-supplied value for either is silently ignored": "test_origin_and_trust_are_the_servers",
    "text is redacted before it is ever persisted": "test_a_secret_never_reaches_the_disk",
    "capped at 4,000 characters": "test_the_caps_are_4000_characters_and_200_seeds",
    "at most 200 Seeds": "test_the_caps_are_4000_characters_and_200_seeds",
    "slate.close answers id and closed": "test_close_answers_what_the_document_shows",
    "If a workspaceId was bound its Seeds go into a real proposal": "test_a_bound_slate_becomes_proposals",
    "If nothing was ever bound, nothing is lost": "test_an_unbound_slate_is_kept_and_shown",
    "Anchors and Seeds are written to a local artifact": "test_an_unbound_slate_is_kept_and_shown",
    "surface at the next catch-up as unbound-candidate": "test_an_unbound_slate_is_kept_and_shown",
    "never proposed against a guessed id": "test_an_unbound_slate_is_kept_and_shown",
    "A slate left untouched is closed the same way": "test_a_slate_left_behind_is_closed_by_the_next_call",
    "automatically, on the next slate.* call": "test_a_slate_left_behind_is_closed_by_the_next_call",
    "There is no background timer": "test_a_slate_left_behind_is_closed_by_the_next_call",
    "One id's file is never reachable through another": "test_one_id_never_reaches_another",
    "checked against the filesystem directly": "test_one_id_never_reaches_another",
    "Accepting still goes through the same human gate": "test_only_a_person_accepts",
    "trust is a label for the reviewer, not a filter": "test_trust_is_shown_and_filters_nothing",
    "the human review gate is what catches a misleading Seed": "test_only_a_person_accepts",
    "Deduping is exact-text only": "test_only_exact_repetitions_are_one",
    "On-disk layout: .keryx/external-slates/<id>.json": "test_the_file_is_where_the_document_says",
    "Project-scoped, gitignored, one file per id": "test_the_file_is_where_the_document_says",
    "There is no slate.list or slate.read": "test_there_are_these_three_tools_and_no_other",
    "Not shipped: sharing an open slate": "test_one_id_never_reaches_another",
    "Not shipped: acting on trust": "test_trust_is_shown_and_filters_nothing",
    "Open there, done here: origin.harness at review": "test_trust_is_shown_and_filters_nothing",
}


@pytest.fixture
def here(tmp_path: Path) -> Parts:
    return parts(tmp_path)


async def call(here: Parts | Connection, tool: str, **arguments: object) -> dict[str, object]:
    """One tool call, from raw arguments to its answer."""
    spec = next(one for one in TOOLS if one.name == tool)
    context = here if isinstance(here, Connection) else Connection(here.store, here.project)
    return cast(dict[str, object], await spec.handler(context, parse(spec, arguments)))


async def opened_and_written(here: Parts, slate_id: str = "task-1", **more: object) -> None:
    await call(here, "slate.open", externalSessionId=slate_id, **more)
    await call(here, "slate.writeSeed", externalSessionId=slate_id, text="A finding.", kind="risk")


async def two_workspaces(here: Parts) -> None:
    here.book.create("one")
    here.book.create("two")


def test_every_sentence_has_a_test_in_this_file() -> None:
    assert {name for name in DOCUMENT.values() if not callable(globals().get(name))} == set()


async def test_there_are_these_three_tools_and_no_other() -> None:
    assert [tool.name for tool in TOOLS] == ["slate.open", "slate.writeSeed", "slate.close"]
    assert all(tool.tier.word != "observe" for tool in TOOLS)
    assert all("externalSessionId" in schema(tool)["required"] for tool in TOOLS)


async def test_a_fresh_project_gets_a_slate_and_a_workspace(here: Parts) -> None:
    slate = await call(
        here,
        "slate.open",
        externalSessionId="claude-code-task-8f2a",
        anchors={"root": "/repo/src/billing"},
    )
    workspace = slate.pop("workspaceId")
    assert re.fullmatch(r"workspace-[0-9a-f]{16}", str(workspace))
    assert slate == {
        "externalSessionId": "claude-code-task-8f2a",
        "anchors": {"root": "/repo/src/billing"},
        "seeds": [],
        "lastWriteAt": "2026-08-21T17:46:48.263Z",
    }
    assert [one.id for one in here.book.visible()] == [workspace]


async def test_an_explicit_workspace_is_taken(here: Parts) -> None:
    await two_workspaces(here)
    chosen = here.book.visible()[1].id
    slate = await call(here, "slate.open", externalSessionId="a", workspaceId=chosen)
    assert slate["workspaceId"] == chosen
    assert len(here.book.visible()) == 2


async def test_anchors_are_kept_as_sent(here: Parts) -> None:
    sent = {
        "root": "nowhere/../at all",
        "touched": ["a", 3, None],
        "note": "",
        "more": {"x": [1.5, True]},
    }
    slate = await call(here, "slate.open", externalSessionId="a", anchors=sent)
    assert slate["anchors"] == sent
    assert json.loads(here.path("a").read_bytes())["anchors"] == sent


async def test_a_second_open_changes_no_byte(here: Parts) -> None:
    await opened_and_written(here)
    before = (here.path("task-1").read_bytes(), here.path("task-1").stat().st_mtime_ns)
    here.clock.turn(hours=1)
    again = await call(
        here,
        "slate.open",
        externalSessionId="task-1",
        anchors={"root": "other"},
        workspaceId="workspace-none",
    )
    assert again["anchors"] == {}
    assert (here.path("task-1").read_bytes(), here.path("task-1").stat().st_mtime_ns) == before
    assert len(list(here.path("task-1").parent.glob("*.json"))) == 1
    assert len(here.book.visible()) == 1


async def test_a_seed_comes_back_as_stored(here: Parts) -> None:
    await call(here, "slate.open", externalSessionId="a")
    text = "Refund path double-charges on retry; idempotency key is never set."
    seed = await call(here, "slate.writeSeed", externalSessionId="a", text=text, kind="risk")
    number = str(seed["id"])
    assert re.fullmatch(
        r"seed-[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", number
    )
    assert seed == {
        "id": number,
        "text": text,
        "ts": "2026-08-21T17:46:48.263Z",
        "kind": "risk",
        "origin": {"harness": "claude-code"},
        "trust": "external-unverified",
    }
    assert json.loads(here.path("a").read_bytes())["seeds"] == [seed]


async def test_the_six_kinds_and_none_are_taken(here: Parts) -> None:
    await call(here, "slate.open", externalSessionId="a")
    for kind in (*KINDS, None):
        seed = await call(
            here, "slate.writeSeed", externalSessionId="a", text=f"about {kind}", kind=kind
        )
        assert seed.get("kind") == kind
    assert set(KINDS) == {
        *("decision", "wiki-update", "memory-entry", "follow-up", "contract-change", "risk")
    }


@pytest.mark.parametrize("kind", ["not-a-real-kind", "Risk", "../risk", "", 5, ["risk"]])
async def test_an_unknown_kind_is_refused_in_the_documents_words(here: Parts, kind: object) -> None:
    await call(here, "slate.open", externalSessionId="a")
    with pytest.raises(BadRequest) as caught:
        await call(here, "slate.writeSeed", externalSessionId="a", text="x", kind=kind)
    assert caught.value.message == f"slate.writeSeed: unrecognized 'kind' {json.dumps(kind)}"
    assert json.loads(here.path("a").read_bytes())["seeds"] == []


async def test_an_untagged_seed_is_reviewed_as_a_follow_up(here: Parts) -> None:
    await call(here, "slate.open", externalSessionId="a")
    await call(here, "slate.writeSeed", externalSessionId="a", text="x")
    await call(here, "slate.close", externalSessionId="a")
    assert "kind" not in json.loads(here.path("a").read_bytes())["seeds"][0]
    assert [one.proposal.kind for one in here.catch_up.report().proposals] == ["follow-up"]


async def test_origin_and_trust_are_the_servers(here: Parts) -> None:
    await call(here, "slate.open", externalSessionId="a")
    claims = {"origin": {"harness": "the person"}, "trust": "verified"}
    seed = await call(here, "slate.writeSeed", externalSessionId="a", text="x", **claims)
    assert seed["origin"] == {"harness": "claude-code"}
    assert seed["trust"] == "external-unverified"
    nameless = Connection(here.store, here.project, client_name=" \n")
    seed = await call(nameless, "slate.writeSeed", externalSessionId="a", text="y")
    assert seed["origin"] == {"harness": "mcp-external"}


@pytest.mark.parametrize("shape", SHAPES)
async def test_a_secret_never_reaches_the_disk(here: Parts, shape: str) -> None:
    secret = SHAPES[shape](random.Random(shape))
    await call(here, "slate.open", externalSessionId="a", anchors={"note": secret})
    seed = await call(here, "slate.writeSeed", externalSessionId="a", text=f"it is {secret}")
    await call(here, "slate.close", externalSessionId="a")
    assert "withheld]]" in str(seed["text"])
    line = secret.split("\n")[-2 if "\n" in secret else 0].encode()
    for folder in (here.project, here.data):
        assert not [
            path for path in folder.rglob("*") if path.is_file() and line in path.read_bytes()
        ]


async def test_the_caps_are_4000_characters_and_200_seeds(here: Parts) -> None:
    await call(here, "slate.open", externalSessionId="a")
    await call(here, "slate.writeSeed", externalSessionId="a", text="x" * 4000)
    with pytest.raises(BadRequest):
        await call(here, "slate.writeSeed", externalSessionId="a", text="x" * 4001)
    for number in range(199):
        here.store.write_seed("a", f"finding {number}")
    with pytest.raises(Refused):
        await call(here, "slate.writeSeed", externalSessionId="a", text="one more")
    assert len(here.store.open("a").seeds) == 200


async def test_close_answers_what_the_document_shows(here: Parts) -> None:
    await opened_and_written(here)
    for _ in range(2):
        answer = await call(here, "slate.close", externalSessionId="task-1")
        assert answer == {"externalSessionId": "task-1", "closed": True}
    assert (await call(here, "slate.close", externalSessionId="never-opened"))["closed"] is True
    assert not here.path("never-opened").exists()


async def test_a_bound_slate_becomes_proposals(here: Parts) -> None:
    await opened_and_written(here)
    await call(
        here, "slate.writeSeed", externalSessionId="task-1", text="Use UTC.", kind="decision"
    )
    for _ in range(3):
        await call(here, "slate.close", externalSessionId="task-1")
    waiting = here.catch_up.report().proposals
    assert {one.proposal.kind: [seed.text for seed in one.proposal.seeds] for one in waiting} == {
        "risk": ["A finding."],
        "decision": ["Use UTC."],
    }
    assert not here.catch_up.report().candidates


async def test_an_unbound_slate_is_kept_and_shown(here: Parts) -> None:
    await two_workspaces(here)
    await opened_and_written(here, anchors={"root": "/repo"})
    await call(here, "slate.close", externalSessionId="task-1")
    (artifact,) = (here.path("task-1").parent / "task-1/slate-archive").iterdir()
    assert artifact.name == "2026-08-21T17-46-48-263Z-unbound-candidate.json"
    record = json.loads(artifact.read_bytes())
    assert record["recordType"] == "unbound-candidate"
    assert record["anchors"] == {"root": "/repo"}
    assert record["groups"][0]["seeds"][0]["origin"] == {"harness": "claude-code"}
    report = here.catch_up.report()
    assert [(one.slate.id, one.why) for one in report.candidates] == [("task-1", "unbound")]
    assert not report.proposals


async def test_a_slate_left_behind_is_closed_by_the_next_call(here: Parts) -> None:
    await opened_and_written(here)
    here.clock.turn(hours=24, seconds=1)
    assert here.store.open("task-1").closed_at is None
    await call(here, "slate.open", externalSessionId="another")
    assert here.store.open("task-1").closed_at
    assert len(here.catch_up.report().proposals) == 1


@pytest.mark.promise("slate-needs-exact-id")
async def test_one_id_never_reaches_another(here: Parts) -> None:
    await opened_and_written(here, "a")
    await opened_and_written(here, "b")
    before = (here.path("b").read_bytes(), here.path("b").stat().st_mtime_ns)
    answers = [
        await call(here, "slate.writeSeed", externalSessionId="a", text="Only mine."),
        await call(here, "slate.open", externalSessionId="a"),
        await call(here, "slate.close", externalSessionId="a"),
    ]
    assert (here.path("b").read_bytes(), here.path("b").stat().st_mtime_ns) == before
    assert '"b"' not in json.dumps(answers)
    for bad in ("../a", "a/../b", "b.json", "*", "b\n", "%2e%2e"):
        with pytest.raises(SlateError):
            await call(here, "slate.open", externalSessionId=bad)


@pytest.mark.parametrize("tool", ["slate.open", "slate.writeSeed", "slate.close"])
async def test_http_is_refused_before_storage(here: Parts, tool: str) -> None:
    remote = Connection(here.store, here.project, transport="http")
    text = {"text": "x"} if tool == "slate.writeSeed" else {}
    assert await call(remote, tool, externalSessionId="a", **text) == DENIED
    assert DENIED == {"code": "slate_transport_denied"}
    assert not (here.project / ".keryx").exists()


async def test_only_a_person_accepts(here: Parts) -> None:
    await opened_and_written(here)
    await call(here, "slate.close", externalSessionId="task-1")
    (waiting,) = here.catch_up.report().proposals
    place = (waiting.proposal.workspace_id, waiting.proposal.id)
    review = here.review()
    steps: list[Callable[[], object]] = [
        lambda: review.confirm(*place, person=SomeTask()),
        lambda: review.decide(*place, "accepted", person=SomeTask()),
        lambda: review.decide(*place, "rejected", person=SomeTask()),
        lambda: review.decide(*place, "accepted", person=SomePerson()),
    ]
    for step in steps:
        with pytest.raises(Refused):
            step()
    token = review.confirm(*place, person=SomePerson())
    standing = review.decide(*place, "accepted", person=SomePerson(), token=token)
    assert standing.status == "accepted"
    page = here.project / ".keryx/knowledge/risks" / f"{place[1]}.md"
    assert "> A finding." in page.read_text()


async def test_trust_is_shown_and_filters_nothing(here: Parts) -> None:
    await opened_and_written(here)
    await call(here, "slate.close", externalSessionId="task-1")
    (waiting,) = here.catch_up.report().proposals
    shown = waiting.proposal.seeds[0].shown()
    assert shown["trust"] == "external-unverified"
    assert shown["origin"] == {"harness": "claude-code"}
    assert waiting.standing.status == "proposed"
    head, *_ = (line for line, _ in seed_lines(1, shown, 100))
    assert '1. from "claude-code", external-unverified, ' in head


async def test_only_exact_repetitions_are_one(here: Parts) -> None:
    await call(here, "slate.open", externalSessionId="a")
    for text in ("Same.", "  Same.\n", "same.", "Same  ."):
        await call(here, "slate.writeSeed", externalSessionId="a", text=text)
    await call(here, "slate.close", externalSessionId="a")
    (waiting,) = here.catch_up.report().proposals
    assert [seed.text for seed in waiting.proposal.seeds] == ["Same.", "same.", "Same  ."]


async def test_the_file_is_where_the_document_says(here: Parts) -> None:
    await opened_and_written(here, "a")
    place = here.project / ".keryx/external-slates"
    assert sorted(path.name for path in place.glob("*.json")) == ["a.json"]
    assert (place / ".gitignore").read_text() == "*\n"
    elsewhere = here.project.parent / "elsewhere"
    elsewhere.mkdir()
    other = SlateStore(elsewhere, here.store._workspaces, now=here.clock.now)
    assert other.open("a").seeds == ()

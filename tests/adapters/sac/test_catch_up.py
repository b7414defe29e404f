"""Catch-up over everything unreviewed, and what a person can do there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from slated.errors import BadRequest, Refused
from slated.sac import activity
from tests.fakes.slate_parts import Parts, SomePerson, SomeTask, parts

ME = SomePerson()


@pytest.fixture
def here(tmp_path: Path) -> Parts:
    return parts(tmp_path)


def unbound(here: Parts, slate_id: str = "task-1", *texts: str) -> None:
    if not here.book.visible():
        here.book.create("one")
        here.book.create("two")
    here.store.open(slate_id)
    for text in texts or ("A finding.",):
        here.store.write_seed(slate_id, text)
    here.store.close(slate_id)


def candidates(here: Parts) -> list[tuple[str, str]]:
    return [(one.slate.id, one.why) for one in here.catch_up.report().candidates]


def test_defect_7_an_unbound_candidate_can_be_bound_proposed_or_dismissed(here: Parts) -> None:
    for slate_id in ("a", "b", "c"):
        unbound(here, slate_id)
    assert candidates(here) == [("a", "unbound"), ("b", "unbound"), ("c", "unbound")]
    target = here.book.visible()[0].id
    assert here.catch_up.bind("a", target, person=ME)[0]["outcome"] == "proposed"
    assert here.catch_up.propose("b", title="New", person=ME)[0]["outcome"] == "proposed"
    here.catch_up.dismiss("c", "nothing new", person=ME)
    assert candidates(here) == []
    assert len(here.catch_up.report().proposals) == 2
    for slate_id in ("a", "b", "c", "none"):
        with pytest.raises(BadRequest):
            here.catch_up.dismiss(slate_id, "", person=ME)


def test_a_task_can_neither_bind_nor_propose_nor_dismiss(here: Parts) -> None:
    unbound(here)
    for deed in (
        lambda: here.catch_up.bind("task-1", "x", person=SomeTask()),
        lambda: here.catch_up.propose("task-1", person=SomeTask()),
        lambda: here.catch_up.dismiss("task-1", "", person=SomeTask()),
        lambda: here.catch_up.set_aside("task-1", person=SomeTask()),
    ):
        with pytest.raises(Refused):
            deed()
    assert candidates(here) == [("task-1", "unbound")]


def test_defect_7_empty_slates_are_not_listed(here: Parts) -> None:
    here.book.create("one")
    here.book.create("two")
    here.store.open("empty")
    here.store.close("empty")
    assert candidates(here) == []
    assert not (here.path("empty").parent / "empty").exists()


def test_defect_3_a_failed_close_of_a_bound_slate_is_visible_and_can_be_retried(
    here: Parts,
) -> None:
    here.store.open("a")
    here.store.write_seed("a", "x", "risk")
    (manifest,) = here.data.rglob("workspace.json")
    whole = manifest.read_bytes()
    manifest.write_text("{}")
    assert here.store.close("a")["closed"] is True
    report = here.catch_up.report()
    assert [(one.slate.id, one.why, one.kinds) for one in report.candidates] == [
        ("a", "failed", {"risk": 1})
    ]
    (outcome,) = (here.path("a").parent / "a/slate-archive").iterdir()
    assert json.loads(outcome.read_bytes())["groups"][0]["outcome"] == "error"
    manifest.write_bytes(whole)
    here.catch_up.retry("a")
    assert candidates(here) == []
    assert len(here.catch_up.report().proposals) == 1


def test_a_slate_bound_to_an_archived_workspace_can_be_bound_elsewhere(here: Parts) -> None:
    bound = here.store.open("a").workspace_id
    here.store.write_seed("a", "x")
    assert bound is not None
    here.book.archive(bound)
    here.store.close("a")
    assert candidates(here) == [("a", "failed")]
    here.catch_up.bind("a", here.book.create("next").id, person=ME)
    assert candidates(here) == []


def test_defect_5_what_is_shown_is_the_slate_that_was_closed(here: Parts) -> None:
    unbound(here, "a", "one", "two")
    (candidate,) = here.catch_up.report().candidates
    assert [seed.text for seed in candidate.slate.seeds] == ["one", "two"]
    (artifact,) = (here.path("a").parent / "a/slate-archive").glob("*-unbound-candidate.json")
    assert len(json.loads(artifact.read_bytes())["groups"][0]["seeds"]) == 2


def test_defect_6_one_damaged_file_breaks_nothing_and_is_named(here: Parts) -> None:
    unbound(here, "good")
    unbound(here, "bad")
    here.path("bad").write_text("{")
    place = here.path("bad").parent
    (place / "not a name.json").write_text("{")
    report = here.catch_up.report()
    assert [one.slate.id for one in report.candidates] == ["good"]
    assert [what for what, _, _ in report.damaged] == ["bad"]
    assert "catch-up" in report.damaged[0][2]
    here.catch_up.set_aside("bad", person=ME)
    assert here.catch_up.report().damaged == []


def test_proposals_of_archived_workspaces_stay_and_a_filter_narrows(here: Parts) -> None:
    here.store.open("a")
    here.store.write_seed("a", "x")
    here.store.close("a")
    (workspace,) = here.book.visible()
    here.book.archive(workspace.id)
    assert len(here.catch_up.report(workspace_id=workspace.id).proposals) == 1
    assert here.catch_up.report(workspace_id="workspace-none").proposals == []


def test_a_damaged_proposal_or_record_is_named_and_the_rest_is_shown(here: Parts) -> None:
    for slate_id in ("a", "b"):
        here.store.open(slate_id, anchors={"note": "same"})
        here.store.write_seed(slate_id, f"from {slate_id}")
        here.store.close(slate_id)
    first = here.catch_up.report().proposals[0].proposal
    (path,) = here.data.rglob(f"{first.id}.json")
    path.write_text("{")
    report = here.catch_up.report()
    assert [what for what, _, _ in report.damaged] == [first.id]
    assert len(report.proposals) == 1
    rejected = here.review().decide(first.workspace_id, first.id, "rejected", person=ME)
    assert rejected.status == "rejected"


def test_a_slate_in_the_middle_of_closing_is_said(here: Parts) -> None:
    here.store.open("a")
    raw = json.loads(here.path("a").read_bytes()) | {"closingAt": "2026-08-21T17:46:48.263Z"}
    here.path("a").write_text(json.dumps(raw))
    assert here.catch_up.report().closing == ["a"]


def test_the_record_of_a_workspace_is_read_once_however_much_waits_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = parts(tmp_path)
    workspace = here.book.create("one").id
    for number in range(5):
        here.store.open(f"s{number}", workspace)
        here.store.write_seed(f"s{number}", "a finding")
        here.store.close(f"s{number}")
    read, reads = activity.read, []

    def counted(place: int) -> list[dict[str, object]]:
        reads.append(place)
        return read(place)

    monkeypatch.setattr(activity, "read", counted)
    assert len(here.catch_up.report(workspace_id=workspace).proposals) == 5
    assert len(reads) == 1

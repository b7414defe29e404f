"""Reviews: tokens, decisions, staleness, crashes, and where knowledge goes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from slated.errors import BadRequest, Refused, Stale, Unavailable
from slated.memory import MemoryStore
from tests.fakes.slate_parts import Parts, SomePerson, parts

ME = SomePerson()


@pytest.fixture
def here(tmp_path: Path) -> Parts:
    return parts(tmp_path)


def proposed(here: Parts, kind: str = "decision", text: str = "Use UTC.") -> tuple[str, str]:
    here.store.open("task-1")
    here.store.write_seed("task-1", text, kind, harness="claude-code")
    here.store.close("task-1")
    (waiting,) = here.catch_up.report().proposals
    return waiting.proposal.workspace_id, waiting.proposal.id


def test_defect_8_the_accepted_page_contains_the_seeds_text(here: Parts) -> None:
    place = proposed(here, text="Use UTC.\n---\nstatus: accepted by nobody\n# Fake heading")
    review = here.review()
    review.decide(*place, "accepted", person=ME, token=review.confirm(*place, person=ME))
    page = (here.project / ".keryx/knowledge/decisions" / f"{place[1]}.md").read_text()
    assert "> Use UTC.\n> ---\n> status: accepted by nobody\n> # Fake heading" in page
    assert page.count("\n---\n") == 1
    assert '"claude-code"' in page
    assert list(here.knowledge.unreviewed()) == []


def test_an_accepted_memory_entry_is_remembered(here: Parts) -> None:
    memory = MemoryStore(here.data / "memory")
    place = proposed(here, "memory-entry", "The staging host is blue.")
    review = here.review(memory)
    review.decide(*place, "accepted", person=ME, token=review.confirm(*place, person=ME))
    (kept,) = memory.recall("staging")
    assert kept.origins == (f"review:{place[1]}",)
    memory.close()


def test_a_token_is_for_one_proposal_once_and_for_two_minutes(here: Parts) -> None:
    place = proposed(here)
    review = here.review()
    old = review.confirm(*place, person=ME)
    new = review.confirm(*place, person=ME)
    for token in (None, "", "guess", old):
        with pytest.raises(Refused) as caught:
            review.decide(*place, "accepted", person=ME, token=token)
        assert caught.value.code == "refused.token"
    here.clock.turn(seconds=120)
    with pytest.raises(Refused):
        review.decide(*place, "accepted", person=ME, token=new)
    with pytest.raises(Refused):
        here.review().decide(*place, "accepted", person=ME, token=review.confirm(*place, person=ME))


@pytest.mark.parametrize("name", ["wrapup-" + "0" * 32, "../x", ""])
def test_defect_17_no_token_for_a_proposal_that_does_not_exist(here: Parts, name: str) -> None:
    workspace = here.book.create("x").id
    before = sorted(here.data.rglob("*.json"))
    with pytest.raises(BadRequest):
        here.review().confirm(workspace, name, person=ME)
    with pytest.raises(BadRequest):
        here.review().confirm("workspace-0000000000000000", name, person=ME)
    assert sorted(here.data.rglob("*.json")) == before


@pytest.mark.parametrize("decision", ["rejected", "dismissed"])
def test_a_decision_is_final_and_kept_with_its_reason(here: Parts, decision: str) -> None:
    place = proposed(here)
    review = here.review()
    standing = review.decide(*place, decision, person=ME, reason="not so")
    assert (standing.status, standing.reason, standing.reviewer) == (
        decision,
        "not so",
        ME.present(""),
    )
    with pytest.raises(Refused) as caught:
        review.decide(*place, "accepted", person=ME, token=review.confirm(*place, person=ME))
    assert caught.value.code == "refused.decided"
    assert not (here.project / ".keryx/knowledge").exists()
    assert here.catch_up.report().proposals == []


def test_a_changed_proposal_is_stale_and_can_be_accepted_when_it_is_whole_again(
    here: Parts,
) -> None:
    place = proposed(here)
    (path,) = here.data.rglob(f"{place[1]}.json")
    whole = path.read_bytes()
    review = here.review()
    path.write_bytes(whole.replace(b"UTC", b"CET"))
    token = review.confirm(*place, person=ME)
    with pytest.raises(Stale):
        review.decide(*place, "accepted", person=ME, token=token)
    assert here.proposals.standing(*place).status == "stale"
    path.write_bytes(whole)
    token = review.confirm(*place, person=ME)
    assert review.decide(*place, "accepted", person=ME, token=token).status == "accepted"


def test_defect_15_a_failed_write_of_the_page_burns_nothing(here: Parts) -> None:
    place = proposed(here)
    (here.project / ".keryx/knowledge").write_text("in the way")
    review = here.review()
    with pytest.raises(Unavailable):
        review.decide(*place, "accepted", person=ME, token=review.confirm(*place, person=ME))
    assert here.proposals.standing(*place).status == "stale"
    os.unlink(here.project / ".keryx/knowledge")
    token = review.confirm(*place, person=ME)
    assert review.decide(*place, "accepted", person=ME, token=token).status == "accepted"


def test_defect_14_the_record_stays_readable_after_reviews(here: Parts) -> None:
    place = proposed(here)
    review = here.review()
    review.decide(*place, "rejected", person=ME)
    assert here.catch_up.report().damaged == []
    assert here.proposals.standing(*place).status == "rejected"


def test_a_viewer_and_an_unknown_decision_are_refused(here: Parts) -> None:
    place = proposed(here)
    here.book.set_member(place[0], "user:local-2", "viewer")
    viewer = Parts(here.project, here.data, here.clock, subject="user:local-2")
    with pytest.raises(Refused):
        viewer.review().decide(*place, "rejected", person=ME)
    with pytest.raises(BadRequest):
        here.review().decide(*place, "approved", person=ME)
    assert viewer.proposals.standing(*place).fresh

"""Proposals: made of their Seeds, made once, and read as what they are."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from slated.errors import BadRequest
from slated.sac.proposal import proposal_id
from tests.fakes.slate_parts import Parts, parts


@pytest.fixture
def here(tmp_path: Path) -> Parts:
    return parts(tmp_path)


def test_defect_1_a_bound_external_slate_does_propose(here: Parts) -> None:
    workspace = here.store.open("a").workspace_id
    here.store.write_seed("a", "x", "risk", harness="codex")
    here.store.close("a")
    (waiting,) = here.catch_up.report().proposals
    (path,) = here.data.rglob(f"{waiting.proposal.id}.json")
    record = json.loads(path.read_bytes())
    assert record["workspaceId"] == workspace
    assert record["wrapUp"] == {"source": "external-slate", "sourceRef": "a"}
    assert record["evidence"][0]["seeds"][0]["text"] == "x"
    assert waiting.standing.fresh


def test_defect_9_evidence_keeps_origin_and_trust(here: Parts) -> None:
    here.store.open("a")
    here.store.write_seed("a", "x", harness="codex")
    here.store.close("a")
    (waiting,) = here.catch_up.report().proposals
    (path,) = here.data.rglob(f"{waiting.proposal.id}.json")
    seed = json.loads(path.read_bytes())["evidence"][0]["seeds"][0]
    assert (seed["origin"], seed["trust"]) == ({"harness": "codex"}, "external-unverified")


def test_ten_closes_at_once_make_one_proposal(here: Parts) -> None:
    here.store.open("a")
    here.store.write_seed("a", "x")
    stores = [parts(here.project.parent).store for _ in range(10)]
    with ThreadPoolExecutor(10) as pool:
        assert all(one["closed"] for one in pool.map(lambda store: store.close("a"), stores))
    assert len(list(here.data.rglob("wrapup-*.json"))) == 1
    assert len(here.catch_up.report().proposals) == 1


def test_one_kind_that_fails_keeps_the_others(here: Parts) -> None:
    workspace = here.store.open("a").workspace_id or ""
    here.store.write_seed("a", "x", "risk")
    here.store.write_seed("a", "y", "decision")
    slate = here.store.open("a")
    risk = proposal_id(workspace, "a", "risk", slate.seeds[:1])
    (manifest,) = here.data.rglob("workspace.json")
    (manifest.parent / "proposals").mkdir()
    (manifest.parent / "proposals" / f"{risk}.json").mkdir()
    outcomes = here.proposals.propose(slate, workspace)
    assert {one["kind"]: one["outcome"] for one in outcomes} == {
        "risk": "error",
        "decision": "proposed",
    }


def test_a_proposal_cut_off_before_its_record_is_completed(here: Parts) -> None:
    workspace = here.store.open("a").workspace_id or ""
    here.store.write_seed("a", "x")
    here.store.close("a")
    (log,) = here.data.rglob("workspaces/*/activity.jsonl")
    log.unlink()
    here.store.close("a")
    (name,) = here.proposals.names(workspace)
    assert here.proposals.standing(workspace, name).fresh


def test_an_id_depends_on_everything_it_is_made_of(here: Parts) -> None:
    here.store.open("a")
    seed = here.store.write_seed("a", "x")
    ids = {
        proposal_id("w", "a", "risk", (seed,)),
        proposal_id("v", "a", "risk", (seed,)),
        proposal_id("w", "b", "risk", (seed,)),
        proposal_id("w", "a", "decision", (seed,)),
        proposal_id("w", "a", "risk", (replace(seed, text="y"),)),
    }
    assert len(ids) == 5
    with pytest.raises(BadRequest):
        here.proposals.standing("w", "../x")

"""The store on a real disk: caps, ids, races, crashes, damage, and what keeps hands apart."""

from __future__ import annotations

import json
import os
import random
import shutil
import stat
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from slated import files
from slated.errors import BadRequest, Refused, SlateError, Unavailable
from slated.slate import store
from slated.slate.seeds import Slate, encoded, lines
from slated.slate.store import Event, SlateStore
from tests.fakes.secret_shapes import SHAPES
from tests.fakes.slate_parts import Parts, parts

BAD_IDS = ["", "a/b", "a.b", "..", "a b", "é", "a" * 129, "a\n", "a\x00"]


@pytest.fixture
def here(tmp_path: Path) -> Parts:
    return parts(tmp_path)


@pytest.mark.parametrize("bad", BAD_IDS)
def test_an_id_outside_the_rule_touches_no_file(here: Parts, bad: str) -> None:
    for call in (here.store.open, here.store.close, lambda one: here.store.write_seed(one, "x")):
        with pytest.raises(BadRequest) as caught:
            call(bad)
        assert caught.value.code == "bad_request.session_id"
    assert not (here.project / ".keryx").exists()


@pytest.mark.parametrize("good", ["-", "_", "a" * 128, "Task-8f2a"])
def test_ids_inside_the_rule_are_taken(here: Parts, good: str) -> None:
    assert here.store.open(good).id == good


def test_directories_are_0700_files_0600_and_git_ignores_them(here: Parts) -> None:
    here.store.open("a")
    place = here.path("a").parent
    assert stat.S_IMODE(place.stat().st_mode) == 0o700
    assert stat.S_IMODE(here.path("a").stat().st_mode) == 0o600
    assert (place / ".gitignore").read_text() == "*\n"


def test_4000_characters_are_taken_and_4001_refused_whole(here: Parts) -> None:
    here.store.open("a")
    here.store.write_seed("a", "\U0001f600" * 4000)
    with pytest.raises(BadRequest):
        here.store.write_seed("a", "x" * 4001)
    assert len(here.store.open("a").seeds) == 1


@pytest.mark.parametrize("text", ["", "  \n", None, 5, "\ud800"])
def test_text_that_says_nothing_is_refused(here: Parts, text: object) -> None:
    here.store.open("a")
    with pytest.raises(BadRequest):
        here.store.write_seed("a", text)


def test_the_201st_seed_is_refused_even_when_ten_race_for_the_last_places(here: Parts) -> None:
    here.store.open("a")
    for number in range(195):
        here.store.write_seed("a", f"finding {number}")

    def write(number: int) -> bool:
        try:
            here.store.write_seed("a", f"late {number}")
        except Refused:
            return False
        return True

    with ThreadPoolExecutor(10) as pool:
        assert sum(pool.map(write, range(10))) == 5
    assert len(json.loads(here.path("a").read_bytes())["seeds"]) == 200


def test_defect_12_two_opens_at_once_make_one_slate(here: Parts) -> None:
    stores = [parts(here.project.parent).store for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        opened = list(pool.map(lambda store: store.open("a"), stores))
    assert len({slate.workspace_id for slate in opened}) == 1
    assert len({slate.last_write_at for slate in opened}) == 1


def test_r230_writers_at_once_lose_no_seed(here: Parts) -> None:
    here.store.open("a")
    stores = [parts(here.project.parent).store for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        made = pool.map(lambda n: stores[n % 8].write_seed("a", f"finding {n}").id, range(120))
        ids = set(made)
    assert {seed.id for seed in here.store.open("a").seeds} == ids
    assert len(ids) == 120


def test_defect_4_the_callers_own_slate_is_never_closed_for_being_idle(here: Parts) -> None:
    here.store.open("mine")
    here.clock.turn(days=30)
    here.store.write_seed("mine", "still here")
    assert here.store.open("mine").closed_at is None


def test_defect_4_a_neighbour_is_closed_after_a_day_and_not_after_half_a_minute(
    here: Parts,
) -> None:
    here.store.open("left")
    here.store.write_seed("left", "a finding")
    before = here.path("left").read_bytes()
    here.clock.turn(hours=24)
    here.store.open("other")
    assert here.path("left").read_bytes() == before
    here.clock.turn(seconds=1)
    here.store.open("other")
    assert here.store.open("left").closed_at


def test_a_call_waits_for_no_slate_but_its_own(
    here: Parts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "LOCK_DEADLINE_S", 3600)
    here.store.open("left")
    here.clock.turn(hours=25)
    locks = os.open(here.path("left").parent / ".locks", os.O_RDONLY | os.O_DIRECTORY)
    for held in ("left", ".reclaiming"):
        with files.locked(locks, held, deadline_s=1):
            here.store.open("mine")
            here.store.write_seed("mine", "x")
        assert here.store.open("left").closed_at is None
    os.close(locks)
    here.clock.turn(minutes=2)
    here.store.open("mine")
    assert here.store.open("left").closed_at


def test_much_that_was_left_behind_is_closed_over_several_calls(
    here: Parts, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = [f"left-{number}" for number in range(5)]
    for slate_id in ids:
        here.store.open(slate_id)
    here.clock.turn(hours=25)
    monkeypatch.setattr(store, "_RECLAIM_S", 0)

    def closed() -> int:
        return sum(bool(slate.closed_at) for _, slate in here.store.each() if type(slate) is Slate)

    for count in range(1, 6):
        here.store.open("mine")
        assert closed() == count


def test_a_closed_slate_takes_no_seed_and_says_what_to_do(here: Parts) -> None:
    here.store.open("a")
    here.store.close("a")
    with pytest.raises(Refused) as caught:
        here.store.write_seed("a", "x")
    assert "new externalSessionId" in caught.value.next_step
    assert here.store.open("a").closed_at


def test_defect_2_a_workspace_that_does_not_exist_is_refused_at_open(here: Parts) -> None:
    for bad in ("../../../escaped", "", "workspace-0000000000000000", "x" * 500):
        with pytest.raises(BadRequest) as caught:
            here.store.open("a", workspace_id=bad)
        assert caught.value.code == "bad_request.workspace"
    assert not here.path("a").exists()


def test_defect_2_a_planted_slate_cannot_lead_its_proposal_out_of_the_data_directory(
    here: Parts,
) -> None:
    here.store.open("a")
    here.store.write_seed("a", "x")
    raw = json.loads(here.path("a").read_bytes())
    raw["workspaceId"] = "../../../escaped"
    here.path("a").write_text(json.dumps(raw))
    here.store.close("a")
    assert not [path for path in here.project.parent.rglob("*escaped*")]
    assert [one.why for one in here.catch_up.report().candidates] == ["failed"]


def test_defect_13_closing_holds_no_lock_while_it_proposes(here: Parts) -> None:
    inside, go_on = threading.Event(), threading.Event()

    class Slow:
        def bindable(self, workspace_id: str) -> bool:
            return True

        def resolve(self, topic: str) -> str | None:
            return "w-1"

        def propose(self, slate: Slate, workspace_id: str) -> list[dict[str, str]]:
            inside.set()
            assert go_on.wait(5)
            return []

    store = SlateStore(here.project, Slow(), now=here.clock.now)
    store.open("a")
    store.write_seed("a", "x")
    store.open("b")
    closing = threading.Thread(target=store.close, args=("a",))
    closing.start()
    try:
        assert inside.wait(5)
        store.write_seed("b", "meanwhile")
        with pytest.raises(Refused):
            store.write_seed("a", "too late")
    finally:
        go_on.set()
        closing.join(5)
    assert store.open("a").closed_at


def test_a_close_cut_off_by_a_crash_is_finished_by_the_next_call(here: Parts) -> None:
    here.store.open("a")
    here.store.write_seed("a", "x")
    slate = replace(here.store.open("a"), closing_at="2026-08-21T17:46:48.263Z")
    here.path("a").write_bytes(encoded(slate, lines(slate.seeds)))
    here.clock.turn(minutes=2)
    here.store.open("b")
    assert here.store.open("a").closed_at
    assert len(here.catch_up.report().proposals) == 1


def test_defect_18_a_damaged_slate_is_an_error_that_says_how_to_go_on(here: Parts) -> None:
    here.store.open("a")
    here.path("a").write_text("{")
    for call in (lambda: here.store.open("a"), lambda: here.store.write_seed("a", "x")):
        with pytest.raises(Unavailable) as caught:
            call()
        assert caught.value.code == "unavailable.damaged"
        assert "catch-up" in caught.value.next_step
    assert here.path("a").read_text() == "{"
    here.store.open("b")


@pytest.mark.parametrize(
    "change",
    [
        {"seeds": None},
        {
            "seeds": [
                {
                    "id": "s",
                    "text": "t",
                    "ts": "2026-08-21T17:46:48.263Z",
                    "origin": {"harness": "h"},
                    "trust": "full",
                }
            ]
        },
        {"lastWriteAt": "yesterday"},
        {"externalSessionId": "b"},
        {"anchors": []},
    ],
)
def test_a_file_that_no_server_wrote_is_damaged(here: Parts, change: dict[str, object]) -> None:
    here.store.open("a")
    raw = json.loads(here.path("a").read_bytes()) | change
    here.path("a").write_text(json.dumps(raw))
    with pytest.raises(Unavailable):
        here.store.open("a")


@pytest.mark.parametrize("part", [".keryx", ".keryx/external-slates"])
def test_a_planted_link_moves_no_write(here: Parts, part: str) -> None:
    outside = here.project.parent / "outside"
    outside.mkdir()
    link = here.project / part
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(outside)
    with pytest.raises(Unavailable):
        here.store.open("a")
    assert not list(outside.iterdir())


def test_a_link_or_a_pipe_in_place_of_the_file_is_damage(here: Parts) -> None:
    here.store.open("other")
    here.path("a").symlink_to(here.path("other"))
    os.mkfifo(here.path("b"))
    for slate_id in ("a", "b"):
        with pytest.raises(Unavailable):
            here.store.open(slate_id)


def test_defect_9_anchors_are_redacted_and_bounded(here: Parts) -> None:
    secret = SHAPES["github"](random.Random(1))
    kept = here.store.open(
        "a", anchors={"root": "/r", "note": f"use {secret}", "x": [{"y": secret}]}
    )
    assert secret not in here.path("a").read_text()
    assert kept.anchors["root"] == "/r"
    deep: object = "x"
    for _ in range(50):
        deep = [deep]
    for bad in ({"note": "x" * 20_000}, {"d": deep}, [1], "text"):
        with pytest.raises(BadRequest):
            here.store.open("b", anchors=bad)


def test_an_open_by_another_peer_is_told_to_the_audit_log(here: Parts) -> None:
    here.store.open("a", peer="one")
    here.store.open("a", peer="one")
    here.store.open("a", peer="two")
    assert [(event.name, event.slate_id, event.facts["peer"]) for event in here.events] == [
        ("opened", "a", "one"),
        ("opened_by_another_peer", "a", "two"),
    ]
    assert "openedBy" not in here.store.open("a").shown()


def test_every_step_of_a_slate_is_told_after_it_is_on_disk(here: Parts) -> None:
    def told(event: Event) -> None:
        assert here.path("a").exists()
        heard.append(event)

    heard: list[Event] = []
    store = SlateStore(here.project, here.store._workspaces, now=here.clock.now, tell=told)
    workspace = store.open("a", peer="one").workspace_id
    seed = store.write_seed("a", "A finding.", "risk")
    store.close("a")
    store.close("a")
    assert [event.name for event in heard] == ["opened", "seed", "closed", "closed_again"]
    assert heard[0].facts["workspace"] == workspace
    assert heard[1].facts == {"seed": seed.id, "seed_kind": "risk"}
    (outcome,) = cast(list[str], heard[2].facts["outcomes"])
    assert outcome.startswith("risk: proposed wrapup-")


def test_a_damaged_file_can_be_set_aside_and_its_id_used_again(here: Parts) -> None:
    here.store.open("a")
    here.path("a").write_text("{")
    moved = here.store.set_aside("a")
    assert (here.project / moved).read_text() == "{"
    assert here.store.open("a").seeds == ()


def test_an_unwritable_project_is_unavailable_in_plain_words(here: Parts) -> None:
    missing = SlateStore(here.project / "gone", here.store._workspaces)
    with pytest.raises(SlateError) as caught:
        missing.open("a")
    assert caught.value.code == "unavailable.disk"
    assert "Errno" not in caught.value.message


def test_git_ignores_the_slates_again_after_the_work_tree_was_cleaned(here: Parts) -> None:
    here.store.open("a")
    shutil.rmtree(here.project / ".keryx")
    here.store.open("b")
    assert (here.path("b").parent / ".gitignore").read_text() == "*\n"


def test_a_reader_without_the_lock_sees_whole_slates_only(here: Parts) -> None:
    here.store.open("a")
    reader = SlateStore(here.project, here.store._workspaces, now=here.clock.now)
    done = threading.Event()
    seen: list[int] = []

    def read() -> None:
        while not done.is_set():
            ((_, found),) = reader.each()
            assert isinstance(found, Slate), found
            seen.append(len(found.seeds))

    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(read)
        try:
            for number in range(200):
                here.store.write_seed("a", f"{number} " + "word " * 100)
        finally:
            done.set()
        reading.result(10)
    assert seen == sorted(seen)
    assert len(set(seen)) > 5

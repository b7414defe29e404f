"""Whose changes come back when several work at once: tasks, the person, processes that stay."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path

import pytest

from slated.snapshots.planning import Selection
from tests.fakes.undo_bed import Bed, differences


def write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


@pytest.mark.promise("undo-stays-inside")
def test_what_two_tasks_may_have_done_is_shared_and_left(bed: Bed) -> None:
    one = bed.begin("t")
    write(bed.home / "mine", "t")
    two = bed.begin("u")
    write(bed.home / "both", "who")
    bed.end(one)
    write(bed.home / "theirs", "u")
    bed.end(two)
    plan = bed.plan("t")
    assert bed.done(plan) == {"mine": "deleted"}
    assert bed.left(plan) == {"both": "shared"}
    assert bed.done(bed.plan("u")) == {"theirs": "deleted"}
    named = bed.plan("t", include="both")
    assert bed.done(named) == {"mine": "deleted", "both": "deleted"}


def test_a_known_edit_of_the_person_during_the_call_is_shared(bed: Bed) -> None:
    write(bed.home / "f", "one")
    call = bed.begin("t")
    write(bed.home / "f", "person")
    bed.undo.marks.edited(f"{bed.home}/f", time.time_ns())
    write(bed.home / "g", "agent")
    bed.end(call)
    plan = bed.plan()
    assert bed.left(plan) == {"f": "shared"}
    assert bed.done(plan) == {"g": "deleted"}


def test_what_a_process_does_after_its_call_is_shared_until_it_ends(bed: Bed) -> None:
    call = bed.begin("t")
    bed.end(call, outlived=True)
    write(bed.home / "late", "who")
    bed.undo.marks.ended(*call)
    bed.act("t", lambda: None)
    write(bed.home / "later", "person")
    plan = bed.plan()
    assert bed.left(plan) == {"late": "shared"}
    assert bed.done(plan) == {}


def test_a_file_in_a_directory_of_the_task_keeps_that_directory(bed: Bed) -> None:
    bed.act("t", lambda: (bed.home / "d").mkdir())
    write(bed.home / "d/mine", "person")
    done = bed.take_back()
    assert bed.left(done) == {"d": "in the way"}
    assert (bed.home / "d/mine").read_text(encoding="utf-8") == "person"


def test_a_file_that_another_task_made_and_this_one_deleted_comes_back(bed: Bed) -> None:
    bed.act("u", lambda: write(bed.home / "f", "from u"))
    before = bed.picture()
    bed.act("t", lambda: (bed.home / "f").unlink())
    assert bed.done(bed.take_back("t")) == {"f": "recreated"}
    assert not differences(before, bed.picture())


def test_undo_to_a_mark_keeps_what_came_before_it(bed: Bed) -> None:
    bed.act("t", lambda: write(bed.home / "f", "one"))
    mark = bed.undo.settle(*bed.begin("t"))
    kept = bed.picture()
    bed.act("t", lambda: write(bed.home / "f", "two"))
    bed.undo.apply(bed.undo.plan(Selection("t", to=mark)))
    assert not differences(kept, bed.picture())


def test_undos_of_two_tasks_do_not_disturb_each_other(bed: Bed) -> None:
    write(bed.home / "a", "0")
    write(bed.home / "b", "0")
    before = bed.picture()
    for number in range(3):
        bed.act("t", partial(write, bed.home / "a", f"t{number}"))
        bed.act("u", partial(write, bed.home / "b", f"u{number}"))
    bed.take_back("u")
    bed.take_back("t")
    assert not differences(before, bed.picture())


def test_a_change_within_one_tick_of_the_mark_is_seen(bed: Bed) -> None:
    """The kernel's clock moves in ticks: size, times and inode can all be equal after a change."""
    for number in range(20):
        path = bed.home / f"f{number}"
        write(path, "one")
        call = bed.begin("t", path.name, exact=True)
        with open(path, "r+", encoding="utf-8") as file:
            file.write("two")
        bed.end(call)
    assert len(bed.done(bed.plan())) == 20

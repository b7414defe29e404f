"""Pruning on every kind of picture: what is kept can still be taken back, what is not says so."""

from __future__ import annotations

from functools import partial

import pytest

from slated.errors import Unavailable
from slated.snapshots.prune import Pruner
from slated.snapshots.retention import Keep
from tests.fakes.undo_bed import Bed, differences


def worked(bed: Bed) -> None:
    for task in ("a", "b", "c"):
        bed.act(task, partial((bed.home / f"{task}.txt").write_text, task))


def test_kept_tasks_go_back_and_dropped_ones_are_unknown(bed: Bed) -> None:
    worked(bed)
    done = bed.undo.prune(Keep(tasks=2, floor=0))
    assert done.marks == 2
    assert not done.failed
    bed.restart()
    bed.take_back("b")
    bed.take_back("c")
    assert sorted(path.name for path in bed.home.glob("*.txt")) == ["a.txt"]
    with pytest.raises(ValueError, match="knows no call"):
        bed.plan("a")


def test_a_task_whose_beginning_is_gone_is_not_taken_back_in_part(bed: Bed) -> None:
    worked(bed)
    bed.act("b", lambda: None)
    bed.act("a", (bed.home / "a.txt").unlink, prompt=2)
    bed.undo.roots[str(bed.home)].forget(5)
    with bed.undo.marks._store.writing() as db:
        db.execute("DELETE FROM mark WHERE number < 5")
    with pytest.raises(Unavailable, match="not kept any more"):
        bed.plan("a")
    assert bed.done(bed.plan("a", last=True)) == {"a.txt": "recreated"}


def test_r199_pruning_works_below_the_floor_and_drops_all_it_may(bed: Bed) -> None:
    worked(bed)
    call = bed.begin("d")
    done = bed.undo.prune(Keep(floor=1 << 60))
    assert done.marks == 6
    (bed.home / "d.txt").write_text("d")
    bed.end(call)
    bed.take_back("d")
    assert not (bed.home / "d.txt").exists()


def test_a_failure_of_pruning_is_told(bed: Bed, monkeypatch: pytest.MonkeyPatch) -> None:
    worked(bed)
    before = bed.picture()

    def broken(*_: object) -> bool:
        raise Unavailable("disk", "The disk reported an error.")

    monkeypatch.setattr(Pruner, "_too_much", broken)
    with pytest.raises(Unavailable):
        bed.undo.prune(Keep(tasks=1, floor=0))
    assert not differences(before, bed.picture())

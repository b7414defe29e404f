"""Marks around calls: once each, by root, and closed after a crash."""

from __future__ import annotations

import pytest

from slated.errors import BadRequest
from slated.snapshots.marks import absolute, relative, root_of, roots_in_order
from slated.snapshots.timeline import Call
from tests.fakes.undo_bed import Bed


def test_a_call_has_one_mark_before_and_one_after(bed: Bed) -> None:
    task, call = bed.begin("t")
    with pytest.raises(BadRequest, match="already"):
        bed.undo.protect(Call(task, 1, call, 0, None))
    assert bed.undo.settle(task, call) == bed.undo.settle(task, call)
    with pytest.raises(BadRequest, match="no mark before"):
        bed.undo.settle(task, "other")


def test_of_marks_taken_together_those_before_a_failure_are_kept(bed: Bed) -> None:
    """One flush serves the end of a call and the beginning of the next, also where that cannot begin."""
    task, call = bed.begin("t")

    def one_after_the_other() -> None:
        with bed.undo.together():
            bed.undo.settle(task, call)
            bed.undo.protect(Call(task, 2, "next", 0, None, ("not/absolute",), True))

    with pytest.raises(BadRequest):
        one_after_the_other()
    bed.restart()
    (kept,) = bed.undo.timeline().calls
    assert kept.after is not None
    bed.undo.protect(Call(task, 2, "next", 0, None))


def test_targets_outside_of_every_root_are_told(bed: Bed) -> None:
    protected = bed.undo.protect(Call("t", 1, "c", 0, None, ("/etc/hosts",), True))
    assert [missed.path for missed in protected.uncovered] == ["/etc/hosts"]


@pytest.mark.parametrize("path", ["relative", "/a/../b", "/./a", ""])
def test_targets_that_are_no_plain_paths_are_refused(bed: Bed, path: str) -> None:
    with pytest.raises(BadRequest):
        bed.undo.protect(Call("t", 1, "c", 0, None, (path,), True))


def test_calls_that_a_crash_left_open_are_closed_unless_their_task_runs(bed: Bed) -> None:
    bed.begin("t")
    bed.begin("u")
    bed.restart()
    assert bed.undo.marks.close_left_open(lambda task: task == "u") == 1
    assert bed.undo.marks.close_left_open(lambda task: task == "u") == 0


def test_the_innermost_root_holds_a_path() -> None:
    roots = roots_in_order(["/home/", "/home/p", "/home"])
    assert roots == ["/home", "/home/p"]
    assert root_of("/home/p/f", roots) == "/home/p"
    assert root_of("/home/pf", roots) == "/home"
    assert root_of("/etc", roots) is None
    assert relative("/", "/a/b") == "a/b"
    assert absolute("/", "a") == "/a"
    assert absolute("/home", "") == "/home"

"""What is kept: tasks, age, and never less than what runs."""

from __future__ import annotations

from slated.snapshots.retention import Keep, further, wanted
from slated.snapshots.timeline import Call, Mark

MARKS = [Mark(n, n * 100, n * 100) for n in range(1, 9)]


def call(task: str, before: int, after: int | None) -> Call:
    return Call(task, 1, f"{task}{before}", before, after, until=after)


CALLS = [call("a", 1, 2), call("b", 3, 4), call("c", 5, 6)]


def test_the_last_tasks_are_kept() -> None:
    assert wanted(MARKS, CALLS, Keep(tasks=2), 900) == 3
    assert wanted(MARKS, CALLS, Keep(tasks=0), 900) == 9


def test_old_marks_go() -> None:
    assert wanted(MARKS, CALLS, Keep(age_ns=450), 900) == 5
    assert wanted(MARKS, CALLS, Keep(age_ns=10), 900) == 9


def test_a_call_that_runs_is_kept_whatever_its_age() -> None:
    running = [call("a", 2, None), *CALLS[1:]]
    assert wanted(MARKS, running, Keep(age_ns=0), 900) == 2
    assert list(further(running, 2)) == []


def test_when_there_is_too_much_the_oldest_call_goes_first() -> None:
    assert list(further(CALLS, 3)) == [5, 7]
    assert list(further([*CALLS, call("d", 7, None)], 0)) == [3, 5, 7]


def test_undos_do_not_count_as_tasks() -> None:
    assert wanted(MARKS, [*CALLS, call("undo:x", 7, 8)], Keep(tasks=1), 900) == 5

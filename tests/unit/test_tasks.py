"""Tasks: one per run of an agent program, marked, described, ended, taken up again."""

from __future__ import annotations

import os
from itertools import count

from slated.tasks import KEPT, Asker, Tasks
from slated.wire.peer import started

ASKER = Asker(10, 1, "claude", "s1")


def tasks(marked: list[tuple[int, int]] | None = None) -> Tasks:
    numbers = count(1)

    def mark(pid: int, began: int) -> bool:
        if marked is not None:
            marked.append((pid, began))
        return marked is not None

    return Tasks(lambda: f"t{next(numbers)}", lambda: "now", mark)


def test_an_agent_and_its_session_make_one_task() -> None:
    known = tasks()
    first, fresh = known.of(ASKER, "/srv")
    again, repeated = known.of(ASKER, "/elsewhere")
    other, _ = known.of(Asker(10, 1, "claude", "s2"), "/srv")
    assert (fresh, repeated) == (True, False)
    assert (again.id, again.cwd, again.calls) == (first.id, "/srv", 2)
    assert other.id != first.id
    assert known.processes() == {(10, 1)}


def test_a_new_task_is_marked_once() -> None:
    marked: list[tuple[int, int]] = []
    known = tasks(marked)
    assert known.of(ASKER, "/")[0].marked
    known.of(ASKER, "/")
    assert marked == [(10, 1)]


def test_a_persons_own_shell_is_neither_marked_nor_a_task_to_be_below() -> None:
    marked: list[tuple[int, int]] = []
    known = tasks(marked)
    task, _ = known.of(Asker(10, 1, "bash", "", True), "/")
    assert not task.marked
    assert marked == []
    assert known.processes() == set()


def test_a_task_ends_once_and_begins_again_with_the_next_call() -> None:
    known = tasks()
    task, _ = known.of(ASKER, "/")
    assert known.end(task.id) is not None
    assert known.end(task.id) is None
    assert known.open() == []
    assert known.of(ASKER, "/")[0].ended == ""


def test_a_task_can_be_described() -> None:
    known = tasks()
    task, _ = known.of(ASKER, "/")
    described = known.describe(task.id, mode="advisory", why="hooks are off")
    assert described is not None
    assert (described.mode, described.why) == ("advisory", "hooks are off")
    assert known.describe("t99", mode="guarded", why="") is None


def test_a_task_is_taken_up_again_as_it_was_told() -> None:
    known, later = tasks(), tasks()
    task, _ = known.of(ASKER, "/srv")
    later.restore(task.told())
    later.restore({"id": "broken"})
    assert [t.id for t in later.all()] == [task.id]
    assert later.of(ASKER, "/")[0].id == task.id


def test_an_agent_program_that_ended_is_noticed() -> None:
    known = tasks()
    mine = started(os.getpid())
    known.of(Asker(os.getpid(), mine or 0), "/")
    gone, _ = known.of(Asker(os.getpid(), 1), "/")
    assert [t.id for t in known.gone()] == [gone.id]


def test_only_so_many_ended_tasks_are_remembered() -> None:
    known = tasks()
    for n in range(KEPT + 5):
        task, _ = known.of(Asker(n, 1), "/")
        known.end(task.id)
    known.of(ASKER, "/")
    assert len(known.all()) == KEPT + 1

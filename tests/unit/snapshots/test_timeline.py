"""Whose a change is, from marks, overlapping calls, known edits and processes that stay."""

from __future__ import annotations

import pytest

from slated.snapshots.timeline import Call, Edit, Mark, Timeline, Whose

P = "/home/f"


def call(task: str, before: int, after: int | None, **more: object) -> Call:
    more.setdefault("until", after)
    more.setdefault("targets", ("/home/",))
    return Call(task, 1, f"{task}{before}", before, after, **more)  # type: ignore[arg-type]  # by the tests below


def line(*calls: Call, edits: tuple[Edit, ...] = ()) -> Timeline:
    marks = [Mark(n, n * 10**9, n * 10**9 + 1000) for n in range(1, 11)]
    return Timeline(marks, calls, edits)


def whose(timeline: Timeline, start: int, end: int, task: str = "t") -> Whose:
    mine = [c for c in timeline.calls if c.task == task]
    return timeline.whose(P, start, end, task, mine)[0]


def test_a_change_inside_a_call_of_one_task_alone_is_its_own() -> None:
    assert whose(line(call("t", 1, 2)), 1, 2) is Whose.OWN


def test_a_change_outside_of_all_calls_is_somebody_elses() -> None:
    assert whose(line(call("t", 1, 2)), 2, 3) is Whose.OTHER


def test_a_change_while_two_tasks_are_at_work_is_shared() -> None:
    both = line(call("t", 1, 4), call("u", 2, 5))
    assert whose(both, 1, 2) is Whose.OWN
    assert whose(both, 2, 4) is Whose.SHARED
    assert whose(both, 4, 5) is Whose.OTHER


def test_a_change_seen_only_across_an_idle_time_is_shared() -> None:
    assert whose(line(call("t", 1, 2)), 1, 3) is Whose.SHARED


def test_an_edit_tool_of_another_task_shares_only_its_own_file() -> None:
    assert whose(
        line(call("t", 1, 4), call("u", 2, 3, exact=True, targets=("/home/g",))), 2, 3
    ) is (Whose.OWN)
    assert whose(line(call("t", 1, 4), call("u", 2, 3, exact=True, targets=(P,))), 2, 3) is (
        Whose.SHARED
    )


def test_an_edit_tool_has_no_part_in_what_it_cannot_reach() -> None:
    assert whose(line(call("t", 1, 2, exact=True, targets=("/home/g",))), 1, 2) is Whose.OTHER


def test_a_change_outside_of_what_a_command_was_known_to_change_is_shared() -> None:
    """A letter that the person saves while the agent builds a project elsewhere."""
    timeline = line(call("t", 1, 2, targets=("/home/project/",)))
    assert whose(timeline, 1, 2) is Whose.SHARED
    assert "outside" in timeline.whose(P, 1, 2, "t", timeline.calls)[1]
    assert timeline.whose("/home/project/f", 1, 2, "t", timeline.calls)[0] is Whose.OWN
    assert timeline.whose("/home", 1, 2, "t", timeline.calls)[0] is Whose.OWN


def test_another_call_of_the_task_that_knows_the_path_makes_it_its_own() -> None:
    project, here = call("t", 1, 4, targets=("/home/project/",)), call("t", 2, 3, targets=(P,))
    assert whose(line(project, here), 2, 3) is Whose.OWN
    assert whose(line(project, here), 1, 3) is Whose.SHARED


@pytest.mark.parametrize(
    ("path", "reached"),
    [("/d", True), ("/d/x", True), ("/", True), ("/e/f", True), ("/e/f/g", False), ("/dx", False)],
)
def test_a_target_with_a_slash_is_a_tree_and_directories_above_change_with_it(
    path: str, reached: bool
) -> None:
    assert call("t", 1, 2, exact=True, targets=("/d/", "/e/f")).may_touch(path) is reached


def test_a_known_edit_of_the_person_makes_it_shared() -> None:
    timeline = line(call("t", 1, 2), edits=(Edit(P, 1_500_000_000),))
    assert whose(timeline, 1, 2) is Whose.SHARED
    assert "person" in timeline.whose(P, 1, 2, "t", timeline.calls)[1]
    assert whose(line(call("t", 1, 2), edits=(Edit(P, 3_500_000_000),)), 1, 2) is Whose.OWN
    assert whose(line(call("t", 1, 2), edits=(Edit("/home/g", 1_500_000_000),)), 1, 2) is Whose.OWN


def test_an_edit_of_a_directory_counts_for_what_is_in_it() -> None:
    assert whose(line(call("t", 1, 2), edits=(Edit("/home", 1_500_000_000),)), 1, 2) is Whose.SHARED


def test_what_a_process_does_that_outlived_its_call_is_shared() -> None:
    living = line(call("t", 1, 2, until=None))
    assert whose(living, 1, 2) is Whose.OWN
    assert whose(living, 2, 9) is Whose.SHARED
    ended = line(call("t", 1, 2, until=4))
    assert whose(ended, 3, 4) is Whose.SHARED
    assert whose(ended, 4, 5) is Whose.OTHER


def test_another_task_that_left_a_process_shares_what_this_one_does() -> None:
    assert whose(line(call("u", 1, 2, until=None), call("t", 3, 4)), 3, 4) is Whose.SHARED


def test_own_processes_do_not_take_away_what_is_a_later_call_s() -> None:
    assert whose(line(call("t", 1, 2, until=None), call("t", 3, 4)), 3, 4) is Whose.OWN


def test_calls_that_were_not_chosen_count_as_others() -> None:
    timeline = line(call("t", 1, 3), call("t", 2, 4))
    assert timeline.whose(P, 2, 3, "t", timeline.calls[:1])[0] is Whose.SHARED


def test_a_call_that_still_runs_owns_what_happens_now() -> None:
    assert whose(line(call("t", 3, None)), 5, 9) is Whose.OWN


def test_marks_since_a_number() -> None:
    assert line().since(8) == [8, 9, 10]

"""Plans from candidates: what goes back, what is left, and that every step can be done."""

from __future__ import annotations

import stat
from collections.abc import Sequence
from dataclasses import replace

from slated.snapshots.entries import Entry
from slated.snapshots.plan import Action, Candidate, Plan, Reason, build, choose
from slated.snapshots.timeline import Call, Mark, Point, Timeline

FILE = Entry(stat.S_IFREG | 0o644, 1, 1, 3, 10, 20, 5, content="x")
EDITED = replace(FILE, ino=6, size=4, content="y", mtime_ns=11)
FOLDER = Entry(stat.S_IFDIR | 0o755, 1, 1, 0, 10, 20, 7)


def no_links(_mark: int, _entry: Entry) -> tuple[str, ...]:
    return ()


def plan(*candidates: Candidate, include: Sequence[str] = ()) -> Plan:
    return build(candidates, include, no_links)


def actions(made: Plan) -> dict[str, Action]:
    return {step.path: step.action for step in made.steps}


def reasons(made: Plan) -> dict[str, Reason]:
    return {left.path: left.reason for left in made.left}


def test_each_difference_has_its_action() -> None:
    made = plan(
        Candidate("edited", 1, FILE, EDITED),
        Candidate("gone", 1, FILE, None),
        Candidate("mode", 1, FILE, replace(FILE, mode=stat.S_IFREG | 0o600)),
        Candidate("new", 1, None, FILE),
        Candidate("nothing", 1, FILE, replace(FILE, ctime_ns=99)),
    )
    assert actions(made) == {
        "edited": Action.RESTORE,
        "gone": Action.RECREATE,
        "mode": Action.ATTRIBUTES,
        "new": Action.DELETE,
    }
    assert not made.left


def test_a_directory_with_other_times_only_is_a_quiet_step() -> None:
    made = plan(Candidate("d", 1, FOLDER, replace(FOLDER, mtime_ns=99)))
    assert made.steps[0].quiet
    assert not made.loud


def test_shared_paths_are_left_unless_named() -> None:
    shared = Candidate("f", 1, FILE, EDITED, Reason.SHARED, "task u was at work too")
    assert reasons(plan(shared)) == {"f": Reason.SHARED}
    assert actions(plan(shared, include=["f"])) == {"f": Action.RESTORE}


def test_a_shared_path_that_is_as_before_is_not_worth_a_word() -> None:
    assert not plan(Candidate("f", 1, FILE, FILE, Reason.SHARED, "x")).left


def test_a_directory_stays_when_something_in_it_stays() -> None:
    made = plan(
        Candidate("d", 1, None, FOLDER),
        Candidate("d/e", 1, None, FOLDER),
        Candidate("d/e/f", 1, None, FILE, Reason.LATER, "later"),
        Candidate("d/g", 1, None, FILE),
    )
    assert actions(made) == {"d/g": Action.DELETE}
    assert reasons(made) == {"d": Reason.BLOCKED, "d/e": Reason.BLOCKED, "d/e/f": Reason.LATER}


def test_what_is_in_a_directory_that_stays_goes_back_in_place() -> None:
    """The task made the directory, somebody else a file in it, which the task changed then."""
    made = plan(Candidate("d", 1, None, FOLDER), Candidate("d/f", 2, FILE, EDITED))
    assert actions(made) == {"d/f": Action.RESTORE}
    assert reasons(made) == {"d": Reason.BLOCKED}


def test_nothing_comes_back_into_a_directory_that_does_not() -> None:
    made = plan(
        Candidate("d", 1, FOLDER, None, Reason.SHARED, "shared"),
        Candidate("d/f", 1, FILE, None),
    )
    assert reasons(made) == {"d": Reason.SHARED, "d/f": Reason.BLOCKED}
    assert not made.steps


def test_no_copy_means_no_step() -> None:
    made = plan(
        Candidate("f", 1, replace(FILE, content="", flaw="it cannot be read"), EDITED),
        Candidate("g", 1, FILE, replace(EDITED, content="", flaw="it cannot be read")),
    )
    assert reasons(made) == {"f": Reason.NO_COPY, "g": Reason.NO_COPY}


def test_hard_links_that_leave_the_picture_are_left() -> None:
    linked = replace(FILE, nlink=2)
    made = build([Candidate("f", 1, linked, replace(EDITED, nlink=2))], (), lambda *_: ("f",))
    assert reasons(made) == {"f": Reason.NO_COPY}
    named = build([Candidate("f", 1, linked, replace(EDITED, nlink=2))], ("f",), lambda *_: ("f",))
    assert actions(named) == {"f": Action.RESTORE}


def test_a_set_of_hard_links_is_staged_as_one_file() -> None:
    before, now = replace(FILE, nlink=2), replace(EDITED, nlink=2)
    both = [Candidate("f", 1, before, now), Candidate("g", 1, before, now)]
    made = build(both, (), lambda *_: ("f", "g"))
    assert {step.links for step in made.steps} == {("f", "g")}


def test_a_link_of_the_set_that_is_still_there_is_joined() -> None:
    before = replace(FILE, nlink=2)
    members = [
        Candidate("f", 1, before, EDITED),
        Candidate("g", 1, before, replace(FILE, ctime_ns=9)),
    ]
    made = build(members, (), lambda *_: ("f", "g"))
    assert [(step.path, step.link_to) for step in made.steps] == [("f", "g")]


TIMELINE = Timeline(
    [Mark(n, n, n) for n in range(1, 7)],
    [
        Call("t", 1, "a", 1, 2, ("/home/",), until=2),
        Call("t", 1, "b", 3, 4, ("/home/",), until=4),
    ],
)


def test_history_chooses_the_state_before_the_first_own_change() -> None:
    states = [None, FILE, FILE, EDITED, EDITED]
    points = [Point(mark, entry) for mark, entry in enumerate(states, 1)]
    chosen = choose("/home", {"f": points}, TIMELINE, "t", TIMELINE.calls)
    assert [(c.mark, c.before, c.now, c.reason) for c in chosen] == [(1, None, EDITED, None)]


def test_a_change_between_two_calls_makes_the_path_another_s() -> None:
    points = [Point(1, None), Point(2, FILE), Point(3, EDITED), Point(4, FILE)]
    chosen = choose("/home", {"f": points}, TIMELINE, "t", TIMELINE.calls)
    assert [(c.path, c.reason) for c in chosen] == [("f", Reason.LATER)]


def test_what_others_did_before_does_not_matter() -> None:
    points = [Point(2, None), Point(3, FILE), Point(4, EDITED), Point(5, EDITED)]
    chosen = choose("/home", {"f": points}, TIMELINE, "t", TIMELINE.calls)
    assert [(c.mark, c.before, c.reason) for c in chosen] == [(3, FILE, None)]


def test_paths_that_only_others_touched_are_not_candidates() -> None:
    points = [Point(2, None), Point(3, FILE), Point(4, FILE)]
    assert not choose("/home", {"f": points}, TIMELINE, "t", TIMELINE.calls)

"""Previews that a person can read, and data that is JSON whatever a name holds."""

from __future__ import annotations

import json
import stat

from slated.snapshots import show
from slated.snapshots.entries import Entry
from slated.snapshots.pictures import Uncovered
from slated.snapshots.plan import Candidate, Plan, Reason, build

FILE = Entry(stat.S_IFREG | 0o644, 1, 1, 3, 10, 20, 5, content="x")


def plan(*candidates: Candidate) -> dict[str, Plan]:
    return {"/home/me": build(candidates, (), lambda *_: ())}


def test_a_preview_says_what_happens_to_each_path_and_why_others_stay() -> None:
    made = plan(
        Candidate("gone", 1, FILE, None),
        Candidate("new\n", 1, None, FILE),
        Candidate("both", 1, FILE, None, Reason.SHARED, "task u was at work too"),
    )
    lines = show.preview(made, [Uncovered("/home/me/sub", "it is another subvolume")])
    assert lines[:-1] == [
        "recreate (1):",
        "  /home/me/gone",
        "delete (1):",
        "  /home/me/new\\n",
        "leave (shared) (1):",
        "  /home/me/both: task u was at work too",
        "not seen (1):",
        "  /home/me/sub: it is another subvolume",
    ]
    assert "databases" in lines[-1]


def test_an_empty_plan_says_so_and_a_long_one_counts_the_rest() -> None:
    assert show.preview(plan())[0] == "There is nothing to undo."
    many = plan(*(Candidate(f"f{number:04}", 1, None, FILE) for number in range(300)))
    assert "  … and 100 more" in show.preview(many)


def test_r216_odd_names_are_json_and_keep_their_bytes() -> None:
    text = json.dumps(show.data(plan(Candidate("a\udcff", 1, None, FILE))))
    step = json.loads(text)["steps"][0]
    assert step == {
        "action": "deleted",
        "path": "/home/me/a\\xff",
        "raw": b"/home/me/a\xff".hex(),
    }
    assert "raw" not in show.data(plan(Candidate("a", 1, None, FILE)))["steps"][0]  # type: ignore[index]  # a list


def test_what_is_left_is_data_too() -> None:
    made = show.data(
        plan(Candidate("b", 1, FILE, None, Reason.LATER, "why")), [Uncovered("/x", "y")]
    )
    assert made["left"] == [{"reason": "changed later", "why": "why", "path": "/home/me/b"}]
    assert made["unseen"] == [{"path": "/x", "why": "y"}]

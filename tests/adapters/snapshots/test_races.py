"""Writers, readers and the clean-up of undo at the same moment: nothing is lost or taken for what it is not."""

from __future__ import annotations

import threading
from functools import partial
from typing import Any

import pytest

from slated.snapshots import content, walk
from slated.snapshots.retention import Keep
from tests.fakes.undo_bed import Bed


def test_pictures_are_cleaned_up_while_the_next_mark_is_taken(bed: Bed) -> None:
    """Pruning and marking side by side: no copy that a mark counts on may go."""
    faults: list[BaseException] = []
    stop = threading.Event()

    def prune() -> None:
        try:
            while not stop.is_set():
                bed.undo.prune(Keep(tasks=1, floor=0))
        except BaseException as error:  # noqa: BLE001 told to the test
            faults.append(error)

    thread = threading.Thread(target=prune)
    thread.start()
    try:
        for number in range(40):
            path = bed.home / "f"
            path.write_text("the same bytes")
            bed.act(f"t{number}", partial(path.write_text, f"other {number}"))
            path.unlink()
    finally:
        stop.set()
        thread.join(30)
    assert not faults
    (bed.home / "f").write_text("the same bytes")
    bed.act("last", partial((bed.home / "f").write_text, "agent"))
    bed.take_back("last")
    assert (bed.home / "f").read_text() == "the same bytes"


def test_marks_go_before_their_pictures(bed: Bed, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut off in between, a task is unknown or expired, and never taken back in part."""
    for task in ("a", "b"):
        bed.act(task, partial((bed.home / task).write_text, task))

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    for kind in {type(pictures) for pictures in bed.undo.roots.values()}:
        monkeypatch.setattr(kind, "forget", killed)
    with pytest.raises(KeyboardInterrupt):
        bed.undo.prune(Keep(tasks=1, floor=0))
    monkeypatch.undo()
    bed.restart()
    with pytest.raises(ValueError, match="knows no call"):
        bed.plan("a")
    bed.undo.prune(Keep(tasks=1, floor=0))
    bed.take_back("b")
    assert not (bed.home / "b").exists()


def test_a_writer_at_work_during_every_mark_never_leaves_a_mixture(bed: Bed) -> None:
    """Each version of the file is of one letter; whatever comes back is one of them, whole."""
    path = bed.home / "busy"
    path.write_text("a" * 200_000)
    stop = threading.Event()

    def write() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            part = bed.home / "part"
            part.write_text("abcdefgh"[number % 8] * 200_000)
            part.rename(path)

    thread = threading.Thread(target=write)
    thread.start()
    try:
        for number in range(5):
            bed.act("t", partial((bed.home / f"own{number}").write_text, "agent"))
    finally:
        stop.set()
        thread.join(30)
    bed.take_back()
    assert len(set(path.read_text())) == 1
    assert len(path.read_text()) == 200_000


def test_a_file_that_is_replaced_while_it_is_copied_is_not_taken_for_absent(
    bed: Bed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Taken for absent, it would be the task's to have made, and undo would delete it."""
    path = bed.home / "f"
    path.write_text("one")
    real = content.open_file

    def replaced(handle: int, name: str) -> int:
        if name == "f":
            (bed.home / "part").write_text("two")
            (bed.home / "part").rename(path)
            monkeypatch.undo()
        return real(handle, name)

    monkeypatch.setattr(content, "open_file", replaced)
    call = bed.begin("t")
    path.write_text("agent")
    bed.end(call)
    monkeypatch.undo()
    bed.take_back()
    assert path.read_text() in ("one", "two")


def test_a_name_that_a_list_missed_is_still_there(
    bed: Bed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A directory that changes while it is listed is listed again."""
    (bed.home / "f").write_text("person")
    (bed.home / "g").write_text("person")
    real = walk.Walk._listed
    missed: list[str] = []

    def misses(self: walk.Walk, handle: int, path: str, lists: Any, seen: Any, depth: int) -> None:
        real(self, handle, path, lists, seen, depth)
        if not path and not missed:
            missed.append("f")
            lists[1].pop("f")
            seen.changed[:] = [item for item in seen.changed if item[0] != "f"]
            (bed.home / "g").rename(bed.home / "h")
            (bed.home / "h").rename(bed.home / "g")

    monkeypatch.setattr(walk.Walk, "_listed", misses)
    call = bed.begin("t")
    monkeypatch.undo()
    (bed.home / "f").write_text("agent")
    bed.end(call)
    bed.take_back()
    assert (bed.home / "f").read_text() == "person"

"""Undo from the outside, on every kind of picture: a task as a whole, prompts, refusals, coverage."""

from __future__ import annotations

import json
import os
from functools import partial
from pathlib import Path

import pytest

from slated.errors import BadRequest, Refused, Stale, Unavailable
from slated.snapshots.pictures import Limits
from slated.snapshots.timeline import Call
from tests.fakes.undo_bed import Bed, differences

OLD_NS = 1_700_000_000_123_456_789


def write(path: Path, text: str, mode: int = 0o644) -> Path:
    path.write_text(text, encoding="utf-8")
    path.chmod(mode)
    os.utime(path, ns=(OLD_NS, OLD_NS))
    return path


def test_each_prompt_can_go_back_alone_and_then_the_one_before(bed: Bed) -> None:
    path = write(bed.home / "f", "zero")
    pictures = [bed.picture()]
    for prompt in (1, 2, 3):
        bed.act("t", partial(path.write_text, f"prompt {prompt}"), prompt=prompt)
        pictures.append(bed.picture())
    bed.take_back(last=True)
    assert not differences(pictures[2], bed.picture())
    bed.take_back()
    assert not differences(pictures[0], bed.picture())
    assert bed.done(bed.plan()) == {}


def test_a_preview_changes_nothing_and_is_what_is_done(bed: Bed) -> None:
    write(bed.home / "f", "one")
    bed.act("t", lambda: write(bed.home / "f", "two"))
    after = bed.picture()
    plan = bed.plan()
    assert not differences(after, bed.picture())
    assert bed.done(bed.undo.apply(plan)) == bed.done(plan) == {"f": "restored"}


def test_a_change_after_the_preview_refuses_all_of_it(bed: Bed) -> None:
    write(bed.home / "f", "one")
    write(bed.home / "g", "one")

    def deed() -> None:
        write(bed.home / "f", "two")
        write(bed.home / "g", "two")

    bed.act("t", deed)
    plan = bed.plan()
    (bed.home / "g").write_text("the person's", encoding="utf-8")
    now = bed.picture()
    with pytest.raises(Stale, match="changed since the preview"):
        bed.undo.apply(plan)
    assert not differences(now, bed.picture())


def test_a_running_task_is_not_undone(bed: Bed) -> None:
    write(bed.home / "f", "one")
    bed.act("t", lambda: write(bed.home / "f", "two"))
    plan = bed.plan()
    bed.running.add("t")
    with pytest.raises(Refused, match="still at work"):
        bed.undo.apply(plan)


def test_only_names_part_of_a_task(bed: Bed) -> None:
    def deed() -> None:
        (bed.home / "d").mkdir()
        write(bed.home / "d/f", "two")
        write(bed.home / "e", "two")

    bed.act("t", deed)
    bed.undo.apply(bed.plan(only="d"))
    assert not (bed.home / "d").exists()
    assert (bed.home / "e").exists()


def test_an_edit_tool_covers_its_file_and_the_directories_it_makes(bed: Bed) -> None:
    before = bed.picture()
    call = bed.begin("t", "a/b/c.txt", exact=True)
    (bed.home / "a/b").mkdir(parents=True)
    write(bed.home / "a/b/c.txt", "text")
    bed.end(call)
    bed.take_back()
    assert not differences(before, bed.picture())


def test_state_survives_a_restart(bed: Bed) -> None:
    write(bed.home / "f", "one")
    before = bed.picture()
    bed.act("t", lambda: write(bed.home / "f", "two"))
    bed.restart()
    bed.act("t", lambda: write(bed.home / "g", "three"))
    bed.restart()
    bed.take_back()
    assert not differences(before, bed.picture())


def test_what_is_covered_is_known_before(bed: Bed) -> None:
    write(bed.home / "f", "one")
    covers = bed.undo.covers
    assert covers(f"{bed.home}/f").covered
    assert covers(f"{bed.home}/not/yet/there").covered
    for path in (
        "/etc/passwd",
        str(bed.home),
        f"{bed.home}/.slate/undo.sqlite",
        "relative",
        "/a/../b",
    ):
        cover = covers(path)
        assert not cover.covered, path
        assert cover.reason


def test_r199_below_the_floor_nothing_is_covered(bed: Bed) -> None:
    write(bed.home / "f", "one")
    bed.limits = Limits(floor=1 << 60)
    bed.restart()
    assert "too full" in bed.undo.covers(f"{bed.home}/f").reason
    protected = bed.undo.protect(Call("t", 1, "c", 0, None, (f"{bed.home}/f",), True))
    assert [missed.path for missed in protected.uncovered] == [f"{bed.home}/f"]


def test_a_task_or_mark_that_is_not_there_is_the_callers_mistake(bed: Bed) -> None:
    with pytest.raises(BadRequest, match="knows no call"):
        bed.plan("nobody")
    with pytest.raises(BadRequest, match="no undo"):
        bed.undo.redo()


def test_a_plan_is_json_with_escaped_names(bed: Bed) -> None:
    (bed.home / os.fsdecode(b"a\xff")).write_text("one")
    bed.act("t", lambda: (bed.home / os.fsdecode(b"a\xff")).unlink())
    assert json.dumps(sorted(bed.done(bed.plan()))) == '["a\\udcff"]'


def test_a_root_that_is_gone_is_unavailable(bed: Bed) -> None:
    bed.act("t", lambda: write(bed.home / "f", "one"))
    bed.home.rename(bed.home.with_name("elsewhere"))
    with pytest.raises(Unavailable):
        bed.plan()
    bed.home.with_name("elsewhere").rename(bed.home)

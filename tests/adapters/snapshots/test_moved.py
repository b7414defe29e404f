"""Files that a task moved away from a path which undo then has to leave: they must not go as well."""

from __future__ import annotations

from functools import partial

import pytest

from tests.fakes.undo_bed import Bed


def moved(bed: Bed) -> None:
    """A task moves the person's file."""
    (bed.home / "letter").write_text("person's only copy")
    (bed.home / "d").mkdir()
    bed.act("t", partial((bed.home / "letter").rename, bed.home / "d/moved"))


def test_a_moved_file_goes_back_to_its_name(bed: Bed) -> None:
    before = bed.picture()
    moved(bed)
    done = bed.take_back()
    assert not bed.left(done)
    assert (bed.home / "letter").read_text() == "person's only copy"
    bed.redo()
    assert set(bed.picture()) - set(before) == {"d", "d/moved"}


@pytest.mark.promise("undo-stays-inside")
@pytest.mark.parametrize("stays", [True, False])
def test_a_moved_file_whose_name_was_used_by_the_person_since_stays(bed: Bed, stays: bool) -> None:
    moved(bed)
    (bed.home / "letter").write_text("person's new one")
    # A mark in between sees it.
    bed.act("u", partial((bed.home / "other").write_text, "x"))
    if not stays:
        (bed.home / "letter").unlink()
    plan = bed.plan()
    assert bed.left(plan) == {"letter": "changed later", "d/moved": "in the way"}
    names = set(bed.picture())
    bed.undo.apply(plan)
    assert set(bed.picture()) == names
    assert (bed.home / "d/moved").read_text() == "person's only copy"


def test_a_moved_file_that_is_named_goes(bed: Bed) -> None:
    moved(bed)
    (bed.home / "letter").write_text("person's new one")
    bed.take_back(include="d/moved")
    assert not (bed.home / "d/moved").exists()
    assert (bed.home / "letter").read_text() == "person's new one"


@pytest.mark.promise("undo-stays-inside")
def test_what_the_person_wrote_into_a_file_of_the_task_stays_where_the_task_moved_it(
    bed: Bed,
) -> None:
    """Over another file of the person, which undo could bring back only in its place."""
    (bed.home / "b").write_text("person's second")
    bed.act("t", partial((bed.home / "a").write_text, "agent's"))
    (bed.home / "a").write_text("person's first")
    bed.act("t", partial((bed.home / "a").replace, bed.home / "b"))
    done = bed.take_back()
    assert (bed.home / "b").read_text() == "person's first"
    assert bed.left(done) == {"b": "in the way"}


def test_an_inode_that_is_used_again_is_no_moved_file(bed: Bed) -> None:
    (bed.home / "a").write_text("first")

    def deed() -> None:
        (bed.home / "a").unlink()
        (bed.home / "new").write_text("agent's")

    bed.act("t", deed)
    (bed.home / "a").write_text("person's")
    done = bed.take_back()
    assert bed.left(done) == {"a": "changed later"}
    assert not (bed.home / "new").exists()

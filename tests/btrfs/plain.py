"""What only a user without rights can meet: closed directories and files. Run by test_contract.py on each kind."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from slated import syscalls
from slated.errors import Refused, Unavailable
from tests.fakes.undo_bed import Bed, differences, make_home

ROOM = os.environ.get("SLATE_UNDO_ROOM", "")


@pytest.fixture
def bed() -> Iterator[Bed]:
    made = Bed(make_home(Path(tempfile.mkdtemp(dir=ROOM))))
    yield made
    made.undo.close()


def test_a_read_only_directory_is_a_clear_error_and_nothing_is_half_done(bed: Bed) -> None:
    folder = bed.home / "d"
    folder.mkdir()
    (folder / "f").write_text("person")

    def deed() -> None:
        (folder / "f").write_text("agent")
        (bed.home / "new").write_text("agent")

    bed.act("t", deed)
    folder.chmod(0o555)
    now = bed.picture()
    with pytest.raises(Refused, match="read-only"):
        bed.take_back()
    assert not differences(now, bed.picture())
    folder.chmod(0o755)
    bed.take_back()
    assert (folder / "f").read_text() == "person"


@pytest.mark.parametrize("mode", [0, 0o400, 0o444])
def test_a_directory_that_cannot_be_searched_is_told_and_stops_nothing(bed: Bed, mode: int) -> None:
    closed = bed.home / "closed"
    closed.mkdir()
    (closed / "inside").write_text("person")
    (bed.home / "f").write_text("person")
    closed.chmod(mode)
    bed.act("t", partial((bed.home / "f").write_text, "agent"))
    plan = bed.plan()
    assert any(missed.path == str(closed) for missed in plan.unseen)
    bed.undo.apply(plan)
    assert (bed.home / "f").read_text() == "person"
    closed.chmod(0o755)
    assert (closed / "inside").read_text() == "person"


@pytest.mark.parametrize("mode", [0, 0o444])
def test_a_directory_that_the_task_closed_is_opened_again_and_its_files_stay(
    bed: Bed, mode: int
) -> None:
    closed = bed.home / "closed"
    closed.mkdir(0o755)
    (closed / "inside").write_text("person")
    before = bed.picture()
    bed.act("t", partial(closed.chmod, mode))
    bed.take_back()
    assert not differences(before, bed.picture())


def test_a_file_that_cannot_be_read_is_left_and_said_so(bed: Bed) -> None:
    (bed.home / "secret").write_text("person")
    (bed.home / "secret").chmod(0)

    def deed() -> None:
        (bed.home / "secret").unlink()
        (bed.home / "new").write_text("agent")

    bed.act("t", deed)
    assert bed.left(bed.take_back()) == {"secret": "no copy"}
    assert not (bed.home / "new").exists()


@pytest.mark.parametrize("mode", [0o400, 0o500, 0o555])
def test_a_closed_directory_that_a_task_made_goes(bed: Bed, mode: int) -> None:
    def deed() -> None:
        (bed.home / "d").mkdir()
        (bed.home / "d").chmod(mode)

    bed.act("t", deed)
    done = bed.take_back()
    assert not bed.left(done)
    assert not (bed.home / "d").exists()


def test_a_read_only_directory_comes_back_with_what_is_in_it_and_goes_again(bed: Bed) -> None:
    folder = bed.home / "d"
    folder.mkdir()
    (folder / "f").write_text("person")
    folder.chmod(0o555)
    before = bed.picture()

    def deed() -> None:
        folder.chmod(0o755)
        (folder / "f").unlink()
        folder.rmdir()

    bed.act("t", deed)
    gone = bed.picture()
    bed.take_back()
    assert not differences(before, bed.picture())
    bed.redo()
    assert not differences(gone, bed.picture())


def test_a_read_only_directory_that_came_back_goes_when_undo_cannot_go_on(
    bed: Bed, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = bed.home / "d"
    folder.mkdir()
    (folder / "f").write_text("person")
    folder.chmod(0o555)

    def deed() -> None:
        folder.chmod(0o755)
        (folder / "f").unlink()
        folder.rmdir()

    bed.act("t", deed)
    gone = bed.picture()

    def full(_handle: int) -> None:
        if folder.exists():
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(syscalls, "flush", full)
    with pytest.raises(Unavailable):
        bed.take_back()
    assert not bed.undo.pending()
    assert not differences(gone, bed.picture())


def test_a_directory_that_cannot_be_looked_into_is_left_and_all_else_goes_back(bed: Bed) -> None:
    def deed() -> None:
        (bed.home / "d").mkdir()
        (bed.home / "d/f").write_text("agent")
        (bed.home / "d").chmod(0)
        (bed.home / "e").write_text("agent")

    bed.act("t", deed)
    done = bed.take_back()
    assert bed.left(done) == {"d": "in the way"}
    assert not (bed.home / "e").exists()
    (bed.home / "d").chmod(0o700)
    assert (bed.home / "d/f").read_text() == "agent"


def test_an_empty_directory_that_cannot_be_searched_stops_no_mark(bed: Bed) -> None:
    (bed.home / "d").mkdir()
    (bed.home / "d/f").write_text("person")

    def deed() -> None:
        (bed.home / "d/f").unlink()
        (bed.home / "d").chmod(0o600)

    bed.act("t", deed)
    bed.act("t", partial((bed.home / "e").write_text, "agent"))
    bed.take_back()
    assert not (bed.home / "e").exists()
    assert (bed.home / "d/f").read_text() == "person"

"""Files that a program has open while undo is at work: what it goes on writing must have a place."""

from __future__ import annotations

import mmap
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import IO, Protocol

import pytest

from tests.fakes.undo_bed import Bed


class _Closing(Protocol):
    def close(self) -> object: ...


def _by_descriptor(path: Path) -> _Closing:
    return open(path, "r+b")


def _by_map(path: Path) -> _Closing:
    """The descriptor itself is closed."""
    with open(path, "r+b") as file:
        return mmap.mmap(file.fileno(), 0)


@pytest.fixture
def changed(bed: Bed) -> Bed:
    """A task wrote to `log`, made `new` and wrote to `f`."""
    (bed.home / "log").write_text("first")
    (bed.home / "f").write_text("first")

    def deed() -> None:
        for name in ("log", "new", "f"):
            (bed.home / name).write_text("agent's")

    bed.act("t", deed)
    return bed


@pytest.mark.promise("undo-stays-inside")
@pytest.mark.parametrize("name", ["log", "new"])
@pytest.mark.parametrize("hold", [_by_descriptor, _by_map])
def test_a_file_that_a_program_has_open_for_writing_is_left(
    changed: Bed, name: str, hold: Callable[[Path], _Closing]
) -> None:
    held = hold(changed.home / name)
    done = changed.take_back()
    held.close()
    assert changed.left(done) == {name: "in use"}
    assert (changed.home / name).read_text() == "agent's"
    assert (changed.home / "f").read_text() == "first"
    # Once it is closed, it goes back like the others.
    assert not changed.left(changed.take_back())
    assert not (changed.home / "new").exists()
    assert (changed.home / "log").read_text() == "first"


def test_a_file_that_is_only_read_goes_back(changed: Bed) -> None:
    with open(changed.home / "log", "rb") as reader:
        assert not changed.left(changed.take_back())
        assert reader.read() == b"agent's"
    assert (changed.home / "log").read_text() == "first"


def _written(file: IO[str]) -> None:
    file.write(" and more")
    file.flush()


@pytest.mark.promise("undo-stays-inside")
@pytest.mark.parametrize("name", ["log", "new"])
def test_what_a_program_writes_into_a_file_that_was_named_is_kept_beside(
    changed: Bed, name: str
) -> None:
    with open(changed.home / name, "a") as program:
        done = changed.take_back(include=name)
        _written(program)
    assert not changed.left(done)
    assert [Path(path).read_text() for path in done.kept] == ["agent's and more"]


@pytest.mark.promise("undo-stays-inside")
def test_what_a_program_writes_that_opened_a_file_after_the_plan_is_kept_beside(
    changed: Bed,
) -> None:
    plan = changed.plan()
    with open(changed.home / "log", "a") as program:
        done = changed.undo.apply(plan)
        _written(program)
    assert (changed.home / "log").read_text() == "first"
    assert [Path(path).read_text() for path in done.kept] == ["agent's and more"]


def test_a_mode_goes_back_under_an_open_file(bed: Bed) -> None:
    """Its bytes are not touched."""
    (bed.home / "f").write_text("first")
    (bed.home / "f").chmod(0o640)
    bed.act("t", partial((bed.home / "f").chmod, 0o600))
    with open(bed.home / "f", "a") as program:
        bed.take_back()
        _written(program)
    assert (bed.home / "f").read_text() == "first and more"
    assert (bed.home / "f").stat().st_mode & 0o777 == 0o640

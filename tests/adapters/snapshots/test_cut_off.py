"""An undo that was cut off half way, what the person does before it is resumed, and that none of it is lost."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path

import pytest

from slated.errors import SlateError, Stale
from slated.snapshots.apply import Result
from slated.snapshots.commit import Site
from slated.snapshots.plan import Step
from tests.fakes.undo_bed import Bed


@pytest.fixture
def scene(bed: Bed) -> Bed:
    """A task replaced `a`, deleted `gone` and a directory with a file in it, and changed `z`, whose turn comes last."""
    home = bed.home
    (home / "gone-too").mkdir()
    for name in ("a", "gone", "gone-too/inner", "z"):
        (home / name).write_text("first")

    def deed() -> None:
        (home / "a").write_text("agent's")
        (home / "gone").unlink()
        (home / "gone-too/inner").unlink()
        (home / "gone-too").rmdir()
        (home / "z").write_text("agent's")

    bed.act("t", deed)
    return bed


def cut_off(bed: Bed, monkeypatch: pytest.MonkeyPatch, *, before: str = "z", at: str = "") -> None:
    """Undo, ended by a crash before the step at `before`, or when `at` of its site is called."""
    bed.undo.close()
    child = os.fork()
    if child == 0:
        real = Site._order

        def order(site: Site) -> list[tuple[int, Step]]:
            found = real(site)
            return _until(found, before)

        if at:
            monkeypatch.setattr(Site, at, lambda *_args, **_named: os._exit(0))
        else:
            monkeypatch.setattr(Site, "_order", order)
        bed.undo = bed.open()
        bed.take_back()
        os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    bed.undo = bed.open()
    assert bed.undo.pending()


class _Ending(list[tuple[int, Step]]):
    def __iter__(self) -> Iterator[tuple[int, Step]]:
        yield from islice(super().__iter__(), len(self))
        os._exit(0)


def _until(steps: list[tuple[int, Step]], path: str) -> list[tuple[int, Step]]:
    names = [step.path for _, step in steps]
    return _Ending(steps[: names.index(path)])


def resumed(bed: Bed) -> Result | SlateError:
    """What resuming says; it must come to an end."""
    done: Result | SlateError
    try:
        done = bed.undo.resume()[0]
    except SlateError as error:
        done = error
    assert not bed.undo.pending()
    return done


def leftovers(home: Path) -> dict[str, str]:
    return {
        f"{path.parent.name[:11]}/{path.name}": path.read_text()
        for path in home.glob(".slate-undo-*/*")
        if path.is_file()
    }


def by_rename(path: Path) -> None:
    path.with_name("new").write_text("person's")
    path.with_name("new").replace(path)


@pytest.mark.promise("undo-stays-inside")
@pytest.mark.parametrize("edited", ["a", "gone", "gone-too/inner"])
@pytest.mark.parametrize("save", [partial(Path.write_text, data="person's"), by_rename])
def test_what_the_person_wrote_into_a_file_that_had_come_back_stays(
    scene: Bed, monkeypatch: pytest.MonkeyPatch, edited: str, save: Callable[[Path], object]
) -> None:
    """Resumed, the undo finds `z` changed as well, and is taken back: what it would take away is the person's now."""
    cut_off(scene, monkeypatch)
    save(scene.home / edited)
    (scene.home / "z").write_text("person's, too")
    assert isinstance(resumed(scene), SlateError)
    assert (scene.home / edited).read_text() == "person's"
    assert (scene.home / "z").read_text() == "person's, too"


def test_what_is_said_and_kept_of_a_file_that_stays(
    scene: Bed, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut_off(scene, monkeypatch)
    (scene.home / "a").write_text("person's")
    (scene.home / "z").write_text("person's")
    told = resumed(scene)
    assert isinstance(told, Stale)
    assert f"{scene.home}/a" in told.message
    assert "it stays" in told.message
    assert list(leftovers(scene.home).values()) == ["agent's"]
    # What stayed is the person's for all that follows.
    assert scene.left(scene.plan())["a"] == "changed later"


@pytest.mark.promise("undo-stays-inside")
def test_a_file_that_the_person_put_into_a_directory_that_had_come_back_stays(
    scene: Bed, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut_off(scene, monkeypatch)
    (scene.home / "gone-too/letter").write_text("person's")
    (scene.home / "z").write_text("person's, too")
    resumed(scene)
    assert (scene.home / "gone-too/letter").read_text() == "person's"
    assert not (scene.home / "gone-too/inner").exists()
    assert not list(scene.home.glob(".slate-undo-*"))


def test_without_a_change_of_the_person_a_failed_undo_leaves_nothing_behind(
    scene: Bed, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut_off(scene, monkeypatch)
    (scene.home / "z").write_text("person's, too")
    resumed(scene)
    assert (scene.home / "a").read_text() == "agent's"
    assert not (scene.home / "gone").exists()
    assert not (scene.home / "gone-too").exists()
    assert not list(scene.home.glob(".slate-undo-*"))


@pytest.mark.promise("undo-stays-inside")
def test_what_stood_in_a_directory_that_a_newer_file_replaced_is_kept_beside(
    bed: Bed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A task made a directory of a file; undo made the file again, and then could not go on."""
    (bed.home / "n").write_text("first")
    (bed.home / "z").write_text("first")

    def deed() -> None:
        (bed.home / "n").unlink()
        (bed.home / "n").mkdir()
        (bed.home / "n/inner").write_text("agent's")
        (bed.home / "z").write_text("agent's")

    bed.act("t", deed)
    cut_off(bed, monkeypatch)
    (bed.home / "n").write_text("person's")
    (bed.home / "z").write_text("person's")
    resumed(bed)
    assert (bed.home / "n").read_text() == "person's"
    assert list(leftovers(bed.home).values()) == ["agent's"]


def test_a_file_with_attributes_alone_that_was_written_to_does_not_keep_an_undo_from_ending(
    bed: Bed, monkeypatch: pytest.MonkeyPatch
) -> None:
    (bed.home / "a").write_text("first")
    (bed.home / "z").write_text("first")

    def deed() -> None:
        (bed.home / "a").chmod(0o600)
        (bed.home / "z").write_text("agent's")

    bed.act("t", deed)
    cut_off(bed, monkeypatch)
    (bed.home / "a").write_text("person's")
    (bed.home / "z").write_text("person's")
    resumed(bed)
    assert (bed.home / "a").read_text() == "person's"


def test_a_read_only_directory_that_had_come_back_goes_again(
    bed: Bed, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = bed.home / "d"
    folder.mkdir()
    (folder / "inner").write_text("first")
    (bed.home / "z").write_text("first")
    folder.chmod(0o555)

    def deed() -> None:
        folder.chmod(0o755)
        (folder / "inner").unlink()
        folder.rmdir()
        (bed.home / "z").write_text("agent's")

    bed.act("t", deed)
    cut_off(bed, monkeypatch, at="clear")
    by_rename(bed.home / "z")
    # Every step was done: the undo ends, and what was saved since stands.
    resumed(bed)
    assert (bed.home / "z").read_text() == "person's"
    assert (folder / "inner").exists() is folder.exists()

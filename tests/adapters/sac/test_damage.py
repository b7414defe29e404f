"""One damaged file, whichever it is and however it is damaged: it is told, and nothing else suffers."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from slated.errors import SlateError, Unavailable
from slated.sac.catch_up import Report
from tests.fakes.slate_parts import Parts, SomePerson, parts

DEEP = "[" * 100_000
NEVER = "2026-13-45T99:99:99.999Z"
LAST = "9999-12-31T23:59:59.999Z"


def _text(data: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(data)


def _each_value(value: object) -> Callable[[Path], object]:
    """Every value of a JSON file becomes this one."""

    def damage(path: Path) -> None:
        lines = path.read_bytes().split(b"\n") if path.suffix == ".jsonl" else [path.read_bytes()]
        raws = [json.loads(line) for line in lines if line.strip()]
        texts = [json.dumps(dict.fromkeys(raw, value)) for raw in raws]
        path.write_text("\n".join(texts) + "\n")

    return damage


def _one_value(old: str, new: str) -> Callable[[Path], object]:
    return lambda path: path.write_text(path.read_text().replace(old, new))


def _other_kind(make: Callable[[Path], object]) -> Callable[[Path], object]:
    def damage(path: Path) -> None:
        path.unlink()
        make(path)

    return damage


DAMAGES: dict[str, Callable[[Path], object]] = {
    "empty": _text(b""),
    "bytes": _text(b"\xff\x00\xfe" * 30),
    "deep": _text(DEEP.encode()),
    "a list": _text(b"[1, 2]\n"),
    "a number": _text(b"1" * 5_000 + b"\n"),
    "null": _each_value(None),
    "lists": _each_value([]),
    "texts": _each_value("x"),
    "half a character": _each_value("\ud800"),
    "objects": _each_value({"a": [{}]}),
    "no time": _one_value("2026-08-21T17:46:48.263Z", NEVER),
    "the last time": _one_value("2026-08-21T17:46:48.263Z", LAST),
    "half a character in a text": _one_value("a finding", "\\ud800"),
    "cut": lambda path: path.write_bytes(path.read_bytes()[:-20]),
    "a directory": _other_kind(Path.mkdir),
    "a pipe": _other_kind(os.mkfifo),
    "a link": _other_kind(lambda path: path.symlink_to("/etc/hostname")),
}


def _filled(folder: Path) -> Parts:
    """Two slates that were closed, one that is bound to nothing, one open, one accepted page and a decision."""
    here = parts(folder)
    here.book.create("one")
    here.book.create("two")
    for slate_id in ("first", "second", "unbound", "open"):
        bound = here.book.ids()[0] if slate_id in ("first", "second") else None
        here.store.open(slate_id, bound, {"note": "a note"})
        here.store.write_seed(slate_id, f"a finding of {slate_id}", "decision")
        if slate_id != "open":
            here.store.close(slate_id)
    here.store.open("dismissed")
    here.store.write_seed("dismissed", "a finding", "risk")
    here.store.close("dismissed")
    here.catch_up.dismiss("dismissed", "no use", person=SomePerson())
    first = next(w for w in here.catch_up.report().proposals if w.proposal.slate_id == "first")
    review, name = here.review(), first.proposal.id
    token = review.confirm(first.proposal.workspace_id, name, person=SomePerson())
    review.decide(first.proposal.workspace_id, name, "accepted", person=SomePerson(), token=token)
    return here


def _files(folder: Path) -> Iterator[Path]:
    """What holds something: no locks, and no record of what became of a slate, which nothing reads."""
    for path in sorted(folder.rglob("*")):
        skipped = (
            path.name.startswith(".") or ".locks" in path.parts or "slate-archive" in path.parts
        )
        if path.is_file() and not skipped:
            yield path


def _said(report: Report) -> int:
    told = (report.proposals, report.candidates, report.unreviewed_pages, report.damaged)
    return sum(len(section) for section in told)


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    """Where workspaces are kept follows from the project's path, so all happens in one place."""
    folder = tmp_path / "here"
    folder.mkdir()
    _filled(folder)
    shutil.copytree(folder, tmp_path / "whole", symlinks=True)
    return folder


def _restored(folder: Path) -> None:
    shutil.rmtree(folder)
    shutil.copytree(folder.with_name("whole"), folder, symlinks=True)


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_told_and_stops_nothing_else(filled: Path, damage: str) -> None:
    whole = list(_files(filled))
    assert len(whole) >= 10
    for path in whole:
        _restored(filled)
        try:
            DAMAGES[damage](path)
        except ValueError:
            continue  # A page is no JSON.
        here = parts(filled)
        here.clock.turn(hours=30)
        where = f"{damage}: {path.relative_to(filled)}"
        report = here.catch_up.report()
        assert _said(report) >= 2, where
        here.store.open("another")
        here.store.write_seed("another", "still works")
        assert here.store.close("another")["closed"], where
        for slate_id in ("open", "first"):
            try:
                here.store.open(slate_id)
            except SlateError as error:
                assert error.next_step, where  # noqa: PT017 - many files in one test


@pytest.mark.parametrize("part", [".keryx", ".keryx/external-slates", ".keryx/knowledge"])
def test_a_place_of_the_project_that_is_no_directory_does_not_hide_what_waits(
    filled: Path, part: str
) -> None:
    shutil.rmtree(filled / "project" / part)
    (filled / "project" / part).write_text("planted")
    report = parts(filled).catch_up.report()
    assert [waiting.proposal.slate_id for waiting in report.proposals] == ["second"]
    assert part == ".keryx/knowledge" or report.damaged


def test_a_record_that_is_being_written_hides_no_proposal(filled: Path) -> None:
    here = parts(filled)
    with here.book.project_lock():
        report = here.catch_up.report()
    assert [waiting.proposal.slate_id for waiting in report.proposals] == ["second"]
    assert any("not free" in why for _, why, _ in report.damaged)


def test_what_was_dismissed_is_not_bound_while_the_record_of_that_cannot_be_read(
    filled: Path,
) -> None:
    here = parts(filled)
    with here.book.project_lock(), pytest.raises(Unavailable):
        here.catch_up.candidate("dismissed")

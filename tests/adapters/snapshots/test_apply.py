"""Undo that is killed at any point and resumed: the tree is before or after, and no byte is lost."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from slated import syscalls
from slated.errors import Refused, Unavailable
from slated.snapshots import commit, journal
from slated.snapshots.apply import Applier, Result
from slated.snapshots.journal import State
from tests.fakes.undo_bed import Bed, differences


def change(home: Path) -> None:
    (home / "d").mkdir()
    for name in ("a", "b", "d/c"):
        (home / name).write_text("agent")
    (home / "gone").unlink()


@pytest.fixture
def changed(bed: Bed) -> Bed:
    for name in ("a", "gone"):
        (bed.home / name).write_text("person")
    bed.act("t", lambda: change(bed.home))
    return bed


def killed(bed: Bed, *, at: int) -> bool:
    """Apply in a process that kills itself at the nth rename; False when it came to its end."""
    child = os.fork()
    if child == 0:
        count = 0
        try:
            bed.restart()

            def wrapped(name: str) -> None:
                real = getattr(syscalls, name)

                def call(*arguments: object) -> None:
                    nonlocal count
                    count += 1
                    if count == at:
                        os.kill(os.getpid(), signal.SIGKILL)
                    real(*arguments)
                    count += 1
                    if count == at:
                        os.kill(os.getpid(), signal.SIGKILL)

                setattr(syscalls, name, call)

            for name in ("swap", "move", "flush"):
                wrapped(name)
            bed.take_back()
        finally:
            os._exit(0)
    return os.waitpid(child, 0)[1] == signal.SIGKILL


@pytest.mark.parametrize("at", [1, 2, 3, 4, 5, 6, 7, 9, 11, 12, 13, 14, 15, 16])
def test_a_killed_undo_is_resumed_to_before_or_after(changed: Bed, at: int) -> None:
    after = changed.picture()
    before_by = {name: "person" for name in ("a", "gone")}
    changed.undo.close()
    was_killed = killed(changed, at=at)
    changed.undo = changed.open()
    if was_killed:
        assert changed.undo.pending()
        with pytest.raises(Refused, match="cut off"):
            changed.take_back()
        changed.undo.resume()
    assert not changed.undo.pending()
    assert not list(changed.home.glob(".slate-undo-*"))
    now = changed.picture()
    if not differences(after, now):
        return
    assert {path.name: path.read_text() for path in changed.home.iterdir() if path.is_file()} == (
        before_by
    )
    changed.redo()
    assert not differences(after, changed.picture())


def test_a_resumed_undo_that_had_begun_to_return_returns(
    changed: Bed, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = changed.picture()
    monkeypatch.setattr(Applier, "_return", lambda *_: Result("", {}, {}))

    def fails(*_: object) -> None:
        raise PermissionError(13, "no", "a")

    monkeypatch.setattr(commit.Site, "_delete", fails)
    with pytest.raises(Unavailable):
        changed.take_back()
    assert [record.state for record in journal.pending(changed.place)] == [State.RETURNING]
    monkeypatch.undo()
    changed.restart()
    changed.undo.resume()
    assert not differences(now, changed.picture())
    assert not changed.undo.pending()

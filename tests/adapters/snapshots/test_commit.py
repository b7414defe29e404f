"""Steps on a real tree that fail half way: everything is taken back, and nothing of others is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from slated import syscalls
from slated.errors import Stale, Unavailable
from slated.snapshots import staged
from slated.snapshots.commit import Site
from tests.fakes.undo_bed import Bed, differences


def change(home: Path) -> None:
    """Something of each kind of step."""
    (home / "d").mkdir()
    for name in ("a", "b", "d/c"):
        (home / name).write_text("agent")
    (home / "gone").unlink()
    (home / "mode").chmod(0o600)


@pytest.fixture
def changed(bed: Bed) -> Bed:
    for name in ("a", "gone", "mode"):
        (bed.home / name).write_text("person")
    bed.act("t", lambda: change(bed.home))
    return bed


@pytest.mark.parametrize("at", range(1, 7))
def test_r210_a_step_that_fails_takes_all_others_back(
    changed: Bed, at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = changed.picture()
    plan = changed.plan()
    calls = 0

    def failing(name: str) -> None:
        real = getattr(syscalls, name)

        def call(*arguments: object) -> None:
            nonlocal calls
            calls += 1
            if calls == at + 1:  # the first one tries whether swapping works
                raise PermissionError(13, "Permission denied", "a")
            real(*arguments)

        monkeypatch.setattr(syscalls, name, call)

    failing("swap")
    failing("move")
    if at > 5:
        changed.undo.apply(plan)
        return
    with pytest.raises(Unavailable):
        changed.undo.apply(plan)
    assert not differences(now, changed.picture())
    assert not changed.undo.pending()


def test_r210_a_full_disk_while_staging_changes_nothing(
    changed: Bed, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = changed.picture()

    def full(*_arguments: object) -> list[str]:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(staged, "make", full)
    with pytest.raises(Unavailable, match="disk is full"):
        changed.undo.apply(changed.plan())
    assert not differences(now, changed.picture())
    assert not changed.undo.pending()
    monkeypatch.undo()
    changed.take_back()


def test_a_file_written_in_the_last_moment_is_put_back_and_nothing_else_happens(
    changed: Bed, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Site.forward

    def late(site: Site) -> None:
        (changed.home / "a").write_text("the person's")
        real(site)

    monkeypatch.setattr(Site, "forward", late)
    with pytest.raises(Stale):
        changed.undo.apply(changed.plan())
    assert (changed.home / "a").read_text() == "the person's"
    assert (changed.home / "b").read_text() == "agent"


def test_bytes_written_into_a_file_that_was_just_replaced_are_kept(
    changed: Bed, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Site.clear
    plan = changed.plan()
    with open(changed.home / "a", "a") as editor:

        def late(site: Site, *, back: bool) -> None:
            editor.write("typed meanwhile")
            editor.flush()
            real(site, back=back)

        monkeypatch.setattr(Site, "clear", late)
        done = changed.undo.apply(plan)
    assert (changed.home / "a").read_text() == "person"
    assert len(done.kept) == 1
    assert Path(done.kept[0]).read_text() == "agenttyped meanwhile"


def test_a_new_file_at_a_name_that_comes_back_is_not_overwritten(
    changed: Bed, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Site.forward

    def late(site: Site) -> None:
        (changed.home / "gone").write_text("the person's new one")
        real(site)

    monkeypatch.setattr(Site, "forward", late)
    with pytest.raises(Unavailable):
        changed.undo.apply(changed.plan())
    assert (changed.home / "gone").read_text() == "the person's new one"


def test_a_read_only_tree_is_a_clear_error_and_leaves_no_undo_behind(
    changed: Bed, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = changed.picture()

    def read_only(_site: Site) -> None:
        raise OSError(30, "Read-only file system", ".slate-undo-x")

    monkeypatch.setattr(Site, "open_staging", read_only)
    for _ in range(2):
        with pytest.raises(Unavailable, match=r"changed nothing.*read-only"):
            changed.take_back()
        assert not changed.undo.pending()
    assert not differences(now, changed.picture())
    monkeypatch.undo()
    changed.take_back()
    assert (changed.home / "a").read_text() == "person"

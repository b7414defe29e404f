"""What an attacker, a full disk or an unlucky moment does to undo: nothing of the person's is lost or reached."""

from __future__ import annotations

import os
import stat
import time
from functools import partial
from pathlib import Path

import pytest

from slated.errors import Unavailable
from slated.snapshots import journal, staged, walk
from slated.snapshots.commit import Site
from slated.snapshots.entries import Entry
from slated.snapshots.pictures import Limits
from slated.snapshots.planning import Selection
from slated.snapshots.timeline import Call
from slated.snapshots.undo import Undo
from tests.fakes.undo_bed import Bed, differences, make_home


def no_space(*_: object) -> None:
    raise OSError(28, "No space left on device")


@pytest.mark.promise("undo-stays-inside")
def test_a_root_that_became_a_link_is_not_followed(bed: Bed, tmp_path: Path) -> None:
    (bed.home / "f").write_text("person")
    bed.act("t", (bed.home / "f").unlink)
    plan = bed.plan()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    bed.home.rename(bed.home.with_name("moved"))
    bed.home.symlink_to(elsewhere)
    with pytest.raises(Unavailable):
        bed.undo.apply(plan)
    with pytest.raises(Unavailable):
        bed.plan()
    # The bed keeps undo's own place in its home.
    assert [path.name for path in elsewhere.iterdir()] in ([], [".slate"])
    bed.home.unlink()
    bed.home.with_name("moved").rename(bed.home)


def test_a_root_given_by_a_link_is_the_directory_it_leads_to(tmp_path: Path) -> None:
    home = make_home(tmp_path)
    (tmp_path / "link").symlink_to(home)
    undo = Undo(tmp_path / "place", [str(tmp_path / "link")], limits=Limits(floor=0))
    assert list(undo.roots) == [str(home)]
    assert undo.covers(f"{home}/f").covered
    undo.close()


def test_an_undo_that_is_refused_leaves_no_trace_in_what_comes_after(
    bed: Bed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An undo that stayed open would be at work in everything that follows, which then is shared with it."""
    (bed.home / "f").write_text("person")
    bed.act("t", partial((bed.home / "f").write_text, "agent"))
    monkeypatch.setattr(journal, "write", no_space)
    with pytest.raises(OSError, match="No space"):
        bed.take_back()
    monkeypatch.undo()
    bed.act("u", partial((bed.home / "f").write_text, "another"))
    assert not bed.left(bed.take_back("u"))
    assert (bed.home / "f").read_text() == "agent"


def test_an_undo_that_was_killed_before_its_journal_leaves_no_trace(
    bed: Bed, monkeypatch: pytest.MonkeyPatch
) -> None:
    (bed.home / "f").write_text("person")
    bed.act("t", partial((bed.home / "f").write_text, "agent"))
    bed.undo.close()
    child = os.fork()
    if child == 0:
        bed.undo = bed.open()
        monkeypatch.setattr(journal, "write", lambda *_: os._exit(0))
        bed.take_back()
        os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    bed.undo = bed.open()
    bed.act("u", partial((bed.home / "f").write_text, "another"))
    assert not bed.left(bed.take_back("u"))
    assert (bed.home / "f").read_text() == "agent"


def test_a_call_ends_although_there_is_no_room_for_what_it_made(
    bed: Bed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A call that never ends could not be taken back at all."""
    (bed.home / "f").write_text("person")
    call = bed.begin("t")
    (bed.home / "f").write_text("agent")
    kind = type(bed.undo.roots[str(bed.home)])

    def full(*_: object) -> None:
        raise Unavailable("disk", "The disk is full.")

    monkeypatch.setattr(kind, "take", full)
    bed.end(call)
    monkeypatch.undo()
    plan = bed.plan()
    assert bed.left(plan) == {"f": "shared"}
    bed.take_back(include="f")
    assert (bed.home / "f").read_text() == "person"


def test_what_a_call_made_below_the_floor_can_be_taken_back(bed: Bed) -> None:
    """The task itself may have filled the disk, and then undo is wanted most."""
    (bed.home / "f").write_text("person")
    call = bed.begin("t")
    (bed.home / "f").write_text("agent")
    for pictures in bed.undo.roots.values():
        pictures._room = lambda *_: "the disk is too full"  # type: ignore[attr-defined]  # of both kinds
    bed.end(call)
    bed.take_back()
    assert (bed.home / "f").read_text() == "person"


def test_what_was_learnt_in_a_mark_that_failed_elsewhere_is_learnt_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One root was pictured, the disk of another was full: the mark is gone, and with it all rows of the first."""
    roots = [tmp_path / "one", tmp_path / "two"]
    for root in roots:
        root.mkdir()
        (root / "f").write_text("person")
    # Long after the files were written: none is looked at again because it is young.
    undo = Undo(
        tmp_path / "place",
        [str(root) for root in roots],
        limits=Limits(floor=0),
        now_ns=lambda: time.time_ns() + 10**12,
    )
    targets = tuple(f"{root}/" for root in roots)

    def full(*_: object) -> None:
        raise Unavailable("disk", "The disk is full.")

    with monkeypatch.context() as patched:
        patched.setattr(undo.roots[str(roots[1])], "take", full)
        with pytest.raises(Unavailable):
            undo.protect(Call("t", 1, "c1", 0, None, targets))
    undo.protect(Call("t", 1, "c2", 0, None, targets))
    (roots[0] / "f").write_text("agent")
    undo.settle("t", "c2")
    undo.apply(undo.plan(Selection("t")))
    assert (roots[0] / "f").read_text() == "person"
    undo.close()


def test_rights_of_another_owner_are_not_lent_to_this_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def not_allowed(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    path = tmp_path / "f"
    path.write_text("x")
    monkeypatch.setattr(os, "chown", not_allowed)
    facts = path.stat()
    entry = Entry(stat.S_IFREG | 0o6755, facts.st_uid + 1, facts.st_gid + 1, 1, 0, 0, 0)
    handle = os.open(tmp_path, os.O_RDONLY)
    lost = staged.dress(handle, "f", entry)
    os.close(handle)
    assert stat.S_IMODE(path.stat().st_mode) == 0o755
    assert lost == ["owner and group", "the set-uid or set-gid bit"]


def test_attributes_go_to_no_file_that_took_the_place_of_another(
    bed: Bed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the last look and the change, somebody puts another file there."""
    path = bed.home / "f"
    path.write_text("person")
    path.chmod(0o600)
    bed.act("t", partial(path.chmod, 0o644))
    real = Site.forward

    def swapped(self: Site) -> None:
        (bed.home / "other").write_text("newer")
        (bed.home / "other").rename(path)
        path.chmod(0o640)
        real(self)

    monkeypatch.setattr(Site, "forward", swapped)
    with pytest.raises(Exception, match="changed while undo was at work"):
        bed.take_back()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert path.read_text() == "newer"


@pytest.mark.parametrize("kind", ["link", "directory"])
def test_what_was_put_in_the_place_of_a_deleted_path_is_kept_by_a_resumed_undo(
    bed: Bed, kind: str
) -> None:
    """Killed between taking a newer thing away and putting it back: it is neither lost nor in the way for good."""
    old, new = bed.home / "x", bed.home / ".slate-undo-t/0"
    old.symlink_to("agent")
    call = bed.begin("t")
    old.unlink()
    old.symlink_to("later")
    bed.end(call)
    plan = bed.plan()
    (step,) = plan.plans[str(bed.home)].steps[-1:]
    new.parent.mkdir()
    if kind == "link":
        new.symlink_to("of the person")
    else:
        new.mkdir()
        (new / "of the person").write_text("newer")
    facts = os.stat(bed.home)
    site = Site(journal.Job(str(bed.home), facts.st_dev, facts.st_ino, new.parent.name, (step,)))
    site.open_staging()
    site.clear(back=False)
    site.close()
    assert site.kept == [f"{new.parent.name}/0"]
    assert new.is_symlink() or (new / "of the person").read_text() == "newer"


def test_only_one_file_of_a_directory_that_is_gone_brings_the_directory_back(bed: Bed) -> None:
    folder = bed.home / "d/e"
    folder.mkdir(parents=True)
    for name in ("f", "g"):
        (folder / name).write_text(name)

    def deed() -> None:
        for name in ("f", "g"):
            (folder / name).unlink()
        folder.rmdir()
        folder.parent.rmdir()

    bed.act("t", deed)
    plan = bed.undo.plan(Selection("t", only=(f"{folder}/f",)))
    assert bed.done(bed.undo.apply(plan)) == {
        "d": "recreated", "d/e": "recreated", "d/e/f": "recreated",
    }  # fmt: skip
    assert [path.name for path in folder.iterdir()] == ["f"]


def test_a_file_above_two_gigabytes_goes_back_with_its_holes(bed: Bed) -> None:
    path = bed.home / "large"
    size = (1 << 31) + 5000
    with open(path, "wb") as file:
        file.truncate(size)
        file.seek(size - 4)
        file.write(b"last")
    bed.act("t", path.unlink)
    bed.take_back()
    assert path.stat().st_size == size
    assert path.stat().st_blocks < 1000
    with open(path, "rb") as file:
        file.seek(size - 4)
        assert file.read() == b"last"


def test_a_default_acl_of_the_root_is_not_given_to_what_comes_back(bed: Bed) -> None:
    """Staging lies in the root and inherits from it; the files did not."""
    path = bed.home / "f"
    path.write_text("person")
    # Version 2; user::rwx, user:65533:rwx, group::---, mask::rwx, other::---.
    acl = bytes.fromhex(
        "02000000" "01000700ffffffff" "02000700fdff0000" "04000000ffffffff" "10000700ffffffff" "20000000ffffffff"
    )  # fmt: skip
    try:
        os.setxattr(bed.home, "system.posix_acl_default", acl)
    except OSError:
        pytest.skip("no ACLs on this file system")
    before = bed.picture()
    bed.act("t", path.unlink)
    bed.take_back()
    assert not differences(before, bed.picture())
    assert not os.listxattr(path)
    assert walk.STAGING not in " ".join(os.listdir(bed.home))

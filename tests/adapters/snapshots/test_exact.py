"""What undo brings back, exactly, on every kind of picture: kinds, modes, times, links, names."""

from __future__ import annotations

import os
import shutil
import socket
import stat
from pathlib import Path

import pytest

from tests.fakes.undo_bed import Bed, differences

OLD_NS = 1_700_000_000_123_456_789


def write(path: Path, text: str, mode: int = 0o644) -> Path:
    path.write_text(text, encoding="utf-8")
    path.chmod(mode)
    os.utime(path, ns=(OLD_NS, OLD_NS))
    return path


def test_r204_what_was_made_goes_what_was_deleted_or_renamed_comes_back(bed: Bed) -> None:
    write(bed.home / "keep", "k")
    write(bed.home / "old", "o")
    before = bed.picture()

    def deed() -> None:
        write(bed.home / "new", "n")
        (bed.home / "old").unlink()
        (bed.home / "keep").rename(bed.home / "kept")

    bed.act("t", deed)
    done = bed.take_back()
    assert bed.done(done) == {
        "keep": "recreated",
        "kept": "deleted",
        "new": "deleted",
        "old": "recreated",
    }
    assert not differences(before, bed.picture())


def test_r201_what_other_programs_wrote_after_the_call_stays(bed: Bed) -> None:
    write(bed.home / "a.py", "one")
    bed.act("t", lambda: write(bed.home / "a.py", "two"))
    (bed.home / "out").mkdir()
    results = write(bed.home / "out/1.jsonl", "large")
    facts = results.stat()
    bed.take_back()
    assert results.stat() == facts
    assert (bed.home / "a.py").read_text(encoding="utf-8") == "one"
    assert results.read_text(encoding="utf-8") == "large"


def test_r205_one_file_is_written_and_99_keep_inode_and_times(bed: Bed) -> None:
    for number in range(100):
        write(bed.home / f"f{number}", str(number))
    before = {path.name: path.stat() for path in bed.home.glob("f*")}
    bed.act("t", lambda: (bed.home / "f7").write_text("edited"))
    bed.take_back()
    after = {path.name: path.stat() for path in bed.home.glob("f*")}
    assert after.pop("f7").st_mtime_ns == before.pop("f7").st_mtime_ns == OLD_NS
    assert after == before


@pytest.mark.parametrize("mode", [0o755, 0o600, 0o444, 0o4755, 0o2640])
def test_r206_modes_come_back_with_the_content(bed: Bed, mode: int) -> None:
    path = write(bed.home / "f", "one", mode)

    def deed() -> None:
        path.unlink()
        write(path, "two", 0o666)

    bed.act("t", deed)
    bed.take_back()
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert path.read_text(encoding="utf-8") == "one"


def test_r206_the_mode_of_a_directory_comes_back_in_place(bed: Bed) -> None:
    folder = bed.home / "d"
    folder.mkdir(0o700)
    inode = folder.stat().st_ino
    bed.act("t", lambda: folder.chmod(0o755))
    assert bed.done(bed.take_back()) == {"d": "attributes restored"}
    assert (stat.S_IMODE(folder.stat().st_mode), folder.stat().st_ino) == (0o700, inode)


@pytest.mark.promise("undo-stays-inside")
def test_r208_a_link_at_the_path_is_replaced_and_its_target_untouched(bed: Bed) -> None:
    outside = bed.home.parent / "outside"
    outside.write_text("mine", encoding="utf-8")
    write(bed.home / "a", "one")

    def deed() -> None:
        (bed.home / "a").unlink()
        (bed.home / "a").symlink_to("../outside")

    bed.act("t", deed)
    bed.take_back()
    assert not (bed.home / "a").is_symlink()
    assert (bed.home / "a").read_text(encoding="utf-8") == "one"
    assert outside.read_text(encoding="utf-8") == "mine"


@pytest.mark.promise("undo-stays-inside")
def test_a_directory_that_became_a_link_leads_nowhere(bed: Bed) -> None:
    """A restore below `d` must not go through the link that the agent put in its place."""
    outside = bed.home.parent / "elsewhere"
    outside.mkdir()
    write(outside / "f", "mine")
    (bed.home / "d").mkdir()
    write(bed.home / "d/f", "one")
    before = bed.picture()

    def deed() -> None:
        shutil.rmtree(bed.home / "d")
        (bed.home / "d").symlink_to(outside)

    bed.act("t", deed)
    bed.take_back()
    assert not differences(before, bed.picture())
    assert (outside / "f").read_text(encoding="utf-8") == "mine"


@pytest.mark.promise("undo-stays-inside")
def test_r211_a_later_edit_of_the_person_is_left_and_listed(bed: Bed) -> None:
    path = write(bed.home / "f", "one")
    bed.act("t", lambda: path.write_text("agent", encoding="utf-8"))
    path.write_text("person", encoding="utf-8")
    done = bed.take_back()
    assert bed.left(done) == {"f": "changed later"}
    assert path.read_text(encoding="utf-8") == "person"
    plan = bed.plan()
    assert [left.before is not None for p in plan.plans.values() for left in p.left] == [True]
    bed.take_back(include="f")
    assert path.read_text(encoding="utf-8") == "one"


def test_r213_undo_is_undone_and_done_again(bed: Bed) -> None:
    path = write(bed.home / "f", "one")
    before = bed.picture()
    bed.act("t", lambda: path.write_text("two", encoding="utf-8"))
    after = bed.picture()
    for _ in range(2):
        bed.take_back()
        assert not differences(before, bed.picture())
        bed.redo()
        assert not differences(after, bed.picture())


@pytest.mark.timeout(10)
def test_r214_pipes_and_sockets_are_never_opened_and_come_back_by_type(bed: Bed) -> None:
    os.mkfifo(bed.home / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        handle = os.open(bed.home, os.O_RDONLY)
        server.bind(f"/proc/self/fd/{handle}/socket")
        os.close(handle)
        before = bed.picture()

        def deed() -> None:
            (bed.home / "pipe").unlink()
            (bed.home / "socket").unlink()
            write(bed.home / "pipe", "a file now")

        bed.act("t", deed)
        bed.take_back()
    assert not differences(before, bed.picture())
    assert stat.S_ISFIFO((bed.home / "pipe").lstat().st_mode)


@pytest.mark.timeout(10)
def test_r215_a_moved_directory_with_a_pipe_goes_back_and_can_be_cancelled(bed: Bed) -> None:
    (bed.home / "d").mkdir()
    os.mkfifo(bed.home / "d/pipe")
    write(bed.home / "d/f", "one")
    before = bed.picture()
    bed.act("t", lambda: (bed.home / "d").rename(bed.home / "moved"))
    moved = bed.picture()

    def cancel(_done: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        bed.undo.apply(bed.plan(), cancel)
    assert not differences(moved, bed.picture())
    assert not bed.undo.pending()
    bed.take_back()
    assert not differences(before, bed.picture())


@pytest.mark.parametrize(
    "name", [b"a\xff", b"new\nline", b"tab\t", b"-dash", b"x" * 255, b" ", b"\xe2\x80\xae", b"a\\b"]
)
def test_r216_names_of_any_bytes(bed: Bed, name: bytes) -> None:
    path = os.fsencode(bed.home) + b"/" + name
    with open(path, "wb") as file:
        file.write(b"one")
    before = bed.picture()

    def deed() -> None:
        with open(path, "wb") as again:
            again.write(b"two!")

    bed.act("t", deed)
    bed.take_back()
    assert not differences(before, bed.picture())


def test_r218_hard_links_stay_one_file(bed: Bed) -> None:
    write(bed.home / "h1", "one")
    os.link(bed.home / "h1", bed.home / "h2")
    bed.act("t", lambda: (bed.home / "h1").write_text("two"))
    bed.take_back()
    assert (bed.home / "h2").read_text(encoding="utf-8") == "one"
    assert (bed.home / "h1").stat().st_ino == (bed.home / "h2").stat().st_ino


def test_a_hard_link_that_was_replaced_joins_its_set_again(bed: Bed) -> None:
    write(bed.home / "h1", "one")
    os.link(bed.home / "h1", bed.home / "h2")
    before = bed.picture()
    inode = (bed.home / "h2").stat().st_ino

    def deed() -> None:
        (bed.home / "h1").unlink()
        write(bed.home / "h1", "another")

    bed.act("t", deed)
    bed.take_back()
    assert not differences(before, bed.picture())
    assert (bed.home / "h1").stat().st_ino == inode


def test_two_files_that_were_made_one_are_two_again(bed: Bed) -> None:
    write(bed.home / "p", "same")
    write(bed.home / "q", "same")
    before = bed.picture()

    def deed() -> None:
        (bed.home / "q").unlink()
        os.link(bed.home / "p", bed.home / "q")

    bed.act("t", deed)
    bed.take_back()
    assert not differences(before, bed.picture())


def test_r219_attributes_come_back(bed: Bed) -> None:
    path = write(bed.home / "f", "one")
    try:
        os.setxattr(path, "user.note", b"\x00binary\xff")
    except OSError:
        pytest.skip("this file system has no user attributes (tmpfs before Linux 6.6)")
    before = bed.picture()

    def deed() -> None:
        os.setxattr(path, "user.note", b"other")
        os.setxattr(path, "user.more", b"more")

    bed.act("t", deed)
    assert bed.done(bed.take_back()) == {"f": "attributes restored"}
    assert not differences(before, bed.picture())


def test_holes_stay_holes(bed: Bed) -> None:
    path = bed.home / "sparse"
    with open(path, "wb") as file:
        file.truncate(50_000_000)
        file.seek(20_000_000)
        file.write(b"data")
    blocks = path.stat().st_blocks
    before = bed.picture()

    def deed() -> None:
        with open(path, "r+b") as file:
            file.write(b"x" * 100_000)

    bed.act("t", deed)
    bed.take_back()
    assert not differences(before, bed.picture())
    assert path.stat().st_blocks <= max(blocks, 16)


def test_empty_and_deep_directories_come_back(bed: Bed) -> None:
    deep = bed.home.joinpath(*["d"] * 60)
    deep.mkdir(parents=True)
    (bed.home / "empty").mkdir(0o750)
    write(deep / "f", "one")
    before = bed.picture()

    def deed() -> None:
        shutil.rmtree(bed.home / "d")
        (bed.home / "empty").rmdir()

    bed.act("t", deed)
    bed.take_back()
    assert not differences(before, bed.picture())


def test_a_name_that_moved_with_its_directory_joins_the_one_that_stayed(bed: Bed) -> None:
    """Moving a directory does not touch the files in it, so the other name of one shows no change."""
    (bed.home / "d").mkdir()
    write(bed.home / "d/h1", "one")
    os.link(bed.home / "d/h1", bed.home / "h2")
    before = bed.picture()
    inode = (bed.home / "h2").stat().st_ino
    bed.act("t", lambda: (bed.home / "d").rename(bed.home / "e"))
    bed.take_back()
    assert not differences(before, bed.picture())
    assert (bed.home / "d/h1").stat().st_ino == inode


def test_a_name_that_an_undo_felt_still_is_its_file(bed: Bed) -> None:
    """Giving a file one more name and taking it away again moves its ctime, and is nothing that happened to it."""
    (bed.home / "d").mkdir()
    write(bed.home / "d/h1", "one")
    for name in ("h2", "h3"):
        os.link(bed.home / "d/h1", bed.home / name)
    bed.act("u", (bed.home / "h3").unlink)
    bed.act("t", lambda: (bed.home / "d").rename(bed.home / "e"))
    bed.take_back("u")
    bed.redo()
    bed.take_back("t")
    assert (bed.home / "d/h1").stat().st_ino == (bed.home / "h2").stat().st_ino

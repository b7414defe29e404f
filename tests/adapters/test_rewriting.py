"""One file written again and again: always the old or the new bytes, and no other file is ever written."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from slated import files, syscalls
from slated.errors import Unavailable
from slated.rewriting import Rewriting
from tests.fakes.stage import until

WRITER = """
import os, sys
sys.path.insert(0, sys.argv[1])
from slated.rewriting import Rewriting
place = os.open(sys.argv[2], os.O_RDONLY)
one = Rewriting("a")
number = 0
while True:
    number += 1
    one.write(place, (b"%d " % number) * (number % 7 + 1) * 3000 + b"end")
"""


@pytest.fixture
def place(tmp_path: Path) -> Iterator[int]:
    handle = os.open(tmp_path, os.O_RDONLY)
    yield handle
    os.close(handle)


def test_every_version_is_whole_whatever_its_length(place: int, tmp_path: Path) -> None:
    one = Rewriting("a")
    for size in (10, 5, 90_000, 3, 0, 40_000, 1):
        made = one.write(place, b"x" * size)
        assert (tmp_path / "a").read_bytes() == b"x" * size
        assert files.signature(place, "a") == made
        assert (tmp_path / "a").stat().st_mode & 0o777 == 0o600
    assert files.names(place) == ["a"]
    assert len(list(tmp_path.iterdir())) == 2
    one.drop(place)
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_the_version_before_the_last_is_what_is_written_again(place: int, tmp_path: Path) -> None:
    one = Rewriting("a")
    inodes = [one.write(place, b"%d" % number).inode for number in range(6)]
    assert inodes == [inodes[0], inodes[1]] * 3
    assert len(set(inodes)) == 2


def test_another_writer_in_between_loses_nothing(place: int, tmp_path: Path) -> None:
    writers = [Rewriting("a"), Rewriting("a")]
    for number, who in enumerate((0, 0, 1, 0, 1, 1, 1, 0, 0, 0)):
        writers[who].write(place, b"%d" % number)
        assert (tmp_path / "a").read_bytes() == b"%d" % number
    for number in range(6):
        writers[number % 2].write(place, b"in turn")
    # Who takes turns with others keeps nothing.
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
    files.replace_file(place, "a", b"by hand")
    writers[0].write(place, b"last")
    assert (tmp_path / "a").read_bytes() == b"last"


def test_a_hard_link_to_an_old_version_keeps_its_bytes(place: int, tmp_path: Path) -> None:
    one = Rewriting("a")
    one.write(place, b"first")
    os.link(tmp_path / "a", tmp_path / "backup")
    for number in range(4):
        one.write(place, b"%d" % number)
    assert (tmp_path / "backup").read_bytes() == b"first"


def test_what_is_planted_under_the_temporary_name_is_not_written_to(
    place: int, tmp_path: Path
) -> None:
    one = Rewriting("a")
    one.write(place, b"1")
    one.write(place, b"2")
    (spare,) = (path for path in tmp_path.iterdir() if path.name != "a")
    theirs = tmp_path / "theirs"
    theirs.write_bytes(b"precious")
    spare.unlink()
    os.link(theirs, spare)
    one.write(place, b"3")
    assert (tmp_path / "a").read_bytes() == b"3"
    assert theirs.read_bytes() == b"precious"


def test_where_names_cannot_be_exchanged_it_renames(
    place: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cannot(*_: object) -> None:
        raise OSError(errno.EINVAL, "not here")

    monkeypatch.setattr(syscalls, "swap", cannot)
    one = Rewriting("a")
    for number in range(4):
        one.write(place, b"%d" % number)
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
    assert (tmp_path / "a").read_bytes() == b"3"


def test_after_a_flush_that_failed_no_old_version_is_written_to(
    place: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = Rewriting("a")
    made = [one.write(place, b"%d" % number).inode for number in range(3)]
    real = os.fsync

    def broken(handle: int) -> None:
        if handle == place:
            raise OSError(errno.EIO, "no")
        real(handle)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", broken)
        with pytest.raises(Unavailable):
            one.write(place, b"lost?")
    kept = os.open(tmp_path / "a", os.O_RDONLY)
    one.write(place, b"after")
    assert (tmp_path / "a").read_bytes() == b"after"
    assert os.pread(kept, 10, 0) == b"lost?"
    os.close(kept)
    assert made[2] == made[0]


def test_r227_a_writer_killed_at_any_moment_leaves_a_whole_version(tmp_path: Path) -> None:
    """R227, with versions of different lengths in the same two files."""
    root = str(Path(files.__file__).parents[1])
    for number in range(20):
        argv = [sys.executable, "-I", "-c", WRITER, root, str(tmp_path)]
        with subprocess.Popen(argv) as process:
            assert until((tmp_path / "a").exists, 10)
            before = (tmp_path / "a").stat().st_mtime_ns
            assert until(lambda seen=before: (tmp_path / "a").stat().st_mtime_ns != seen, 10)
            process.send_signal(signal.SIGKILL)
        data = (tmp_path / "a").read_bytes()
        words = data.split()
        assert words.pop() == b"end", number
        assert len(set(words)) == 1
        assert len(words) == (int(words[0]) % 7 + 1) * 3000
    assert files.names(os.open(tmp_path, os.O_RDONLY)) == ["a"]

"""One file of the log: what a full disk and a failed flush leave behind."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from slated.audit.segment import Segment
from slated.errors import Unavailable


@pytest.fixture
def directory(tmp_path: Path) -> Iterator[int]:
    handle = os.open(tmp_path, os.O_RDONLY)
    yield handle
    os.close(handle)


def failing(number: int) -> Callable[..., int]:
    def fail(*_: object, **__: object) -> int:
        raise OSError(number, os.strerror(number))

    return fail


def test_lines_are_on_disk_after_a_sync(directory: int, tmp_path: Path) -> None:
    segment = Segment(directory, "s", create=True)
    segment.write(b"one")
    assert segment.synced == 0
    assert segment.sync() == segment.synced == segment.size == 4
    segment.close()
    assert (tmp_path / "s").read_bytes() == b"one\n"


def test_a_write_that_half_fails_leaves_nothing_of_its_line(
    directory: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    segment = Segment(directory, "s", create=True)
    segment.write(b"one")
    real, calls = os.write, iter((True, False))

    def half(handle: int, data: bytes) -> int:
        return real(handle, data[:2]) if next(calls) else failing(errno.ENOSPC)()

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", half)
        with pytest.raises(Unavailable) as caught:
            segment.write(b"second")
    assert caught.value.code == "unavailable.audit"
    assert "the disk is full" in caught.value.message
    segment.write(b"third")
    segment.close()
    assert (tmp_path / "s").read_bytes() == b"one\nthird\n"


def test_what_cannot_be_taken_back_at_once_is_taken_back_before_the_next_line(
    directory: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    segment = Segment(directory, "s", create=True)
    real, calls = os.write, iter((True, False))

    def half(handle: int, data: bytes) -> int:
        return real(handle, data[:2]) if next(calls) else failing(errno.EIO)()

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", half)
        patch.setattr(os, "ftruncate", failing(errno.EIO))
        with pytest.raises(Unavailable):
            segment.write(b"second")
    assert (tmp_path / "s").read_bytes() == b"se"
    segment.write(b"third")
    segment.close()
    assert (tmp_path / "s").read_bytes() == b"third\n"


def test_after_a_failed_flush_the_bytes_are_written_again(
    directory: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernel drops pages of a failed flush; here they are dropped by hand."""
    segment = Segment(directory, "s", create=True)
    segment.write(b"kept")
    segment.sync()
    segment.write(b"lost")
    with monkeypatch.context() as patch:
        patch.setattr(os, "fdatasync", failing(errno.EIO))
        with pytest.raises(Unavailable):
            segment.sync()
    with open(tmp_path / "s", "r+b") as other:
        other.seek(5)
        other.write(b"\0\0\0\0\0")
    segment.write(b"new")
    assert segment.sync() == segment.size
    segment.close()
    assert (tmp_path / "s").read_bytes() == b"kept\nlost\nnew\n"


def test_bytes_of_somebody_else_are_left_for_the_judge_to_see(
    directory: int, tmp_path: Path
) -> None:
    segment = Segment(directory, "s", create=True)
    segment.write(b"one")
    with open(tmp_path / "s", "ab") as other:
        other.write(b"forged\n")
    segment.write(b"two")
    segment.close()
    assert (tmp_path / "s").read_bytes() == b"one\nforged\ntwo\n"


def test_a_link_in_place_of_the_file_is_not_written_through(directory: int, tmp_path: Path) -> None:
    (tmp_path / "s").symlink_to(tmp_path / "elsewhere")
    for create in (True, False):
        with pytest.raises(Unavailable):
            Segment(directory, "s", create=create)

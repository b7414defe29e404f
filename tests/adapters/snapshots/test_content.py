"""Bytes: names by hash, copies with and without reflink, holes, files that are swapped under us."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from slated.snapshots import content


def opened(path: Path, flags: int = os.O_RDONLY) -> int:
    return os.open(path, flags)


def name_of(data: bytes) -> str:
    """The name of bytes, by the rule written down again."""
    size = 1 << 20
    if len(data) < size:
        return hashlib.sha256(data).hexdigest()
    hashes = [hashlib.sha256(data[at : at + size]).digest() for at in range(0, len(data), size)]
    return hashlib.sha256(b"".join(hashes)).hexdigest() + "p"


def test_the_name_is_the_hash_of_the_bytes_wherever_holes_are(tmp_path: Path) -> None:
    with open(tmp_path / "sparse", "wb") as file:
        file.seek(3_000_000)
        file.write(b"x")
        file.truncate(5_000_000)
    data = (tmp_path / "sparse").read_bytes()
    (tmp_path / "dense").write_bytes(data)
    names = {content.digest(opened(tmp_path / n), len(data)) for n in ("sparse", "dense")}
    assert names == {name_of(data)}


@pytest.mark.parametrize("share", [True, False])
@pytest.mark.parametrize("size", [0, 1, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 2 << 20, 3_000_001])
def test_a_copy_holds_the_same_bytes(tmp_path: Path, share: bool, size: int) -> None:
    (tmp_path / "a").write_bytes(os.urandom(size))
    target = os.open(tmp_path / "b", content.CREATE, 0o600)
    name = content.copy(opened(tmp_path / "a"), target, size, share=share)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert name == name_of((tmp_path / "a").read_bytes())


def test_r220_reflink_across_file_systems_falls_back_to_copying(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"data")
    memory = os.memfd_create("elsewhere")
    assert not content.clone(opened(tmp_path / "a"), memory)
    content.copy(opened(tmp_path / "a"), memory, 4)
    assert os.pread(memory, 9, 0) == b"data"


def test_a_file_that_was_replaced_is_not_taken_for_the_one_looked_at(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"data")
    handle = opened(tmp_path)
    with pytest.raises(FileNotFoundError), content.reading(handle, "a", 1):
        pass


def test_a_pipe_or_link_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    handle = opened(tmp_path)
    with pytest.raises(OSError, match="Too many levels"), content.reading(handle, "link", 1):
        pass
    with pytest.raises(FileNotFoundError), content.reading(handle, "pipe", 1):
        pass


def test_dropping_what_is_not_there_is_no_failure(tmp_path: Path) -> None:
    content.drop(opened(tmp_path), "none")

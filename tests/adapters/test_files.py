"""Durable writes: killed, raced, locked, damaged (R227, R229)."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import signal
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from slated import files
from slated.errors import BadRequest, Unavailable

FORK = multiprocessing.get_context("fork")


@pytest.fixture
def place(tmp_path: Path) -> Iterator[int]:
    with files.opened(tmp_path, "inner", create=True) as handle:
        yield handle


def endless_writes(folder: Path, started: int) -> None:
    """Write two contents of different length in turn, for ever."""
    with files.opened(folder, create=False) as handle:
        turn = 0
        while True:
            files.replace_file(
                handle, "state", json.dumps([turn] * (1 + 5000 * (turn % 2))).encode()
            )
            if turn == 0:
                os.write(started, b"x")
            turn += 1


def test_r227_a_writer_killed_at_any_moment_leaves_the_old_or_the_new_state(tmp_path: Path) -> None:
    dice = random.Random(1)
    for _ in range(40):
        ready, started = os.pipe()
        child = FORK.Process(target=endless_writes, args=(tmp_path, started))
        child.start()
        os.read(ready, 1)
        threading.Event().wait(dice.random() * 0.01)
        os.kill(child.pid or 0, signal.SIGKILL)
        child.join(5)
        os.close(ready)
        os.close(started)
        turns = json.loads((tmp_path / "state").read_bytes())
        assert len(turns) in (1, 5001)
        assert len(set(turns)) == 1
    with files.opened(tmp_path, create=False) as handle:
        assert files.names(handle) == ["state"]
        files.sweep_temporaries(handle, older_than_s=-1)
    assert os.listdir(tmp_path) == ["state"]


def many_writes(folder: Path, number: int) -> None:
    """500 states of different sizes."""
    dice = random.Random(number)
    with files.opened(folder, create=False) as handle:
        for turn in range(125):
            data = json.dumps({"by": number, "turn": turn, "pad": "x" * dice.randrange(20_000)})
            files.replace_file(handle, "state", data.encode())


def test_r229_four_writers_at_once_never_mix_their_bytes(tmp_path: Path) -> None:
    writers = [FORK.Process(target=many_writes, args=(tmp_path, number)) for number in range(4)]
    for writer in writers:
        writer.start()
    reads = 0
    with files.opened(tmp_path, create=False) as handle:
        while any(writer.is_alive() for writer in writers):
            data = files.read_file(handle, "state", limit=100_000)
            if data is not None:
                json.loads(data)
                reads += 1
    for writer in writers:
        writer.join(5)
        assert writer.exitcode == 0
    assert reads
    assert os.listdir(tmp_path) == ["state"]


def test_a_file_is_created_once(place: int) -> None:
    assert files.create_file(place, "a", b"first")
    assert not files.create_file(place, "a", b"second")
    assert files.read_file(place, "a", limit=10) == b"first"
    assert files.names(place) == ["a"]


def test_what_is_no_plain_file_or_too_large_is_damage(place: int, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "inner/pipe")
    (tmp_path / "inner/link").symlink_to(tmp_path / "inner/pipe")
    files.replace_file(place, "large", b"x" * 11)
    for name in ("pipe", "link", "large"):
        with pytest.raises(Unavailable) as caught:
            files.read_file(place, name, limit=10)
        assert caught.value.code == "unavailable.damaged"
    assert files.read_file(place, "none", limit=10) is None
    assert files.read_file(place, "large", limit=4, head=True) == b"xxxx"


def test_a_torn_tail_is_cut_and_whole_lines_stay(place: int, tmp_path: Path) -> None:
    assert files.cut_torn_tail(place, "log") == 0
    files.append_line(place, "log", b"one")
    files.append_line(place, "log", b"two")
    with (tmp_path / "inner/log").open("ab") as file:
        file.write(b"x" * 70_000)
    assert files.cut_torn_tail(place, "log") == 70_000
    assert files.read_file(place, "log", limit=99) == b"one\ntwo\n"


def test_parts_are_single_names_and_links_are_not_entered(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    for part in ("..", ".", "", "a/b"):
        with pytest.raises(BadRequest):
            files.open_directory(tmp_path, part, create=True)
    with pytest.raises(Unavailable):
        files.open_directory(tmp_path, "link", create=True)
    with files.opened(tmp_path, "new", "inner", create=True):
        assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o700


def test_a_lock_has_one_holder_and_a_deadline(place: int) -> None:
    with files.locked(place, "lock", deadline_s=1):
        with pytest.raises(Unavailable) as caught, files.locked(place, "lock", deadline_s=0.05):
            pass
        assert caught.value.code == "unavailable.busy"
    with files.locked(place, "lock", deadline_s=1):
        pass


def test_a_waiter_that_gave_up_does_not_keep_the_lock_it_gets_too_late(place: int) -> None:
    with files.locked(place, "lock", deadline_s=1):
        for _ in range(5):
            with pytest.raises(Unavailable), files.locked(place, "lock", deadline_s=0.01):
                pass
    for _ in range(5):
        with files.locked(place, "lock", deadline_s=1):
            pass


def test_waiters_get_the_lock_in_turn(place: int) -> None:
    got: list[int] = []

    def take(number: int) -> None:
        for _ in range(5):
            with files.locked(place, "lock", deadline_s=5):
                got.append(number)

    threads = [threading.Thread(target=take, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert sorted(got) == sorted(list(range(6)) * 5)


def test_a_full_disk_is_said_in_plain_words() -> None:
    error = files.disk_error("Cannot write a", OSError(28, "No space left on device"))
    assert error.message == "Cannot write a: the disk is full."


def test_a_signature_changes_with_every_write_and_child_and_move_work(place: int) -> None:
    files.replace_file(place, "a", b"1")
    first = files.signature(place, "a")
    files.replace_file(place, "a", b"2")
    assert files.signature(place, "a") != first
    inner = files.child(place, "deep")
    files.move_file(place, "a", inner, "b")
    assert files.signature(place, "a") is None
    assert files.read_file(inner, "b", limit=9) == b"2"
    os.close(inner)

"""The writer of the log: crashes at every byte, two writers, rotation, grouped flushes, a full disk."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import anyio
import pytest

from slated.audit import log as audit_log
from slated.audit.anchors import Anchors, SideFile
from slated.audit.lines import decode, segment_name
from slated.audit.log import Log, opened
from slated.audit.reader import Wanted, judged, records
from slated.audit.segment import Segment
from slated.errors import Unavailable

pytestmark = pytest.mark.anyio


def place(tmp_path: Path) -> Path:
    return tmp_path / "audit"


async def fill(directory: Path, *words: str) -> None:
    async with opened(directory) as log:
        for word in words:
            log.append({"kind": "call", "word": word})
        await log.flush()


def spoil(directory: Path, first: int, data: bytes) -> None:
    with open(directory / segment_name(first), "ab") as file:
        file.write(data)


def words(directory: Path) -> list[str]:
    return [r["word"] for r in records(directory, Wanted(kind="call"))]


async def test_a_log_goes_on_where_it_ended(tmp_path: Path) -> None:
    await fill(place(tmp_path), "a", "b")
    await fill(place(tmp_path), "c")
    assert words(place(tmp_path)) == ["a", "b", "c"]
    assert judged(place(tmp_path), {}).sound
    assert place(tmp_path).stat().st_mode & 0o777 == 0o700
    assert (place(tmp_path) / segment_name(1)).stat().st_mode & 0o777 == 0o600


async def test_r186_a_line_cut_anywhere_is_cut_off_and_marked_and_the_next_one_is_chained(
    tmp_path: Path,
) -> None:
    """R186: after an unfinished last line the next record must not be glued to it."""
    await fill(place(tmp_path), "first", "second")
    file = place(tmp_path) / segment_name(1)
    whole = file.read_bytes()
    last = whole[:-1].rindex(b"\n") + 1
    for end in range(last + 1, len(whole)):
        file.write_bytes(whole[:end])
        await fill(place(tmp_path), "third")
        assert words(place(tmp_path)) == ["first", "third"]
        made = judged(place(tmp_path), {})
        assert made.sound
        assert made.repairs == [f"{file.name}:3: {end - last} torn bytes were cut"]


async def test_r190_a_second_writer_is_turned_away_and_turns_keep_one_chain(tmp_path: Path) -> None:
    """R190: two servers must not each remember a tip of their own."""
    async with opened(place(tmp_path)):
        with pytest.raises(Unavailable, match="another process"):
            async with opened(place(tmp_path), lock_s=0.05):
                pass
    for turn in range(6):
        await fill(place(tmp_path), *[f"{turn}.{n}" for n in range(50)])
    assert judged(place(tmp_path), {}).sound
    assert len(words(place(tmp_path))) == 300


async def test_a_log_rotates_and_the_chain_goes_on(tmp_path: Path) -> None:
    async with opened(place(tmp_path), segment_bytes=1000) as log:
        for n in range(50):
            log.append({"kind": "call", "word": str(n)})
        await log.flush()
    assert len(list(place(tmp_path).glob("*.jsonl"))) > 3
    assert words(place(tmp_path)) == [str(n) for n in range(50)]
    assert judged(place(tmp_path), {}).sound
    sorted(place(tmp_path).glob("*.jsonl"))[1].unlink()
    assert "are missing" in judged(place(tmp_path), {}).faults[0].what


async def test_a_crash_between_a_new_file_and_its_first_line_is_gone_on_from(
    tmp_path: Path,
) -> None:
    await fill(place(tmp_path), "a")
    made = judged(place(tmp_path), {})
    (place(tmp_path) / segment_name(made.head.count + 1)).touch()
    await fill(place(tmp_path), "b")
    after = judged(place(tmp_path), {})
    assert after.sound
    assert after.log == made.log
    assert words(place(tmp_path)) == ["a", "b"]


async def test_a_damaged_last_line_is_chained_to_and_found_by_the_judge(tmp_path: Path) -> None:
    await fill(place(tmp_path), "a")
    spoil(place(tmp_path), 1, b"rubbish\n")
    await fill(place(tmp_path), "b")
    assert [f.what for f in judged(place(tmp_path), {}).faults] == ["this is no line of the log"]


@pytest.mark.parametrize("inline_s", [0.0, 60.0])
async def test_many_who_wait_share_few_flushes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inline_s: float
) -> None:
    """On a slow disk in a thread, on a fast one in place."""
    monkeypatch.setattr(audit_log, "INLINE_S", inline_s)
    flushes = 0
    real = Segment.sync

    def counted(self: Segment) -> int:
        nonlocal flushes
        flushes += 1
        return real(self)

    async with opened(place(tmp_path)) as log:
        monkeypatch.setattr(Segment, "sync", counted)

        async def one(n: int) -> None:
            log.append({"kind": "call", "word": str(n)})
            await log.flush()
            assert log._segment.synced > 0

        async with anyio.create_task_group() as tasks:
            for n in range(100):
                tasks.start_soon(one, n)
        assert flushes <= 4
        assert log.synced


async def test_r192_a_full_disk_refuses_the_line_and_the_log_goes_on_when_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R192: a write error is told, and leaves the log as it was."""
    async with opened(place(tmp_path)) as log:
        log.append({"kind": "call", "word": "a"})

        def full(*_: object) -> int:
            raise OSError(errno.ENOSPC, "full")

        with monkeypatch.context() as patch:
            patch.setattr(os, "write", full)
            with pytest.raises(Unavailable) as caught:
                log.append({"kind": "call", "word": "b"})
        assert caught.value.code == "unavailable.audit"
        with monkeypatch.context() as patch:
            patch.setattr(os, "fdatasync", full)
            with pytest.raises(Unavailable):
                await log.flush()
        log.append({"kind": "call", "word": "c"})
        await log.flush()
    assert words(place(tmp_path)) == ["a", "c"]
    assert judged(place(tmp_path), {}).sound


async def test_a_flush_that_fails_fails_for_all_who_waited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(place(tmp_path)) as log:
        failed = 0

        async def one() -> None:
            nonlocal failed
            log.append({"kind": "call", "word": "x"})
            try:
                await log.flush()
            except Unavailable:
                failed += 1

        def broken(_: int) -> None:
            raise OSError(errno.EIO, "broken")

        with monkeypatch.context() as patch:
            patch.setattr(os, "fdatasync", broken)
            async with anyio.create_task_group() as tasks:
                for _ in range(5):
                    tasks.start_soon(one)
        assert failed == 5


async def test_a_record_that_is_too_long_is_refused_before_it_is_written(tmp_path: Path) -> None:
    async with opened(place(tmp_path)) as log:
        with pytest.raises(Unavailable, match="too long"):
            log.append({"kind": "call", "word": "x" * audit_log.LINE_BYTES})
        log.append({"kind": "call", "word": "y"})
    assert words(place(tmp_path)) == ["y"]
    assert judged(place(tmp_path), {}).sound


async def test_an_anchor_is_told_once_and_never_ahead_of_the_disk(tmp_path: Path) -> None:
    async with opened(place(tmp_path)) as log:
        side = SideFile(place(tmp_path))
        anchors = Anchors(side)
        log.append({"kind": "call", "word": "a"})
        await audit_log.tell(log, anchors)
        assert log.synced
        await audit_log.tell(log, anchors)
        told = side.read()
        assert told is not None
        assert [a.head for a in told] == [log.head]
    assert judged(place(tmp_path), {"side file": side}).anchored == log.head.count


def write_and_die(directory: Path) -> None:
    """A writer in a process of its own that ends without a word."""
    child = os.fork()
    if child == 0:
        handle = os.open(directory, os.O_RDONLY)
        log = Log(handle, segment_bytes=1 << 20, clock=audit_log.now)
        log.append({"kind": "call", "word": "b"})
        os._exit(0)
    os.waitpid(child, 0)


async def test_a_line_of_a_writer_that_died_unflushed_is_there_for_the_next(tmp_path: Path) -> None:
    await fill(place(tmp_path), "a")
    write_and_die(place(tmp_path))
    await fill(place(tmp_path), "c")
    assert words(place(tmp_path)) == ["a", "b", "c"]
    assert judged(place(tmp_path), {}).sound


async def test_every_line_has_a_time(tmp_path: Path) -> None:
    async with opened(place(tmp_path), clock=lambda: "then") as log:
        log.append({"kind": "call", "word": "a"})
    lines = (place(tmp_path) / segment_name(1)).read_bytes().splitlines()
    assert all((decode(line) or {})["t"] == "then" for line in lines)

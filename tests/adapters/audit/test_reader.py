"""Reading the log: filters, following over a change of files, exports that can be judged."""

from __future__ import annotations

from pathlib import Path

import pytest

from slated.audit.lines import segment_name
from slated.audit.log import Log, opened
from slated.audit.reader import Follower, Wanted, export, firsts, judged, records
from slated.errors import Unavailable

pytestmark = pytest.mark.anyio


def add(log: Log, **fields: object) -> None:
    log.append({"kind": "call", **fields})


def begin_a_line(directory: Path) -> None:
    with open(directory / segment_name(firsts(directory)[-1]), "ab") as file:
        file.write(b'{"n":')


async def test_records_are_found_by_what_they_are_about(tmp_path: Path) -> None:
    times = iter(f"2026-01-0{n}" for n in range(1, 9))
    async with opened(tmp_path / "a", clock=lambda: next(times)) as log:
        add(log, task="t1", tool="Bash", tier="confirm")
        add(log, task="t2", tool="desktop_click", tier="reversible")
        add(log, task="t1", tool="desktop_type", tier="reversible")

    def found(**wanted: str) -> list[int]:
        return [r["n"] for r in records(tmp_path / "a", Wanted(kind="call", **wanted))]

    assert found() == [2, 3, 4]
    assert found(task="t1") == [2, 4]
    assert found(tool="desktop_") == [3, 4]
    assert found(tier="confirm") == [2]
    assert found(since="2026-01-03") == [3, 4]
    assert found(task="t1", tier="reversible") == [4]


async def test_a_follower_gets_each_new_record_once_also_from_a_new_file(tmp_path: Path) -> None:
    async with opened(tmp_path / "a", segment_bytes=300) as log:
        add(log, word="old")
        follower = Follower(tmp_path / "a", Wanted(kind="call"))
        assert follower.more() == []
        got = []
        for n in range(12):
            add(log, word=str(n))
            if n % 3 == 0:
                got += follower.more()
        got += follower.more()
        assert [r["word"] for r in got] == [str(n) for n in range(12)]
        assert len(firsts(tmp_path / "a")) > 2
        begin_a_line(tmp_path / "a")
        assert follower.more() == []


async def test_an_export_is_a_log_that_can_be_judged(tmp_path: Path) -> None:
    async with opened(tmp_path / "a", segment_bytes=300) as log:
        for n in range(9):
            add(log, word=str(n))
    parts: list[bytes] = []
    size = export(tmp_path / "a", parts.append)
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / segment_name(1)).write_bytes(b"".join(parts))
    assert size == sum(map(len, parts))
    made = judged(tmp_path / "b", {})
    assert made.sound
    assert made.head == log.head


def test_where_there_is_no_log_that_is_what_is_said(tmp_path: Path) -> None:
    assert [f.what for f in judged(tmp_path / "a", {}).faults] == ["there is no log"]
    assert list(records(tmp_path / "a", Wanted())) == []
    assert Follower(tmp_path / "a", Wanted()).more() == []
    with pytest.raises(Unavailable):
        export(tmp_path / "a", bytes)


def test_a_file_of_the_log_that_is_a_link_is_not_read(tmp_path: Path) -> None:
    (tmp_path / segment_name(1)).symlink_to("/etc/hostname")
    with pytest.raises(Unavailable):
        list(records(tmp_path, Wanted()))

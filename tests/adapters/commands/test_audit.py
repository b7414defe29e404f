"""`slate audit`: lines, filters, following, judging, exporting."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from slated.audit.lines import segment_name
from slated.audit.log import opened
from slated.audit.reader import Wanted
from slated.commands import audit
from slated.errors import BadRequest

pytestmark = pytest.mark.anyio


async def fill(directory: Path, *records: dict[str, object]) -> None:
    async with opened(directory) as log:
        for record in records:
            log.append(record)


CALL: dict[str, object] = {
    "kind": "call", "task": "t1", "tool": "Bash", "tier": "confirm", "verdict": "allow", "summary": "x\ny",
}  # fmt: skip


async def test_records_are_lines_for_a_person_and_objects_for_a_program(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    await fill(tmp_path / "a", CALL, {"kind": "start", "pid": 7})
    assert audit.show(tmp_path / "a", Wanted(), as_json=False, follow=False) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].endswith("call  task=t1  tool=Bash  tier=confirm  verdict=allow  summary=x\\ny")
    assert lines[2].endswith("start  pid=7")
    audit.show(tmp_path / "a", Wanted(kind="call"), as_json=True, follow=False)
    assert json.loads(capsys.readouterr().out)["summary"] == "x\ny"


async def test_verify_says_sound_or_where_the_damage_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    await fill(tmp_path / "a", CALL, CALL, CALL)
    assert audit.verify(tmp_path / "a", as_json=False) == 0
    assert "sound: 4 lines, unanchored" in capsys.readouterr().out
    file = tmp_path / "a" / segment_name(1)
    file.write_bytes(file.read_bytes().replace(b'"verdict":"allow"', b'"verdict":"never"', 1))
    assert audit.verify(tmp_path / "a", as_json=False) == 1
    said = capsys.readouterr().out
    assert f"{file.name}:3: the line before it is not the one" in said
    assert "DAMAGED" in said
    assert audit.verify(tmp_path / "a", as_json=True) == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["sound"], told["faults"][0]["line"]) == (False, 3)


async def test_new_records_are_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    await fill(tmp_path / "a", CALL)
    waits = 0

    def wait(self: threading.Event, timeout: float | None = None) -> bool:
        nonlocal waits
        waits += 1
        if waits > 2:
            raise KeyboardInterrupt
        append(tmp_path / "a", waits)
        return False

    monkeypatch.setattr(threading.Event, "wait", wait)
    assert audit.show(tmp_path / "a", Wanted(kind="new"), as_json=True, follow=True) == 0
    assert [json.loads(line)["w"] for line in capsys.readouterr().out.splitlines()] == [1, 2]


def append(directory: Path, number: int) -> None:
    with open(directory / segment_name(1), "ab") as file:
        record = {"n": number, "prev": "x", "kind": "new", "w": number}
        file.write(json.dumps(record).encode() + b"\n")


async def test_an_export_is_the_log_byte_for_byte(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    await fill(tmp_path / "a", CALL)
    assert audit.exported(tmp_path / "a") == 0
    assert capfdbinary.readouterr().out == (tmp_path / "a" / segment_name(1)).read_bytes()


def test_since_is_a_span_or_a_time() -> None:
    assert audit.since("") == ""
    assert audit.since("2026-01-02T03:04:05+01:00") == "2026-01-02T02:04:05.000+00:00"
    assert audit.since("2h") < audit.since("90m") < audit.since("1s")
    with pytest.raises(BadRequest):
        audit.since("soon")

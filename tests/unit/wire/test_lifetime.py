"""A daemon's own life: told once, ended by a signal or by a newer client, logged a line at a time."""

from __future__ import annotations

import json
import logging
import os
import signal
import sys

import anyio
import pytest

from slated.wire.lifetime import JsonLines, end_on_signal, end_when_left, tell
from slated.wire.serve import Door


def _record(message: str, **extra: object) -> logging.LogRecord:
    record = logging.makeLogRecord({"msg": message, "levelname": "INFO", "name": "x"})
    vars(record).update(extra)
    return record


def test_a_log_line_is_json_with_what_was_given() -> None:
    line = json.loads(JsonLines().format(_record("open", pid=7)))
    assert (line["event"], line["pid"], line["level"], line["from"]) == ("open", 7, "info", "x")
    assert line["t"].endswith("+00:00")


def test_a_failure_in_the_log_has_its_trace_on_the_same_line() -> None:
    try:
        raise ValueError("x\ny")
    except ValueError:
        text = JsonLines().format(_record("bug", exc_info=sys.exc_info()))
    assert "\n" not in text
    assert "ValueError" in json.loads(text)["trace"]


def test_whoever_started_the_daemon_is_told_once_and_may_be_gone() -> None:
    reader, writer = os.pipe()
    tell(writer, {"ready": True})
    tell(writer, {"code": "late"})
    assert os.read(reader, 100) == b'{"ready": true}\n'
    assert os.read(reader, 100) == b""
    os.close(reader)
    tell(None, {})


@pytest.mark.anyio
async def test_a_signal_ends_everything() -> None:
    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(end_on_signal, tasks)
            await anyio.sleep(0.05)
            os.kill(os.getpid(), signal.SIGTERM)
            await anyio.sleep_forever()


@pytest.mark.anyio
async def test_a_door_that_is_left_ends_everything() -> None:
    door = Door(version="1")
    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(end_when_left, door, tasks)
            await anyio.sleep(0.01)
            assert not tasks.cancel_scope.cancel_called
            door.leaving.set()
            await anyio.sleep_forever()

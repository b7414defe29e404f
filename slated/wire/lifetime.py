"""What every daemon of ours does about its own life: say that it serves, end when told, log as lines of JSON."""

from __future__ import annotations

import json
import logging
import os
import signal
from datetime import UTC, datetime
from typing import Final

import anyio
from anyio.abc import TaskGroup

from slated.errors import Bug, SlateError, sole
from slated.wire.serve import Door

_OWN: Final = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}

log = logging.getLogger(__name__)


def tell(ready_fd: int | None, what: dict[str, object]) -> None:
    """One line of JSON to whoever started us: that we serve, or why not. Later ones are for nobody."""
    if ready_fd is None:
        return
    try:
        os.write(ready_fd, json.dumps(what).encode() + b"\n")
        os.close(ready_fd)
    except OSError:  # told before, or whoever started us has given up
        return


def failed(ready_fd: int | None, error: Exception) -> int:
    """Say why a daemon cannot go on, to whoever waits for it and in its log; the exit code."""
    cause = sole(error)
    if not isinstance(cause, SlateError):
        log.error("failed", exc_info=error)
        cause = Bug("unexpected", "the daemon failed.", next_step="read its log")
    tell(ready_fd, {"code": cause.code, "message": cause.message, "next": cause.next_step})
    log.error("ended", extra={"code": cause.code, "why": cause.message})
    return 1


async def end_on_signal(tasks: TaskGroup) -> None:
    """Cancel `tasks` on SIGTERM or SIGINT."""
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        async for number in signals:
            log.info("signal", extra={"number": int(number)})
            tasks.cancel_scope.cancel()


async def end_when_left(door: Door, tasks: TaskGroup) -> None:
    """Cancel `tasks` for a client of another version that found us idle."""
    await door.leaving.wait()
    log.info("leaving for another version")
    tasks.cancel_scope.cancel()


class JsonLines(logging.Formatter):
    """One JSON object a line: time, level, event, where from, and what was given as `extra`."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "t": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            "from": record.name,
        }
        line.update({k: v for k, v in vars(record).items() if k not in _OWN})
        if record.exc_info:
            line["trace"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str)

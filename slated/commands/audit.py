"""`slate audit`: the log's records, as lines or JSON, followed; its judgement; its export. Works without slated."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event
from typing import Any, Final

from slated.audit.anchors import Journal, SideFile
from slated.audit.reader import Follower, Wanted, export, judged, records
from slated.errors import BadRequest
from slated.questions import escaped

FOLLOW_S: Final = 0.3
_AGO: Final = re.compile(r"(\d+)([smhd])")
_UNITS: Final = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


def show(directory: Path, wanted: Wanted, *, as_json: bool, follow: bool) -> int:
    """Print the records that are wanted; with `follow`, new ones too until it is interrupted."""
    follower = Follower(directory, wanted) if follow else None
    for record in records(directory, wanted):
        _print(record, as_json=as_json)
    if follower is None:
        return 0
    pause = Event()
    with suppress(KeyboardInterrupt):
        while True:
            for record in follower.more():
                _print(record, as_json=as_json)
            pause.wait(FOLLOW_S)
    return 0


def _print(record: Mapping[str, Any], *, as_json: bool) -> None:
    print(json.dumps(record) if as_json else line(record), flush=True)


def line(record: Mapping[str, Any]) -> str:
    """A record on one line, for a person."""
    kind = str(record.get("kind"))
    words = [str(record["n"]), str(record.get("t")), kind]
    shown = {
        "call": (
            "task",
            "program",
            "tool",
            "tier",
            "verdict",
            "answered",
            "rule",
            "code",
            "mark",
            "undo",
            "summary",
        ),
        "outcome": ("task", "tool", "call", "outcome", "because"),
        "question": ("question", "task", "tool", "rule"),
        "answer": ("question", "task", "answer", "by"),
    }.get(kind)
    keys = shown or [key for key in record if key not in ("n", "t", "prev", "kind")]
    words += [
        f"{key}={escaped(str(record[key]))}" for key in keys if record.get(key) not in (None, "")
    ]
    return "  ".join(words)


def verify(directory: Path, *, as_json: bool) -> int:
    """Judge the log; 1 when something is wrong with it."""
    made = judged(directory, {"journal": Journal(directory), "side file": SideFile(directory)})
    covered = f"anchored up to line {made.anchored}" if made.anchored else "unanchored"
    by = f" by {', '.join(made.witnesses)}" if made.anchored else ""
    if as_json:
        told = {
            "sound": made.sound,
            "lines": made.head.count,
            "head": made.head.hash,
            "log": made.log,
            "anchored": made.anchored,
            "witnesses": list(made.witnesses),
            "repairs": made.repairs,
            "faults": [{"file": f.file, "line": f.line, "what": f.what} for f in made.faults],
        }
        print(json.dumps(told))
        return 0 if made.sound else 1
    for fault in made.faults:
        print(f"{fault.file or 'the log'}{f':{fault.line}' if fault.line else ''}: {fault.what}")
    for repair in made.repairs:
        print(f"{repair} (a crash, no fault)")
    print(f"{'sound' if made.sound else 'DAMAGED'}: {made.head.count} lines, {covered}{by}")
    if "journal" not in made.witnesses:
        print(
            "there is no system journal here: who can write the log could rewrite all of it unseen"
        )
    return 0 if made.sound else 1


def exported(directory: Path) -> int:
    """Write every line as it stands to standard output."""
    export(directory, sys.stdout.buffer.write)
    sys.stdout.buffer.flush()
    return 0


def since(text: str) -> str:
    """`90m`, `2h`, `3d` ago, or an ISO time, as the log has times. Raises BadRequest."""
    if not text:
        return ""
    if ago := _AGO.fullmatch(text):
        span = timedelta(**{_UNITS[ago[2]]: int(ago[1])})
        return (datetime.fromtimestamp(time.time(), UTC) - span).isoformat(timespec="milliseconds")
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        raise BadRequest("since", "--since takes 90m, 2h, 3d or an ISO time.") from None
    return when.astimezone(UTC).isoformat(timespec="milliseconds")

"""A whole tree as pyatspi sees it: a line of JSON, {"pid": 1, "title": "x"}, is answered by one, {"rows": [], "ms": 1}.

Rows are [role, name, sorted states] in reading order, from the window down; `ms` is what the walk took.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import pyatspi

MOST = 20_000


def application(pid: int) -> Any:
    """The program of a process."""
    for program in pyatspi.Registry.getDesktop(0):
        if program is not None and program.get_process_id() == pid:
            return program
    raise SystemExit(f"no program of process {pid} is on the bus")


def walk(top: Any) -> list[list[Any]]:
    """All widgets below and with `top`, each read as pyatspi reads it: one call after the other."""
    rows: list[list[Any]] = []
    stack = [top]
    while stack and len(rows) < MOST:
        it = stack.pop()
        if it is None:
            continue
        role, name = it.getRoleName(), it.name
        states = sorted(pyatspi.stateToString(state) for state in it.getState().getStates())
        rows.append([role, name, states])
        stack += [it.getChildAtIndex(i) for i in reversed(range(it.childCount))]
    return rows


def look(pid: int, title: str) -> str:
    """The window of that title (the only one when none has it), walked and timed."""
    program = application(pid)
    windows = [w for w in program if w is not None]
    named = [w for w in windows if w.name == title] or windows
    started = time.perf_counter()
    rows = walk(named[0])
    took_ms = (time.perf_counter() - started) * 1e3
    return json.dumps({"rows": rows, "ms": took_ms})


if __name__ == "__main__":
    print("ready", flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        print(look(asked["pid"], asked["title"]), flush=True)

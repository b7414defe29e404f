"""The conversation every bed program holds: a command a line on stdin, events and one answer a
line on stdout.

A command is `verb` or `verb {json object}`. The answer is `OK`, `OK json` or `ERROR text`.
Whatever happened before the answer was written stands above it as `EVENT {json object}` lines,
so a test never has to wait and hope.
"""

from __future__ import annotations

import json
import os
import select
import sys
import time
from collections.abc import Callable, Mapping, Sequence

Verb = Callable[..., object]


quiet = False  # a program that only needs its state sets this


def emit(kind: str, **facts: object) -> None:
    """Print one event, unless the program was told to be quiet."""
    if quiet:
        return
    print("EVENT", json.dumps({"kind": kind, **facts}, ensure_ascii=False), flush=True)


def answer(verbs: Mapping[str, Verb], line: str) -> None:
    """Run one command line and print its answer; a wrong word or value is the test's mistake and
    answered as one.
    """
    name, _, rest = line.partition(" ")
    try:
        verb = verbs[name]
        result = verb(**json.loads(rest or "{}"))
    except (KeyError, TypeError, ValueError, OSError) as fault:
        print("ERROR", f"{type(fault).__name__}: {fault}".replace("\n", " "), flush=True)
        return
    print("OK" if result is None else f"OK {json.dumps(result, ensure_ascii=False)}", flush=True)


class Lines:
    """Non-blocking line reader over stdin; `closed` once the test has gone."""

    def __init__(self) -> None:
        self.fd = sys.stdin.fileno()
        self.closed = False
        self._rest = b""

    def read(self) -> list[str]:
        """The whole lines that are there now. Call when the descriptor is readable."""
        chunk = os.read(self.fd, 65536)
        self.closed = not chunk
        *whole, self._rest = (self._rest + chunk).split(b"\n")
        return [line.decode() for line in whole]


def serve(
    verbs: Mapping[str, Verb],
    *,
    watch: Callable[[], Sequence[tuple[int, Callable[[], None]]]] = tuple,
    before_wait: Callable[[], None] = lambda: None,
    tick: Callable[[float], float | None] = lambda now: None,
) -> None:
    """Answer commands until stdin ends.

    `watch()` pairs descriptors with what to do when they are readable; `before_wait` runs before
    each wait (flush); `tick(now)` does what is due and returns the monotonic time it wants to be
    called again.
    """
    lines = Lines()
    while not lines.closed:
        due = tick(time.monotonic())
        before_wait()
        handlers = dict(watch())
        timeout = None if due is None else max(0.0, due - time.monotonic())
        ready, _, _ = select.select([lines.fd, *handlers], [], [], timeout)
        for fd in ready:
            if fd != lines.fd:
                handlers[fd]()
        if lines.fd in ready:
            for line in lines.read():
                answer(verbs, line)

"""How a command reaches slated, starting it if need be."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from slated.wire import control, reach


@contextmanager
def connected(environ: Mapping[str, str], *, may_start: bool = True) -> Iterator[control.Control]:
    """A greeted connection. Raises `unavailable.daemon` when there is none and none may be started."""
    link = reach.reach(control.daemon_of(environ), say=_say, may_start=may_start)
    made = control.Control(link)
    try:
        yield made
    finally:
        made.close()


def _say(text: str) -> None:
    sys.stderr.write(f"slate: {text}\n")

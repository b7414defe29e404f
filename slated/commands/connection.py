"""How a command reaches slated, starting it if need be."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from slated.errors import BadRequest
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


def rows(slated: control.Control, method: str, **params: object) -> list[dict[str, Any]]:
    """All rows of a call that answers in pages."""
    found: list[dict[str, Any]] = []
    start: int | None = 0
    while start is not None:
        page = slated.ask(method, {**params, "from": start})
        found += page["rows"]
        start = page["next"]
    return found


def project(given: str) -> str:
    """The directory of a project as slated has it: absolute, links followed. Raises `bad_request.project`."""
    directory = os.path.realpath(given)
    if not os.path.isdir(directory):
        raise BadRequest("project", f"{given} is no directory.")
    return directory


def _say(text: str) -> None:
    sys.stderr.write(f"slate: {text}\n")

"""`slate undo`: what an agent did is taken back, with a preview, a bar for long work, and plain words."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TextIO

from slated.commands.connection import connected

SILENT_S: Final = 120.0
"""How long slated may say nothing at all before it is given up; it tells four times a second how far it is."""
BAR: Final = 30


@dataclass(slots=True)
class Screen:
    """Where progress goes: a line on `err` that is drawn over, if a person sees it. The answer is kept in `parts`."""

    err: TextIO
    parts: list[str] = field(default_factory=list)
    drawn: int = 0

    def heard(self, message: Mapping[str, Any]) -> None:
        """One message of slated's."""
        told = message.get("params", {})
        if message.get("method") == "part":
            self.parts.append(told["text"])
        elif message.get("method") == "progress" and self.err.isatty():
            self._draw(bar(told["stage"], told["seen"], told["of"]))

    def _draw(self, text: str) -> None:
        self.err.write("\r" + text.ljust(self.drawn))
        self.err.flush()
        self.drawn = len(text)

    def clear(self) -> None:
        """Take the line away again."""
        if self.drawn:
            self._draw("")
            self.err.write("\r")
            self.drawn = 0


def bar(stage: str, seen: int, of: int) -> str:
    """How far it is, on one line."""
    if not of:
        return f"{stage}: {seen:,}"
    full = min(BAR, BAR * seen // of)
    return f"{stage}: [{'#' * full}{'.' * (BAR - full)}] {seen:,} of {of:,}"


def undo(environ: Mapping[str, str], given: Mapping[str, Any]) -> int:
    """One `slate undo` with the options of the command line; 0 also when there was nothing to do."""
    preview = "preview" if given["preview"] else "apply"
    params: dict[str, object] = {
        "what": "resume" if given["resume"] else preview,
        "task": given["task"],
        "last": given["last"],
        "redo": given["redo"],
        "diff": given["diff"],
        "json": given["json"],
        "only": absolute(given["only"]),
        "include": absolute(given["include"]),
    }
    if given["to"] is not None:
        params["to"] = given["to"]
    screen = Screen(sys.stderr)
    try:
        with connected(environ) as slated:
            slated.ask("undo", params, deadline_s=SILENT_S, heard=screen.heard)
    finally:
        screen.clear()
    print("".join(screen.parts))
    return 0


def absolute(paths: Sequence[str]) -> list[str]:
    """Paths as undo has them: from the root, links above the last name followed."""
    found = []
    for path in paths:
        head, name = os.path.split(os.path.abspath(path))
        found.append(os.path.join(os.path.realpath(head), name))
    return found

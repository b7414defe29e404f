"""Rows with a label and a button each, all buttons of one name, in GTK 3, GTK 4 or Qt: `rows TOOLKIT TITLE`.

rows {"names": ["Ann", "Bob"]}    sort {"names": ["Bob", "Ann"]}    insert {"name": "Cy", "at": 0}
rename {"old": "Ann", "new": "Dan"}    dialog {"open": true}    clicked
"""

from __future__ import annotations

import importlib
import sys
from typing import Any, Protocol

from tests.live.bed.lines import Lines, answer

BUTTON = "Pick"


class Toolkit(Protocol):
    """What the three toolkits do each in their way."""

    def add(self, name: str, at: int) -> None:
        """A new row."""

    def sort(self, names: list[str]) -> None:
        """The same widgets in another order."""

    def rename(self, old: str, new: str) -> None:
        """Other words in the same widgets, as lists that recycle their rows do."""

    def clear(self) -> None:
        """No rows."""

    def dialog(self, *, shown: bool) -> None:
        """A modal dialog over the window, or none."""

    def run(self, lines: Lines, verbs: dict[str, Any]) -> None:
        """Answer commands until stdin ends."""


class Rows:
    """The verbs."""

    def __init__(self, toolkit: Toolkit, used: list[str]) -> None:
        self.toolkit, self.used = toolkit, used

    def rows(self, names: list[str]) -> None:
        """Fresh rows; what was clicked is forgotten."""
        self.used.clear()
        self.toolkit.clear()
        for at, name in enumerate(names):
            self.toolkit.add(name, at)

    def sort(self, names: list[str]) -> None:
        """Another order."""
        self.toolkit.sort(names)

    def insert(self, name: str, at: int) -> None:
        """One more row."""
        self.toolkit.add(name, at)

    def rename(self, old: str, new: str) -> None:
        """Another name for the same widgets."""
        self.toolkit.rename(old, new)

    def dialog(self, *, open: bool) -> None:
        """A dialog over all."""
        self.toolkit.dialog(shown=open)

    def clicked(self) -> list[str]:
        """The rows whose buttons were pressed since `rows`."""
        return list(self.used)


def run_lines(lines: Lines, verbs: dict[str, Any]) -> bool:
    """Answer what is there; False once the test has gone."""
    for line in lines.read():
        answer(verbs, line)
    return not lines.closed


if __name__ == "__main__":
    kind, title = sys.argv[1:3]
    clicks: list[str] = []
    made: Toolkit = importlib.import_module(f"tests.live.bed.rows_{kind}").open_(title, clicks)
    rows = Rows(made, clicks)
    names = ("rows", "sort", "insert", "rename", "dialog", "clicked")
    made.run(Lines(), {name: getattr(rows, name) for name in names})

"""Numbers for refs, never given twice, also not by the next daemon: a high-water mark in a file."""

from __future__ import annotations

import json
from pathlib import Path

from slate_desktop.errors import Unavailable
from slated import files

NAME = "refs.json"
BLOCK = 256  # a number given costs no disk write but once in so many


class RefNumbers:
    """Counts up for each letter. What was reserved and not given when a daemon dies is skipped."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._reserved = self._load()
        self._given = dict(self._reserved)

    def next(self, letter: str) -> int:
        """The next number for a kind of ref. Errors: `unavailable.disk`, `unavailable.damaged`."""
        number = self._given.get(letter, 0) + 1
        if number > self._reserved.get(letter, 0):
            # On disk before the first of them is given.
            reserved = {**self._reserved, letter: number + BLOCK - 1}
            with files.opened(self._directory, create=False) as handle:
                files.replace_file(handle, NAME, json.dumps(reserved).encode())
            self._reserved = reserved
        self._given[letter] = number
        return number

    def _load(self) -> dict[str, int]:
        with files.opened(self._directory, create=False) as handle:
            data = files.read_file(handle, NAME, limit=4096)
        if data is None:
            return {}
        try:
            marks = json.loads(data)
            return {str(letter): int(number) for letter, number in marks.items()}
        except (ValueError, TypeError, AttributeError):
            raise Unavailable(
                "damaged",
                f"{self._directory / NAME} does not hold the numbers of refs.",
                next_step="remove it once no agent uses refs given before",
            ) from None

"""The person's policy.toml as it is now: read again when it changed; a broken one leaves the last good rules."""

from __future__ import annotations

import os
from pathlib import Path

from slated.policy.rules import Rulebook, RuleError, Rules

_LIMIT = 1 << 20


class RuleFile:
    """The rules of one person."""

    def __init__(self, path: Path, home: str, bin_directories: tuple[str, ...]) -> None:
        self._path = path
        self._book = Rulebook(home, bin_directories)
        self._seen: tuple[int, int, int] | None = None

    @property
    def errors(self) -> tuple[RuleError, ...]:
        """What is wrong with the file on disk; nothing if it was taken or is not there."""
        return self._book.errors

    def rules(self) -> Rules:
        """The rules in force."""
        try:
            facts = os.stat(self._path)
        except OSError:
            facts = None
        seen = None if facts is None else (facts.st_ino, facts.st_size, facts.st_mtime_ns)
        if seen != self._seen:
            self._seen = seen
            self._take(missing=seen is None)
        return self._book.rules

    def _take(self, *, missing: bool) -> None:
        if missing:
            self._book.take("")
            return
        try:
            with open(self._path, "rb") as file:
                data = file.read(_LIMIT + 1)
            if len(data) > _LIMIT:
                self._book.errors = (RuleError(0, "it is larger than a megabyte"),)
                return
            self._book.take(data.decode())
        except (OSError, UnicodeDecodeError) as error:
            self._book.errors = (RuleError(0, f"it cannot be read: {type(error).__name__}"),)

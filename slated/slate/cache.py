"""What the files of slates held when they were last read or written, so that an unchanged one is not read again."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock

from slated.files import Signature
from slated.slate.seeds import Slate


@dataclass(frozen=True, slots=True)
class Known:
    """What a file held when it had this signature, and the lines of its Seeds."""

    seen: Signature
    slate: Slate
    lines: bytes


class Cache:
    """By the id of the slate; for any number of threads."""

    def __init__(self) -> None:
        self._known: dict[str, Known] = {}
        self._lock = Lock()

    def of(self, slate_id: str) -> Known | None:
        """The last that is known."""
        with self._lock:
            return self._known.get(slate_id)

    def keep(self, known: Known) -> None:
        """Know this instead of what was known of the same slate."""
        with self._lock:
            self._known[known.slate.id] = known

    def forget(self, slate_id: str) -> None:
        """Know nothing of it any more."""
        with self._lock:
            self._known.pop(slate_id, None)

"""What slated keeps for agents: one memory for the user, one store of slates for each project."""

from __future__ import annotations

from pathlib import Path
from threading import Lock
from typing import Final

from slated.memory import MemoryStore
from slated.sac.proposal import ProposalBook
from slated.sac.workspace import WorkspaceBook
from slated.sac.wrap_up import WrapUp
from slated.slate.store import SlateStore

MEMORY: Final = "memory"
WORKSPACES: Final = "workspaces"


class Stores:
    """Opened on first use below `data`, a directory that exists; `subject` is the user in workspaces."""

    def __init__(self, data: Path, subject: str) -> None:
        self._data, self._subject = data, subject
        self._memory: MemoryStore | None = None
        self._slates: dict[Path, SlateStore] = {}
        self._lock = Lock()

    def memory(self) -> MemoryStore:
        """The user's memories. Raises `unavailable` when their file cannot be used."""
        with self._lock:
            if self._memory is None:
                self._memory = MemoryStore(self._data / MEMORY)
            return self._memory

    def slates(self, project: Path) -> SlateStore:
        """The slates of a project."""
        with self._lock:
            if project not in self._slates:
                book = WorkspaceBook(self._data / WORKSPACES, project, self._subject)
                self._slates[project] = SlateStore(project, WrapUp(ProposalBook(book)))
            return self._slates[project]

    def close(self) -> None:
        """Let go of the memory's file."""
        with self._lock:
            if self._memory is not None:
                self._memory.close()
                self._memory = None

"""What slated keeps for agents: one memory for the user, and for each project its slates and what becomes of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Final

from slated.memory import Memory, MemoryStore
from slated.sac.catch_up import CatchUp
from slated.sac.knowledge import Knowledge
from slated.sac.proposal import ProposalBook
from slated.sac.review import Review
from slated.sac.workspace import WorkspaceBook
from slated.sac.wrap_up import WrapUp
from slated.slate.store import Event, SlateStore
from slated.snapshots import btrfs

MEMORY: Final = "memory"


@dataclass(frozen=True, slots=True)
class Project:
    """Everything of one project."""

    book: WorkspaceBook
    proposals: ProposalBook
    slates: SlateStore
    catch_up: CatchUp
    review: Review


class Stores:
    """Opened on first use below `data`, a directory that exists; `subject` is the user in workspaces.

    `tell` gets each event of a slate and its project, for the audit log, on the thread of the call. `copies` names the
    undo copies of a path that are kept now, `wrote` hears of each page written for a person.
    """

    def __init__(
        self,
        data: Path,
        subject: str,
        *,
        tell: Callable[[Path, Event], None] = lambda _project, _event: None,
        copies: Callable[[Path], Sequence[str]] = lambda _path: (),
        wrote: Callable[[Path], None] = lambda _path: None,
    ) -> None:
        self.subject = subject
        self._data, self._tell, self._copies, self._wrote = data, tell, copies, wrote
        self._memory: MemoryStore | None = None
        self._projects: dict[Path, Project] = {}
        self._lock = Lock()

    def memory(self) -> MemoryStore:
        """The user's memories. Raises `unavailable` when their file cannot be used."""
        with self._lock:
            if self._memory is None:
                place = self._data / MEMORY
                # Of its own, so that no snapshot taken around it keeps what is forgotten later.
                btrfs.make_place(place)
                self._memory = MemoryStore(place, copies=lambda: self._copies(place))
            return self._memory

    def remember(self, text: str, *, scope: str, origin: str) -> Memory:
        """Into the memory, which is opened for it."""
        return self.memory().remember(text, scope=scope, origin=origin)

    def project(self, directory: Path) -> Project:
        """The project in a directory."""
        with self._lock:
            if directory not in self._projects:
                self._projects[directory] = self._opened(directory)
            return self._projects[directory]

    def _opened(self, directory: Path) -> Project:
        book = WorkspaceBook(self._data, directory, self.subject)
        proposals, knowledge = ProposalBook(book), Knowledge(book, self._wrote)

        def tell(event: Event) -> None:
            self._tell(directory, event)

        slates = SlateStore(directory, WrapUp(proposals), tell=tell)
        return Project(
            book,
            proposals,
            slates,
            CatchUp(slates, proposals, knowledge),
            Review(proposals, knowledge, self),
        )

    def slates(self, directory: Path) -> SlateStore:
        """The slates of the project in a directory."""
        return self.project(directory).slates

    def close(self) -> None:
        """Let go of the memory's file."""
        with self._lock:
            if self._memory is not None:
                self._memory.close()
                self._memory = None

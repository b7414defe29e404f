"""A slate store with its workspaces in two temporary directories, a clock to turn, and people who answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal

from slated.errors import Refused
from slated.memory import MemoryStore
from slated.sac.catch_up import CatchUp
from slated.sac.knowledge import Knowledge
from slated.sac.proposal import ProposalBook
from slated.sac.review import Review
from slated.sac.workspace import WorkspaceBook
from slated.sac.wrap_up import WrapUp
from slated.slate.store import Event, SlateStore

ME = "user:local-1000"


@dataclass
class Clock:
    """A clock that stands still until it is turned."""

    at: datetime = datetime(2026, 8, 21, 17, 46, 48, 263000, UTC)

    def now(self) -> datetime:
        return self.at

    def turn(self, **by: float) -> None:
        self.at += timedelta(**by)

    def seconds(self) -> float:
        return self.at.timestamp()


class SomePerson:
    """A person at a terminal."""

    def present(self, deed: str) -> str:
        return ME


class SomeTask:
    """A peer inside a task."""

    def present(self, deed: str) -> str:
        raise Refused("not_a_person", f"Only a person may {deed}.", next_step="Ask the person.")


@dataclass
class Parts:
    """Everything for one project, wired together as the daemon does it."""

    project: Path
    data: Path
    clock: Clock
    events: list[Event] = field(default_factory=list)
    subject: str = ME

    def __post_init__(self) -> None:
        self.book = WorkspaceBook(self.data, self.project, self.subject, now=self.clock.now)
        self.proposals = ProposalBook(self.book)
        self.knowledge = Knowledge(self.book)
        self.store = SlateStore(
            self.project, WrapUp(self.proposals), now=self.clock.now, tell=self.events.append
        )
        self.catch_up = CatchUp(self.store, self.proposals, self.knowledge)

    def review(self, memory: MemoryStore | None = None) -> Review:
        return Review(self.proposals, self.knowledge, memory, clock=self.clock.seconds)

    def path(self, slate_id: str) -> Path:
        return self.project / ".keryx/external-slates" / f"{slate_id}.json"


@dataclass
class Connection:
    """What a connection gives the tools."""

    slates: SlateStore
    project: Path
    transport: Literal["stdio", "in-process", "http"] = "in-process"
    client_name: str = "claude-code"
    peer: str = "claude-code/1"


def parts(folder: Path) -> Parts:
    """Fresh ones below a temporary directory."""
    project, data = folder / "project", folder / "data"
    project.mkdir(exist_ok=True)
    data.mkdir(mode=0o700, exist_ok=True)
    return Parts(project, data, Clock())

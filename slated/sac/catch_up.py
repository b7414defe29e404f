"""Everything no person has looked at yet, and what a person can do about it short of a review."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Literal

from slated.errors import BadRequest, SlateError
from slated.redact import redact
from slated.sac import activity
from slated.sac.activity import Person
from slated.sac.knowledge import Knowledge
from slated.sac.proposal import DECISIONS, Proposal, ProposalBook, Standing
from slated.slate.seeds import Seed, Slate, grouped, topic
from slated.slate.store import SlateStore


@dataclass(frozen=True, slots=True)
class Waiting:
    """A proposal that waits for a decision."""

    proposal: Proposal
    standing: Standing


@dataclass(frozen=True, slots=True)
class Candidate:
    """A closed slate whose Seeds are in no workspace: never bound, or its proposals failed."""

    slate: Slate
    kinds: dict[str, int]
    why: Literal["unbound", "failed"]

    def seeds(self, kind: str) -> tuple[Seed, ...]:
        """Its Seeds of one kind."""
        return grouped(self.slate.seeds)[kind]


@dataclass(slots=True)
class Report:
    """The sections, never merged. `damaged` holds (what, why, what to do)."""

    proposals: list[Waiting] = field(default_factory=list)
    candidates: list[Candidate] = field(default_factory=list)
    closing: list[str] = field(default_factory=list)
    unreviewed_pages: list[tuple[str, str]] = field(default_factory=list)
    damaged: list[tuple[str, str, str]] = field(default_factory=list)


@contextmanager
def _told(what: str, report: Report) -> Iterator[None]:
    """What fails inside is told as damaged, and the rest of the report goes on."""
    try:
        yield
    except SlateError as error:
        report.damaged.append((what, error.message, error.next_step))


class CatchUp:
    """Catch-up for one project."""

    def __init__(self, store: SlateStore, proposals: ProposalBook, knowledge: Knowledge) -> None:
        self._store = store
        self._proposals = proposals
        self._knowledge = knowledge

    def report(self, *, workspace_id: str | None = None) -> Report:
        """What waits, in the whole project or (proposals only) one workspace. Damage is told, not raised."""
        report = Report()
        with _told("the workspaces", report):
            self._add_proposals(report, workspace_id)
        if workspace_id is None:
            settled: set[str] = set()
            with _told("the record of candidates", report):
                settled |= self._settled()
            with _told("the slates", report):
                self._add_slates(report, settled)
            with _told("the pages", report):
                report.unreviewed_pages = list(self._knowledge.unreviewed())
        return report

    def bind(self, slate_id: str, workspace_id: str, *, person: Person) -> list[dict[str, str]]:
        """Propose an unbound slate's Seeds into a workspace the person names; the outcome of each kind."""
        who = person.present(f"bind slate {slate_id}")
        slate = self._unbound(slate_id)
        self._proposals.book.get(workspace_id, least="editor")
        outcomes = self._proposals.propose(slate, workspace_id)
        if all(one["outcome"] == "proposed" for one in outcomes):
            self._settle(slate_id, {"type": "bound", "workspace": workspace_id, "by": who})
        return outcomes

    def propose(
        self, slate_id: str, *, title: str | None = None, person: Person
    ) -> list[dict[str, str]]:
        """The same into a new workspace."""
        person.present(f"propose slate {slate_id}")
        slate = self._unbound(slate_id)
        made = self._proposals.book.create(title or topic(slate.anchors, slate.id))
        return self.bind(slate_id, made.id, person=person)

    def dismiss(self, slate_id: str, reason: str, *, person: Person) -> None:
        """Leave an unbound slate's Seeds unproposed; the slate file itself stays."""
        who = person.present(f"dismiss slate {slate_id}")
        self.candidate(slate_id)
        why = redact(reason.strip(), pii=True)[:2000]
        self._settle(slate_id, {"type": "dismissed", "by": who, "reason": why})

    def retry(self, slate_id: str) -> None:
        """Propose again what failed when a bound slate closed. Needs no person: it decides nothing."""
        self._store.finish(slate_id, trigger="catch-up-retry")

    def set_aside(self, slate_id: str, *, person: Person) -> str:
        """Move a damaged slate file out of the way; where it went."""
        person.present(f"set slate {slate_id} aside")
        return self._store.set_aside(slate_id)

    def _add_proposals(self, report: Report, only: str | None) -> None:
        book = self._proposals.book
        for workspace_id in book.ids():
            if only not in (None, workspace_id):
                continue
            try:
                standings = list(self._proposals.standings(workspace_id))
            except BadRequest:
                continue  # Not this user's to see.
            except SlateError as error:
                report.damaged.append((workspace_id, error.message, error.next_step))
                continue
            for name, standing in standings:
                self._add_proposal(report, workspace_id, name, standing)

    def _add_proposal(
        self, report: Report, workspace_id: str, name: str, standing: Standing | SlateError
    ) -> None:
        with _told(name, report):
            if isinstance(standing, SlateError):
                raise standing
            if standing.status not in DECISIONS:
                loaded = self._proposals.load(workspace_id, name)
                report.proposals.append(Waiting(loaded, standing))

    def _add_slates(self, report: Report, settled: set[str]) -> None:
        for slate_id, found in self._store.each():
            if isinstance(found, SlateError):
                report.damaged.append((slate_id, found.message, found.next_step))
            elif found.closed_at is None:
                if found.closing_at:
                    report.closing.append(slate_id)
            elif slate_id not in settled and (candidate := self._as_candidate(found)):
                report.candidates.append(candidate)

    def _as_candidate(self, slate: Slate) -> Candidate | None:
        groups = {kind: len(seeds) for kind, seeds in grouped(slate.seeds).items()}
        if slate.workspace_id is None:
            return Candidate(slate, groups, "unbound") if groups else None
        failed = self._proposals.missing(slate, slate.workspace_id)
        left = {kind: groups[kind] for kind in failed}
        return Candidate(slate, left, "failed") if left else None

    def candidate(self, slate_id: str) -> Candidate:
        """The candidate of this id. Raises BadRequest (`candidate`) when none waits."""
        report = Report()
        self._add_slates(report, self._settled())
        for candidate in report.candidates:
            if candidate.slate.id == slate_id:
                return candidate
        raise BadRequest(
            "candidate",
            "No closed slate of that id waits to be bound.",
            next_step="See 'slate catch-up'.",
        )

    def _unbound(self, slate_id: str) -> Slate:
        return replace(self.candidate(slate_id).slate, workspace_id=None)

    def _settled(self) -> set[str]:
        """The slates somebody decided about. Raises Unavailable when that cannot be read."""
        with self._proposals.book.project_lock() as place:
            return {str(one.get("slate")) for one in activity.read(place)}

    def _settle(self, slate_id: str, record: dict[str, str]) -> None:
        with self._proposals.book.project_lock() as place:
            activity.append(place, {"at": self._proposals.book.time(), "slate": slate_id, **record})

"""Proposals: immutable records that contain their Seeds, and their state as the activity record tells it."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from slated import files
from slated.errors import BadRequest, SlateError
from slated.sac import activity
from slated.sac.workspace import WorkspaceBook, archived_refusal
from slated.slate.seeds import KINDS, Seed, Slate, grouped, is_whole, seed_of

DECISIONS = ("accepted", "rejected", "dismissed")
_PROPOSAL_ID = re.compile(r"wrapup-[0-9a-f]{32}\Z", re.ASCII)
_LARGEST = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Proposal:
    """What one slate proposes of one kind. `digest` is of the file's bytes; `raw` is what they say."""

    id: str
    workspace_id: str
    kind: str
    slate_id: str
    author: str
    created_at: str
    seeds: tuple[Seed, ...]
    digest: str


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a proposal is: `status`, and whether its file still is what was proposed (`fresh`).

    `writing` names the reviewer of an acceptance that was begun and not finished, `path` the page below the project
    that an accepted one became.
    """

    status: str
    fresh: bool
    writing: str | None = None
    reason: str = ""
    reviewer: str = ""
    path: str = ""


class ProposalBook:
    """The proposals in the workspaces of one project."""

    def __init__(self, book: WorkspaceBook) -> None:
        self.book = book

    def propose(self, slate: Slate, workspace_id: str) -> list[dict[str, str]]:
        """One proposal for each kind of Seed; the outcome of each, failures told and not raised.

        A proposal's id is made from its content, so proposing again finds it and changes nothing.
        """
        outcomes = []
        for kind, seeds in grouped(slate.seeds).items():
            try:
                made = self._propose(slate, workspace_id, kind, seeds)
                outcomes.append({"kind": kind, "outcome": "proposed", "proposalId": made})
            except SlateError as error:
                outcomes.append({"kind": kind, "outcome": "error", "message": error.message})
        return outcomes

    def missing(self, slate: Slate, workspace_id: str) -> list[str]:
        """The kinds of a closed slate's Seeds that reached no proposal."""
        out = []
        for kind, seeds in grouped(slate.seeds).items():
            try:
                self.load(workspace_id, proposal_id(workspace_id, slate.id, kind, seeds))
            except SlateError:
                out.append(kind)
        return out

    def _propose(self, slate: Slate, workspace_id: str, kind: str, seeds: tuple[Seed, ...]) -> str:
        name = proposal_id(workspace_id, slate.id, kind, seeds)
        self.book.get(workspace_id, least="editor")
        with self.book.locked(workspace_id) as place:
            workspace = self.book.get(workspace_id, least="editor")
            with self.book.directory(workspace_id, "proposals") as proposals:
                if files.signature(proposals, f"{name}.json") is None:
                    if workspace.status == "archived":
                        raise archived_refusal()
                    data = _encoded(self.book, slate, workspace_id, kind, seeds)
                    files.create_file(proposals, f"{name}.json", data)
                data = files.read_file(proposals, f"{name}.json", limit=_LARGEST) or b""
            known = {one.get("proposal") for one in activity.read(place)}
            if name not in known:
                # Also reached after a crash between the file and this line.
                record = {"type": "proposal-created", "proposal": name, "digest": _digest(data)}
                activity.append(place, {"at": self.book.time(), **record})
        return name

    def load(self, workspace_id: str, name: str) -> Proposal:
        """The proposal as its file says. Raises BadRequest (`proposal`) when there is none."""
        if not _PROPOSAL_ID.match(name):
            raise _unknown(name)
        self.book.get(workspace_id)
        with self.book.directory(workspace_id, "proposals") as place:
            data = files.read_file(place, f"{name}.json", limit=_LARGEST)
        if data is None:
            raise _unknown(name)
        try:
            return _decoded(name, data)
        except (ValueError, LookupError, TypeError, RecursionError) as error:
            raise files.damaged(
                f"Proposal {name}", "it is not what Slate wrote", next_step="Reject or dismiss it."
            ) from error

    def names(self, workspace_id: str) -> list[str]:
        """The ids of a workspace's proposals."""
        self.book.get(workspace_id)
        with self.book.directory(workspace_id, "proposals") as place:
            stems = [name[:-5] for name in files.names(place) if name.endswith(".json")]
        return [stem for stem in stems if _PROPOSAL_ID.match(stem)]

    def standing(self, workspace_id: str, name: str) -> Standing:
        """Its state, from the activity record and the bytes on disk."""
        if not _PROPOSAL_ID.match(name):
            raise _unknown(name)
        self.book.get(workspace_id)
        return self._standing(workspace_id, name, self._records(workspace_id).get(name, []))

    def standings(self, workspace_id: str) -> Iterator[tuple[str, Standing | SlateError]]:
        """Of each proposal of a workspace its state, or why that cannot be told. The record is read once."""
        names = self.names(workspace_id)
        records = self._records(workspace_id)
        for name in names:
            try:
                yield name, self._standing(workspace_id, name, records.get(name, []))
            except SlateError as error:
                yield name, error

    def _records(self, workspace_id: str) -> dict[str, list[dict[str, object]]]:
        """The activity of a workspace by proposal."""
        found: dict[str, list[dict[str, object]]] = {}
        with self.book.directory(workspace_id) as place:
            for record in activity.read(place):
                found.setdefault(str(record.get("proposal")), []).append(record)
        return found

    def _standing(self, workspace_id: str, name: str, records: list[dict[str, object]]) -> Standing:
        with self.book.directory(workspace_id, "proposals") as place:
            data = files.read_file(place, f"{name}.json", limit=_LARGEST)
        return _standing(records, data)


def proposal_id(workspace_id: str, slate_id: str, kind: str, seeds: tuple[Seed, ...]) -> str:
    """The same id for the same Seeds of one kind from one slate into one workspace."""
    facts = [workspace_id, slate_id, kind, *([seed.id, seed.text] for seed in seeds)]
    return f"wrapup-{hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:32]}"


def _standing(records: list[dict[str, object]], data: bytes | None) -> Standing:
    status, writing, reason, reviewer, digest = "proposed", None, "", "", None
    path = ""
    for record in records:
        kind = str(record.get("type"))
        if kind == "proposal-created":
            digest = record.get("digest")
        elif kind == "write-intent":
            writing = str(record.get("reviewer"))
        elif kind in (*DECISIONS, "stale"):
            status, reason = kind, str(record.get("reason", ""))
            reviewer, writing = str(record.get("reviewer", "")), None
            path = str(record.get("path", ""))
    fresh = data is not None and _digest(data) == digest
    return Standing(status, fresh, writing, reason, reviewer, path)


def _encoded(
    book: WorkspaceBook, slate: Slate, workspace_id: str, kind: str, seeds: tuple[Seed, ...]
) -> bytes:
    evidence = [{"kind": "seeds", "seeds": [seed.shown() for seed in seeds]}]
    record = {
        "schemaVersion": "1.0",
        "recordType": "proposal-created",
        "workspaceId": workspace_id,
        "kind": kind,
        "status": "proposed",
        "evidence": [*evidence, {"kind": "anchors", "anchors": dict(slate.anchors)}],
        "wrapUp": {"source": "external-slate", "sourceRef": slate.id},
        "author": book.subject,
        "createdAt": slate.closing_at or book.time(),
    }
    return json.dumps(record, ensure_ascii=False, indent=2).encode() + b"\n"


def _decoded(name: str, data: bytes) -> Proposal:
    raw = json.loads(data)
    seeds = tuple(seed_of(one) for one in raw["evidence"][0]["seeds"])
    if raw["kind"] not in KINDS or not is_whole(raw, data):
        raise ValueError("unknown kind, or half a character")
    source = str(raw["wrapUp"]["sourceRef"])
    where, author, at = str(raw["workspaceId"]), str(raw["author"]), str(raw["createdAt"])
    return Proposal(name, where, raw["kind"], source, author, at, seeds, _digest(data))


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _unknown(name: str) -> BadRequest:
    shown = json.dumps(name)[:80]
    return BadRequest(
        "proposal", f"There is no proposal {shown}.", next_step="See 'slate catch-up'."
    )

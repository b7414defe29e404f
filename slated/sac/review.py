"""The decision on a proposal, which only a person makes: token, accept, reject, dismiss, retry."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from slated.errors import BadRequest, Refused, SlateError, Stale
from slated.redact import redact
from slated.sac import activity
from slated.sac.activity import Person
from slated.sac.knowledge import Knowledge
from slated.sac.proposal import DECISIONS, Proposal, ProposalBook, Standing

TOKEN_LIFE_S = 120.0


class Remembers(Protocol):
    """Where accepted memory entries go as well."""

    def remember(self, text: str, *, scope: str, origin: str) -> object:
        """Keep the text; the same text again is one memory."""
        ...


@dataclass(frozen=True, slots=True)
class _Minted:
    digest: bytes
    ends_s: float


class Review:
    """Reviews for one project. Confirm tokens live in this process only: no file can be forged into one."""

    def __init__(
        self,
        proposals: ProposalBook,
        knowledge: Knowledge,
        memory: Remembers | None,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._proposals = proposals
        self._knowledge = knowledge
        self._memory = memory
        self._clock = clock
        self._minted: dict[tuple[str, str], _Minted] = {}
        self._guard = threading.Lock()

    def confirm(self, workspace_id: str, name: str, *, person: Person, digest: str = "") -> str:
        """A token that accepts exactly this proposal as it is now, once, within two minutes.

        Raises Stale (`proposal`) when `digest`, that of what the person was shown, is not its digest any more.
        """
        person.present(f"accept proposal {name}")
        proposal = self._proposals.load(workspace_id, name)
        if digest and digest != proposal.digest:
            raise Stale(
                "proposal",
                f"{name} is not what was shown any more.",
                next_step="Look at it again before you decide.",
            )
        token = secrets.token_urlsafe(24)
        with self._guard:
            ends_s = self._clock() + TOKEN_LIFE_S
            self._minted[(workspace_id, name)] = _Minted(_bound(token, proposal.digest), ends_s)
        return token

    def decide(
        self,
        workspace_id: str,
        name: str,
        decision: str,
        *,
        person: Person,
        reason: str = "",
        token: str | None = None,
    ) -> Standing:
        """Accept (needs the token), reject or dismiss; the new standing. A stale proposal may be tried again.

        Raises Refused (`not_a_person` from `person`, `token`, `decided`), Stale (`proposal`) when the file is
        no longer what was proposed, Unavailable when the knowledge could not be written.
        """
        if decision not in DECISIONS:
            raise BadRequest(
                "decision",
                "A decision is accepted, rejected or dismissed.",
                next_step="Choose one of them.",
            )
        reviewer = person.present(f"{decision} proposal {name}")
        book = self._proposals.book
        book.get(workspace_id, least="editor")
        with book.locked(workspace_id) as place:
            book.get(workspace_id, least="editor")
            standing = self._proposals.standing(workspace_id, name)
            if standing.status in DECISIONS:
                raise Refused(
                    "decided",
                    f"{name} is {standing.status} already.",
                    next_step="Nothing is left to decide.",
                )
            record = {"at": book.time(), "proposal": name, "reviewer": reviewer}
            if decision == "accepted":
                self._accept(place, workspace_id, name, standing, token, record)
            else:
                why = (
                    redact(reason.strip(), pii=True)[:2000] or f"{decision} without a reason given"
                )
                activity.append(place, {**record, "type": decision, "reason": why})
        return self._proposals.standing(workspace_id, name)

    def _accept(
        self,
        place: int,
        workspace_id: str,
        name: str,
        standing: Standing,
        token: str | None,
        record: dict[str, str],
    ) -> None:
        if not standing.fresh:
            if standing.status != "stale":
                activity.append(place, {**record, "type": "stale", "reason": "its file changed"})
            raise Stale(
                "proposal",
                f"{name} is not what was proposed any more.",
                next_step="Reject or dismiss it, or restore its file and try again.",
            )
        proposal = self._proposals.load(workspace_id, name)
        self._spend(workspace_id, proposal, token)
        activity.append(place, {**record, "type": "write-intent"})
        try:
            path = self._knowledge.write(proposal, record["reviewer"])
            self._remember(proposal)
        except SlateError as error:
            why = f"its page could not be written: {error.message}"
            activity.append(place, {**record, "type": "stale", "reason": why})
            raise
        activity.append(place, {**record, "type": "accepted", "path": path})

    def _remember(self, proposal: Proposal) -> None:
        if proposal.kind != "memory-entry" or self._memory is None:
            return
        for seed in proposal.seeds:
            scope = str(self._proposals.book.project)
            self._memory.remember(seed.text, scope=scope, origin=f"review:{proposal.id}")

    def _spend(self, workspace_id: str, proposal: Proposal, token: str | None) -> None:
        with self._guard:
            minted = self._minted.get((workspace_id, proposal.id))
            good = (
                token is not None
                and minted is not None
                and self._clock() < minted.ends_s
                and hmac.compare_digest(minted.digest, _bound(token, proposal.digest))
            )
            if not good:
                raise Refused(
                    "token",
                    "Accepting needs an unused confirm token for exactly this proposal.",
                    next_step="Ask for one with 'slate review'; it is good for two minutes.",
                )
            del self._minted[(workspace_id, proposal.id)]


def _bound(token: str, digest: str) -> bytes:
    return hashlib.sha256(f"{token}:{digest}".encode()).digest()

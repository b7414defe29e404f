"""Accepted Seeds as pages in the project, their receipts, and which pages nobody reviewed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

from slated import files
from slated.errors import SlateError
from slated.sac.proposal import Proposal
from slated.sac.workspace import WorkspaceBook

PLACE = (".keryx", "knowledge")
SHELVES = {
    "decision": "decisions",
    "wiki-update": "wiki",
    "memory-entry": "memory",
    "follow-up": "follow-ups",
    "contract-change": "contracts",
    "risk": "risks",
}
_LARGEST = 8 * 1024 * 1024


class Knowledge:
    """The knowledge directory of one project. `wrote` hears of each page that was written for a person."""

    def __init__(
        self, book: WorkspaceBook, wrote: Callable[[Path], None] = lambda _path: None
    ) -> None:
        self.book = book
        self._wrote = wrote

    def write(self, proposal: Proposal, reviewer: str) -> str:
        """The page of an accepted proposal, written, with its receipt; its path below the project.

        Doing it again writes the same bytes, so an acceptance cut off by a crash can be repeated.
        """
        shelf = SHELVES[proposal.kind]
        name = f"{proposal.id}.md"
        path = "/".join((*PLACE, shelf, name))
        page = _page(proposal, reviewer).encode()
        receipt = {"path": path, "sha256": hashlib.sha256(page).hexdigest(), "reviewer": reviewer}
        with self._receipts() as receipts:
            data = json.dumps(
                {"proposal": proposal.id, "workspace": proposal.workspace_id, **receipt}
            )
            files.replace_file(receipts, f"{proposal.id}.json", data.encode() + b"\n")
        with files.opened(self.book.project, *PLACE, shelf, create=True) as place:
            files.replace_file(place, name, page, mode=0o644)
        self._wrote(self.book.project / path)
        return path

    def unreviewed(self) -> Iterator[tuple[str, str]]:
        """(path, why) of every page without a receipt, or changed since it got one."""
        known = self._known()
        for shelf in sorted(set(SHELVES.values())):
            try:
                with files.opened(self.book.project, *PLACE, shelf, create=False) as place:
                    for name in files.names(place):
                        path = "/".join((*PLACE, shelf, name))
                        try:
                            data = files.read_file(place, name, limit=_LARGEST) or b""
                        except SlateError:
                            yield path, "it cannot be read as a plain file"
                            continue
                        if path not in known:
                            yield path, "no person accepted it"
                        elif hashlib.sha256(data).hexdigest() != known[path]:
                            yield path, "it was changed after it was accepted"
            except SlateError:
                continue  # No such shelf yet.

    def _known(self) -> dict[str, str]:
        known = {}
        with self._receipts() as receipts:
            for name in files.names(receipts):
                try:
                    raw = json.loads(files.read_file(receipts, name, limit=_LARGEST) or b"")
                    known[str(raw["path"])] = str(raw["sha256"])
                except (SlateError, ValueError, LookupError, TypeError, RecursionError):
                    continue  # Without a readable receipt its page shows as unreviewed.
        return known

    def _receipts(self) -> AbstractContextManager[int]:
        return files.opened(self.book.data, *self.book.place, "receipts", create=True)


def _page(proposal: Proposal, reviewer: str) -> str:
    lines = [
        "---",
        "status: accepted",
        f"kind: {proposal.kind}",
        f"proposal: {proposal.id}",
        f"workspace: {proposal.workspace_id}",
        f"slate: {proposal.slate_id}",
        f"reviewer: {reviewer}",
        "---",
        "",
        f"# {proposal.kind}: {len(proposal.seeds)} accepted finding(s)",
    ]
    for seed in proposal.seeds:
        # A quoted block: no line of a Seed can pass for one of ours.
        lines += ["", *(f"> {line}".rstrip() for line in seed.text.splitlines()), ""]
        lines.append(
            f"{seed.id}, {seed.ts}, from {json.dumps(seed.harness)}, external-unverified when written."
        )
    return "\n".join(lines) + "\n"

"""What a closing slate sees of the workspaces: may it bind, where to, and propose."""

from __future__ import annotations

from slated.errors import SlateError
from slated.sac.proposal import ProposalBook
from slated.slate.seeds import Slate


class WrapUp:
    """The `Workspaces` port of the slate store, on the real books."""

    def __init__(self, proposals: ProposalBook) -> None:
        self._proposals = proposals

    def bindable(self, workspace_id: str) -> bool:
        """Whether it exists, is active, and this user may propose in it."""
        try:
            return self._proposals.book.get(workspace_id, least="editor").status == "active"
        except SlateError:
            return False

    def resolve(self, topic: str) -> str | None:
        """See `WorkspaceBook.resolve`."""
        return self._proposals.book.resolve(topic)

    def propose(self, slate: Slate, workspace_id: str) -> list[dict[str, str]]:
        """See `ProposalBook.propose`."""
        return self._proposals.propose(slate, workspace_id)

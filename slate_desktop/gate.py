"""The local gate: grades by the tool table, and refuses the confirm tier since nobody can be asked yet."""

from __future__ import annotations

import logging
from itertools import count

from slate_desktop.errors import Bug, Refused, SlateError
from slate_desktop.intent import Intent
from slate_desktop.outcome import Outcome
from slated.model import Grant, Tier

log = logging.getLogger("slate.gate")


class LocalGate:
    """A `Gate` that asks nobody. It is one object, so that slated's gate can take its place."""

    def __init__(self) -> None:
        self._serial = count(1)
        self._open: dict[int, Intent] = {}

    async def admit(self, intent: Intent, *, under: Grant | None = None) -> Grant:
        """A grant for an intent of tier observe or reversible, or one within the batch that was granted."""
        if intent.tier is Tier.CONFIRM:
            raise Refused(
                "confirm",
                f"nothing was sent: {intent.tool} needs a person's yes here, and nobody can be asked.",
                next_step="do it another way that the person would agree to, or leave it to them",
            )
        if under is not None and (under.serial not in self._open or intent.tier > under.tier):
            raise Refused(
                "outside_batch",
                f"nothing was sent: {intent.tool} is not covered by what was granted for the batch.",
                next_step="call it on its own",
            )
        grant = Grant(intent.digest, intent.tier, next(self._serial))
        self._open[grant.serial] = intent
        return grant

    async def finish(self, grant: Grant, outcome: Outcome | SlateError) -> None:
        """Close the grant; a grant that is finished twice or was never given is a fault of ours."""
        intent = self._open.pop(grant.serial, None)
        if intent is None:
            raise Bug("grant", "a grant was used twice")
        said = outcome.code if isinstance(outcome, SlateError) else outcome.verified
        log.info("finished", extra={"tool": intent.tool, "tier": grant.tier.word, "outcome": said})

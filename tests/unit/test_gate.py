"""The local gate: what it lets through, what not, and its receipts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from slate_desktop.errors import Bug, Refused
from slate_desktop.gate import LocalGate
from slate_desktop.intent import Close, Intent, Steps
from slate_desktop.outcome import Outcome
from slated.model import Tier

pytestmark = pytest.mark.anyio

INTENT = Intent("desktop_close", Tier.REVERSIBLE, Close())


async def test_observe_and_reversible_get_a_grant_for_this_very_intent() -> None:
    gate = LocalGate()
    grant = await gate.admit(INTENT)
    assert (grant.digest, grant.tier) == (INTENT.digest, Tier.REVERSIBLE)
    assert (await gate.admit(INTENT)) != grant


async def test_confirm_is_refused_since_nobody_can_be_asked() -> None:
    with pytest.raises(Refused) as caught:
        await LocalGate().admit(replace(INTENT, tier=Tier.CONFIRM))
    assert caught.value.code == "refused.confirm"


async def test_a_grant_is_finished_once() -> None:
    gate = LocalGate()
    grant = await gate.admit(INTENT)
    await gate.finish(grant, Outcome("done"))
    with pytest.raises(Bug):
        await gate.finish(grant, Outcome("done"))


async def test_a_step_must_lie_within_what_was_granted_for_its_batch() -> None:
    gate = LocalGate()
    batch = await gate.admit(Intent("desktop_batch", Tier.OBSERVE, Steps(())))
    with pytest.raises(Refused):
        await gate.admit(INTENT, under=batch)
    await gate.admit(replace(INTENT, tier=Tier.OBSERVE), under=batch)
    await gate.finish(batch, Outcome("done"))
    with pytest.raises(Refused):
        await gate.admit(replace(INTENT, tier=Tier.OBSERVE), under=batch)

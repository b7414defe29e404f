"""The path of one call: grant → target → strokes → evidence → picture → receipt, in this order and nowhere else."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import anyio

from slate_desktop.errors import SlateError, Unavailable
from slate_desktop.glimpse import with_elements
from slate_desktop.intent import Intent
from slate_desktop.lease import Lease
from slate_desktop.outcome import Outcome
from slate_desktop.pin import pin
from slate_desktop.report import report
from slate_desktop.resolve import Target, resolve
from slate_desktop.settle import after, before
from slate_desktop.touch import touch
from slate_desktop.verify import verify
from slated.model import Grant

# The receipt is owed also for a cancelled call; a gate that hangs must not hold the connection for longer.
RECEIPT_S = 2.0


async def run(lease: Lease, intent: Intent, *, under: Grant | None = None) -> Outcome:
    """Do what is asked, if it is granted, and say what came of it.

    The seat is held from `resolve` to `verify`, not while the gate asks somebody. `under` is the grant of the batch
    this intent is a step of. Errors: those of the gate, `resolve`, `pin`, `consoles` and `touch`; then nothing (more)
    was sent.
    """
    desk = lease.desk
    grant = await desk.gate.admit(intent, under=under)
    async with receipt(lease, grant) as kept:
        async with lease.seat():
            target = resolve(grant, intent, await desk.windows.desktop())
            target = await pin(target, desk.widgets)
            first = await before(intent, target, desk.eyes)
            first = await with_elements(first, intent, target, desk.widgets)
            async with desk.consoles.turn(intent, target.desktop, target.window) as sent:
                delivery = await touch(target, intent.action, lease.limbs, desk.widgets)
                sent.whole = delivery.sent == delivery.wanted and delivery.focus_held
            now = await after(intent, target, delivery, first, desk.eyes, desk.windows)
            now = await with_elements(now, intent, target, desk.widgets)
            if delivery.launch is not None:
                desk.consoles.opened(now.desktop, delivery.launch.id)
            evidence = verify(intent, target, first, delivery, now)
        kept.outcome = await report(lease, intent, target, delivery, now, evidence)
    return kept.outcome


async def observe(
    lease: Lease,
    intent: Intent,
    look: Callable[[Target], Awaitable[Outcome]],
    *,
    under: Grant | None = None,
) -> Outcome:
    """The path of a call that only looks: nothing is sent and no seat is held."""
    grant = await lease.desk.gate.admit(intent, under=under)
    async with receipt(lease, grant) as kept:
        target = resolve(grant, intent, await lease.desk.windows.desktop())
        target = await pin(target, lease.desk.widgets)
        kept.outcome = await look(target)
    return kept.outcome


class Receipt:
    """Holds the outcome of a granted call until it is told to the gate."""

    outcome: Outcome


@asynccontextmanager
async def receipt(lease: Lease, grant: Grant) -> AsyncIterator[Receipt]:
    """Tell the gate what came of a grant, exactly once, however the call ends."""
    kept = Receipt()
    try:
        yield kept
    except SlateError as error:
        await _finish(lease, grant, error)
        raise
    except BaseException as error:
        what = "cancelled" if isinstance(error, anyio.get_cancelled_exc_class()) else "fault"
        await _finish(
            lease, grant, Unavailable(what, "the call ended before its outcome was known")
        )
        raise
    await _finish(lease, grant, kept.outcome)


async def _finish(lease: Lease, grant: Grant, outcome: Outcome | SlateError) -> None:
    with anyio.move_on_after(RECEIPT_S, shield=True):
        await lease.desk.gate.finish(grant, outcome)

"""How an acting tool goes on once its aim is known: graded by the sighting, run, and said."""

from __future__ import annotations

from slate_desktop.intent import Action, Aim, Intent, Observe
from slate_desktop.lease import Lease
from slate_desktop.render import Reply, reply
from slate_desktop.tools.grading import tier
from slate_desktop.turn import run
from slated.model import Grant
from slated.toolspec import Args


async def acted(
    lease: Lease, tool: str, args: Args, aimed: Aim, action: Action, under: Grant | None
) -> Reply:
    """The answer to `tool` called with `args`, which may have an `observe` of its own."""
    intent = Intent(
        tool,
        await tier(lease, aimed, action),
        action,
        aimed,
        Observe(getattr(args, "observe", Observe.NONE)),
        args.model_dump(),
        await lease.desk.consoles.plan(aimed, action),
        lease.sightings.shown(aimed.sighting),
    )
    return reply(await run(lease, intent, under=under))

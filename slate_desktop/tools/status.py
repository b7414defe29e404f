"""The status tool: what works here, who has which focus, what the limits are."""

from __future__ import annotations

from slate_desktop.intent import Intent, Look
from slate_desktop.lease import Lease
from slate_desktop.model import PERSON, Desktop, Place
from slate_desktop.outcome import Outcome
from slate_desktop.render import Reply, reply
from slate_desktop.resolve import Target
from slate_desktop.turn import observe
from slated.model import Grant, Tier
from slated.toolspec import Args, ToolSpec


class StatusArgs(Args):
    """desktop_status takes no arguments."""


async def status(lease: Lease, args: StatusArgs, under: Grant | None = None) -> Reply:
    """Say what works here."""

    async def look(target: Target) -> Outcome:
        desktop = target.desktop
        return Outcome(
            said=_headline(desktop),
            lines=tuple(_lines(lease, desktop)),
            facts={
                "seat": lease.hands.seat,
                "person_prompt": desktop.focus.get(PERSON) == 0,
                "outputs": [
                    {
                        "name": o.name,
                        "rect": [o.rect.x, o.rect.y, o.rect.width, o.rect.height],
                        "scale": o.scale,
                        "background": o.background,
                    }
                    for o in desktop.outputs
                ],
            },
        )

    intent = Intent("desktop_status", Tier.OBSERVE, Look("status"), arguments=args.model_dump())
    return reply(await observe(lease, intent, look, under=under))


def _headline(desktop: Desktop) -> str:
    if desktop.focus.get(PERSON) == 0:
        return "a launcher, a prompt or a lock screen has the person's keyboard; acting waits until it is gone."
    return "ready."


def _lines(lease: Lease, desktop: Desktop) -> list[str]:
    background = sum(w.place is Place.BACKGROUND for w in desktop.windows)
    outputs = ", ".join(
        f"{o.name} {o.rect} scale {o.scale:g}{' background' if o.background else ''}"
        for o in desktop.outputs
    )
    return [
        f"your seat: {lease.hands.seat}, with its own pointer, keyboard and focus",
        f"windows: {len(desktop.windows)}, {background} of them in the background",
        f"outputs: {outputs}",
        "asking a person: they answer in `slate approvals`; unanswered, a call that needs one is refused",
    ]


TOOLS = (
    ToolSpec(
        "desktop_status",
        Tier.OBSERVE,
        StatusArgs,
        "What works here, outputs, limits, what is waited for.",
        status,
    ),
)

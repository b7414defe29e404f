"""Looking tools: pictures, and waiting for something to be seen."""

from __future__ import annotations

from typing import Annotated, Literal

import anyio
import anyio.to_thread
from pydantic import BeforeValidator, Field

from slate_desktop.elementlines import lines_of, sightings
from slate_desktop.errors import BadRequest
from slate_desktop.geometry import Rect
from slate_desktop.intent import FrameSighting, Intent, Look, ScreenSighting, WindowSighting
from slate_desktop.lease import Lease
from slate_desktop.marks import Mark, marked
from slate_desktop.model import PERSON, Desktop, Output, Window
from slate_desktop.outcome import Outcome
from slate_desktop.outline import Query, chosen, labels_of
from slate_desktop.picture import Wanted, screen_shot, shot
from slate_desktop.quote import quote
from slate_desktop.render import Reply, reply
from slate_desktop.resolve import Target
from slate_desktop.tools.arguments import aim
from slate_desktop.turn import observe
from slated.model import Grant, Tier
from slated.toolspec import Args, ToolSpec, unstring

# More frames than this hide what is in them.
MARKS = 100


class ScreenshotArgs(Args):
    """Arguments of desktop_screenshot."""

    target: Annotated[
        str | None,
        Field(
            description="w3, an app id or part of a title, or screen; default: the window you last used"
        ),
    ] = None
    output: Annotated[
        str | None, Field(description="for screen: which one; default: the one the person is on")
    ] = None
    region: Annotated[
        list[int] | None,
        BeforeValidator(unstring),
        Field(
            description="[x,y,width,height] in the target, not scaled down",
            min_length=4,
            max_length=4,
        ),
    ] = None
    format: Literal["png", "palette", "jpeg"] = "png"
    max_edge: Annotated[
        int | None, Field(ge=64, le=4096, description="longest edge of the picture")
    ] = None
    marks: Annotated[
        bool, Field(description="frame the controls and write their refs (e41) on them")
    ] = False


async def screenshot(lease: Lease, args: ScreenshotArgs, under: Grant | None = None) -> Reply:
    """Take a picture."""
    wanted = Wanted(Rect(*args.region) if args.region else None, args.format, args.max_edge)
    if args.region is not None and (args.region[2] < 1 or args.region[3] < 1):
        raise BadRequest(
            "arguments",
            "width and height must be at least 1",
            next_step="region is [x,y,width,height]",
        )
    name = "screen" if args.target is None and args.output is not None else args.target
    aimed = await aim(lease, name)
    if isinstance(aimed.sighting, FrameSighting):
        raise BadRequest(
            "arguments",
            "a picture cannot be pictured again",
            next_step="name the window (w3) or screen",
        )

    async def look(target: Target) -> Outcome:
        if isinstance(aimed.sighting, ScreenSighting):
            if args.marks:
                raise BadRequest(
                    "arguments", "marks go with a window", next_step="name the window (w3)"
                )
            frame, picture = await screen_shot(
                lease, target.desktop, _screen(target.desktop, args.output), wanted
            )
            return Outcome(said=_shown(aimed.sighting), frame=frame, picture=picture)
        window = target.needs_window()
        frame, picture = await shot(lease, target.desktop, window, wanted)
        told: list[str] = []
        if args.marks:
            marks, told = await _marks(lease, window)
            picture = await anyio.to_thread.run_sync(marked, picture, marks)
            lease.sightings.showed(frame.ref, window, picture.data)
        return Outcome(said=_shown(aimed.sighting), frame=frame, picture=picture, lines=tuple(told))

    intent = Intent(
        "desktop_screenshot", Tier.OBSERVE, Look("screenshot"), aimed, arguments=args.model_dump()
    )
    return reply(await observe(lease, intent, look, under=under))


async def _marks(lease: Lease, window: Window) -> tuple[list[Mark], list[str]]:
    """The controls that are on screen and have a place: their marks, and the lines that say what they are."""
    tree = await lease.desk.widgets.tree(window)
    controls = chosen(tree, Query(), labels_of(tree))[:MARKS]
    details = await lease.desk.widgets.details(window, controls)
    seen = sightings(tree, controls, details)
    placed = [e for e in controls if seen[e.key].detail.box is not None]
    told = lines_of(lease, window, tree, placed, details)
    marks = [
        Mark(lease.sightings.see_element(window, seen[e.key]), box)
        for e in placed
        if (box := seen[e.key].detail.box) is not None
    ]
    return marks, told


def _shown(sighting: object) -> str:
    if isinstance(sighting, WindowSighting):
        return f"picture of {sighting.ref} {quote(sighting.window.title)}."
    return "picture of the screen."


def _screen(desktop: Desktop, name: str | None) -> Output:
    screens = [o for o in desktop.outputs if not o.background]
    if name is not None:
        screens = [o for o in desktop.outputs if o.name == name]
    if not screens:
        names = ", ".join(o.name for o in desktop.outputs) or "none"
        raise BadRequest(
            "no_output", f"there is no such screen; outputs: {names}", next_step="name one of them"
        )
    person = desktop.window_of(PERSON)
    theirs = [o for o in screens if person is not None and o.name == person.output]
    return (theirs or screens)[0]


TOOLS = (
    ToolSpec(
        "desktop_screenshot",
        Tier.OBSERVE,
        ScreenshotArgs,
        "Picture of a window (also covered or hidden) or the screen. "
        "Its ref f7 can be the target of later clicks, in its own pixels.",
        screenshot,
        core=True,
    ),
)

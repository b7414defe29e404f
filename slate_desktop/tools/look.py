"""Looking tools: pictures, and waiting for something to be seen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal

import anyio
from pydantic import BeforeValidator, Field

from slate_desktop.errors import BadRequest
from slate_desktop.geometry import Rect
from slate_desktop.intent import FrameSighting, Intent, Look, ScreenSighting, WindowSighting
from slate_desktop.lease import Lease
from slate_desktop.model import PERSON, Desktop, Output, Window
from slate_desktop.outcome import Outcome, Verified
from slate_desktop.picture import Wanted, screen_shot, shot
from slate_desktop.quote import quote
from slate_desktop.render import Reply, listed, reply
from slate_desktop.resolve import Target
from slate_desktop.tools.arguments import aim
from slate_desktop.turn import observe
from slate_desktop.windowlines import lines
from slated.model import Grant, Tier
from slated.toolspec import Args, ToolSpec, unstring


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


class WaitArgs(Args):
    """Arguments of desktop_wait."""

    window: Annotated[
        str | None, Field(description="app id or part of a title of a window to come")
    ] = None
    title: Annotated[
        str | None, Field(description="part of the title that target (w3) is to get")
    ] = None
    gone: Annotated[str | None, Field(description="w3: a window to go")] = None
    still_s: Annotated[
        float | None, Field(ge=0.05, le=10, description="target not repainting for so long")
    ] = None
    target: Annotated[
        str | None, Field(description="for title and still_s; default: the window you last used")
    ] = None
    timeout_s: Annotated[float, Field(gt=0, le=45)] = 10


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
            frame, picture = await screen_shot(
                lease, target.desktop, _screen(target.desktop, args.output), wanted
            )
        else:
            frame, picture = await shot(lease, target.desktop, target.needs_window(), wanted)
        return Outcome(said=_shown(aimed.sighting), frame=frame, picture=picture)

    intent = Intent(
        "desktop_screenshot", Tier.OBSERVE, Look("screenshot"), aimed, arguments=args.model_dump()
    )
    return reply(await observe(lease, intent, look, under=under))


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


async def wait(lease: Lease, args: WaitArgs, under: Grant | None = None) -> Reply:
    """Wait until all given conditions hold."""
    if not (args.window or args.title or args.gone or args.still_s):
        raise BadRequest(
            "arguments", "nothing to wait for", next_step="give window, title, gone or still_s"
        )
    needs_target = bool(args.title or args.still_s)
    aimed = await aim(lease, args.target) if needs_target else None
    if aimed is not None and not isinstance(aimed.sighting, WindowSighting):
        raise BadRequest("arguments", "target must be a window", next_step="name a window (w3)")
    gone = (
        lease.sightings.window(args.gone, await lease.desk.windows.desktop()) if args.gone else None
    )

    async def look(target: Target) -> Outcome:
        started = anyio.current_time()
        conditions = _conditions(args, target.window, gone)
        desktop, unmet = await _hold(lease, conditions, target.window, args)
        waited = f"waited {anyio.current_time() - started:.1f} s"
        came = [w for w in desktop.windows if args.window and _is_called(w, args.window)]
        if unmet:
            return Outcome(
                f"{waited}, in vain",
                Verified.NO,
                f"not yet: {listed(unmet)}",
                next_step="look at what there is",
            )
        return Outcome(
            waited, Verified.YES, "all you waited for is so", windows=lines(lease, desktop, came)
        )

    intent = Intent("desktop_wait", Tier.OBSERVE, Look("wait"), aimed, arguments=args.model_dump())
    return reply(await observe(lease, intent, look, under=under))


Condition = tuple[str, Callable[[Desktop], bool]]


def _conditions(
    args: WaitArgs, window: Window | None, gone: WindowSighting | None
) -> list[Condition]:
    found: list[Condition] = []
    if args.window:
        name = args.window
        found.append(
            (f"a window {quote(name)}", lambda d: any(_is_called(w, name) for w in d.windows))
        )
    if args.title and window is not None:
        part, id_ = args.title.casefold(), window.id
        found.append((f"the title {quote(args.title)}", lambda d: part in _title(d, id_)))
    if gone is not None:
        left = gone.window.id
        found.append((f"{gone.ref} gone", lambda d: d.window(left) is None))
    return found


async def _hold(
    lease: Lease, conditions: list[Condition], window: Window | None, args: WaitArgs
) -> tuple[Desktop, list[str]]:
    """The last look, and which conditions it does not meet."""
    windows, eyes = lease.desk.windows, lease.desk.eyes
    deadline = anyio.current_time() + args.timeout_s
    desktop = await windows.desktop()
    while True:
        unmet = [name for name, holds in conditions if not holds(desktop)]
        left_s = deadline - anyio.current_time()
        if not unmet and args.still_s and window is not None:
            still = await eyes.still(
                window.handle, quiet_s=args.still_s, deadline_s=max(left_s, args.still_s)
            )
            return await windows.desktop(), [] if still else [f"no repaint for {args.still_s:g} s"]
        if not unmet or left_s <= 0:
            return desktop, unmet
        await windows.changed(deadline_s=left_s)
        desktop = await windows.desktop()


def _is_called(window: Window, name: str) -> bool:
    return window.app_id == name or name.casefold() in window.title.casefold()


def _title(desktop: Desktop, id_: int) -> str:
    return next((w.title.casefold() for w in desktop.windows if w.id == id_), "")


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
    ToolSpec(
        "desktop_wait",
        Tier.OBSERVE,
        WaitArgs,
        "Wait until all the given conditions hold; answers at once if they do. Use this, not repeated looks.",
        wait,
        core=True,
    ),
)

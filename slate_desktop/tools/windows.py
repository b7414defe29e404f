"""Window tools: list, launch, close, focus, shape, arrange."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from slate_desktop.errors import BadRequest
from slate_desktop.geometry import Rect
from slate_desktop.intent import Arrange, Close, Focus, Intent, Launch, Look, Observe, Reshape
from slate_desktop.lease import Lease
from slate_desktop.model import PERSON, Desktop, Place, Window
from slate_desktop.outcome import Outcome
from slate_desktop.render import Reply, reply
from slate_desktop.resolve import Target
from slate_desktop.tools.arguments import ObserveName, WindowName, aim
from slate_desktop.turn import observe, run
from slate_desktop.windowlines import lines
from slated.model import Grant, Tier
from slated.toolspec import Args, ToolSpec, unstring


class WindowsArgs(Args):
    """Arguments of desktop_windows."""

    match: Annotated[str | None, Field(description="part of title or app id")] = None


class LaunchArgs(Args):
    """Arguments of desktop_launch."""

    app: Annotated[
        str | None, Field(description="desktop entry id or name, e.g. org.gnome.TextEditor")
    ] = None
    argv: Annotated[
        list[str] | None,
        BeforeValidator(unstring),
        Field(description="or a program and its arguments; no shell"),
    ] = None
    files: Annotated[
        list[str], BeforeValidator(unstring), Field(description="files or URLs for app")
    ] = Field(default=[])
    cwd: Annotated[str | None, Field(description="working directory, absolute")] = None
    own_seat_first: Annotated[
        bool,
        Field(
            description="false: without the filter that lets browsers take your keys, in case it is in the way"
        ),
    ] = True
    x11: Annotated[
        bool,
        Field(description="it needs X11: gets an X server of its own, whose screen is one window"),
    ] = False
    timeout_s: Annotated[float, Field(ge=0.1, le=40, description="for its window to come")] = 15
    observe: ObserveName = "auto"


class OneWindowArgs(Args):
    """Arguments of desktop_close and desktop_focus."""

    window: Annotated[str, Field(description="w3, an exact app id, or a unique part of the title")]


class ShowArgs(Args):
    """Arguments of desktop_show."""

    window: Annotated[
        str | None, Field(description="as for close; default: the newest in the background")
    ] = None


class HideArgs(Args):
    """Arguments of desktop_hide."""

    window: Annotated[
        str | None, Field(description="as for close; default: the one the person is in")
    ] = None


class WindowSetArgs(Args):
    """Arguments of desktop_window_set."""

    window: WindowName = None
    rect: Annotated[
        list[int] | None,
        BeforeValidator(unstring),
        Field(
            description="[x,y,width,height] of the content in the layout; a floating window only",
            min_length=4,
            max_length=4,
        ),
    ] = None
    floating: bool | None = None
    fullscreen: bool | None = None


class ArrangeArgs(Args):
    """Arguments of desktop_arrange."""

    layout: Literal["side-by-side", "stacked", "tabbed", "grid", "floating"]
    windows: Annotated[
        list[str] | None,
        BeforeValidator(unstring),
        Field(description="default: all background windows", min_length=1),
    ] = None


async def windows(lease: Lease, args: WindowsArgs, under: Grant | None = None) -> Reply:
    """List windows."""

    async def look(target: Target) -> Outcome:
        desktop = target.desktop
        shown = [w for w in desktop.windows if _matches(w, args.match)]
        return Outcome(
            said=_headline(lease, desktop, shown, args.match),
            windows=lines(lease, desktop, shown),
            next_step="" if shown else "desktop_launch opens one",
        )

    intent = Intent("desktop_windows", Tier.OBSERVE, Look("windows"), arguments=args.model_dump())
    return reply(await observe(lease, intent, look, under=under))


def _matches(window: Window, part: str | None) -> bool:
    return part is None or part.casefold() in f"{window.app_id}\n{window.title}".casefold()


def _headline(lease: Lease, desktop: Desktop, shown: list[Window], part: str | None) -> str:
    count = f"{len(shown)} window{'' if len(shown) == 1 else 's'}"
    if part is not None:
        count += f" of {len(desktop.windows)} match"
    mine = desktop.window_of(lease.hands.seat)
    theirs = desktop.window_of(PERSON)
    yours = (
        f"your keyboard is on {lease.sightings.see(mine)}" if mine else "your keyboard is at rest"
    )
    person = (
        f"the person is in {lease.sightings.see(theirs)}"
        if theirs
        else "the person is in no window"
    )
    return f"{count}; {yours}, {person}."


async def launch(lease: Lease, args: LaunchArgs, under: Grant | None = None) -> Reply:
    """Start a program in the background."""
    argv, app = _command(lease, args)
    intent = Intent(
        "desktop_launch",
        Tier.REVERSIBLE,
        Launch(argv, args.cwd, app, args.timeout_s, args.own_seat_first, args.x11),
        None,
        Observe(args.observe),
        args.model_dump(),
    )
    outcome = await run(lease, intent, under=under)
    if outcome.opened:
        lease.sightings.use(lease.sightings.known(outcome.opened[0].ref))
    return reply(outcome)


def _command(lease: Lease, args: LaunchArgs) -> tuple[tuple[str, ...], str | None]:
    if (args.app is None) == (args.argv is None):
        raise BadRequest(
            "arguments", "give either app or argv", next_step='{"app":"org.gnome.TextEditor"}'
        )
    if args.argv is not None:
        if args.files:
            raise BadRequest(
                "arguments",
                "files goes with app; with argv they are arguments",
                next_step="add them to argv",
            )
        if not args.argv or not args.argv[0]:
            raise BadRequest("arguments", "argv names no program", next_step='{"argv":["foot"]}')
        return tuple(args.argv), None
    return tuple(lease.desk.launcher.command(args.app or "", args.files)), args.app


async def close(lease: Lease, args: OneWindowArgs, under: Grant | None = None) -> Reply:
    """Ask a window to close."""
    return await _on_window(lease, "desktop_close", args.window, args, Close(), under)


async def focus(lease: Lease, args: OneWindowArgs, under: Grant | None = None) -> Reply:
    """Give the agent's keyboard focus to a window."""
    return await _on_window(lease, "desktop_focus", args.window, args, Focus(), under)


async def window_set(lease: Lease, args: WindowSetArgs, under: Grant | None = None) -> Reply:
    """Move, resize, float or fullscreen a window."""
    if args.rect is None and args.floating is None and args.fullscreen is None:
        raise BadRequest(
            "arguments", "nothing to change", next_step="give rect, floating or fullscreen"
        )
    if args.rect is not None and (args.rect[2] < 1 or args.rect[3] < 1):
        raise BadRequest(
            "arguments",
            "width and height must be at least 1",
            next_step="rect is [x,y,width,height]",
        )
    rect = Rect(*args.rect) if args.rect else None
    return await _on_window(
        lease,
        "desktop_window_set",
        args.window,
        args,
        Reshape(rect, args.floating, args.fullscreen),
        under,
    )


async def show(lease: Lease, args: ShowArgs, under: Grant | None = None) -> Reply:
    """Bring a window to the person's screen."""
    name = args.window
    if name is None:
        desktop = await lease.desk.windows.desktop()
        hidden = [w for w in desktop.windows if w.place is Place.BACKGROUND]
        newest = max(hidden, key=lambda window: window.id, default=None)
        name = _seen(lease, newest, "no window is in the background")
    return await _on_window(lease, "desktop_show", name, args, Reshape(place=Place.SCREEN), under)


async def hide(lease: Lease, args: HideArgs, under: Grant | None = None) -> Reply:
    """Take a window to the background."""
    name = args.window
    if name is None:
        desktop = await lease.desk.windows.desktop()
        name = _seen(lease, desktop.window_of(PERSON), "the person is in no window")
    return await _on_window(
        lease, "desktop_hide", name, args, Reshape(place=Place.BACKGROUND), under
    )


def _seen(lease: Lease, window: Window | None, otherwise: str) -> str:
    """The ref of a window that was not named."""
    if window is None:
        raise BadRequest("no_window", otherwise, next_step="desktop_windows lists all")
    return lease.sightings.see(window)


async def _on_window(
    lease: Lease,
    tool: str,
    name: str | None,
    args: Args,
    action: Close | Focus | Reshape,
    under: Grant | None,
) -> Reply:
    intent = Intent(
        tool, Tier.REVERSIBLE, action, await aim(lease, name), arguments=args.model_dump()
    )
    return reply(await run(lease, intent, under=under))


async def arrange(lease: Lease, args: ArrangeArgs, under: Grant | None = None) -> Reply:
    """Lay out background windows."""
    desktop = await lease.desk.windows.desktop()
    if args.windows is None:
        chosen = [w for w in desktop.windows if w.place is Place.BACKGROUND]
    else:
        chosen = [lease.sightings.window(name, desktop).window for name in args.windows]
    if not chosen:
        raise BadRequest(
            "no_window", "no window is in the background", next_step="desktop_launch opens one"
        )
    action = Arrange(args.layout, tuple(w.id for w in chosen))
    intent = Intent("desktop_arrange", Tier.REVERSIBLE, action, arguments=args.model_dump())
    return reply(await run(lease, intent, under=under))


TOOLS = (
    ToolSpec(
        "desktop_windows",
        Tier.OBSERVE,
        WindowsArgs,
        "List windows: ref, app, title, place, position and size, state, who has the focus.",
        windows,
        core=True,
    ),
    ToolSpec(
        "desktop_launch",
        Tier.REVERSIBLE,
        LaunchArgs,
        "Start a program in the background and return its window. The person's focus stays where it is.",
        launch,
        core=True,
    ),
    ToolSpec(
        "desktop_close",
        Tier.REVERSIBLE,
        OneWindowArgs,
        "Ask a window to close; tells if it asks back (unsaved work). Never kills.",
        close,
    ),
    ToolSpec(
        "desktop_focus",
        Tier.REVERSIBLE,
        OneWindowArgs,
        "Give your own keyboard focus to a window; the person's focus stays.",
        focus,
    ),
    ToolSpec(
        "desktop_window_set",
        Tier.REVERSIBLE,
        WindowSetArgs,
        "Move, resize, float or fullscreen a window; returns what it became.",
        window_set,
    ),
    ToolSpec(
        "desktop_arrange", Tier.REVERSIBLE, ArrangeArgs, "Lay out background windows.", arrange
    ),
    ToolSpec(
        "desktop_show",
        Tier.REVERSIBLE,
        ShowArgs,
        "Bring a window to the workspace the person looks at; their focus stays.",
        show,
    ),
    ToolSpec("desktop_hide", Tier.REVERSIBLE, HideArgs, "Take a window to the background.", hide),
)

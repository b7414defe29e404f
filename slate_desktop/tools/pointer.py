"""Pointer tools: click, move, scroll."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from slate_desktop.errors import BadRequest
from slate_desktop.geometry import Point, dots
from slate_desktop.intent import (
    Action,
    Click,
    Drag,
    ElementSighting,
    Move,
    Scroll,
)
from slate_desktop.lease import Lease
from slate_desktop.model import Button
from slate_desktop.render import Reply
from slate_desktop.tools.acting import acted
from slate_desktop.tools.arguments import Modifiers, ObserveName, PointArgs, TargetName, aim, mask
from slated.model import Grant, Tier
from slated.toolspec import Args, ToolSpec, unstring


class ClickArgs(PointArgs):
    """Arguments of desktop_click."""

    button: Literal["left", "right", "middle"] = "left"
    count: Annotated[int, Field(ge=1, le=3)] = 1
    modifiers: Modifiers = Field(default=[])
    hold_s: Annotated[float, Field(ge=0, le=10)] = 0
    observe: ObserveName = "auto"


class MoveArgs(PointArgs):
    """Arguments of desktop_move."""

    observe: ObserveName = "auto"


DRAG_STEPS = 1_000
Corner = Annotated[list[float], Field(min_length=2, max_length=2)]


class DragArgs(Args):
    """Arguments of desktop_drag."""

    target: TargetName = None
    path: Annotated[
        list[Corner],
        BeforeValidator(unstring),
        Field(
            description="[[x,y],...] from press to release, in the target's space; it may leave the window",
            min_length=2,
            max_length=50,
        ),
    ]
    button: Literal["left", "middle", "right"] = "left"
    modifiers: Modifiers = Field(default=[])
    observe: ObserveName = "auto"


class ScrollArgs(PointArgs):
    """Arguments of desktop_scroll."""

    down: Annotated[int, Field(ge=-100, le=100, description="notches, negative is up")] = 0
    right: Annotated[int, Field(ge=-100, le=100)] = 0
    modifiers: Modifiers = Field(default=[])
    observe: ObserveName = "auto"


async def click(lease: Lease, args: ClickArgs, under: Grant | None = None) -> Reply:
    """Click at a point."""
    if args.hold_s and args.count > 1:
        raise BadRequest(
            "arguments", "hold_s goes with count 1 only", next_step="leave one of them out"
        )
    return await _point(
        lease,
        "desktop_click",
        args,
        Click(Button(args.button), args.count, args.hold_s, mask(args.modifiers)),
        under,
    )


async def move(lease: Lease, args: MoveArgs, under: Grant | None = None) -> Reply:
    """Move the agent's pointer."""
    return await _point(lease, "desktop_move", args, Move(), under)


async def drag(lease: Lease, args: DragArgs, under: Grant | None = None) -> Reply:
    """Press, move along the path, release."""
    start, *rest = [Point(x, y) for x, y in args.path]
    # At a hand's pace a longer one would outlast the call.
    if sum(1 for _ in dots((start, *rest), 24)) > DRAG_STEPS:
        raise BadRequest(
            "arguments", "the path is too long for one call", next_step="drag in several steps"
        )
    action = Drag(tuple(rest), Button(args.button), mask(args.modifiers))
    aimed = await aim(lease, args.target, start.x, start.y)
    return await acted(lease, "desktop_drag", args, aimed, action, under)


async def scroll(lease: Lease, args: ScrollArgs, under: Grant | None = None) -> Reply:
    """Scroll at a point."""
    if not args.down and not args.right:
        raise BadRequest(
            "arguments", "neither down nor right says how far", next_step="give down, right or both"
        )
    return await _point(
        lease, "desktop_scroll", args, Scroll(args.down, args.right, mask(args.modifiers)), under
    )


async def _point(
    lease: Lease,
    tool: str,
    args: ClickArgs | MoveArgs | ScrollArgs,
    action: Action,
    under: Grant | None,
) -> Reply:
    aimed = await aim(lease, args.target, args.x, args.y)
    if aimed.point is None and not isinstance(aimed.sighting, ElementSighting):
        raise BadRequest(
            "arguments", "x and y are missing", next_step="give x and y, or an element as target"
        )
    return await acted(lease, tool, args, aimed, action, under)


TOOLS = (
    ToolSpec(
        "desktop_click",
        Tier.REVERSIBLE,
        ClickArgs,
        "Click at a point. The person's pointer does not move. A covered background window is raised first.",
        click,
        core=True,
    ),
    ToolSpec(
        "desktop_move",
        Tier.REVERSIBLE,
        MoveArgs,
        "Move your own pointer without pressing (hover, tooltips).",
        move,
    ),
    ToolSpec(
        "desktop_drag",
        Tier.REVERSIBLE,
        DragArgs,
        "Press at the first point, move along the path, rest and release at the last: select, drag and drop.",
        drag,
    ),
    ToolSpec(
        "desktop_scroll",
        Tier.REVERSIBLE,
        ScrollArgs,
        "Scroll by notches at a point, on either axis.",
        scroll,
    ),
)

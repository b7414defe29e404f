"""Arguments that several tools share, and how what an agent writes becomes an aim."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from slate_desktop.errors import BadRequest
from slate_desktop.geometry import Point
from slate_desktop.intent import (
    Aim,
    ElementSighting,
    FrameSighting,
    ScreenSighting,
    Sighting,
    WindowSighting,
)
from slate_desktop.keys import MODIFIERS
from slate_desktop.lease import Lease
from slate_desktop.model import Desktop
from slate_desktop.resolve import SCREEN
from slated.toolspec import Args, unstring

WindowName = Annotated[
    str | None,
    Field(
        description="w3, an exact app id, or a unique part of the title; default: the window you last used"
    ),
]
FieldName = Annotated[
    str | None,
    Field(
        description="e41, w3, an exact app id, or a unique part of the title; default: the window you last used"
    ),
]
TargetName = Annotated[
    str | None,
    Field(
        description="e41, f7, w3, an app id or part of a title, or screen; default: the window you last used"
    ),
]
ObserveName = Annotated[
    Literal["auto", "none", "text", "image", "elements"],
    Field(
        description="what to return; auto: a picture if you aimed by pixel, what changed if by element"
    ),
]
Modifiers = Annotated[
    list[Literal["ctrl", "shift", "alt", "super"]],
    BeforeValidator(unstring),
    Field(description="held meanwhile"),
]


class PointArgs(Args):
    """A place to aim at."""

    target: TargetName = None
    x: Annotated[
        float | None,
        Field(
            description="pixel in the picture for f7, in the window's content for w3; none for e41"
        ),
    ] = None
    y: float | None = None


async def aim(
    lease: Lease, target: str | None, x: float | None = None, y: float | None = None
) -> Aim:
    """The aim behind `target` and a point in its space.

    Errors: `bad_request.which_space` for a point on a window whose last picture was scaled or shifted, and those of
    `Sightings`.
    """
    if (x is None) != (y is None):
        raise BadRequest("arguments", "x and y go together", next_step="give both or none")
    desktop = await lease.desk.windows.desktop()
    point = None if x is None or y is None else Point(x, y)
    sighting = find(lease, target, desktop)
    if isinstance(sighting, WindowSighting):
        seen, window = lease.sightings, sighting.window
        shifted = seen.last_picture_began_outside(window)
        if point is not None and (shifted or seen.scale_of_last_picture(window) != 1.0):
            how = "began outside its content" if shifted else "was scaled"
            raise BadRequest(
                "which_space",
                f"the last picture of {sighting.ref} {how}, so a point on it could be meant in two ways",
                next_step="give the picture's ref as target (f7) with its own pixels",
            )
        lease.sightings.use(sighting)
    if isinstance(sighting, ElementSighting):
        if point is not None:
            raise BadRequest(
                "arguments",
                f"{sighting.ref} is an element: the pointer goes to its middle",
                next_step="leave x and y out, or name its window",
            )
        lease.sightings.use(lease.sightings.known(lease.sightings.see(sighting.window)))
    return Aim(sighting, point)


def find(lease: Lease, target: str | None, desktop: Desktop) -> Sighting:
    """The sighting an agent names."""
    if target == SCREEN:
        return ScreenSighting(desktop)
    if target is not None and target[:1] == "e" and target[1:].isdecimal():
        element: ElementSighting = lease.sightings.element(target)
        return element
    if target is not None and target[:1] == "f" and target[1:].isdecimal():
        frame: FrameSighting = lease.sightings.frame(target)
        return frame
    return lease.sightings.window(target, desktop)


def mask(modifiers: list[Literal["ctrl", "shift", "alt", "super"]]) -> int:
    """The xkb mask of the named modifiers."""
    return sum(MODIFIERS[name] for name in set(modifiers))

"""Grant + the desktop as it is now → target, or Stale. The only maker of targets."""

from __future__ import annotations

from dataclasses import dataclass, replace

from slate_desktop.elements import Seen
from slate_desktop.errors import BadRequest, Bug, Stale, Unavailable, window_gone
from slate_desktop.geometry import Point, Size
from slate_desktop.intent import (
    Aim,
    Arrange,
    Drag,
    ElementSighting,
    FrameSighting,
    Intent,
    WindowSighting,
)
from slate_desktop.model import Desktop, Output, Place, Window
from slate_desktop.quote import quote
from slated.model import Grant

SCREEN = "screen"
"""What the agent calls the person's screens as a whole."""


@dataclass(frozen=True, slots=True)
class Target:
    """What an intent is aimed at, as it is now.

    `point` is in the layout, `local` the same point in the content of `window`; `output` is where the point lies.
    `menu` is how large all surfaces of the window were when the point was on a menu that sticks out of it.
    `element` is what was seen behind an element's ref until `pin` has put what it is now in its place.
    """

    desktop: Desktop
    window: Window | None = None
    ref: str = ""
    point: Point | None = None
    local: Point | None = None
    output: Output | None = None
    element: Seen | None = None
    path: tuple[Point, ...] = ()  # of a drag, in the layout, on `output`
    menu: Size | None = None

    def needs_window(self) -> Window:
        """The window; an intent without one is refused before it comes this far."""
        if self.window is None:
            raise Bug("target", "an action on a window has no window")
        return self.window


def resolve(grant: Grant, intent: Intent, desktop: Desktop) -> Target:
    """The target of a granted intent.

    Errors: `stale.window_gone`, `stale.window_other`, `stale.frame_resized`, `stale.screen_changed`,
    `bad_request.outside`.
    """
    if grant.digest != intent.digest:
        raise Bug("grant", "the grant is for another intent")
    if isinstance(intent.action, Arrange):
        for id_ in intent.action.windows:
            if desktop.window(id_) is None:
                raise window_gone("a window to arrange")
    target = _aimed(intent, desktop)
    if isinstance(intent.action, Drag):
        return replace(target, path=_path(intent, target))
    return target


def _aimed(intent: Intent, desktop: Desktop) -> Target:
    match intent.aim:
        case None:
            return Target(desktop)
        case Aim(WindowSighting(ref) as sighting, point):
            window = _same(sighting.window, ref, desktop)
            return _at(desktop, window, ref, point)
        case Aim(ElementSighting(ref, then, seen)):
            return Target(desktop, _same(then, f"the window of {ref}", desktop), ref, element=seen)
        case Aim(FrameSighting() as frame, point):
            return _in_frame(frame, point, desktop)
        case Aim(point=point):  # the screen as a whole
            return _on_screen(desktop, point)


def _path(intent: Intent, target: Target) -> tuple[Point, ...]:
    """The corners of a drag in the layout; they may leave the window, not the output."""
    aim, start, output = intent.aim, target.point, target.output
    if not isinstance(intent.action, Drag) or aim is None or aim.point is None:
        raise Bug("target", "a drag has no beginning")
    if start is None or output is None:
        raise Unavailable(
            "hidden",
            f"nothing was sent: {target.ref} is on no output.",
            next_step="desktop_windows",
        )
    path = []
    for corner in intent.action.path:
        if isinstance(aim.sighting, FrameSighting):
            by = aim.sighting.logical(corner).minus(aim.sighting.logical(aim.point))
        else:
            by = corner.minus(aim.point)
        path.append(start.plus(by))
        if not output.rect.contains(path[-1]):
            raise BadRequest(
                "outside",
                f"the point {corner.x:g},{corner.y:g} of the path is beyond the output that {target.ref} is on",
                next_step="give points on that output",
            )
    return tuple(path)


def _same(then: Window, ref: str, desktop: Desktop) -> Window:
    """The window of a sighting, if it is still that window."""
    now = desktop.window(then.id)
    if now is None:
        raise window_gone(ref)
    if (now.handle, now.app_id) != (then.handle, then.app_id):
        raise Stale(
            "window_other",
            f"nothing was sent: {ref} now belongs to another window.",
            next_step="desktop_windows gives new refs",
        )
    return now


def _in_frame(frame: FrameSighting, point: Point | None, desktop: Desktop) -> Target:
    if point is not None and not (
        0 <= point.x < frame.size.width and 0 <= point.y < frame.size.height
    ):
        raise BadRequest(
            "outside",
            f"the point {point.x:g},{point.y:g} is outside {frame.ref}, which is {frame.size}",
            next_step="give a point inside the picture",
        )
    logical = None if point is None else frame.logical(point)
    if frame.window is not None:
        window = _same(frame.window, f"the window of {frame.ref}", desktop)
        if point is not None and window.rect.size != frame.window.rect.size:
            raise Stale(
                "frame_resized",
                f"nothing was sent: the window of {frame.ref} was {frame.window.rect.size} "
                f"and is now {window.rect.size}.",
                next_step="take a new picture with desktop_screenshot",
            )
        return _at(desktop, window, frame.ref, logical, menu=_menu(frame, logical))
    then = top_window(frame.desktop, logical) if logical else None
    now = top_window(desktop, logical) if logical else None
    if (then and then.id) != (now and now.id):
        raise Stale(
            "screen_changed",
            f"nothing was sent: another window is at that place than when {frame.ref} was taken.",
            next_step="take a new picture with desktop_screenshot",
        )
    return _on_screen(desktop, logical)


def _menu(frame: FrameSighting, local: Point | None) -> Size | None:
    """How large all surfaces were, if the point is on a menu that stuck out then."""
    if local is None or frame.menus is None:
        return None
    there = any(box.contains(local) for box in frame.menus.boxes)
    return frame.menus.surfaces if there else None


def _at(
    desktop: Desktop, window: Window, ref: str, local: Point | None, *, menu: Size | None = None
) -> Target:
    if local is None:
        return Target(desktop, window, ref)
    width, height = window.rect.width, window.rect.height
    if menu is None and not (0 <= local.x < width and 0 <= local.y < height):
        raise BadRequest(
            "outside",
            f"the point {local.x:g},{local.y:g} is outside {ref}, whose content is {window.rect.size}",
            next_step="give a point inside the window, or name the picture the point is from",
        )
    point = window.rect.origin.plus(local)
    return Target(desktop, window, ref, point, local, desktop.output(window.output), menu=menu)


def _on_screen(desktop: Desktop, point: Point | None) -> Target:
    if point is None:
        return Target(desktop, ref=SCREEN)
    output = next((o for o in desktop.outputs if o.rect.contains(point) and not o.background), None)
    if output is None:
        raise BadRequest(
            "outside",
            f"no screen is at {point.x:g},{point.y:g}; screens: " + ", ".join(_screens(desktop)),
            next_step="give a point on one of them",
        )
    window = top_window(desktop, point)
    if window is not None and not window.rect.contains(point):
        window = None  # a border or a title bar: that is the compositor's
    local = point.minus(window.rect.origin) if window else None
    return Target(desktop, window, SCREEN, point, local, output)


def reachable(target: Target) -> Target:
    """The target, if a pointer on its output reaches it at that point.

    Errors: `unavailable.hidden` (its workspace is not shown), `unavailable.off_output`, `unavailable.covered`.
    """
    window = target.needs_window()
    point, output = target.point, target.output
    if point is None:
        raise Bug("target", "a pointer action has no point")
    if window.place in (Place.HIDDEN, Place.SCRATCHPAD) or not window.front or output is None:
        raise Unavailable(
            "hidden",
            f"nothing was sent: {target.ref} is not shown anywhere, so no pointer reaches it.",
            next_step="keys and pictures work all the same: desktop_type, desktop_key, desktop_screenshot",
        )
    if not output.rect.contains(point):
        raise Unavailable(
            "off_output",
            f"nothing was sent: that point of {target.ref} is beyond the edge of its output.",
            next_step="desktop_window_set moves or resizes the window",
        )
    if target.menu is not None:
        return target  # menus are above all windows
    over = top_window(target.desktop, point)
    if over is None or over.id != window.id:
        what = "another window" if over is None else f"a window of {quote(over.app_id)}"
        raise Unavailable(
            "covered",
            f"nothing was sent: {what} covers that point of {target.ref}.",
            next_step="use keys, or desktop_window_set to move it",
        )
    return target


def again(target: Target, desktop: Desktop) -> Target:
    """The same target in a newer look: a point of a window has moved with it, a point of the screen has not."""
    if target.window is None or target.ref == SCREEN:
        return replace(target, desktop=desktop)
    window = desktop.window(target.window.id)
    if window is None:
        raise window_gone(target.ref)
    aimed = _at(desktop, window, target.ref, target.local, menu=target.menu)
    path = target.path
    if aimed.point is not None and target.point is not None:
        moved = aimed.point.minus(target.point)
        path = tuple(corner.plus(moved) for corner in path)
    return replace(aimed, element=target.element, path=path)


def at(target: Target, local: Point) -> Target:
    """The same target, aimed at a point of its window's content. Errors: `bad_request.outside`."""
    window = target.needs_window()
    aimed = _at(target.desktop, window, target.ref, local)
    return replace(aimed, element=target.element)


def top_window(desktop: Desktop, point: Point) -> Window | None:
    """The window that a pointer at `point` (layout) would hit, or whose frame it would hit."""
    output = next((o for o in desktop.outputs if o.rect.contains(point)), None)
    shown = [
        w
        for w in desktop.windows
        if output is not None
        and w.output == output.name
        and w.workspace == output.workspace
        and w.front
        and w.place in (Place.SCREEN, Place.BACKGROUND)
    ]
    hits = [w for w in shown if w.covers(point)]
    return hits[-1] if hits else None


def _screens(desktop: Desktop) -> list[str]:
    return [f"{o.name} {o.rect}" for o in desktop.outputs if not o.background]

"""Ways to an element: a point of it that the program says is it, the keyboard focus inside its window."""

from __future__ import annotations

from slate_desktop.act import Limbs, act
from slate_desktop.elements import TOPLEVELS, Deed, Element, Seen, Way
from slate_desktop.errors import Unavailable
from slate_desktop.geometry import Point
from slate_desktop.intent import Click
from slate_desktop.pin import called
from slate_desktop.ports import Widgets
from slate_desktop.resolve import Target, at
from slate_desktop.view import bring, look

NOT_SHOWN = "desktop_element_click may work all the same; else desktop_scroll in its window"


ASKING = TOPLEVELS - {"frame", "window"}


async def aimed(target: Target, seen: Seen, limbs: Limbs, widgets: Widgets) -> Target:
    """The target at the middle of what is in view of its element; brought into view first where that helps.

    Errors: `unavailable.not_shown`, `unavailable.obstructed` (names what covers it).
    """
    view = await look(target, seen, widgets)
    if view.point is None:
        view = await bring(target, seen, limbs, widgets)
    if view.point is None:
        raise Unavailable(
            "not_shown",
            f"nothing was sent: {target.ref}, {called(seen.element)}, is not in view, so no pointer reaches it.",
            next_step=NOT_SHOWN,
        )
    await _unobstructed(target, view.seen, view.point, widgets)
    return at(target, view.point)


async def clear(target: Target, seen: Seen, widgets: Widgets) -> None:
    """Return if nothing of the same program keeps input from the element, as far as that is told.

    Errors: `unavailable.obstructed`; also while a dialog is open that may be modal: only keys and pointer would stop
    there, actions would not.
    """
    point = (await look(target, seen, widgets)).point
    if point is None:
        return
    asking = await _unobstructed(target, seen, point, widgets)
    if asking is not None:
        raise Unavailable(
            "obstructed",
            f"nothing was sent: {called(asking)} is open, and may keep all input from {target.ref}.",
            next_step="answer or close it first; if it does not keep input, desktop_click",
        )


async def _unobstructed(
    target: Target, seen: Seen, point: Point, widgets: Widgets
) -> Element | None:
    """Return if nothing lies over a point of an element: a dialog that is open beside, or None."""
    own, window = seen.element, target.needs_window()
    around = list(await widgets.hit(window, point))
    top = own.place[-1] if own.place else own.key
    beside = around[-1:] if around and around[-1].key != top else []
    asking = next((e for e in beside if e.role in ASKING), None)
    if asking is not None:
        around.pop()
    if not around or around[-1].key != top or _belongs(around[0], own):
        return asking  # a popup is another toplevel: of what lies over it, nothing is told
    # A modal dialog is a window of its own, and tells its box there: it lies over all of this one.
    over = [] if around[0].role in TOPLEVELS else around[:1]
    detail = (await widgets.details(window, over)).get(around[0].key)
    if detail is not None and detail.box is not None and not detail.box.contains(point):
        return asking  # where it was before: Firefox answers from a layout that is no more
    hit = next((e for e in around if e.name), around[0])
    raise Unavailable(
        "obstructed",
        f"nothing was sent: {called(hit)} lies over {target.ref}, {called(own)}.",
        next_step="deal with what lies over it first: close it, or answer it",
    )


def _belongs(hit: Element, own: Element) -> bool:
    """Whether a hit is the element, something inside it, or only something around it."""
    return hit.key == own.key or own.key in hit.place or hit.key in own.place


async def focus(target: Target, seen: Seen, limbs: Limbs, widgets: Widgets) -> None:
    """Put the keyboard focus inside the window on the element."""
    if "focused" in seen.element.states:
        return
    window = target.needs_window()
    if await widgets.do(window, seen.element.key, Deed(Way.FOCUS)):
        now = await widgets.now(window, seen)
        if now is not None and "focused" in now.element.states:
            return
    await act(await aimed(target, seen, limbs, widgets), Click(), limbs)

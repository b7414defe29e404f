"""What of an element is in view, and ways to bring it there: its program's own, the focus, the wheel."""

from __future__ import annotations

from dataclasses import dataclass, replace

import anyio

from slate_desktop.act import Limbs, act
from slate_desktop.elements import Deed, Element, Seen, Way, hidden, in_popup
from slate_desktop.geometry import Point, Rect, cutting
from slate_desktop.intent import Scroll
from slate_desktop.ports import Widgets
from slate_desktop.resolve import Target, at

# How long a program may take to move what it was asked to show.
COME_S = 0.5
LOOK_S = 0.05
# A notch of a wheel moves a list by about so much.
NOTCH_PX = 50
TURNS = 12
MOST_NOTCHES = 40


@dataclass(frozen=True, slots=True)
class View:
    """An element as it is now. `point`: the middle of what is in view of it; `pane`: what it is scrolled in."""

    seen: Seen
    point: Point | None
    pane: Rect | None = None


async def look(target: Target, seen: Seen, widgets: Widgets) -> View:
    """What is in view of an element: in its window, and in every box around it that cuts off what it holds."""
    size = target.needs_window().rect.size
    view, pane = Rect(0, 0, size.width, size.height), None
    for box in await _panes(target, seen, widgets):
        view, pane = view.intersection(box), pane or box
    own = seen.detail.box
    if own is None or hidden(seen.element) or in_popup(seen.element, seen.lineage, web=seen.web):
        return View(seen, None, pane)
    part = own.intersection(view)
    return View(seen, None if part.empty else part.centre, pane)


async def _panes(target: Target, seen: Seen, widgets: Widgets) -> list[Rect]:
    """The boxes around an element that are smaller than what they hold, nearest first."""
    line = seen.element.place
    above = [
        Element(key, "", "", frozenset(), place=line[n:], interfaces=frozenset(["Component"]))
        for n, key in enumerate(line[:-1], 1)
    ]
    if not above:
        return []
    details = await widgets.details(target.needs_window(), above)
    boxes = [details[e.key].box if e.key in details else None for e in above]
    return cutting(seen.detail.box, boxes)


async def bring(target: Target, seen: Seen, limbs: Limbs, widgets: Widgets) -> View:
    """Try all ways to bring an element into view; what is in view of it then."""
    view = await look(target, seen, widgets)
    for way in (Way.SHOW, Way.FOCUS):
        if view.point is not None or (way is Way.FOCUS and "focusable" not in seen.element.states):
            continue
        if await widgets.do(target.needs_window(), seen.element.key, Deed(way)):
            view = await _come(target, view, widgets)
    for _ in range(TURNS):
        notches = _notches(view)
        if view.point is not None or view.pane is None or not notches:
            break
        then = view.seen.detail.box
        await act(at(target, view.pane.centre), Scroll(down=notches), limbs)
        view = await _come(target, view, widgets)
        if view.seen.detail.box == then:
            break
    return view


async def _come(target: Target, view: View, widgets: Widgets) -> View:
    """Look until it is in view and rests, or the time for that is up."""
    with anyio.move_on_after(COME_S):
        while True:
            then = view
            await anyio.sleep(LOOK_S)
            view = await _again(target, view, widgets)
            if view.point is not None and view.point == then.point:
                return view
    return view


async def _again(target: Target, view: View, widgets: Widgets) -> View:
    now = await widgets.now(target.needs_window(), view.seen)
    if now is None:
        return View(view.seen, None)
    kept = replace(now, lineage=view.seen.lineage, web=view.seen.web)
    return await look(target, kept, widgets)


def _notches(view: View) -> int:
    """How far to turn the wheel, down or (negative) up; 0 when it is not known where the element is."""
    box, pane = view.seen.detail.box, view.pane
    if box is None or pane is None:
        return 0
    far_px = box.centre.y - pane.centre.y
    notches = round(far_px / NOTCH_PX) or (1 if far_px > 0 else -1)
    return max(-MOST_NOTCHES, min(MOST_NOTCHES, notches))

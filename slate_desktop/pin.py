"""A ref's element is asked again before anything is sent: a target with what it is now, or Stale."""

from __future__ import annotations

from dataclasses import replace

from slate_desktop.elements import Element
from slate_desktop.errors import Stale
from slate_desktop.ports import Widgets
from slate_desktop.quote import quote
from slate_desktop.resolve import Target

AGAIN = "desktop_elements lists what is there now"


async def pin(target: Target, widgets: Widgets) -> Target:
    """The target with its element as it is now; a target without an element as it was.

    Errors: `stale.element` (it is gone, or something else answers in its place), and those of `Widgets`.
    """
    then = target.element
    if then is None:
        return target
    now = await widgets.now(target.needs_window(), then)
    if now is None:
        raise _stale(target.ref, then.element, "is gone")
    if (now.element.role, now.element.name) != (then.element.role, then.element.name):
        raise _stale(target.ref, then.element, f"is now {called(now.element)}")
    if now.element.place != then.element.place:
        raise _stale(target.ref, then.element, "now stands in another place")
    if now.context != then.context:
        raise _stale(
            target.ref,
            then.element,
            f"stood in the row {quote(then.context, 60)}, which is now {quote(now.context, 60)}",
        )
    return replace(target, element=now)


def called(element: Element) -> str:
    """`push button "Send"`."""
    return f"{element.role} {quote(element.name, 60)}"


def _stale(ref: str, then: Element, became: str) -> Stale:
    return Stale("element", f"nothing was sent: {ref}, {called(then)}, {became}.", next_step=AGAIN)

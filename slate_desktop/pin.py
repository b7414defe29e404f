"""A ref's element is asked again before anything is sent: a target with what it is now, or Stale."""

from __future__ import annotations

from dataclasses import replace

import anyio

from slate_desktop.elements import Detail, Element, Seen
from slate_desktop.errors import Stale
from slate_desktop.outline import contexts
from slate_desktop.ports import Widgets
from slate_desktop.quote import quote
from slate_desktop.resolve import Target

# Chromium brings its tree up to date every 150 ms.
PAGE_LAG_S = 0.2
AGAIN = "desktop_elements lists what is there now"


async def pin(target: Target, widgets: Widgets) -> Target:
    """The target with its element as it is now; a target without an element as it was.

    Errors: `stale.element` (it is gone, or something else answers in its place), and those of `Widgets`.
    """
    then = target.element
    if then is None:
        return target
    now, became = await _asked(target, then, widgets)
    if then.web and now is not None and not became:
        # A page's tree follows the page with a delay: what it says must still hold when that has passed.
        await anyio.sleep(PAGE_LAG_S)
        now, became = await _asked(target, then, widgets)
    if now is None or became:
        found = await _made_anew(target, then, widgets)
        if found is None:
            raise _stale(target.ref, then.element, became)
        now = found
    return replace(target, element=now)


async def _asked(target: Target, then: Seen, widgets: Widgets) -> tuple[Seen | None, str]:
    """What answers at the ref's place now, and what of it is not as it was, in words."""
    now = await widgets.now(target.needs_window(), then)
    if now is None:
        return None, "is gone"
    if (now.element.role, now.element.name) != (then.element.role, then.element.name):
        return now, f"is now {called(now.element)}"
    if now.element.place != then.element.place:
        return now, "now stands in another place"
    if now.context != then.context:
        was, is_ = quote(then.context, 60), quote(now.context, 60)
        return now, f"stood in the row {was}, which is now {is_}"
    return now, ""


async def _made_anew(target: Target, then: Seen, widgets: Widgets) -> Seen | None:
    """The one element that has its role, its name, the words of its row and ancestors of the same roles.

    Programs make their widgets anew when they sort or fill a list. Without a row that names it, nothing tells an
    element from a later one that looks the same, so none is taken.
    """
    if not then.context:
        return None
    window = target.needs_window()
    tree = await widgets.tree(window)
    alike = [e for e in tree.elements if (e.role, e.name) == (then.element.role, then.element.name)]
    rows = contexts(tree, alike)
    index = tree.index()
    same = [
        e
        for e in alike
        if rows[e.key][0] == then.context
        and tuple(index[key].role for key in e.place if key in index) == then.lineage
    ]
    if len(same) != 1:
        return None
    details = await widgets.details(window, same)
    found = same[0]
    return replace(
        then,
        element=found,
        detail=details.get(found.key, Detail()),
        row=rows[found.key][1],
    )


def called(element: Element) -> str:
    """`push button "Send"`."""
    return f"{element.role} {quote(element.name, 60)}"


def _stale(ref: str, then: Element, became: str) -> Stale:
    return Stale("element", f"nothing was sent: {ref}, {called(then)}, {became}.", next_step=AGAIN)

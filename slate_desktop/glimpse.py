"""Looks at a window's elements before and after an action, for evidence and for what an answer tells."""

from __future__ import annotations

from dataclasses import replace

from slate_desktop.elements import TEXT_ROLES, Element, Glimpse, Seen, Tree, hidden
from slate_desktop.errors import Stale, Unavailable
from slate_desktop.intent import ElementSighting, Intent, Observe, SetText, TypeText
from slate_desktop.model import Window
from slate_desktop.outcome import Scene
from slate_desktop.ports import Widgets
from slate_desktop.resolve import Target

# What a difference can be told of; an agent reads no more of them at once anyway.
COMPARED = 150
READ_BACK = 8
MOST = 1_500
BUDGET_S = 1.0


async def with_elements(scene: Scene, intent: Intent, target: Target, widgets: Widgets) -> Scene:
    """The scene with a look at the target's elements, when this intent's evidence comes from them.

    A program without a tree, or one that hangs, leaves the scene as it is: pictures then have to do.
    """
    window = target.window
    if window is None or not wants_elements(intent) or scene.desktop.window(window.id) is None:
        return scene
    near = len(intent.action.text) + 1 if isinstance(intent.action, TypeText) else 0
    try:
        glimpse = await look(widgets, window, near, details=_by_element(intent), own=target.element)
    except (Unavailable, Stale):
        return scene
    return replace(scene, glimpse=glimpse)


def wants_elements(intent: Intent) -> bool:
    """Whether evidence for this intent, or its answer, comes from elements."""
    if intent.aim is None or intent.observe is Observe.NONE:
        return False
    return isinstance(intent.action, TypeText) or _by_element(intent)


def _by_element(intent: Intent) -> bool:
    aimed = intent.aim is not None and isinstance(intent.aim.sighting, ElementSighting)
    return aimed or intent.observe is Observe.ELEMENTS or isinstance(intent.action, SetText)


async def look(
    widgets: Widgets,
    window: Window,
    near: int = 0,
    *,
    details: bool = True,
    own: Seen | None = None,
) -> Glimpse:
    """One look: the tree, details of what is worth comparing and of `own`, `near` characters before each caret."""
    tree = await widgets.tree(window, budget_s=BUDGET_S, most=MOST)
    wanted = compared(tree)
    there = tree.index().get(own.element.key) if own is not None else None
    if there is not None and hidden(there):
        wanted.append(there)
    told = await widgets.details(window, wanted) if details else {}
    texts = await widgets.texts(window, [e.key for e in _written(tree)], near) if near else {}
    return Glimpse(tree, told, texts)


def compared(tree: Tree) -> list[Element]:
    """The elements whose values are compared."""
    return [e for e in tree.elements if e.interactive and not hidden(e)][:COMPARED]


def _written(tree: Tree) -> list[Element]:
    """The elements that typed text can have gone to: the focused one and other fields. Never a password's."""
    fields = [
        e
        for e in tree.elements
        if not e.secret
        and not hidden(e)
        and (e.role in TEXT_ROLES or "focused" in e.states)
        and ("editable" in e.states or "focused" in e.states)
    ]
    return sorted(fields, key=lambda e: "focused" not in e.states)[:READ_BACK]

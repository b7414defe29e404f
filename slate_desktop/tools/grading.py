"""The tier of an acting intent, by the sighting behind it; for a pixel, by the element its program says is there."""

from __future__ import annotations

from collections.abc import Sequence

from slate_desktop import keys
from slate_desktop.elements import Element, Tree
from slate_desktop.errors import Stale, Unavailable
from slate_desktop.geometry import Point
from slate_desktop.intent import (
    Action,
    Aim,
    Click,
    ElementSighting,
    FrameSighting,
    Press,
    PressKeys,
    SetText,
    TypeText,
    WindowSighting,
)
from slate_desktop.lease import Lease
from slate_desktop.model import Window
from slate_desktop.risky import PRESSED, risky_word
from slated.model import Tier

RETURN = frozenset(["return", "enter", "kp_enter"])
BUDGET_S = 0.5
MOST = 1_500
# A press on a label or an image is one on the button around it.
AROUND = 4


async def tier(lease: Lease, aim: Aim, action: Action) -> Tier:
    """Confirm for a press that would send, pay, delete …, for a Return that would, and for typing a password.

    Where a program does not describe its elements, nothing is known of what is pressed: reversible, as on any canvas.
    """
    match action:
        case Click() | Press():
            return _by(await _pressed(lease, aim))
        case SetText(submit=returns) | TypeText(submit=returns):
            return await _typing(lease, aim, returns=returns)
        case PressKeys(chords, bursts):
            returns = any(chord.rpartition("+")[2].casefold() in RETURN for chord in chords)
            strokes = [stroke for burst in bursts for stroke in burst.strokes]
            returns = returns or any(stroke.keycode == keys.RETURN for stroke in strokes)
            return await _typing(lease, aim, returns=True) if returns else Tier.REVERSIBLE
    return Tier.REVERSIBLE


def _by(names: Sequence[str]) -> Tier:
    return Tier.CONFIRM if risky_word(names) else Tier.REVERSIBLE


async def _pressed(lease: Lease, aim: Aim) -> list[str]:
    """The names of what a press at an aim would hit."""
    match aim.sighting:
        case ElementSighting(_, _, seen):
            pressed = seen.element.role in PRESSED
            return [seen.element.name, seen.label] if pressed else []
        case WindowSighting(_, window) if aim.point is not None:
            return await _hit(lease, window, aim.point)
        case FrameSighting(_, Window() as window) as frame if aim.point is not None:
            return await _hit(lease, window, frame.logical(aim.point))
    return []


async def _hit(lease: Lease, window: Window, point: Point) -> list[str]:
    try:
        hit = await lease.desk.widgets.hit(window, point)
    except (Unavailable, Stale):
        return []
    return [element.name for element in hit[:AROUND] if element.role in PRESSED]


async def _typing(lease: Lease, aim: Aim, *, returns: bool) -> Tier:
    sighting = aim.sighting
    if isinstance(sighting, ElementSighting) and sighting.seen.element.secret:
        return Tier.CONFIRM
    if isinstance(sighting, ElementSighting) and not returns:
        return Tier.REVERSIBLE
    if not isinstance(sighting, ElementSighting | WindowSighting):
        return Tier.REVERSIBLE
    try:
        tree = await lease.desk.widgets.tree(sighting.window, budget_s=BUDGET_S, most=MOST)
    except (Unavailable, Stale):
        return Tier.REVERSIBLE
    field = _field(tree, sighting)
    if field is None:
        return Tier.REVERSIBLE
    if field.secret:
        return Tier.CONFIRM
    return _by(_form(tree, field)) if returns else Tier.REVERSIBLE


def _field(tree: Tree, sighting: ElementSighting | WindowSighting) -> Element | None:
    """What would get the keys."""
    if isinstance(sighting, ElementSighting):
        return tree.index().get(sighting.seen.element.key)
    return next((e for e in tree.elements if "focused" in e.states and e.depth > 0), None)


def _form(tree: Tree, field: Element) -> list[str]:
    """The names of the buttons that Return in a field could press: of its form or dialog, else the default one."""
    if field.role in ("push button", "link"):
        return [field.name]
    if "multi line" in field.states:
        return []
    index = tree.index()
    around = [index[key] for key in field.place if key in index]
    form = next((e for e in around if e.role in ("form", "dialog", "alert")), None)
    return [
        e.name
        for e in tree.elements
        if e.role == "push button"
        and ("is default" in e.states or (form is not None and form.key in e.place))
    ]

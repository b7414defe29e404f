"""Acts on elements: their own actions first, then a pointer where the program says it hits them, then keys."""

from __future__ import annotations

from dataclasses import replace

import anyio

from slate_desktop.act import Limbs, act
from slate_desktop.choices import below, field_of, pick_only
from slate_desktop.choosing import choose, open_list, opens_itself, take_option
from slate_desktop.elements import (
    CHECKS,
    NUMBERS,
    OFF,
    ON,
    Deed,
    Detail,
    Element,
    Seen,
    Way,
    disabled,
    same_number,
)
from slate_desktop.errors import BadRequest, Bug, Unavailable
from slate_desktop.intent import Action, Click, Move, Press, PressKeys, Scroll, SetText, TypeText
from slate_desktop.keys import parse_chord
from slate_desktop.outcome import Delivery
from slate_desktop.pin import called
from slate_desktop.ports import Widgets
from slate_desktop.quote import quote
from slate_desktop.reach import aimed, clear, focus
from slate_desktop.resolve import Target

# The actions that do what a click does, best first; each toolkit has its own words.
BEST = (
    "click",
    "press",
    "jump",
    "toggle",
    "check",
    "uncheck",
    "select",
    "open",
    "activate",
    "expand",
    "collapse",
    "expand or contract",
    "dodefault",
    "showmenu",
)
ARRIVE_LOOK_S = 0.1
ARRIVE_LOOKS = 5


async def touch(target: Target, action: Action, limbs: Limbs, widgets: Widgets) -> Delivery:
    """Send what the action means; for a target that is no element, `act` does.

    Errors: `unavailable.disabled`, `.obstructed`, `.not_shown`, `bad_request.no_action`, and those of `act`.
    """
    seen = target.element
    if seen is None:
        if isinstance(action, Press | SetText):
            raise Bug("target", "an action on an element has no element")
        return await act(target, action, limbs)
    if not isinstance(action, Move | Scroll) and disabled(seen.element):
        raise Unavailable(
            "disabled",
            f"nothing was sent: {target.ref}, {called(seen.element)}, takes no input now.",
            next_step="desktop_wait for its state enabled, or find out what it waits for",
        )
    match action:
        case Press(name):
            return await _press(target, seen, name, limbs, widgets)
        case SetText():
            return await _set(target, seen, action, limbs, widgets)
        case Click() | Move() | Scroll():
            return await act(await aimed(target, seen, limbs, widgets), action, limbs)
        case TypeText() | PressKeys():
            await focus(target, seen, limbs, widgets)
    return await act(target, action, limbs)


async def _press(
    target: Target, seen: Seen, name: str | None, limbs: Limbs, widgets: Widgets
) -> Delivery:
    await clear(target, seen, widgets)
    if name is None and pick_only(seen.element):
        tree = await widgets.tree(target.needs_window())
        if not await opens_itself(target, seen, tree, widgets):
            await open_list(target, seen, tree, limbs, widgets)
            return Delivery(1, 1, how="to open it")
    if name is None and (taken := await take_option(target, seen, limbs, widgets)) is not None:
        return taken
    actions = seen.detail.actions
    chosen = _named(name, actions, target.ref) if name is not None else _best(actions)
    if chosen is not None:
        window = target.needs_window()
        if await widgets.do(window, seen.element.key, Deed(Way.ACT, chosen)):
            return Delivery(1, 1, how=f"by its action {quote(chosen, 40)}")
        if name is not None:
            raise Unavailable(
                "refused_action",
                f"{target.ref}, {called(seen.element)}, did not do {quote(chosen, 40)}.",
                next_step="desktop_click on it",
            )
    sent = await act(await aimed(target, seen, limbs, widgets), Click(), limbs)
    return replace(sent, how="by a pointer click")


def _named(name: str, actions: tuple[str, ...], ref: str) -> str:
    found = [action for action in actions if action.casefold() == name.casefold()]
    if not found:
        listed = ", ".join(quote(action, 40) for action in actions[:10]) or "none"
        raise BadRequest(
            "no_action",
            f"nothing was sent: {ref} has no action {quote(name, 40)}; it has: {listed}",
            next_step="name one of these, or leave action out",
        )
    return found[0]


def _best(actions: tuple[str, ...]) -> str | None:
    words = {action.casefold(): action for action in reversed(actions) if action}
    return next((words[word] for word in BEST if word in words), None)


# -- text, numbers, choices, on and off --


async def _set(
    target: Target, seen: Seen, action: SetText, limbs: Limbs, widgets: Widgets
) -> Delivery:
    element = seen.element
    await clear(target, seen, widgets)
    if element.role in CHECKS:
        return await _check(target, seen, action.text, limbs, widgets)
    if element.role == "date editor":
        raise _of_parts(target, element)
    if element.role in NUMBERS and "Value" in (element.interfaces or ()):
        sent = await _number(target, seen, action.text, limbs, widgets)
    elif pick_only(element):
        sent = await _combo(target, seen, action.text, limbs, widgets)
    else:
        sent = await _text(target, seen, action.text, limbs, widgets)
    if action.submit:
        await focus(target, seen, limbs, widgets)
        await act(target, PressKeys(("Return",), (parse_chord("Return"),)), limbs)
    return sent


async def _combo(target: Target, seen: Seen, text: str, limbs: Limbs, widgets: Widgets) -> Delivery:
    """Write into the field of a box that has one, choose in any other."""
    window = target.needs_window()
    field = field_of(below(await widgets.tree(window), seen.element.key))
    if field is None:
        return await choose(target, seen, text, limbs, widgets)
    details = await widgets.details(window, [field])
    whole = Seen(field, details.get(field.key, Detail()), web=seen.web)
    return await _text(target, whole, text, limbs, widgets)


async def _check(target: Target, seen: Seen, text: str, limbs: Limbs, widgets: Widgets) -> Delivery:
    word = text.strip().casefold()
    if word not in ON | OFF:
        raise BadRequest(
            "arguments", f"{target.ref} can only be on or off", next_step='{"text":"on"}'
        )
    if ("checked" in seen.element.states) is (word in ON):
        return Delivery(0, 0, how="it was so already")
    return await _press(target, seen, None, limbs, widgets)


async def _number(
    target: Target, seen: Seen, text: str, limbs: Limbs, widgets: Widgets
) -> Delivery:
    """Through its value; in a page by keys where it takes them: Firefox does not tell it of a value that is set."""
    try:
        float(text)
    except ValueError:
        raise BadRequest(
            "arguments",
            f"{target.ref}, {called(seen.element)}, holds a number",
            next_step='{"text":"42"}',
        ) from None
    if seen.web and seen.element.role == "spin button":
        sent = await _typed_number(target, seen, text, limbs, widgets)
        if sent is not None:
            return sent
    if await widgets.do(target.needs_window(), seen.element.key, Deed(Way.VALUE, text)):
        return Delivery(1, 1, how="through its value", direct=True)
    raise _unwritable(target, seen.element)


async def _typed_number(
    target: Target, seen: Seen, text: str, limbs: Limbs, widgets: Widgets
) -> Delivery | None:
    """Type a number into a field of a page; None when it is not there then. A part of a date takes only digits."""
    if "editable" in seen.element.states:
        sent = await _text(target, seen, text, limbs, widgets)
    else:
        await focus(target, seen, limbs, widgets)
        sent = replace(await act(target, TypeText(text), limbs), how="by keys")
    for _ in range(ARRIVE_LOOKS):
        now = await widgets.now(target.needs_window(), seen)
        if now is not None and same_number(now.detail.value or "", text):
            return sent
        await anyio.sleep(ARRIVE_LOOK_S)
    return None


async def _text(target: Target, seen: Seen, text: str, limbs: Limbs, widgets: Widgets) -> Delivery:
    """EditableText where that is believed, else focus, select all and type."""
    element, window = seen.element, target.needs_window()
    if "editable" not in element.states and "EditableText" not in (element.interfaces or ()):
        raise _unwritable(target, element)
    if not seen.web:
        if await widgets.do(window, element.key, Deed(Way.WRITE, text)):
            return Delivery(len(text), len(text), how="through its text interface", direct=True)
        # GTK 4 offers the interface only to what has the focus (R60).
        await focus(target, seen, limbs, widgets)
        if await widgets.do(window, element.key, Deed(Way.WRITE, text)):
            return Delivery(len(text), len(text), how="through its text interface", direct=True)
    await focus(target, seen, limbs, widgets)
    keys = ("ctrl+a",) if text else ("ctrl+a", "Delete")
    await act(target, PressKeys(keys, tuple(parse_chord(key) for key in keys)), limbs)
    sent = await act(target, TypeText(text), limbs) if text else Delivery()
    if not seen.web or await _holds(target, seen, text, widgets):
        return replace(sent, how="by keys")
    # Keys of our seat do not reach every program; then its own interface is better than nothing.
    if await widgets.do(window, element.key, Deed(Way.WRITE, text)):
        return Delivery(len(text), len(text), how="through its text interface", direct=True)
    return replace(sent, how="by keys")


async def _holds(target: Target, seen: Seen, text: str, widgets: Widgets) -> bool:
    """Whether a field holds a text, given a moment to take the keys."""
    for _ in range(ARRIVE_LOOKS):
        now = await widgets.now(target.needs_window(), seen)
        if now is None or now.detail.value is None:
            return True  # gone, or withheld: nothing to compare
        if now.detail.value == text[: len(now.detail.value)] and bool(now.detail.value) is bool(
            text
        ):
            return True
        await anyio.sleep(ARRIVE_LOOK_S)
    return False


def _of_parts(target: Target, element: Element) -> BadRequest:
    return BadRequest(
        "not_editable",
        f"nothing was sent: {target.ref}, {called(element)}, is made of parts.",
        next_step="set the spin buttons in it: day, month, year",
    )


def _unwritable(target: Target, element: Element) -> BadRequest:
    why = "is read-only" if "read only" in element.states else "holds no text that can be set"
    return BadRequest(
        "not_editable",
        f"nothing was sent: {target.ref}, {called(element)}, {why}.",
        next_step="desktop_elements shows which are editable",
    )

"""Takes a choice in a combo box: in the closed box where its program really does that, else in the opened one."""

from __future__ import annotations

import anyio

from slate_desktop.act import Limbs, act
from slate_desktop.choices import (
    Option,
    below,
    button_of,
    open_already,
    opened,
    options,
    picked,
)
from slate_desktop.elements import Deed, Detail, Element, Key, Seen, Tree, Way
from slate_desktop.errors import BadRequest, SlateError, Unavailable
from slate_desktop.intent import Click, PressKeys
from slate_desktop.keys import parse_chord
from slate_desktop.outcome import Delivery
from slate_desktop.pin import called
from slate_desktop.ports import Widgets
from slate_desktop.quote import quote
from slate_desktop.reach import aimed
from slate_desktop.resolve import Target

# How long a list may take to open, and a choice to be taken.
OPEN_S = 1.0
LOOK_S = 0.05
# A program may lose the first press after the pointer came to it.
PRESSES = 2
NAMED = 8
# Rounds of arrow keys to an option, and how many keys a round may have: lists leave out what cannot be chosen.
ROUNDS = 12
KEYS = 50
# The actions that open a combo box, and those that choose an option: Qt's "Toggle" only puts the list's cursor on it.
PRESSING = ("click", "press", "open", "dodefault")
TAKING = ("click", "select", "press", "jump", "activate", "dodefault")


async def choose(target: Target, seen: Seen, text: str, limbs: Limbs, widgets: Widgets) -> Delivery:
    """Make a combo box hold the option of that name.

    Errors: `bad_request.no_choice` (it has none of that name), `unavailable.choices_not_told`, `.not_chosen`.
    """
    window, key = target.needs_window(), seen.element.key
    tree = await widgets.tree(window)
    inside = below(tree, key)
    known = options(inside)
    if known and text not in {option.words for option in known} and not tree.cut:
        raise no_choice(target, seen.element, text, known, "nothing was sent: ")
    if picked(seen.element, inside, {key: seen.detail}) == text:
        return Delivery(0, 0, how="it was so already")
    selects = "Selection" in (seen.element.interfaces or ())
    if selects and await widgets.do(window, key, Deed(Way.CHOOSE, text)):
        return Delivery(1, 1, how="by choosing", direct=True)
    closed = next((o for o in known if o.words == text), None)
    if closed is not None and seen.web and await _taken(target, closed, widgets, placed=True):
        return Delivery(1, 1, how="by its option's action")
    return await _in_list(target, seen, text, tree, limbs, widgets)


async def open_list(
    target: Target,
    seen: Seen,
    then: Tree,
    limbs: Limbs,
    widgets: Widgets,
    text: str | None = None,
) -> list[Option]:
    """Open a combo box; what can be chosen in it then, `text` waited for.

    Qt's own action opens the list as a window of its own, on the person's screen, and Firefox' one of a closed list
    does nothing: there it is opened as a person does.
    """
    inside = below(then, seen.element.key)
    boxes = await widgets.details(target.needs_window(), inside[:1])
    found = open_already(seen.element, then, boxes)  # another press would hit the list, or close it
    if found:
        return found
    button = button_of(inside)
    if button is None and seen.web and not options(inside):
        button = seen.element
    if button is not None and await _pressed(target, button, widgets):
        return await _seen(target, seen, then, widgets, text)
    for _ in range(PRESSES):
        await _by_hand(target, seen, limbs, widgets)
        found = await _seen(target, seen, then, widgets, text)
        if found:
            break
    return found


async def take_option(
    target: Target, seen: Seen, limbs: Limbs, widgets: Widgets
) -> Delivery | None:
    """Take an option of a combo box; None for anything else, and where its own action does that.

    Where the box is closed Firefox has an action too, but its page does not hear of that.
    """
    unheard = seen.web and seen.detail.box is None
    acts = bool({a.casefold() for a in seen.detail.actions} & {*TAKING})
    if "combo box" not in seen.lineage or (acts and not unheard):
        return None
    window = target.needs_window()
    tree = await widgets.tree(window)
    index = tree.index()
    boxes = [index[k] for k in seen.element.place if k in index and index[k].role == "combo box"]
    for combo in boxes[:1]:
        lists = await widgets.details(window, below(tree, combo.key)[:1])
        offered = open_already(combo, tree, lists)
        for option in offered:
            if not acts and option.element.key == seen.element.key:
                walked = await _walked(target, option, limbs, widgets)
                return Delivery(1, 1, how="by arrow keys in the opened list") if walked else None
        if acts and not offered:
            details = await widgets.details(window, [combo])
            whole = Seen(combo, details.get(combo.key, Detail()), web=True)
            return await _in_list(target, whole, seen.element.name, tree, limbs, widgets)
    return None


async def _by_hand(target: Target, seen: Seen, limbs: Limbs, widgets: Widgets) -> None:
    """Open it by the pointer; by keys where no pointer reaches it."""
    try:
        await act(await aimed(target, seen, limbs, widgets), Click(), limbs)
    except Unavailable as error:
        if error.code == "unavailable.obstructed" or not await _focused(target, seen, widgets):
            raise
        await _keys(target, ["alt+Down"], limbs)


async def opens_itself(target: Target, seen: Seen, tree: Tree, widgets: Widgets) -> bool:
    """Whether its own action opens it: in pages, but not where the closed options have no place, as in Firefox."""
    known = options(below(tree, seen.element.key))[:1]
    details = await widgets.details(target.needs_window(), [o.element for o in known])
    return seen.web and all(details.get(o.element.key, Detail()).box is not None for o in known)


async def _focused(target: Target, seen: Seen, widgets: Widgets) -> bool:
    window = target.needs_window()
    if not await widgets.do(window, seen.element.key, Deed(Way.FOCUS)):
        return False
    now = await widgets.now(window, seen)
    return now is not None and "focused" in now.element.states


async def _pressed(target: Target, it: Element, widgets: Widgets) -> bool:
    window = target.needs_window()
    detail = (await widgets.details(window, [it])).get(it.key, Detail())
    action = next((a for a in detail.actions if a.casefold() in PRESSING), None)
    return action is not None and await widgets.do(window, it.key, Deed(Way.ACT, action))


async def _seen(
    target: Target, seen: Seen, then: Tree, widgets: Widgets, text: str | None = None
) -> list[Option]:
    """What can be chosen in the list that has opened, once `text` is there or nothing more comes."""
    window = target.needs_window()
    found, before = list[Option](), list[Option]()
    with anyio.move_on_after(OPEN_S):
        while True:
            now = await widgets.tree(window)
            boxes = await widgets.details(window, below(now, seen.element.key)[:1])
            before, found = found, opened(seen.element.key, then, now, boxes)
            if any(o.words == text for o in found) or (found and found == before):
                break
            await anyio.sleep(LOOK_S)
    return found


async def _in_list(
    target: Target, seen: Seen, text: str, then: Tree, limbs: Limbs, widgets: Widgets
) -> Delivery:
    offered = await open_list(target, seen, then, limbs, widgets, text)
    option = next((o for o in offered if o.words == text), None)
    if option is not None:
        if await _taken(target, option, widgets, placed=False):
            return Delivery(1, 1, how="by opening it and the option's action")
        if await _walked(target, option, limbs, widgets):
            return Delivery(1, 1, how="by opening it and arrow keys")
    await _keys(target, ["Escape"], limbs)
    if option is None and offered:
        raise no_choice(target, seen.element, text, offered, "it was opened and closed again: ")
    raise _unknown(target, seen.element, opened_=bool(offered))


async def _taken(target: Target, option: Option, widgets: Widgets, *, placed: bool) -> bool:
    """Whether an option's own action chose it; `placed`: only if it has a place.

    To options of a closed box Firefox gives none, and pages do not hear of what is done to them.
    """
    window, key = target.needs_window(), option.element.key
    detail = (await widgets.details(window, [option.element])).get(key, Detail())
    if placed and detail.box is None:
        return False
    action = next((a for a in detail.actions if a.casefold() in TAKING), None)
    return action is not None and await widgets.do(window, key, Deed(Way.ACT, action))


async def _walked(target: Target, option: Option, limbs: Limbs, widgets: Widgets) -> bool:
    """Go to an option of an opened list by arrow keys and take it; False when the cursor does not come there."""
    there = option.element.key
    last = -1
    for _ in range(ROUNDS):
        row, at = await _cursor(target, option, widgets)
        if at is None or there not in row:
            return False
        steps = row.index(there) - at
        if not steps:
            await _keys(target, ["Return"], limbs)
            return True
        if at == last:
            return False
        last = at
        await _keys(target, ["Down" if steps > 0 else "Up"] * min(abs(steps), KEYS), limbs)
    return False


async def _cursor(target: Target, option: Option, widgets: Widgets) -> tuple[list[Key], int | None]:
    """The options in the list of one, and where its cursor rests."""
    window = target.needs_window()
    place = option.element.place[:1]
    row, at, before = list[Key](), None, None
    with anyio.move_on_after(OPEN_S):
        while at is None or at != before:
            before = at
            tree = await widgets.tree(window)
            beside = [o.element for o in options(tree.elements) if o.element.place[:1] == place]
            row = [e.key for e in beside]
            at = next((n for n, e in enumerate(beside) if "focused" in e.states), None)
            await anyio.sleep(LOOK_S)
    return row, at


async def _keys(target: Target, chords: list[str], limbs: Limbs) -> None:
    await act(target, PressKeys(tuple(chords), tuple(map(parse_chord, chords))), limbs)


def no_choice(
    target: Target, element: Element, text: str, offered: list[Option], what: str
) -> BadRequest:
    """It has no option of that name; names those it has."""
    names = ", ".join(quote(o.words, 40) for o in offered[:NAMED])
    more = f" and {len(offered) - NAMED} more" if len(offered) > NAMED else ""
    return BadRequest(
        "no_choice",
        f"{what}{target.ref}, {called(element)}, has no choice {quote(text, 40)}; it has {names}{more}",
        next_step="name one of these as it is written",
    )


def _unknown(target: Target, element: Element, *, opened_: bool) -> SlateError:
    if opened_:
        return Unavailable(
            "not_chosen",
            f"{target.ref}, {called(element)}, opened, but the choice could not be taken; it was closed again.",
            next_step="desktop_element_click opens it; then desktop_screenshot and desktop_click",
        )
    return Unavailable(
        "choices_not_told",
        f"the program of {target.ref}, {called(element)}, does not tell what can be chosen in it.",
        next_step="desktop_element_click opens it; then desktop_screenshot and desktop_click, or arrow keys and Return",
    )

"""Combo boxes by their elements: what can be chosen in one, what is chosen, where an opened list is. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from slate_desktop.elements import Detail, Element, Key, Tree, hidden

OPTIONS = frozenset(["list item", "menu item", "check menu item", "radio menu item", "tree item"])
# What stands in the button of a drop-down of GTK 4 that has nothing chosen, and beside what is chosen too.
NONE_CHOSEN = "(None)"


@dataclass(frozen=True, slots=True)
class Option:
    """Something that can be chosen: `words` are its name, or those inside it."""

    element: Element
    words: str


def options(elements: Sequence[Element]) -> list[Option]:
    """The options among elements, in their order; those without words are left out."""
    found = [e for e in elements if e.role in OPTIONS]
    inside: dict[Key, str] = {e.key: e.name for e in found if e.name}
    wordless = {e.key for e in found if not e.name}
    for element in elements:
        above = wordless.intersection(element.place)
        if element.role == "label" and element.name:
            for key in above:
                inside.setdefault(key, element.name)
    return [Option(e, inside[e.key]) for e in found if e.key in inside]


def below(tree: Tree, key: Key) -> list[Element]:
    """What is inside an element."""
    return [e for e in tree.elements if key in e.place]


def pick_only(combo: Element) -> bool:
    """Whether it is a combo box that takes only what is in its list."""
    return combo.role == "combo box" and "editable" not in combo.states


def field_of(inside: Sequence[Element]) -> Element | None:
    """The field of a combo box that can be typed into, by what is inside the box."""
    return next((e for e in inside if "editable" in e.states and e.role not in OPTIONS), None)


def button_of(inside: Sequence[Element]) -> Element | None:
    """The button that opens a combo box, where it is a widget of its own."""
    return next((e for e in inside if e.role in ("push button", "toggle button")), None)


def picked(combo: Element, inside: Sequence[Element], details: Mapping[Key, Detail]) -> str | None:
    """What a combo box holds, in the way its toolkit tells it; None when it does not.

    Qt tells it in the name of the box, GTK 3 by its selection, pages by the states of the options, a drop-down of GTK 4
    only by the words on its button.
    """
    field = field_of(inside)
    if field is not None:
        detail = details.get(field.key)
        return None if detail is None else detail.value
    known = options(inside)
    # What Qt says is selected is only what the opened list has under its cursor.
    if combo.name in {o.words for o in known if o.element.role == "list item"}:
        return combo.name
    own = details.get(combo.key)
    if own is not None and own.value:
        return own.value
    chosen = [o.words for o in known if "selected" in o.element.states and o.element.name]
    return chosen[-1] if chosen else _on_button(inside)


def _on_button(inside: Sequence[Element]) -> str | None:
    button = button_of(inside)
    if button is None:
        return None
    words = [e.name for e in inside if e.role == "label" and button.key in e.place and e.name]
    shown = [word for word in words if word != NONE_CHOSEN]
    return shown[-1] if shown else None


def opened(combo: Key, then: Tree, now: Tree, boxes: Mapping[Key, Detail]) -> list[Option]:
    """The options of a list that has opened since `then`; `boxes` are of what is right below the combo box.

    Qt tells its options at all times: the box of their list tells whether it is open, and those scrolled out of it can
    be gone to as well.
    """
    index = then.index()
    return [o for o in options(now.elements) if _new(o.element, combo, index, boxes)]


def _new(
    option: Element, combo: Key, then: Mapping[Key, Element], boxes: Mapping[Key, Detail]
) -> bool:
    if combo in option.place:
        holder = boxes.get(option.place[0])
        if holder is not None and holder.box is not None and option.role == "list item":
            return True
    was = then.get(option.key)
    return was is None or (hidden(was) and not hidden(option))


def open_already(combo: Element, tree: Tree, boxes: Mapping[Key, Detail]) -> list[Option]:
    """What can be chosen in the list of a combo box when that is open; none when it is closed.

    Firefox puts the opened list of a page's box into a box of its own; pages can have theirs anywhere.
    """
    inside = below(tree, combo.key)
    button = button_of(inside)
    if button is not None and "pressed" in button.states:
        return [o for o in options(inside) if not hidden(o.element)]
    lists = {e.key for e in tree.elements if e.depth == 1 and _open_list(e)}
    found = [o for o in options(tree.elements) if lists.intersection(o.element.place)]
    found = found or opened(combo.key, tree, tree, boxes)
    if not found and "expanded" in combo.states:
        return [o for o in options(tree.elements) if not hidden(o.element)]
    return found


def _open_list(element: Element) -> bool:
    return element.role == "combo box" and not element.name and "expanded" in element.states

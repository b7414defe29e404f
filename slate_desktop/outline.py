"""Elements → the ones an agent asked for, and the line each is told in. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from slate_desktop.elements import (
    CONTAINERS,
    PASSIVE,
    Detail,
    Difference,
    Element,
    Key,
    Tree,
    hidden,
    row_of,
    told_states,
    words_of,
)
from slate_desktop.geometry import Rect, Size, cutting
from slate_desktop.quote import quote

# GTK 4 names what nobody named after its class.
CLASS_NAME = re.compile(r"Gtk[A-Z]\w+")
NAME, VALUE, ROW, ACTIONS = 60, 120, 40, 4
# What a press does in the words of each toolkit; those go without saying.
PLAIN_ACTIONS = frozenset(
    "click press activate jump dodefault toggle check uncheck select switch setfocus showcontextmenu"
    " clickancestor".split()
) | {""}
ROW_ELEMENTS = 60
WITHHELD = "value withheld by Slate (password)"


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked for: `text` is part of name, value or row, `role` part of the role, `state` one of its states."""

    text: str = ""
    role: str = ""
    state: str = ""
    all: bool = False
    depth: int | None = None
    under: Key | None = None

    @property
    def words(self) -> bool:
        """Whether more is asked for than the controls on screen."""
        return bool(self.all or self.text or self.role or self.state)


def chosen(tree: Tree, query: Query, labels: Mapping[Key, str]) -> list[Element]:
    """The elements asked for, in reading order. Without `all` or a word to look for: what is shown and interactive."""
    found = [e for e in tree.elements if query.under is None or query.under in (e.key, *e.place)]
    if query.depth is not None:
        found = [e for e in found if e.depth <= query.depth]
    if query.text:
        part = query.text.casefold()
        found = [e for e in found if part in f"{e.name}\n{labels.get(e.key, '')}".casefold()]
    if query.role:
        found = [e for e in found if query.role.casefold() in e.role]
    if query.state:
        found = [e for e in found if query.state.casefold() in (*e.states, *told_states(e))]
    if query.words:
        return found
    closed = {e.key for e in tree.elements if e.role == "combo box" and "expanded" not in e.states}
    pressed = {key for e in tree.elements if e.role == "push button" for key in e.place[:1]}
    return [
        e
        for e in found
        if e.interactive
        and not hidden(e)
        and (not closed.intersection(e.place) or "editable" in e.states)
        # GTK 4 has buttons that only hold the real one.
        and not (e.role == "push button" and e.key in pressed and not name_of(e))
    ]


def drawn(tree: Tree, element: Element, details: Mapping[Key, Detail], content: Size) -> bool:
    """Whether it has a place in what its window shows now; of what is in a popup, none is told.

    `details` are also those of what is around it, as far as they are to count.
    """
    if (element.place or (element.key,))[-1] != tree.elements[0].key:
        return True
    box = details[element.key].box
    if box is None:
        return False
    view = Rect(0, 0, content.width, content.height)
    around = [details[key].box if key in details else None for key in element.place[:-1]]
    for pane in cutting(box, around):
        view = view.intersection(pane)
    return not box.intersection(view).empty


def labels_of(tree: Tree) -> dict[Key, str]:
    """Words for elements that have no name of their own: those of what is inside them."""
    words: dict[Key, list[str]] = {}
    nameless = {e.key for e in tree.elements if not name_of(e) and e.role not in CONTAINERS}
    for element in tree.elements:
        if not name_of(element):
            continue
        for above in element.place[:3]:
            if above in nameless:
                words.setdefault(above, []).append(name_of(element))
    combos = {e.key for e in tree.elements if e.role == "combo box"} & nameless
    for element in tree.elements:
        if "selected" in element.states and name_of(element):
            # Of all the words in a combo box, the one that counts is what it has chosen.
            words |= {key: [name_of(element)] for key in combos.intersection(element.place)}
    return {key: " ".join(parts)[:200] for key, parts in words.items()}


def name_of(element: Element) -> str:
    """Its name, unless that is only the name of its class."""
    return "" if CLASS_NAME.fullmatch(element.name) else element.name


def contexts(tree: Tree, elements: Sequence[Element]) -> dict[Key, tuple[str, Key | None]]:
    """For each element the words of its row, and the row: what tells it from elements that look the same.

    A row larger than a screenful of words tells nothing that could be checked quickly, so it is left out.
    """
    rows = _rows(tree, elements)
    inside: dict[Key, list[Element]] = {row: [] for row in rows.values() if row is not None}
    for element in tree.elements:
        for key in (element.key, *element.place):
            if key in inside:
                inside[key].append(element)
    return {
        key: (words_of(inside[row]), row)
        if row is not None and len(inside[row]) <= ROW_ELEMENTS
        else ("", None)
        for key, row in rows.items()
    }


def _rows(tree: Tree, elements: Sequence[Element]) -> dict[Key, Key | None]:
    index = tree.index()
    twins: dict[tuple[str, str], list[Element]] = {}
    for element in tree.elements:
        twins.setdefault((element.role, element.name), []).append(element)
    above: dict[tuple[str, str], Counter[Key]] = {}
    found: dict[Key, Key | None] = {}
    for element in elements:
        found[element.key] = row_of(element, index)
        alike = (element.role, element.name)
        if found[element.key] is None and len(twins.get(alike, ())) > 1:
            if alike not in above:
                above[alike] = Counter(key for twin in twins[alike] for key in twin.place)
            found[element.key] = _alone(element, above[alike])
    return found


def _alone(element: Element, twins_below: Counter[Key]) -> Key | None:
    """The outermost ancestor that holds no other element of the same role and name."""
    alone = None
    for key in element.place:
        if twins_below[key] > 1:
            break
        alone = key
    return alone


def beside(element: Element, context: str) -> str:
    """The words of an element's row but its own: by these an agent tells it from its twins."""
    # Firefox names a row by all the words in it, the element's among them.
    words = [w.removesuffix(f" {element.name}") for w in context.split("|") if w != element.name]
    return ", ".join(dict.fromkeys(word for word in words if word))


def line(
    ref: str,
    element: Element,
    detail: Detail,
    label: str = "",
    row: str = "",
    indent: int = 0,
) -> str:
    """`e41 push button "Press me" focused 0,60 640x34 do: ShowMenu`; `row` are the words beside it."""
    name, said = name_of(element), detail.label or label
    if detail.label and element.role == "combo box" and name == detail.value:
        name = ""  # it is named after what it holds
    words = [ref, element.role]
    if name:
        words.append(quote(name, NAME))
    elif said:
        words.append(f"({quote(said, NAME)})")
    if row:
        words.append(f"in {quote(row, ROW)}")
    words += _value(element, detail, name)
    states = told_states(element)
    if states:
        words.append(",".join(states))
    if detail.box is not None and "offscreen" not in states:
        words.append(str(detail.box))
    special = [a for a in detail.actions if a.casefold() not in PLAIN_ACTIONS and "." not in a]
    if special:
        words.append(f"do: {', '.join(quote(a, 30) for a in special[:ACTIONS])}")
    return f"{'  ' * indent}{' '.join(words)}"


def _value(element: Element, detail: Detail, told: str) -> list[str]:
    if element.secret:
        filled = {None: "", True: ", it is filled", False: ", it is empty"}[detail.filled]
        return [f"[{WITHHELD}{filled}]"]
    if detail.value is None or detail.value == told or element.role in PASSIVE:
        return []
    if not detail.value and detail.length is None:
        return []
    more = f" of {detail.length} characters" if (detail.length or 0) > len(detail.value) else ""
    return [f"= {quote(detail.value, VALUE)}{more}"]


def difference_line(ref: str, difference: Difference, label: str = "", row: str = "") -> str:
    """`+ e42 menu item "Save"`, `- label "Busy"`, `~ e41 check box "Agree" checked; was "Agree"`."""
    if difference.sign == "-":
        element = difference.element
        return f"- {ref or element.role} {quote(name_of(element), NAME)}".rstrip()
    told = line(ref, difference.element, difference.detail, label, row)
    was = f"; was {quote(difference.then, NAME)}" if difference.sign == "~" else ""
    return f"{difference.sign} {told}{was}"

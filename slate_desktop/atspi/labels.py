"""The words that label a widget by its program's word, where the widget itself has no name but what it holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from slate_desktop.atspi.link import Ask, Link, value
from slate_desktop.atspi.words import ACCESSIBLE, LABELLED_BY, PROPERTIES
from slate_desktop.elements import Element, Key
from slate_desktop.outline import name_of

LABELLED = frozenset(
    "entry|text|password text|spin button|slider|combo box|switch|toggle button|check box|date editor|dial"
    "|editbar".split("|")
)


def wants_label(element: Element) -> bool:
    """Whether a label may say more than its name: GTK 3 and Qt name a combo box after what is chosen in it."""
    return element.role in LABELLED and (element.role == "combo box" or not name_of(element))


async def ask_labels(link: Link, elements: Sequence[Element], deadline: float) -> Mapping[Key, str]:
    """The words of the labels of those that have one."""
    wanted = [e.key for e in elements if wants_label(e)]
    asks = [Ask(*key, ACCESSIBLE, "GetRelationSet") for key in wanted]
    labels: dict[Key, Key] = {}
    for key, answer in zip(wanted, await link.all(asks, deadline), strict=True):
        relations = answer[0] if isinstance(answer, list) else []
        targets = [to for kind, to in relations if kind == LABELLED_BY and to]
        if targets:
            labels[key] = Key(*targets[0][0])
    asks = [Ask(*label, PROPERTIES, "Get", "ss", (ACCESSIBLE, "Name")) for label in labels.values()]
    names = [value(answer) for answer in await link.all(asks, deadline)]
    return {k: n for k, n in zip(labels, names, strict=True) if isinstance(n, str) and n}

"""Elements → the lines an agent is told of them; giving a line gives the ref."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from slate_desktop.choices import below, pick_only, picked
from slate_desktop.elements import DOCUMENTS, Detail, Element, Glimpse, Key, Seen, Tree, in_popup
from slate_desktop.intent import Intent, Observe
from slate_desktop.lease import Lease
from slate_desktop.model import Window
from slate_desktop.outcome import Evidence, Scene
from slate_desktop.outline import beside, contexts, difference_line, labels_of, line
from slate_desktop.resolve import Target

# What an answer to an action says of elements, in characters (DESIGN 5.8).
CHANGES_LIMIT = 1_500


def lines_of(
    lease: Lease,
    window: Window,
    tree: Tree,
    elements: Sequence[Element],
    details: Mapping[Key, Detail],
    *,
    indent: bool = False,
) -> list[str]:
    """One line each, in the order given."""
    labels = labels_of(tree)
    seen = sightings(tree, elements, details)
    return [
        line(
            lease.sightings.see_element(window, seen[e.key]),
            e,
            seen[e.key].detail,
            labels.get(e.key, ""),
            "" if indent else row_words(seen[e.key]),
            e.depth if indent else 0,
        )
        for e in elements
    ]


def row_words(seen: Seen) -> str:
    """What stands beside an element in its row; nothing for the row itself."""
    return "" if seen.row in (None, seen.element.key) else beside(seen.element, seen.context)


def sightings(
    tree: Tree, elements: Sequence[Element], details: Mapping[Key, Detail]
) -> dict[Key, Seen]:
    """The facts to keep behind refs of these elements."""
    rows, labels = contexts(tree, elements), labels_of(tree)
    index = tree.index()
    lineage = {e.key: tuple(index[key].role for key in e.place if key in index) for e in elements}
    pages = {e.key for e in tree.elements if e.role in DOCUMENTS}
    return {
        e.key: Seen(
            e,
            _placed(
                e, _with_choice(tree, e, details), lineage[e.key], web=bool(pages & set(e.place))
            ),
            *rows[e.key],
            (details[e.key].label if e.key in details else "") or labels.get(e.key, ""),
            lineage[e.key],
            any(key in pages for key in e.place),
        )
        for e in elements
    }


def _with_choice(tree: Tree, element: Element, details: Mapping[Key, Detail]) -> Detail:
    """The detail of an element, with what is chosen where it is a combo box whose program tells that elsewhere."""
    detail = details.get(element.key, Detail())
    if not pick_only(element) or detail.value:
        return detail
    return replace(detail, value=picked(element, below(tree, element.key), details))


def _placed(element: Element, detail: Detail, lineage: tuple[str, ...], *, web: bool) -> Detail:
    """Without a box where that would be in the coordinates of a popup."""
    return replace(detail, box=None) if in_popup(element, lineage, web=web) else detail


def told(
    lease: Lease, intent: Intent, target: Target, now: Scene, evidence: Evidence
) -> tuple[str, ...]:
    """What an acting tool answers of elements: what changed, up to 1,500 characters."""
    window = target.window
    if window is None or now.glimpse is None or intent.observe in (Observe.NONE, Observe.IMAGE):
        return ()
    found = _changes(lease, window, now.glimpse, evidence)
    kept: list[str] = []
    for number, words in enumerate(found):
        if sum(map(len, kept)) + len(words) > CHANGES_LIMIT:
            kept.append(f"({len(found) - number} more changed: desktop_elements)")
            break
        kept.append(words)
    return tuple(kept)


def _changes(lease: Lease, window: Window, now: Glimpse, evidence: Evidence) -> list[str]:
    labels = labels_of(now.tree)
    there = [d.element for d in evidence.differences if d.sign != "-"]
    seen = sightings(now.tree, there, now.details)
    return [
        difference_line(
            lease.sightings.see_element(window, seen[d.element.key]) if d.sign != "-" else "",
            replace(d, detail=seen[d.element.key].detail) if d.sign != "-" else d,
            labels.get(d.element.key, ""),
            row_words(seen[d.element.key]) if d.sign != "-" else "",
        )
        for d in evidence.differences
    ]

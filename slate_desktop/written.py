"""The words of elements that are in no name: texts and values, looked up where somebody searches for them."""

from __future__ import annotations

from slate_desktop.elements import ITEMS, TEXT_ROLES, Detail, Key, Tree, hidden
from slate_desktop.model import Window
from slate_desktop.outline import labels_of, name_of
from slate_desktop.ports import Widgets

# Enough for what is on screen; a search in a long document is a question for desktop_read.
MOST = 300


async def words_of_all(widgets: Widgets, window: Window, tree: Tree) -> dict[Key, str]:
    """For each element what is written in or for it besides its name: names inside it, its text, value and label."""
    words = labels_of(tree)
    wanted = [
        e
        for e in tree.elements
        if not hidden(e)
        and (
            e.role in TEXT_ROLES
            or "editable" in e.states
            or (e.interactive and e.role not in ITEMS and not name_of(e))
        )
    ]
    details = await widgets.details(window, wanted[:MOST])
    for element in wanted[:MOST]:
        detail = details.get(element.key, Detail())
        value = "" if element.secret else detail.value or ""
        parts = [part for part in (words.get(element.key, ""), detail.label, value) if part]
        if parts:
            words[element.key] = "\n".join(parts)
    return words

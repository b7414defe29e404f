"""The words of elements that are in no name: texts and values, looked up where somebody searches for them."""

from __future__ import annotations

from slate_desktop.elements import TEXT_ROLES, Key, Tree, hidden
from slate_desktop.model import Window
from slate_desktop.outline import labels_of
from slate_desktop.ports import Widgets

# Enough for what is on screen; a search in a long document is a question for desktop_read.
MOST = 300


async def words_of_all(widgets: Widgets, window: Window, tree: Tree) -> dict[Key, str]:
    """For each element what is written in it besides its name: the names inside it, its text, its value."""
    words = labels_of(tree)
    wanted = [
        e
        for e in tree.elements
        if not hidden(e) and not e.secret and (e.role in TEXT_ROLES or "editable" in e.states)
    ]
    details = await widgets.details(window, wanted[:MOST])
    for key, detail in details.items():
        if detail.value:
            words[key] = f"{words.get(key, '')}\n{detail.value}".strip()
    return words

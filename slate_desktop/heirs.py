"""Names the windows of a program that was running already and took a launch over (R99). Pure."""

from __future__ import annotations

import re

from slate_desktop.intent import Launch
from slate_desktop.model import Desktop, Window
from slate_desktop.outcome import Launched

# Shorter names are parts of too many others.
_SHORTEST = 4


def heirs(action: Launch, launched: Launched, desktop: Desktop) -> tuple[Window, ...]:
    """Windows that are not of this launch and whose program has its name, as app ids and commands write it.

    Empty unless the program ended well: one that runs on, or failed, has handed nothing over.
    """
    if launched.exit_code != 0:
        return ()
    names = {
        _plain(action.argv[0].rsplit("/", 1)[-1]),
        _plain((action.app or "").removesuffix(".desktop")),
    }
    return tuple(
        window
        for window in desktop.windows
        if window.sandbox != launched.id
        and any(_same(name, _plain(window.app_id)) for name in names)
    )


def _plain(name: str) -> str:
    """`gnome-text-editor` and `org.gnome.TextEditor` differ only in what this leaves out, and in a beginning."""
    return re.sub(r"[^a-z0-9]", "", name.casefold())


def _same(one: str, other: str) -> bool:
    return min(len(one), len(other)) >= _SHORTEST and (one in other or other in one)

"""Windows → the lines an agent is told of them; giving a line gives the ref."""

from __future__ import annotations

from collections.abc import Iterable

from slate_desktop.lease import Lease
from slate_desktop.model import PERSON, Desktop, Place, Window
from slate_desktop.outcome import WindowLine
from slate_desktop.resolve import top_window


def lines(lease: Lease, desktop: Desktop, windows: Iterable[Window]) -> tuple[WindowLine, ...]:
    """One line each, in the order given."""
    return tuple(_line(lease, desktop, window) for window in windows)


def _line(lease: Lease, desktop: Desktop, window: Window) -> WindowLine:
    return WindowLine(
        ref=lease.sightings.see(window),
        app_id=window.app_id,
        title=window.title,
        place=window.place,
        rect=window.rect,
        workspace=window.workspace,
        tags=tuple(_tags(lease, desktop, window)),
    )


def _tags(lease: Lease, desktop: Desktop, window: Window) -> Iterable[str]:
    if desktop.focus.get(PERSON) == window.id:
        yield "person"
    if desktop.focus.get(lease.hands.seat) == window.id:
        yield "yours"
    for word, holds in (
        ("floating", window.floating),
        ("fullscreen", window.fullscreen),
        ("tab behind", not window.front),
        ("x11", window.x11),
    ):
        if holds:
            yield word
    over = (
        top_window(desktop, window.rect.centre)
        if window.place in (Place.SCREEN, Place.BACKGROUND)
        else None
    )
    if over is not None and over.id != window.id and window.front:
        yield f"covered by {lease.sightings.see(over)}"

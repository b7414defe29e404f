"""The failures of the desktop side that more than one room raises, each with its stable code."""

from __future__ import annotations

from slated.errors import BadRequest, Bug, Refused, SlateError, Stale, Unavailable

__all__ = [
    "BadRequest",
    "Bug",
    "Refused",
    "SlateError",
    "Stale",
    "Unavailable",
    "compositor_gone",
    "person_prompt",
    "window_gone",
]


def window_gone(name: str) -> Stale:
    """The window behind a ref is no more."""
    return Stale(
        "window_gone",
        f"nothing was sent: {name} is gone.",
        next_step="desktop_windows lists what is open",
    )


def compositor_gone(what: str) -> Unavailable:
    """The compositor closed the connection, reloaded or does not answer."""
    return Unavailable(
        "compositor", what, next_step="desktop_windows, once the compositor answers again"
    )


def person_prompt(what: str) -> Unavailable:
    """A launcher, a password prompt or a lock screen holds every keyboard; nothing may be typed now."""
    return Unavailable(
        "person_prompt",
        f"nothing more was sent: {what}.",
        next_step="wait until the person has closed it, then look again before you repeat the call",
    )

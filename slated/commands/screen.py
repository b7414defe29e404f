"""What the full-screen commands share: the terminal they need, reading a key, drawing lines."""

from __future__ import annotations

import curses
import locale
import sys
import unicodedata
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final

from slated import untraceable
from slated.errors import Unavailable

STRAY_S: Final = 0.7
"""A key so soon after something came up was meant for something else."""
Lines = Sequence[tuple[str, bool]]
"""A screen: each line and whether it stands out."""


def shown(command: str, loop: Callable[[curses.window], None]) -> None:
    """Run `loop` on the whole terminal, in a process nobody may trace. Raises `unavailable.terminal`."""
    needed(command)
    untraceable.become()
    with suppress(locale.Error):  # without one only ASCII can be typed
        locale.setlocale(locale.LC_ALL, "")
    curses.wrapper(loop)


def needed(command: str) -> None:
    """Raise `unavailable.terminal` unless there is a terminal to show something on."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise Unavailable("terminal", f"slate {command} needs a terminal.", next_step="open one")


def prepared(screen: curses.window) -> None:
    """Keys are read without waiting, and no cursor is shown."""
    with suppress(curses.error):
        curses.curs_set(0)
    screen.nodelay(True)


def key(screen: curses.window) -> str | None:
    """The next key that was pressed."""
    try:
        got = screen.get_wch()
    except curses.error:
        return None
    return curses.keyname(got).decode("ascii", "replace") if isinstance(got, int) else got


def draw(screen: curses.window, lines: Lines) -> None:
    """Show the lines that fit."""
    height, width = screen.getmaxyx()
    screen.erase()
    for row, (line, strong) in enumerate(lines[: height - 1]):
        with suppress(curses.error):
            screen.addnstr(row, 0, line, width - 1, curses.A_BOLD if strong else curses.A_NORMAL)
    screen.refresh()


def wrapped(text: str, columns: int) -> list[str]:
    """The text in lines that a terminal of so many columns shows whole; wide characters take two of them.

    Lines break after a space where one is near, and nothing of the text is dropped.
    """
    lines: list[str] = []
    start = used = 0
    for at, one in enumerate(text):
        width = 2 if unicodedata.east_asian_width(one) in "WF" else 1
        if used + width > columns:
            space = text.rfind(" ", start, at) + 1
            cut = space if space - start > columns // 2 else at
            lines.append(text[start:cut])
            start, used = cut, _columns(text[cut:at])
        used += width
    return [*lines, text[start:]]


def _columns(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(one) in "WF" else 1 for one in text)

"""Which program on the accessibility bus a window belongs to, and why one is not there."""

from __future__ import annotations

import re
from pathlib import Path

import anyio

from slate_desktop.atspi.link import Answer, Ask, BusSilent, Link, value
from slate_desktop.atspi.words import ACCESSIBLE, REGISTRY, ROOT_PATH
from slate_desktop.elements import Key
from slate_desktop.errors import Unavailable
from slate_desktop.model import Window
from slate_desktop.quote import quote

# A program this young may not have told its tree yet.
YOUNG_S = 10.0
LOOK_S = 0.1
# How long a program that is no longer young may take to wake up when it is first asked.
WAKE_S = 0.5
# Libraries that bring a tree: where none is loaded, none will come.
TOOLKITS = re.compile(r"/lib(?:gtk-[34]|atk-1\.0|atk-bridge-2\.0|Qt[56]Gui|xul)\.so")
MAPS_LIMIT = 4_000_000
TICKS_S = 100  # of /proc times; USER_HZ is 100 wherever Linux has a desktop
PICTURES = "use pictures, pointer and keys: desktop_screenshot, desktop_click, desktop_type"


class Programs:
    """Programs on the bus by process id. A unique bus name never comes again, so what was learnt of one stays."""

    def __init__(self) -> None:
        self._pids: dict[str, int] = {}

    async def root(self, link: Link, window: Window, deadline: float) -> Key:
        """The root of a window's program; a young one is waited for.

        Errors: `unavailable.no_tree`, `unavailable.not_ready`, `unavailable.not_enabled`, BusSilent.
        """
        if window.pid is None:
            raise no_tree(window)
        while True:
            root = await self._look(link, window.pid, deadline)
            if root is not None:
                return root
            if not has_toolkit(window.pid):
                raise no_tree(window)
            if age_s(window.pid) > YOUNG_S:
                raise not_enabled(window)
            if anyio.current_time() + LOOK_S > deadline:
                raise not_ready(window)
            await anyio.sleep(LOOK_S)

    async def _look(self, link: Link, pid: int, deadline: float) -> Key | None:
        listed = await link.one(Ask(REGISTRY, ROOT_PATH, ACCESSIBLE, "GetChildren"), deadline)
        if listed is None:
            raise BusSilent
        if not isinstance(listed, list):
            return None
        roots = [Key(bus, path) for bus, path in listed[0]]
        fresh = [root.bus for root in roots if root.bus not in self._pids]
        answers = await link.all([_pid(bus) for bus in fresh], deadline)
        self._pids |= {b: _number(answer) for b, answer in zip(fresh, answers, strict=True)}
        return next((root for root in roots if self._pids[root.bus] == pid), None)


def _pid(bus: str) -> Ask:
    driver = "org.freedesktop.DBus"
    return Ask(driver, "/org/freedesktop/DBus", driver, "GetConnectionUnixProcessID", "s", (bus,))


def _number(answer: Answer) -> int:
    return number if isinstance(number := value(answer), int) else -1


def has_toolkit(pid: int, proc: Path = Path("/proc")) -> bool:
    """Whether a process has loaded a toolkit that describes its widgets."""
    try:
        with (proc / str(pid) / "maps").open() as maps:
            return TOOLKITS.search(maps.read(MAPS_LIMIT)) is not None
    except OSError:
        return False


def age_s(pid: int, proc: Path = Path("/proc")) -> float:
    """Seconds since a process started; infinite when it cannot be read."""
    try:
        stat = (proc / str(pid) / "stat").read_text()
        uptime_s = float((proc / "uptime").read_text().split()[0])
        return uptime_s - int(stat.rpartition(")")[2].split()[19]) / TICKS_S
    except (OSError, ValueError, IndexError):
        return float("inf")


def worth_waiting(window: Window, started: float, deadline: float) -> bool:
    """Whether an empty tree may fill: that of a young program, and for a moment that of any that is asked."""
    young = window.pid is not None and age_s(window.pid) < YOUNG_S
    until = deadline if young else min(deadline, started + WAKE_S)
    return anyio.current_time() + LOOK_S < until


def empty(window: Window) -> Unavailable:
    """Only the window itself is told, nothing in it."""
    if window.pid is None or age_s(window.pid) < YOUNG_S:
        return not_ready(window)
    return Unavailable(
        "not_enabled",
        f"{quote(window.app_id)} tells its window but nothing in it: programs built on Chromium do so "
        "until they are started with --force-renderer-accessibility.",
        next_step=f"start it so, or {PICTURES}",
    )


def no_tree(window: Window) -> Unavailable:
    """The program draws without a toolkit that describes its widgets: a terminal, a canvas, a game."""
    return Unavailable(
        "no_tree",
        f"{quote(window.app_id)} describes no elements, by design.",
        next_step=PICTURES,
    )


def not_enabled(window: Window) -> Unavailable:
    """The program could describe its widgets, but is not on the accessibility bus.

    Some never get there although they were told to: Qt 5 on Wayland in Debian 13 loses the bus as it starts.
    """
    return Unavailable(
        "not_enabled",
        f"{quote(window.app_id)} does not tell its elements: it was started with accessibility switched off, or its "
        "toolkit could not register.",
        next_step=f"start it again with desktop_launch if it was not started so, or {PICTURES}",
    )


def not_ready(window: Window) -> Unavailable:
    """The program has just started."""
    return Unavailable(
        "not_ready",
        f"{quote(window.app_id)} has not told its elements yet.",
        next_step="desktop_wait for an element or a text of it, then ask again",
    )


def frozen(window: Window) -> Unavailable:
    """The program does not answer."""
    return Unavailable(
        "frozen",
        f"{quote(window.app_id)} does not answer: it is busy or hangs.",
        next_step="desktop_wait for still_s, or look at it with desktop_screenshot",
    )

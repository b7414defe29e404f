"""Waits for the world to come to rest after an action: events and frames with a deadline, never a fixed sleep."""

from __future__ import annotations

from collections.abc import Callable

import anyio

from slate_desktop.errors import Stale
from slate_desktop.heirs import heirs
from slate_desktop.intent import Arrange, Close, Focus, Intent, Launch, Observe, Reshape
from slate_desktop.model import Desktop
from slate_desktop.outcome import Delivery, Launched, Scene
from slate_desktop.ports import Eyes, Windows
from slate_desktop.resolve import Target

# A reaction can come in two parts (the pressed look, then the effect 150 ms later: R49), so rest is
# no repaint for this long.
QUIET_S = 0.2
REST_S = 1.5
# How long a window may take to close or to ask back, another program to open one, and a changed one to take its shape.
CLOSE_S = 2.0
HEIR_S = 1.0
SHAPE_S = 1.0
SHAPE_QUIET_S = 0.1


def wants_pictures(intent: Intent) -> bool:
    """Whether evidence for this intent comes from the target's pictures."""
    quiet = Close | Reshape | Arrange | Launch | Focus
    return (
        intent.aim is not None
        and intent.observe is not Observe.NONE
        and not isinstance(intent.action, quiet)
    )


async def before(intent: Intent, target: Target, eyes: Eyes) -> Scene:
    """The look that an effect is measured against. Errors: `stale.menu_changed`, for a point outside the content."""
    if target.window is None or not (wants_pictures(intent) or target.menu):
        return Scene(target.desktop)
    pixels = await eyes.window(target.window.handle)
    if target.menu not in (None, pixels.size):
        raise Stale(
            "menu_changed",
            f"nothing was sent: the menu beside the window of {target.ref} is not as it was.",
            next_step="take a new picture with desktop_screenshot",
        )
    return Scene(target.desktop, pixels if wants_pictures(intent) else None)


async def after(
    intent: Intent, target: Target, delivery: Delivery, first: Scene, eyes: Eyes, windows: Windows
) -> Scene:
    """The look once the effect has come, or its deadline has."""
    match intent.action:
        case Launch(timeout_s=timeout_s):
            desktop = await _until(windows, timeout_s, _opened(delivery.launch))
            if delivery.launch is not None and heirs(intent.action, delivery.launch, desktop):
                # What it handed over to may open a window for it, a moment later.
                desktop = await _until(windows, HEIR_S, _more_than(first.desktop))
            return Scene(desktop)
        case Close():
            return Scene(await _until(windows, CLOSE_S, _gone_or_asked(target, first.desktop)))
        case Reshape() | Arrange():
            return Scene(await _at_rest(windows))
    if target.window is None or not wants_pictures(intent):
        return Scene(delivery.seen or await windows.desktop())
    try:
        await eyes.still(target.window.handle, quiet_s=QUIET_S, deadline_s=REST_S)
        pixels = await eyes.window(target.window.handle, settle=False)
    except Stale:  # the action closed the window: that is an effect, not a failure
        pixels = None
    return Scene(await windows.desktop(), pixels)


async def _until(windows: Windows, deadline_s: float, done: Callable[[Desktop], bool]) -> Desktop:
    """The first desktop that is `done`, or the last one before the deadline."""
    desktop = await windows.desktop()
    with anyio.move_on_after(deadline_s):
        while not done(desktop):
            # A program that exits makes no window event, so its state is looked at in between.
            await windows.changed(deadline_s=0.1)
            desktop = await windows.desktop()
    return desktop


async def _at_rest(windows: Windows) -> Desktop:
    """The desktop when no window event has come for a moment."""
    with anyio.move_on_after(SHAPE_S):
        while await windows.changed(deadline_s=SHAPE_QUIET_S):
            pass
    return await windows.desktop()


def _opened(launch: Launched | None) -> Callable[[Desktop], bool]:
    def done(desktop: Desktop) -> bool:
        if launch is None:
            return True
        return launch.exit_code is not None or any(w.sandbox == launch.id for w in desktop.windows)

    return done


def _more_than(first: Desktop) -> Callable[[Desktop], bool]:
    known = {w.id for w in first.windows}
    return lambda desktop: any(w.id not in known for w in desktop.windows)


def _gone_or_asked(target: Target, first: Desktop) -> Callable[[Desktop], bool]:
    window = target.needs_window()
    known = {w.id for w in first.windows}

    def done(desktop: Desktop) -> bool:
        asked = any(w.id not in known and w.pid == window.pid for w in desktop.windows)
        return asked or desktop.window(window.id) is None

    return done

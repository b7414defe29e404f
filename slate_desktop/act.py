"""Target + action → strokes and window commands. It never says "done": `verify` judges what was sent."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio

from slate_desktop.errors import SlateError, Stale, Unavailable, person_prompt, window_gone
from slate_desktop.geometry import Point, dots
from slate_desktop.intent import (
    Action,
    Arrange,
    Click,
    Close,
    Drag,
    FillClipboard,
    Focus,
    Launch,
    Move,
    PressKeys,
    Reshape,
    Scroll,
    TypeText,
)
from slate_desktop.keys import RETURN, text_bursts
from slate_desktop.model import (
    PERSON,
    Button,
    Desktop,
    Handle,
    KeyBurst,
    KeyStroke,
    Output,
    Place,
    PointerMove,
    PointerPress,
    PointerScroll,
    PointerStep,
    Window,
)
from slate_desktop.outcome import Delivery
from slate_desktop.ports import Clipboard, Hands, Launcher, Windows
from slate_desktop.resolve import Target, again, reachable
from slate_desktop.widekeys import WideKeys

log = logging.getLogger(__name__)

# GTK takes a motion for a drag at this pace, and a drop only after a rest on the target (facts: Capture).
DRAG_STEP_S = 0.02
DRAG_STEP_PX = 24.0
DRAG_REST_S = 0.2
# How long a call waits for a launcher, a prompt or a lock screen to go away before it gives up (DESIGN 5.3).
PROMPT_S = 2.0
# The compositor announces no such prompt, so its end is looked for at this pace.
PROMPT_LOOK_S = 0.05
# A program that was just starting costs a try: it may have turned out to be a launcher.
FOCUS_TRIES = 3
# A release that hangs must not hold the seat: after this the compositor is treated as gone.
RELEASE_S = 1.0


@dataclass(frozen=True, slots=True)
class Limbs:
    """What acting needs: one seat's hands and clipboard, the window manager and the launcher."""

    hands: Hands
    windows: Windows
    launcher: Launcher
    clipboard: Clipboard
    wide: WideKeys = field(default_factory=WideKeys)


async def act(target: Target, action: Action, limbs: Limbs) -> Delivery:
    """Send what the action means to its target. On any failure or cancellation everything pressed is released."""
    async with _released(limbs.hands):
        match action:
            case Click() | Move() | Scroll():
                return await _point(target, action, limbs)
            case Drag(_, button, modifiers):
                return await _drag(target, button, modifiers, limbs)
            case TypeText(text, submit):
                return await _keys(
                    target, _typed(target, text, submit, limbs), limbs, wanted=len(text)
                )
            case PressKeys():
                only_keys = target.needs_window().hears_keys_only
                bursts = limbs.wide.pressed(action.bursts) if only_keys else action.bursts
                return await _keys(
                    target, bursts, limbs, wanted=len(action.chords), hold_s=action.hold_s
                )
            case Focus():
                window = await _reach(target, limbs)
                await _ready(window, limbs, sent="")
                return Delivery()
            case _:
                return await _arrange(target, action, limbs)


async def _arrange(target: Target, action: Action, limbs: Limbs) -> Delivery:
    """What needs neither key nor pointer."""
    match action:
        case Close():
            window = target.needs_window()
            if window.sandbox is None or not await limbs.launcher.close(window.sandbox):
                await limbs.windows.close(window.id)
            return Delivery()
        case Reshape(rect, floating, fullscreen, place):
            await limbs.windows.reshape(
                target.needs_window().id,
                rect=rect,
                floating=floating,
                fullscreen=fullscreen,
                place=place,
            )
            return Delivery()
        case Arrange(layout, ids):
            await limbs.windows.arrange(ids, layout)
            return Delivery()
        case Launch(argv, cwd, own_seat_first=first, x11=x11):
            seat = limbs.hands.seat if first else None
            return Delivery(launch=await limbs.launcher.start(argv, cwd=cwd, seat=seat, x11=x11))
        case FillClipboard(content):
            await limbs.clipboard.offer(content)
            return Delivery(offered=limbs.clipboard.types)
        case _:
            return Delivery()


@asynccontextmanager
async def _released(hands: Hands) -> AsyncIterator[None]:
    try:
        yield
    except BaseException:
        # Cancellation is level-triggered: without the shield the first await of the clean-up would be cancelled too.
        with anyio.move_on_after(RELEASE_S, shield=True):
            await hands.rest()
        raise


# -- pointer --


async def _point(target: Target, action: Click | Move | Scroll, limbs: Limbs) -> Delivery:
    target, output, point = await _under_pointer(target, limbs)
    if target.window is not None and not isinstance(action, Move) and action.modifiers:
        # Modifiers are keys: they go where the seat's keyboard is, so that must be the target.
        await _ready(target.window, limbs, sent="")
    await limbs.hands.pointer(output.name, [PointerMove(point)])
    match action:
        case Click(button, count, hold_s, modifiers):
            press, release = PointerPress(button, down=True), PointerPress(button, down=False)
            if hold_s:
                await limbs.hands.pointer(output.name, [press], modifiers=modifiers)
                await anyio.sleep(hold_s)
                await limbs.hands.pointer(output.name, [release], modifiers=modifiers)
            else:
                pairs: Sequence[PointerStep] = [press, release] * count
                await limbs.hands.pointer(output.name, pairs, modifiers=modifiers)
        case Scroll(down, right, modifiers):
            # X11 programs take the first turn after the pointer came for where the wheel stands.
            begun = target.window is not None and target.window.hears_keys_only
            await limbs.hands.pointer(
                output.name, [PointerScroll(down, right, begun)], modifiers=modifiers
            )
        case Move():
            pass
    return Delivery(sent=1, wanted=1)


async def _drag(target: Target, button: Button, modifiers: int, limbs: Limbs) -> Delivery:
    """Press, go along the path at a hand's pace, rest on the end, release: toolkits need to see a motion (R32)."""
    target, output, point = await _under_pointer(target, limbs)
    if modifiers and target.window is not None:
        await _ready(target.window, limbs, sent="")
    hands = limbs.hands
    await hands.pointer(output.name, [PointerMove(point)])
    await hands.pointer(output.name, [PointerPress(button, down=True)], modifiers=modifiers)
    for step in dots((point, *target.path), DRAG_STEP_PX):
        await anyio.sleep(DRAG_STEP_S)
        await hands.pointer(output.name, [PointerMove(step)], modifiers=modifiers)
    await anyio.sleep(DRAG_REST_S)
    await hands.pointer(output.name, [PointerPress(button, down=False)], modifiers=modifiers)
    return Delivery(sent=1, wanted=1)


async def _under_pointer(target: Target, limbs: Limbs) -> tuple[Target, Output, Point]:
    """The target once it is shown where it is said to be, its output, and the point for the pointer.

    What has only just opened, moved, or come from an output that is gone would else miss the button.
    """
    desktop = await _no_prompt(limbs, sent="", drawn=True)
    target = await _uncovered(again(target, desktop), limbs)
    if target.output is None or target.point is None:
        raise Unavailable(
            "hidden",
            f"nothing was sent: {target.ref} is on no output.",
            next_step="desktop_windows",
        )
    return target, target.output, target.point


async def _uncovered(target: Target, limbs: Limbs) -> Target:
    """The target when a pointer reaches it; a covered window of the background is raised first."""
    if target.window is None:
        return target  # a bare place on a screen: whatever is there gets it
    try:
        return reachable(target)
    except Unavailable:
        if target.window.place is not Place.BACKGROUND:
            raise
    return await _raised(target, target.window.handle, limbs)


async def _raised(target: Target, handle: Handle, limbs: Limbs) -> Target:
    """The target on the background with nothing over it. Focus raises what floats.

    Tiles stay below it, and only the person's focus brings a tab to the front: such a window is lifted out of its
    tiles where it is.
    """
    await limbs.hands.focus(handle)
    found = again(target, await limbs.windows.desktop(drawn=True))
    try:
        return reachable(found)
    except Unavailable as error:
        window = found.needs_window()
        if error.code == "unavailable.off_output" or (window.floating and window.front):
            raise
        if any(w.fullscreen and w.workspace == window.workspace for w in found.desktop.windows):
            raise
    await limbs.windows.reshape(window.id, floating=True, rect=window.rect)
    await limbs.hands.focus(handle)
    return reachable(again(target, await limbs.windows.desktop(drawn=True)))


# -- keyboard --


def _typed(target: Target, text: str, submit: bool, limbs: Limbs) -> Sequence[KeyBurst]:
    """The strokes of a text as the window's program understands them."""
    window = target.needs_window()
    end: tuple[KeyBurst, ...] = (KeyBurst((KeyStroke(RETURN),)),) if submit else ()
    if window.hears_keys_only:
        return limbs.wide.bursts(text) + limbs.wide.pressed(end)
    return text_bursts(text, halves=window.halves) + end


async def _keys(
    target: Target, bursts: Sequence[KeyBurst], limbs: Limbs, *, wanted: int, hold_s: float = 0.0
) -> Delivery:
    window = await _reach(target, limbs)
    sent = 0
    for place, burst in enumerate(bursts):
        so_far = f" after {sent} of {wanted}" if sent else ""
        await _ready(window, limbs, sent=so_far)
        last = place == len(bursts) - 1
        await limbs.hands.keys(window.handle, burst, hold_s=hold_s if last else 0.0)
        sent += burst.characters
    desktop = await limbs.windows.desktop()
    held = limbs.hands.focused(window.handle) and desktop.focus.get(limbs.hands.seat) == window.id
    return Delivery(sent=sent, wanted=wanted, focus_held=held, seen=desktop)


async def _reach(target: Target, limbs: Limbs) -> Window:
    """The window once it can be focused without showing it to the person."""
    window = target.needs_window()
    if window.x11 and any(
        w.x11 and w.id != window.id and w.place is not Place.BACKGROUND
        for w in target.desktop.windows
    ):
        raise Unavailable(
            "shared_x11",
            "nothing was sent: all X11 windows share one keyboard focus, and the person has X11 windows open.",
            next_step="desktop_launch it anew with x11: true: it gets a server of its own",
        )
    if window.place is Place.SCRATCHPAD:
        # Focusing it in the scratchpad would pop it up on the person's screen (facts: Seats and focus).
        await limbs.windows.to_background(window.id)
    return window


async def _ready(window: Window, limbs: Limbs, *, sent: str) -> None:
    """Return once the window has our keyboard by both witnesses; nothing may be sent otherwise.

    GET_SEATS alone lies while the session is locked, the window's `activated` alone while it is being mapped.
    """
    desktop = await _no_prompt(limbs, sent=sent)
    for _ in range(FOCUS_TRIES):
        if desktop.window(window.id) is None:
            raise _gone(sent)
        if limbs.hands.focused(window.handle) and desktop.focus.get(limbs.hands.seat) == window.id:
            return
        activated = await limbs.hands.focus(window.handle)
        desktop = await _no_prompt(limbs, sent=sent)
        if activated and desktop.focus.get(limbs.hands.seat) == window.id:
            return
    facts = {"activated": limbs.hands.focused(window.handle), "seats": dict(desktop.focus)}
    log.warning("not focusable", extra={"window": window.id, "seat": limbs.hands.seat} | facts)
    raise _unfocusable(window, desktop, sent)


async def _no_prompt(limbs: Limbs, *, sent: str, drawn: bool = False) -> Desktop:
    """The desktop (`drawn` as its port says), once the person's keyboard is not held by something that is no window."""
    with anyio.move_on_after(PROMPT_S):
        while True:
            desktop = await limbs.windows.desktop(drawn=drawn)
            if desktop.focus.get(PERSON) != 0:
                return desktop
            await limbs.windows.changed(deadline_s=PROMPT_LOOK_S)
    raise person_prompt(f"a launcher, a prompt or a lock screen holds the keyboard{sent}")


def _gone(sent: str) -> SlateError:
    error = window_gone("the window")
    return (
        Stale(
            "window_gone",
            f"nothing more was sent{sent}: the window is gone.",
            next_step=error.next_step,
        )
        if sent
        else error
    )


def _unfocusable(window: Window, desktop: Desktop, sent: str) -> SlateError:
    full = [
        w
        for w in desktop.windows
        if w.fullscreen and w.workspace == window.workspace and w.id != window.id
    ]
    if full:
        return Unavailable(
            "behind_fullscreen",
            f"nothing{' more' if sent else ''} was sent{sent}: a fullscreen window of the same workspace is over it.",
            next_step="end the fullscreen with desktop_window_set, if that window is yours",
        )
    return person_prompt(
        f"the compositor does not give the window our keyboard{sent}: the screen may be locked"
    )


__all__ = ["PROMPT_S", "Limbs", "act"]

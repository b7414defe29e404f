"""Before + after + what was expected → evidence. The only place that says whether something was verified. Pure."""

from __future__ import annotations

from slate_desktop.elements import Difference, Seen
from slate_desktop.geometry import Rect
from slate_desktop.heirs import heirs
from slate_desktop.image import changed_box
from slate_desktop.intent import (
    Arrange,
    Close,
    FillClipboard,
    Focus,
    Intent,
    Launch,
    Reshape,
    SetText,
    TypeText,
)
from slate_desktop.model import Desktop, Place, Window, WindowId
from slate_desktop.outcome import Delivery, Evidence, Scene, Verified
from slate_desktop.resolve import Target
from slate_desktop.treediff import arrived, differences, holds

# Sway rounds a split to whole pixels, and clients may round to their own grid; more than this is another size.
SHAPE_TOLERANCE_PX = 1
_WHERE = {
    Place.SCREEN: "on the person's screen",
    Place.HIDDEN: "on a workspace that is not shown",
    Place.BACKGROUND: "in the background",
    Place.SCRATCHPAD: "in the scratchpad",
}


def verify(
    intent: Intent, target: Target, first: Scene, delivery: Delivery, now: Scene
) -> Evidence:
    """What can honestly be said about the effect of an action."""
    opened = _newcomers(first.desktop, now.desktop, target, delivery)
    match intent.action:
        case Launch() as launch:
            return _launched(launch, first.desktop, delivery, now.desktop, opened)
        case Close():
            return _closed(target.needs_window(), now.desktop, opened)
        case Reshape() as shape:
            return _reshaped(shape, target.needs_window(), now.desktop)
        case Arrange(_, ids):
            return _arranged(ids, now.desktop)
        case FillClipboard(content):
            return _filled(set(content), delivery)
        case Focus():
            return Evidence(
                Verified.YES, "the compositor names it as our seat's focus and activated"
            )
        case TypeText():
            return _typed(intent.action, target, first, delivery, now, opened)
        case SetText():
            return _set(intent.action, target, first, delivery, now, opened)
    return _reacted(target, first, now, opened)


def _launched(
    action: Launch,
    first: Desktop,
    delivery: Delivery,
    now: Desktop,
    opened: tuple[WindowId, ...],
) -> Evidence:
    if opened and action.x11:
        because = "its X server's window is there; a picture of it shows what it draws"
        return Evidence(Verified.UNKNOWN, because, opened=opened)
    if opened:
        return Evidence(Verified.YES, "its window is there", opened=opened)
    launch = delivery.launch
    if launch is None or launch.exit_code is None:
        return Evidence(Verified.NO, "it runs, but no window of its came in time")
    code = launch.exit_code
    known = {w.id for w in first.windows}
    there = tuple(w.id for w in heirs(action, launch, now))
    fresh = tuple(id_ for id_ in there if id_ not in known)
    if fresh:
        because = "it ended, and a program that was running already has opened a window"
        return Evidence(Verified.UNKNOWN, because, opened=fresh, handed_over=there)
    if there:
        because = (
            "it opened no window and ended: it handed over to a program that was running already"
        )
        return Evidence(Verified.NO, because, handed_over=there)
    return Evidence(Verified.NO, f"it ended with exit code {code} and opened no window")


def _filled(types: set[str], delivery: Delivery) -> Evidence:
    if types and types <= set(delivery.offered):
        return Evidence(Verified.YES, "the compositor announces it on your seat")
    return Evidence(Verified.NO, "the compositor does not announce it on your seat")


def _closed(window: Window, now: Desktop, opened: tuple[WindowId, ...]) -> Evidence:
    if now.window(window.id) is None:
        return Evidence(Verified.YES, "the window is gone")
    if opened:
        return Evidence(Verified.NO, "the window is still there and asks back", opened=opened)
    return Evidence(Verified.NO, "the window is still there; it may be asking in its own picture")


def _cut_off(window: Window) -> bool:
    """Whether a program draws its window larger than it is."""
    drawn, size = window.drawn, window.rect.size
    return drawn is not None and (
        drawn.width > size.width + SHAPE_TOLERANCE_PX
        or drawn.height > size.height + SHAPE_TOLERANCE_PX
    )


def _reshaped(shape: Reshape, window: Window, now: Desktop) -> Evidence:
    became = now.window(window.id)
    if became is None:
        return Evidence(Verified.NO, "the window is gone")
    wrong = []
    if shape.rect is not None and _apart(shape.rect, became.rect) > SHAPE_TOLERANCE_PX:
        wrong.append(f"its rectangle is {became.rect}")
    if shape.rect is not None and _cut_off(became):
        wrong.append(f"its program still draws {became.drawn}, of which the rest is cut off")
    if shape.floating is not None and became.floating is not shape.floating:
        wrong.append("it floats" if became.floating else "it does not float")
    if shape.fullscreen is not None and became.fullscreen is not shape.fullscreen:
        wrong.append("it is fullscreen" if became.fullscreen else "it is not fullscreen")
    if shape.place is not None and became.place is not shape.place:
        wrong.append(f"it is {_WHERE[became.place]}")
    if wrong:
        return Evidence(Verified.NO, ", ".join(wrong))
    return Evidence(Verified.YES, f"measured {became.rect}")


def _arranged(ids: tuple[WindowId, ...], now: Desktop) -> Evidence:
    gone = [id_ for id_ in ids if now.window(id_) is None]
    if gone:
        return Evidence(Verified.NO, f"{len(gone)} of the windows are gone")
    return Evidence(Verified.YES, "their places were measured afterwards")


def _typed(
    action: TypeText,
    target: Target,
    first: Scene,
    delivery: Delivery,
    now: Scene,
    opened: tuple[WindowId, ...],
) -> Evidence:
    """Keys that were sent are no text that arrived: only a reading back would be, and a picture is none."""
    seen = _reacted(target, first, now, opened)
    read = _read_back(action, first, now)
    if read is not None:
        return Evidence(*read, seen.changed, opened, differences=seen.differences)
    held = "" if delivery.focus_held else "; the window lost our keyboard right afterwards"
    if seen.verified is Verified.YES:
        because = f"{seen.because}, but the text was not read back{held}"
    else:
        because = f"the text was not read back{held}"
    return Evidence(Verified.UNKNOWN, because, seen.changed, opened, differences=seen.differences)


def _read_back(action: TypeText, first: Scene, now: Scene) -> tuple[Verified, str] | None:
    """What the fields of the window say of typed text; None when they say nothing."""
    if first.glimpse is None or now.glimpse is None:
        return None
    wanted = action.text
    for key, after in now.glimpse.texts.items():
        count = arrived(wanted, first.glimpse.texts.get(key), after)
        if count == len(wanted):
            return Verified.YES, "the field reads back the same text"
        if count is not None and "\n" not in wanted and not action.submit:
            return Verified.NO, f"the field reads back other text from character {count} on"
    return None


def _set(
    action: SetText,
    target: Target,
    first: Scene,
    delivery: Delivery,
    now: Scene,
    opened: tuple[WindowId, ...],
) -> Evidence:
    """What the element holds now, and a witness that is not the interface it was written through."""
    seen = _reacted(target, first, now, opened)
    held = holds(target.element, action.text, now.glimpse)
    if held is None:
        because = (
            "what it holds cannot be read" if seen.verified is not Verified.NO else seen.because
        )
        return Evidence(Verified.UNKNOWN, because, seen.changed, opened, (), seen.differences)
    if not held:
        return Evidence(
            Verified.NO, "it holds something else", seen.changed, opened, (), seen.differences
        )
    drawn = first.pixels is not None and now.pixels is not None and seen.changed is not None
    same = delivery.wanted == 0 or _held_before(target.element, action.text)
    if delivery.direct and target.element is not None and target.element.web:
        because = "it holds it, but whether its page took it as typed is not known"
        return Evidence(Verified.UNKNOWN, because, seen.changed, opened, (), seen.differences)
    if delivery.direct and not drawn and not same:
        because = "it says so itself, but its picture did not change"
        return Evidence(Verified.UNKNOWN, because, seen.changed, opened, (), seen.differences)
    because = "it reads back the same" + (", and its picture changed" if drawn else "")
    return Evidence(Verified.YES, because, seen.changed, opened, (), seen.differences)


def _held_before(element: Seen | None, text: str) -> bool:
    return element is not None and element.detail.value == text


def _reacted(target: Target, first: Scene, now: Scene, opened: tuple[WindowId, ...]) -> Evidence:
    window = target.window
    if window is not None and now.desktop.window(window.id) is None:
        return Evidence(Verified.YES, "the window closed", closed=(window.title,), opened=opened)
    if opened:
        words = "a window opened" if len(opened) == 1 else f"{len(opened)} windows opened"
        return Evidence(Verified.YES, words, opened=opened)
    found: tuple[Difference, ...] = ()
    if first.glimpse is not None and now.glimpse is not None:
        found = differences(first.glimpse, now.glimpse)
    seen = _pictured(first, now)
    if not found:
        return seen
    words = "an element changed" if len(found) == 1 else f"{len(found)} elements changed"
    return Evidence(Verified.YES, words, seen.changed, differences=found)


def _pictured(first: Scene, now: Scene) -> Evidence:
    if first.pixels is None or now.pixels is None:
        return Evidence(Verified.UNKNOWN, "nothing was looked at")
    if first.pixels.size != now.pixels.size:
        return Evidence(
            Verified.YES, "its picture changed size, as when a menu opens", changed=Rect(0, 0, 0, 0)
        )
    changed = changed_box(first.pixels, now.pixels)
    if changed is None:
        old = "" if now.pixels.current else ", but the picture may be old"
        return Evidence(Verified.UNKNOWN, f"nothing changed in its picture{old}")
    return Evidence(Verified.YES, f"its picture changed in {changed.size} pixels", changed=changed)


def _newcomers(
    first: Desktop, now: Desktop, target: Target, delivery: Delivery
) -> tuple[WindowId, ...]:
    """Windows that the action can have opened: new ones of the launch or the process of its target."""
    known = {w.id for w in first.windows}
    return tuple(
        w.id for w in now.windows if w.id not in known and _related(w, target.window, delivery)
    )


def _related(window: Window, own: Window | None, delivery: Delivery) -> bool:
    if delivery.launch is not None:
        return window.sandbox == delivery.launch.id
    if own is None:
        return False
    same_launch = window.sandbox is not None and window.sandbox == own.sandbox
    return same_launch or (window.pid is not None and window.pid == own.pid)


def _apart(one: Rect, other: Rect) -> int:
    return max(
        abs(one.x - other.x),
        abs(one.y - other.y),
        abs(one.width - other.width),
        abs(one.height - other.height),
    )

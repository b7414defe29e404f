"""Evidence → outcome: says in our words what was done, and adds the windows and the picture the caller should see."""

from __future__ import annotations

from dataclasses import replace

from slate_desktop.elementlines import told
from slate_desktop.errors import Stale
from slate_desktop.geometry import Point
from slate_desktop.intent import (
    Action,
    Aim,
    Arrange,
    Click,
    Close,
    Drag,
    FillClipboard,
    Focus,
    Intent,
    Launch,
    Look,
    Move,
    Observe,
    Press,
    PressKeys,
    Reshape,
    Scroll,
    SetText,
    Steps,
    TypeText,
)
from slate_desktop.lease import Lease
from slate_desktop.model import Desktop, Place, Window
from slate_desktop.outcome import Delivery, Evidence, Launched, Outcome, Scene, Verified, WindowLine
from slate_desktop.picture import Wanted, shot
from slate_desktop.pin import called
from slate_desktop.quote import quote
from slate_desktop.render import listed
from slate_desktop.resolve import SCREEN, Target
from slate_desktop.windowlines import lines


async def report(
    lease: Lease, intent: Intent, target: Target, delivery: Delivery, now: Scene, evidence: Evidence
) -> Outcome:
    """The outcome of an acting intent."""
    opened = [w for w in now.desktop.windows if w.id in evidence.opened]
    outcome = Outcome(
        said=said(intent.action, _name(lease, target), _point(target), delivery.how),
        verified=evidence.verified,
        because=evidence.because,
        opened=lines(lease, now.desktop, opened),
        windows=_places(lease, intent, target, now.desktop, evidence),
        lines=told(lease, intent, target, now, evidence),
        next_step=_next(lease, intent, target, delivery, evidence, opened),
        facts={
            "delivered": {
                "sent": delivery.sent,
                "wanted": delivery.wanted,
                "focus_held": delivery.focus_held,
            },
            **_handed_over(lease, now.desktop, evidence),
        },
    )
    seen = _to_show(intent, target, now.desktop, evidence, opened)
    if seen is None:
        return outcome
    try:
        frame, picture = await shot(lease, now.desktop, seen, Wanted())
    except Stale:  # it closed while we looked: what was done is still true
        return outcome
    return replace(outcome, frame=frame, picture=picture)


def said(action: Action, name: str, point: Point | None, how: str = "") -> str:
    """What was sent, in the past tense and without any claim about its effect."""
    place = name if point is None else f"{round(point.x, 1):g},{round(point.y, 1):g} in {name}"
    match action:
        case Click(button, count):
            times = {1: "clicked", 2: "double-clicked", 3: "triple-clicked"}[count]
            return f"{times} {button.value} at {place}"
        case Move():
            return f"moved your pointer to {place}"
        case Drag(path, button):
            return f"dragged {button.value} from {place} along {len(path)} points"
        case Scroll(down, right):
            parts = [f"{abs(down)} {'down' if down > 0 else 'up'}"] if down else []
            parts += [f"{abs(right)} {'right' if right > 0 else 'left'}"] if right else []
            return f"scrolled {listed(parts)} at {place}"
        case TypeText(text, submit):
            return f"typed {len(text)} characters{' and Return' if submit else ''} into {name}, by keys"
        case Press():
            return f"pressed {name}, {how}"
        case SetText(text, submit):
            return f"set {name} to {len(text)} characters{' and pressed Return' if submit else ''}, {how}"
        case PressKeys(chords):
            return f"pressed {listed([quote(chord, 40) for chord in chords])} in {name}"
        case FillClipboard(_, what):
            return f"filled your clipboard with {what}"
        case other:
            return _said_of_windows(other, name)


def _said_of_windows(action: Action, name: str) -> str:
    match action:
        case Focus():
            return f"your keyboard is on {name}"
        case Close():
            return f"asked {name} to close"
        case Reshape(place=Place.SCREEN):
            return f"showed {name} to the person"
        case Reshape(place=Place.BACKGROUND):
            return f"took {name} back to the background"
        case Reshape():
            return f"changed {name}"
        case Arrange(layout, ids):
            return f"arranged {len(ids)} windows {layout}"
        case Launch(argv, app=app):
            return f"started {quote(app or argv[0])}"
        case Look(what):
            return what
        case Steps(tools):
            return f"{len(tools)} steps"
        case _:
            return "done"


def _name(lease: Lease, target: Target) -> str:
    if target.element is not None:
        return f"{target.ref} ({called(target.element.element)})"
    if target.window is not None and target.ref != SCREEN:
        return lease.sightings.see(target.window)
    return target.ref or "the background"


def _point(target: Target) -> Point | None:
    """The point in the space that `_name` names."""
    return target.local if target.window is not None and target.ref != SCREEN else target.point


def _handed_over(lease: Lease, desktop: Desktop, evidence: Evidence) -> dict[str, object]:
    refs = [lease.sightings.see(w) for w in desktop.windows if w.id in evidence.handed_over]
    return {"handed_over": refs} if refs else {}


def _places(
    lease: Lease, intent: Intent, target: Target, desktop: Desktop, evidence: Evidence
) -> tuple[WindowLine, ...]:
    match intent.action:
        case Launch():
            old = set(evidence.handed_over) - set(evidence.opened)
            return lines(lease, desktop, [w for w in desktop.windows if w.id in old])
        case Arrange(_, ids):
            return lines(lease, desktop, [w for w in desktop.windows if w.id in ids])
        case Reshape() | Close() | Focus() if target.window is not None:
            return lines(lease, desktop, [w for w in desktop.windows if w.id == target.window.id])
    return ()


def _to_show(
    intent: Intent, target: Target, desktop: Desktop, evidence: Evidence, opened: list[Window]
) -> Window | None:
    """The window whose picture goes along: asked for, or aimed by pixel and changed."""
    if intent.observe is Observe.ELEMENTS:
        return None
    aimed_by_pixel = isinstance(intent.aim, Aim) and intent.aim.point is not None
    changed = evidence.changed is not None or bool(opened)
    if intent.observe is Observe.IMAGE or (
        intent.observe is Observe.AUTO and aimed_by_pixel and changed
    ):
        if len(opened) == 1:
            return opened[0]
        return desktop.window(target.window.id) if target.window is not None else None
    return None


def _no_display(launch: Launched) -> bool:
    """Whether a program failed and spoke of a display: those for X11 get none."""
    return bool(launch.exit_code) and "display" in launch.output_tail.casefold()


def _next(
    lease: Lease,
    intent: Intent,
    target: Target,
    delivery: Delivery,
    evidence: Evidence,
    opened: list[Window],
) -> str:
    if evidence.handed_over and not opened:
        return "use the window above, or close it with desktop_close and launch again"
    if isinstance(intent.action, Launch) and evidence.verified is Verified.NO:
        if not intent.action.x11 and delivery.launch and _no_display(delivery.launch):
            return "launch it with x11: true, if it is a program for X11"
        return "desktop_windows: it may have handed over to a program that was running already"
    if opened and not isinstance(intent.action, Launch):
        return f"the new window {lease.sightings.see(opened[-1])} is probably what to deal with"
    if (
        isinstance(intent.action, TypeText)
        and evidence.verified is Verified.UNKNOWN
        and intent.observe is not Observe.IMAGE
    ):
        window = lease.sightings.see(target.window) if target.window else "it"
        return f"desktop_screenshot of {window} shows what arrived"
    return ""

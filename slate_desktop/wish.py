"""An intent as the plain facts that slated judges: what was seen where it is aimed, no words of the agent. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from enum import Enum
from typing import Final

from slate_desktop.intent import (
    Aim,
    Click,
    Drag,
    ElementSighting,
    FrameSighting,
    Intent,
    Launch,
    PressKeys,
    ScreenSighting,
    SetText,
    TypeText,
    WindowSighting,
)
from slate_desktop.keys import CTRL, RETURN
from slate_desktop.model import KeyStroke, Window
from slate_desktop.outcome import Outcome
from slated.errors import SlateError

TERMINALS: Final = frozenset(
    "foot footclient kitty alacritty org.wezfurlong.wezterm org.gnome.terminal org.gnome.console org.gnome.ptyxis"
    " org.kde.konsole xterm uxterm urxvt st xfce4-terminal lxterminal qterminal terminator com.mitchellh.ghostty"
    " tilix com.gexperts.tilix terminology rio contour".split()
)
"""Application ids of terminals, in lower case: what is typed there is shell input."""
_RETURNS: Final = ("return", "enter", "kp_enter", "ctrl+j", "ctrl+m", "ctrl+o")
_STROKES: Final = frozenset(
    {KeyStroke(RETURN), KeyStroke(36, CTRL), KeyStroke(50, CTRL), KeyStroke(24, CTRL)}
)
"""The same as strokes: a key has more names than one."""
_PLAIN_KEY: Final = re.compile(r"(?:shift\+)?[a-z0-9]|space|backspace", re.IGNORECASE)


def wish(intent: Intent) -> dict[str, object]:
    """The facts of an intent as JSON, for slated's `admit`."""
    action = intent.action
    arguments = _plain(intent.arguments)
    told: dict[str, object] = dict(arguments) if isinstance(arguments, dict) else {}
    cwd = "/"
    if isinstance(action, PressKeys):
        told["key"] = strictest(action)
    elif isinstance(action, TypeText | SetText) and action.submit:
        told["text"] = f"{action.text}\n"
    elif isinstance(action, Launch):
        told |= _launched(action)
        cwd = action.cwd or "/"
    window = window_of(intent.aim)
    if (console := intent.console) is not None and console.line is not None:
        told["line"], cwd = console.line, console.directory
    made: dict[str, object] = {
        "client": "desktop",
        "ours": True,
        "tool": intent.tool,
        "arguments": told,
        "cwd": cwd,
        "floor": intent.tier.word,
        "digest": intent.digest,
        "scene": _scene(intent, window),
        "seen": f"{ref_of(intent.aim)} {intent.shown}".strip(),
    }
    if window is not None and window.pid is not None:
        made["window_pid"] = window.pid
    return made


def strictest(action: PressKeys) -> str:
    """Of several chords the one that does most: Return, else one that is more than a plain key."""
    chords = action.chords
    for chord in chords:
        if chord.casefold() in _RETURNS:
            return chord
    if any(stroke in _STROKES for burst in action.bursts for stroke in burst.strokes):
        return "Return"
    return next((c for c in chords if not _PLAIN_KEY.fullmatch(c)), chords[0] if chords else "")


def _launched(action: Launch) -> dict[str, object]:
    """An application by its entry; a command by its words."""
    if action.app is not None:
        return {"app": re.sub(r"[^\w.-]", "-", action.app), "starts": list(action.argv)}
    return {"argv": list(action.argv)}


def window_of(aim: Aim | None) -> Window | None:
    """The window that was seen where it is aimed."""
    match aim:
        case Aim(WindowSighting() | FrameSighting() | ElementSighting() as sighting):
            return sighting.window
        case _:
            return None


def ref_of(aim: Aim | None) -> str:
    """The ref of what was seen; "" for the screen and for nothing."""
    match aim:
        case Aim(WindowSighting() | FrameSighting() | ElementSighting() as sighting):
            return sighting.ref
        case _:
            return ""


def is_terminal(app_id: str) -> bool:
    """Whether programs of this id are terminals."""
    return app_id.casefold() in TERMINALS


def _scene(intent: Intent, window: Window | None) -> dict[str, object]:
    aim, console = intent.aim, intent.console
    scene: dict[str, object] = {}
    if window is not None:
        terminal = console is not None or is_terminal(window.app_id)
        scene = {"app_id": window.app_id, "title": window.title, "terminal": terminal}
    elif isinstance(intent.action, Click | Drag) and _over_terminal(aim):
        scene = {"terminal": True}
    if console is not None:
        scene |= {"line": console.line, "doubt": console.doubt, "password": console.password}
    if aim is not None and isinstance(aim.sighting, ElementSighting):
        element = aim.sighting.seen.element
        secret = element.secret or bool(scene.get("password"))
        scene |= {"role": element.role, "name": element.name, "password": secret}
    return scene


def _over_terminal(aim: Aim | None) -> bool:
    """Whether a terminal is anywhere on a screen that is aimed at as a whole."""
    match aim:
        case Aim(ScreenSighting(desktop) | FrameSighting(desktop=desktop)):
            return any(is_terminal(w.app_id) for w in desktop.windows)
        case _:
            return False


def outcome(what: Outcome | SlateError) -> dict[str, object]:
    """What came of it, for slated's `finish`."""
    if isinstance(what, SlateError):
        return {"outcome": what.code, "because": what.message}
    verified = what.verified.value if what.verified is not None else "seen"
    return {"outcome": verified, "because": what.because, "said": what.said}


def _plain(value: object) -> object:
    """The value as JSON has it; bytes and other things by their kind only."""
    if is_dataclass(value) and not isinstance(value, type):
        return _plain(asdict(value))
    if isinstance(value, Enum):
        return _plain(value.value)
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if value is None or isinstance(value, str | int | float | bool):
        return value
    return f"({type(value).__name__})"

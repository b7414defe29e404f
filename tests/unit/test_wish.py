"""Intents as slated gets them: the window, the element, the strictest key; never bytes, never an agent's own grade."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from slate_desktop.errors import Stale
from slate_desktop.geometry import Point, Rect
from slate_desktop.intent import (
    Aim,
    Click,
    FillClipboard,
    Intent,
    Launch,
    PressKeys,
    ScreenSighting,
    TypeText,
    WindowSighting,
)
from slate_desktop.model import Desktop, Handle, Place, Window, WindowId
from slate_desktop.outcome import Outcome, Verified
from slate_desktop.wish import outcome, strictest, wish
from slated.model import Tier

WINDOW = Window(
    WindowId(7), Handle("h"), "Title", "Foot", 42, Rect(0, 0, 9, 9), Place.BACKGROUND, "agent", "H"
)
AIM = Aim(WindowSighting("w3", WINDOW), Point(1, 2))
CLICK = Intent("desktop_click", Tier.REVERSIBLE, Click(), AIM, arguments={"target": "w3", "x": 1})


def test_a_click_tells_the_window_it_was_aimed_at_and_its_digest() -> None:
    told = wish(CLICK)
    assert told == {
        "client": "desktop",
        "ours": True,
        "tool": "desktop_click",
        "arguments": {"target": "w3", "x": 1},
        "cwd": "/",
        "floor": "reversible",
        "digest": CLICK.digest,
        "scene": {"app_id": "Foot", "title": "Title", "terminal": True},
        "seen": "w3",
        "window_pid": 42,
    }


def test_another_window_is_no_terminal_and_the_screen_is_no_window() -> None:
    mail = replace(CLICK, aim=Aim(WindowSighting("w3", replace(WINDOW, app_id="mail", pid=None))))
    told = wish(mail)
    assert told["scene"] == {"app_id": "mail", "title": "Title", "terminal": False}
    assert "window_pid" not in told
    screen = wish(replace(CLICK, aim=Aim(ScreenSighting(Desktop((), ())))))
    assert (screen["scene"], screen["seen"]) == ({}, "")


@pytest.mark.parametrize(
    ("chords", "key"),
    [
        (("a", "b"), "a"),
        (("a", "ctrl+w", "Return"), "Return"),
        (("a", "ctrl+w"), "ctrl+w"),
        (("x", "ctrl+J"), "ctrl+J"),
        (("shift+a", "F5"), "F5"),
        ((), ""),
    ],
)
def test_of_several_keys_the_one_that_does_most_is_judged(
    chords: tuple[str, ...], key: str
) -> None:
    assert strictest(PressKeys(chords, ())) == key
    told = wish(Intent("desktop_key", Tier.REVERSIBLE, PressKeys(chords, ()), AIM))
    assert told["arguments"] == {"key": key}


def test_a_text_that_is_submitted_is_judged_with_its_return() -> None:
    typed = Intent(
        "desktop_type", Tier.REVERSIBLE, TypeText("ls", submit=True), AIM, arguments={"text": "ls"}
    )
    assert wish(typed)["arguments"] == {"text": "ls\n"}


def test_a_launch_tells_the_entry_or_the_words_and_where() -> None:
    words = Launch(("foot", "-e", "top"), "/srv", None, 5)
    told = wish(Intent("desktop_launch", Tier.REVERSIBLE, words, arguments={"argv": ["foot"]}))
    assert (told["arguments"], told["cwd"]) == ({"argv": ["foot", "-e", "top"]}, "/srv")
    entry = Launch(("/usr/bin/gedit", "%f"), None, "Text Editor", 5)
    told = wish(Intent("desktop_launch", Tier.REVERSIBLE, entry))
    assert told["arguments"] == {"app": "Text-Editor", "starts": ["/usr/bin/gedit", "%f"]}


def test_whatever_an_argument_is_the_wish_is_json() -> None:
    odd = {"place": Place.SCREEN, "data": b"\x00", "rect": Rect(1, 2, 3, 4)}
    made = Intent(
        "desktop_clipboard_set", Tier.REVERSIBLE, FillClipboard({}, "text"), arguments=odd
    )
    told = json.loads(json.dumps(wish(made)))["arguments"]
    assert told["data"] == "(bytes)"
    assert told["rect"] == {"x": 1, "y": 2, "width": 3, "height": 4}


def test_outcomes_say_what_was_verified_or_what_failed() -> None:
    assert outcome(Outcome("clicked", Verified.YES, "it changed")) == {
        "outcome": "yes",
        "because": "it changed",
        "said": "clicked",
    }
    assert outcome(Outcome("3 windows"))["outcome"] == "seen"
    assert outcome(Stale("window_gone", "it is gone")) == {
        "outcome": "stale.window_gone",
        "because": "it is gone",
    }

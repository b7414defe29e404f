"""A simulated person on seat0: types, clicks, opens windows, runs their key bindings, and can
say what is theirs.

layout {"layout": "de"}    type {"text": "hello\\n"}
keep_typing {"phrase": "abc ", "gap_s": 0.03}    stop_typing
chord {"chord": "super+1"}    move {"x": 10, "y": 10}    click {"button": "left"}
scroll {"notches": 3}
open {"title": "p1", "app_id": "person"}    close_last    copy {"text": "mine"}    report
state    forget
"""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Iterator
from typing import Any

from tests.live.bed import clipboard, fingers, lines
from tests.live.bed.clipboard import Clipboard
from tests.live.bed.fingers import Fingers
from tests.live.bed.lines import serve
from tests.live.bed.screen import Screen
from tests.live.bed.toplevel import Toplevel
from tests.live.bed.tree import OUTPUTS, Sway

SEAT = "seat0"


class Person:
    """The verbs of the program."""

    def __init__(self, sway_socket: str) -> None:
        self.screen = Screen(fingers.NEEDED | clipboard.NEEDED)
        self.sway = Sway(sway_socket)
        self.hands = Fingers(self.screen, SEAT)
        self.screen.sync()
        self.screen.sync()
        self.clipboard = Clipboard(self.screen, SEAT)
        self.windows: list[Toplevel] = []
        self.typed = ""
        self.phrase: Iterator[str] | None = None
        self.gap_s = 0.0
        self.next_at = 0.0

    def layout(self, layout: str, variant: str = "", options: str = "") -> None:
        """Change the keyboard's layout."""
        self.hands.layout(layout, variant, options)
        self.screen.sync()

    def type(self, text: str) -> None:
        """Type it, a stroke at a time."""
        for character in text:
            self.hands.character(character)
        self.screen.sync()

    def keep_typing(self, phrase: str, gap_s: float = 0.03) -> None:
        """Type the phrase over and over from now on, without waiting for it."""
        self.typed, self.gap_s, self.phrase = "", gap_s, itertools.cycle(phrase)

    def stop_typing(self) -> str:
        """Stop, and answer with everything typed since `keep_typing`."""
        self.phrase = None
        self.screen.sync()
        return self.typed

    def chord(self, chord: str) -> None:
        """Strike a chord."""
        self.hands.chord(chord)
        self.screen.sync()

    def move(self, x: int, y: int) -> None:
        """Move the pointer to a place on the screen."""
        rects = [output["rect"] for output in self.sway.ask(OUTPUTS)]
        right = max(rect["x"] + rect["width"] for rect in rects)
        bottom = max(rect["y"] + rect["height"] for rect in rects)
        self.hands.move(x, y, (right, bottom))
        self.screen.sync()

    def click(self, button: str = "left") -> None:
        """Click where the pointer is."""
        self.hands.click(button)
        self.screen.sync()

    def scroll(self, notches: int) -> None:
        """Turn the wheel."""
        self.hands.scroll(notches)
        self.screen.sync()

    def open(self, **wish: Any) -> None:
        """Open one more window of the person's."""
        self.windows.append(Toplevel(self.screen, **wish))
        self.screen.sync()
        self.screen.sync()

    def close_last(self) -> None:
        """Close the newest of them."""
        if self.windows:
            self.windows.pop().close()
        self.screen.sync()

    def copy(self, text: str) -> None:
        """Put text on the person's clipboard."""
        self.clipboard.set(text)

    def report(self) -> dict[str, Any]:
        """What must not change while an agent works. Where the pointer is, the window below it says."""
        self.screen.sync()
        seat = self.sway.seats()[SEAT]
        return {
            "keymap": self.screen.ear(SEAT).keymap_hash,
            "layouts": [device.get("xkb_layout_names") for device in seat["devices"]],
            "active_layouts": [device.get("xkb_active_layout_name") for device in seat["devices"]],
            "focus": seat["focus"],
            "clipboard": self.clipboard.text(),
        }

    def state(self) -> dict[str, Any]:
        """What the person's own windows heard, seat by seat."""
        self.screen.sync()
        return {ear.name: ear.facts() for ear in self.screen.ears.values()}

    def forget(self) -> None:
        """Count anew."""
        self.screen.sync()
        for ear in self.screen.ears.values():
            ear.forget()

    def tick(self, now: float) -> float | None:
        """Type the next character when it is due."""
        if self.phrase is None:
            return None
        if now >= self.next_at:
            character = next(self.phrase)
            self.hands.character(character)
            self.typed += character
            self.next_at = now + self.gap_s
        return self.next_at


VERBS = (
    *(
        "layout",
        "type",
        "keep_typing",
        "stop_typing",
        "chord",
        "move",
        "click",
        "scroll",
        "open",
        "close_last",
    ),
    *("copy", "report", "state", "forget"),
)

if __name__ == "__main__":
    lines.quiet = True  # what the person hears is asked for with `state`
    program = Person(sys.argv[1])
    serve(
        {verb: getattr(program, verb) for verb in VERBS},
        watch=lambda: [(program.screen.display.get_fd(), program.screen.read)],
        before_wait=program.screen.flush,
        tick=program.tick,
    )
    program.screen.flush()
    # Proxies that outlive the display crash the interpreter at exit; nothing is left to tidy.
    os._exit(0)

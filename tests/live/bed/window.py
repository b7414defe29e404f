"""A scriptable window: it opens, paints and names itself on command and prints every input event
of every seat.

open {"title": "a", "app_id": "bed.a", "width": 400, "height": 300, "color": [r, g, b]}
paint {"color": [r, g, b], "markers": [[x, y, w, h, [r, g, b]]]}    title {"text": "b"}
resize {"width": …}
popup {"x": 10, "y": 10, "width": 100, "height": 80, "color": …, "grab": "seat0"}
close_popups
state    forget    deaf {"for_s": 0.9}    burst {"frames": 30}    close
open takes "stubborn": true too: such a window does not close when asked
"""

from __future__ import annotations

import os
import time
from typing import Any

from tests.live.bed.lines import serve
from tests.live.bed.screen import Screen
from tests.live.bed.toplevel import Toplevel


class Window:
    """The verbs of the program."""

    def __init__(self) -> None:
        self.screen = Screen()
        self.window: Toplevel | None = None
        self.deaf_until = 0.0
        self.frame_s = 0.0
        self.next_frame = 0.0
        self.frames_due = 0

    def open(self, **wish: Any) -> dict[str, int]:
        """Open the window and answer with its size once it is on the screen."""
        self.window = Toplevel(
            self.screen, **(wish | {"color": tuple(wish.get("color", (64, 128, 192)))})
        )
        deadline = time.monotonic() + 5
        while not self.window.frames and time.monotonic() < deadline:
            # A window nobody can see gets no frame callback: a settled configure must do there.
            self.screen.sync()
            if self.window.configured:
                self.screen.sync()
                break
        return {"width": self._open().width, "height": self._open().height}

    def title(self, text: str) -> None:
        """Rename the window."""
        self._open().name(text)
        self.screen.sync()

    def paint(self, color: list[int] | None = None, markers: list[Any] | None = None) -> None:
        """Repaint it."""
        shapes = [(x, y, wide, high, tuple(fill)) for x, y, wide, high, fill in markers or []]
        self._open().paint((color[0], color[1], color[2]) if color else None, shapes)
        self.screen.sync()

    def resize(self, width: int, height: int) -> None:
        """Change its size from the application's side."""
        self._open().resize(width, height)
        self.screen.sync()

    def popup(self, color: list[int], grab: str | None = None, **place: int) -> None:
        """Open a popup."""
        self._open().popup(color=(color[0], color[1], color[2]), grab=grab, **place)
        self.screen.sync()
        self.screen.sync()

    def close_popups(self) -> None:
        """Close all popups."""
        self._open().close_popups()
        self.screen.sync()

    def state(self) -> dict[str, Any]:
        """Size, activation, and the facts of each seat; complete up to now."""
        self.screen.sync()
        window = self._open()
        return {
            "title": window.title,
            "width": window.width,
            "height": window.height,
            "activated": window.activated,
            "frames": window.frames,
            "seats": {ear.name: ear.facts() for ear in self.screen.ears.values()},
        }

    def forget(self) -> None:
        """Reset counts and typed text of each seat."""
        self.screen.sync()
        for ear in self.screen.ears.values():
            ear.forget()

    def deaf(self, for_s: float) -> None:
        """Stop reading from the compositor for a while: no pongs, no events, as a hung
        application.
        """
        self.deaf_until = time.monotonic() + for_s

    def burst(self, frames: int, every_s: float = 0.02) -> None:
        """Repaint in changing colours, `every_s`, so many times, from now on."""
        self.frames_due, self.frame_s = frames, every_s

    def close(self) -> None:
        """Close the window; the program lives on."""
        self._open().close()
        self.window = None
        self.screen.sync()

    def tick(self, now: float) -> float | None:
        """Paint the next frame of a burst, and say when to come back."""
        if self.frames_due and self.window is not None:
            if now >= self.next_frame:
                self.frames_due -= 1
                self.next_frame = now + self.frame_s
                self.window.paint((self.frames_due * 7 % 256, 64, 128))
            return self.next_frame
        return self.deaf_until if self.deaf_until > now else None

    def watch(self) -> list[tuple[int, Any]]:
        """What to wait for: nothing of the compositor's while deaf."""
        hears = time.monotonic() >= self.deaf_until
        return [(self.screen.display.get_fd(), self.screen.read)] if hears else []

    def _open(self) -> Toplevel:
        if self.window is None:
            raise ValueError("no window is open")
        return self.window


VERBS = (
    "open",
    "title",
    "paint",
    "resize",
    "popup",
    "close_popups",
    "state",
    "forget",
    "deaf",
    "burst",
    "close",
)

if __name__ == "__main__":
    program = Window()
    serve(
        {verb: getattr(program, verb) for verb in VERBS},
        watch=program.watch,
        before_wait=program.screen.flush,
        tick=program.tick,
    )
    program.screen.flush()
    # Proxies that outlive the display crash the interpreter at exit; nothing is left to tidy.
    os._exit(0)

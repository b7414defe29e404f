"""Tells a person how far a long job is: a bar on a terminal, plain lines anywhere else."""

from __future__ import annotations

import shutil
from typing import TextIO

BAR = 24
PLAIN_EVERY = 0.25


class Progress:
    """Writes to `out`. One step at a time; `notice` may come at any moment."""

    def __init__(self, out: TextIO, *, live: bool) -> None:
        """`live`: `out` is a terminal whose last line may be drawn over."""
        self._out, self._live = out, live
        self._step = ""
        self._told = 0.0
        self._drawn = False

    def step(self, what: str) -> None:
        """Begin the next part of the job."""
        self._clear()
        self._step, self._told = what, 0.0
        if self._live:
            self._draw(0.0)
        else:
            self._line(f"{what} …")

    def at(self, fraction: float) -> None:
        """How much of this step is done, from 0 to 1."""
        if self._live:
            self._draw(fraction)
        elif fraction >= self._told + PLAIN_EVERY:
            self._told = fraction - fraction % PLAIN_EVERY
            self._line(f"{self._step}: {self._told:.0%}")

    def notice(self, what: str) -> None:
        """A line that stays."""
        self._clear()
        self._line(what)

    def close(self) -> None:
        """Leave the terminal as it was."""
        self._clear()

    def _draw(self, fraction: float) -> None:
        full = round(BAR * min(max(fraction, 0.0), 1.0))
        width = shutil.get_terminal_size().columns - 1
        text = f"[{'#' * full}{'.' * (BAR - full)}] {fraction:4.0%} {self._step}"
        self._out.write(f"\r\x1b[K{text[:width]}")
        self._out.flush()
        self._drawn = True

    def _clear(self) -> None:
        if self._drawn:
            self._out.write("\r\x1b[K")
            self._out.flush()
            self._drawn = False

    def _line(self, text: str) -> None:
        self._out.write(text + "\n")
        self._out.flush()

"""Redaction of text that arrives in pieces: nothing is let out while a secret might still go on behind it."""

from __future__ import annotations

from collections.abc import Sequence

from slated.redact.text import found_spans, masked

_HOLD = 8192
_LONGEST_RUN = 65536
_CONTEXT = 1024
_HEAD = 64


class RedactedStream:
    """Feed pieces, store what comes back, and store what `close` returns at the end.

    The last 8 KiB are held back, so a secret split over any two writes is masked as one. What is let out
    never ends inside a word or inside a masked stretch.
    """

    def __init__(self, *, pii: bool = False, known: Sequence[str] = ()) -> None:
        self._pii = pii
        self._known = tuple(known)
        self._before = ""
        self._held = ""
        self._next_try = 2 * _HOLD

    def feed(self, piece: str) -> str:
        """Take one piece; what may be stored by now."""
        self._held += piece
        if len(self._held) < self._next_try:
            return ""
        out = self._let_out(len(self._held) - _HOLD, last=False)
        self._next_try = len(self._held) + _HOLD
        return out

    def close(self) -> str:
        """The rest."""
        return self._let_out(len(self._held), last=True)

    def _let_out(self, length: int, *, last: bool) -> str:
        window = self._before + self._held
        base = len(self._before)
        spans = found_spans(window, pii=self._pii, known=self._known)
        end = base + length
        if not last:
            end = self._word_end(window, base, end)
            for span in spans:
                if span.start < end < span.end:
                    end = max(base, span.start)
        out = masked(window, spans, base, end)
        self._before = window[max(0, end - _CONTEXT) : end]
        self._held = window[end:]
        if not last and len(self._held) > _LONGEST_RUN:
            # One masked stretch without an end: its head keeps the shape, its tail says where it stops.
            self._held = self._held[:_HEAD] + self._held[-_HOLD:]
        return out

    @staticmethod
    def _word_end(window: str, base: int, end: int) -> int:
        space = max(window.rfind(one, base, end) for one in " \n\t\r")
        if space >= 0:
            return space + 1
        return end if len(window) - base > _LONGEST_RUN else base

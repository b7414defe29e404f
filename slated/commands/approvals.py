"""`slate approvals`: open questions with their facts, full screen, answered by single keys."""

from __future__ import annotations

import curses
import select
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from slated.commands import screen as full
from slated.commands.connection import connected
from slated.errors import Stale, Unavailable
from slated.questions import escaped
from slated.wire.control import Control

ANSWERS: Final[Mapping[str, str]] = {"y": "once", "a": "always", "n": "deny"}
KEYS: Final = "y once   a exactly this again for this task   n deny   ↑ ↓ other question   q leave"
_HISTORY: Final = 8
Told = Mapping[str, Any]


@dataclass(slots=True)
class View:
    """What is on the screen. `clock` gives seconds; `send` answers a question."""

    clock: Callable[[], float]
    send: Callable[[Told, str], None]
    questions: list[Told] = field(default_factory=list)
    selected: int = 0
    since: float = 0.0
    history: list[str] = field(default_factory=list)
    note: str = ""

    @property
    def current(self) -> Told | None:
        """The question that keys answer."""
        return self.questions[self.selected] if self.questions else None

    def take(self, questions: Sequence[Told]) -> None:
        """The questions are now these; the selected one stays selected as long as it is open."""
        before = self.current
        self.questions = list(questions)
        refs = [question["ref"] for question in self.questions]
        stays = before is not None and before["ref"] in refs
        self.selected = refs.index(before["ref"]) if before is not None and stays else 0
        if not stays:
            self.since = self.clock()

    def key(self, key: str) -> bool:
        """One key; False when it means to leave."""
        self.note = ""
        if key == "q":
            return False
        step = {"KEY_UP": -1, "k": -1, "KEY_DOWN": 1, "j": 1}.get(key)
        if step is not None and self.questions:
            self.selected = (self.selected + step) % len(self.questions)
            self.since = self.clock()
        elif key in ANSWERS and self.current is not None:
            self._answer(self.current, ANSWERS[key])
        return True

    def _answer(self, question: Told, answer: str) -> None:
        if self.clock() - self.since < full.STRAY_S:
            self.note = "not taken: the question had only just come up. Press the key again."
            return
        try:
            self.send(question, answer)
            self.history.append(f"{question['ref']} {answer}: {escaped(question['tool'], 60)}")
        except Stale:
            self.history.append(f"{question['ref']} was closed before your answer")
        del self.history[:-_HISTORY]
        self.take([other for other in self.questions if other["ref"] != question["ref"]])

    def lines(self, width: int, now: float) -> list[tuple[str, bool]]:
        """The screen: each line and whether it stands out."""
        if self.current is None:
            shown = [("Nothing to answer. Questions of agents will appear here.", False)]
        else:
            shown = question_lines(self.current, width, now)
            many = len(self.questions)
            shown.insert(0, (f"Question {self.selected + 1} of {many}", False))
        shown += [("", False), (self.note or KEYS, bool(self.note)), ("", False)]
        return shown + [(line, False) for line in reversed(self.history)]


def question_lines(question: Told, width: int, now: float) -> list[tuple[str, bool]]:
    """One question: who, what, the facts a line each, what is risky. Every value is escaped once more here."""
    left = max(0, int(question["deadline"] - now))
    lines = [
        (f"{question['ref']}: task {question['task']} wants {escaped(question['tool'])}", True),
        (f"denied by itself in {left // 60}:{left % 60:02}", False),
        ("", False),
    ]
    for name, value in question["facts"]:
        label = f"{escaped(str(name), 40)}: "
        rows = full.wrapped(f"{label}{escaped(str(value))}", max(20, width - 4))
        lines += [(rows[0], False), *((f"    {row}", False) for row in rows[1:])]
    lines.append(("", False))
    for reason in question["risky"]:
        rows = full.wrapped(escaped(str(reason)), max(20, width - 4))
        lines += [(f"{'! ' if n == 0 else '  '}{row}", True) for n, row in enumerate(rows)]
    return lines


def run(environ: Mapping[str, str]) -> int:
    """Show and answer questions until the person leaves. Raises `refused.not_a_person` inside a task."""
    full.needed("approvals")
    with connected(environ) as slated:
        first = slated.ask("attach", {})["open"]
        full.shown("approvals", lambda screen: _loop(screen, slated, first))
    return 0


def _loop(screen: curses.window, slated: Control, first: Sequence[Told]) -> None:
    def send(question: Told, answer: str) -> None:
        facts = {"question": question["ref"], "digest": question["digest"], "answer": answer}
        slated.ask("answer", facts)

    full.prepared(screen)
    view = View(time.time, send)
    view.take(first)
    while True:
        full.draw(screen, view.lines(screen.getmaxyx()[1] - 1, time.time()))
        ready = select.select([sys.stdin, slated], [], [], 0 if slated.waiting else 1.0)[0]
        if slated.waiting or slated in ready:
            _take(view, slated)
        while (key := full.key(screen)) is not None:
            if not view.key(key):
                return


def _take(view: View, slated: Control) -> None:
    try:
        message = slated.next(5)
    except OSError as error:
        raise Unavailable(
            "slated", "slated ended; no question can be answered now.", next_step="start this again"
        ) from error
    if message.get("method") == "questions":
        known = {question["ref"] for question in view.questions}
        view.take(message["params"]["open"])
        if any(question["ref"] not in known for question in view.questions):
            curses.flushinp()
            curses.beep()

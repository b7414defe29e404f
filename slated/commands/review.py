"""`slate review`: what waits in a project, full screen, decided by single keys; accepting takes two of them."""

from __future__ import annotations

import argparse
import curses
import json
import select
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from slated.commands import catch_up
from slated.commands import screen as full
from slated.commands.connection import connected, project, rows
from slated.commands.screen import STRAY_S, Lines
from slated.errors import SlateError
from slated.questions import escaped

MOVES: Final = "↑ ↓ other   space page on   - page back   q leave"
KEYS: Final[Mapping[str, str]] = {
    "proposal": "a accept   r reject   d dismiss   ",
    "candidate": "b bind to a workspace   p propose into a new one   t try again   d dismiss   ",
}
DEEDS: Final[Mapping[str, Sequence[str]]] = {
    "proposal": "ard",
    "candidate": "bptd",
}
ENOUGH: Final = "Say why, Enter when done (or at once), Esc to leave it: "
_HISTORY: Final = 3
Row = Mapping[str, Any]


class Slated(Protocol):
    """The calls a review makes, for one project."""

    def call(self, method: str, **params: object) -> Any:
        """One answer."""
        ...

    def rows(self, method: str, **params: object) -> list[dict[str, Any]]:
        """All rows of an answer in pages."""
        ...


@dataclass(slots=True)
class View:
    """What is on the screen. `clock` gives seconds. Only what was shown to its end can be accepted."""

    clock: Callable[[], float]
    slated: Slated
    items: list[dict[str, Any]] = field(default_factory=list)
    selected: int = 0
    top: int = 0
    read: bool = False
    since: float = 0.0
    note: str = ""
    history: list[str] = field(default_factory=list)
    token: str = ""
    typing: str | None = None
    """The reason or number that is being typed, None while keys are commands."""
    _deed: str = ""
    _seeds: list[dict[str, Any]] = field(default_factory=list)
    _choices: list[dict[str, Any]] = field(default_factory=list)
    _page: int = 1

    @property
    def current(self) -> Row | None:
        """What keys decide about."""
        return self.items[self.selected] if self.items else None

    def load(self) -> None:
        """Ask again what waits."""
        self.items = self.slated.rows("catch_up", screen=True)
        self._select(min(self.selected, max(0, len(self.items) - 1)))

    def _select(self, number: int) -> None:
        self.selected, self.top, self.read, self.since = number, 0, False, self.clock()
        self.token, self.typing, self._seeds = "", None, []
        row = self.current
        if row is None or row["section"] not in DEEDS:
            return
        named = (
            {"workspace": row["workspace"], "proposal": row["id"]}
            if row["section"] == "proposal"
            else {"slate": row["slate"]}
        )
        try:
            self._seeds = self.slated.rows("seeds", **named)
        except SlateError as error:
            self.note = _told(error)

    # -- keys ------------------------------------------------------------------------------------

    def key(self, key: str) -> bool:
        """One key; False when it means to leave."""
        self.note = ""
        if self.typing is not None:
            self._typed(key)
        elif self.token:
            self._sure(key)
        elif key == "q":
            return False
        elif key in ("KEY_UP", "k", "KEY_DOWN", "j"):
            if self.items:
                step = -1 if key in ("KEY_UP", "k") else 1
                self._select((self.selected + step) % len(self.items))
        elif key in (" ", "KEY_NPAGE"):
            self.top += self._page
        elif key in ("-", "KEY_PPAGE"):
            self.top = max(0, self.top - self._page)
        elif self.current is not None and key in DEEDS.get(self.current["section"], ""):
            self._begin(self.current, key)
        return True

    def _early(self) -> bool:
        if self.clock() - self.since >= STRAY_S:
            return False
        self.note = "not taken: this had only just come up. Press the key again."
        return True

    def _begin(self, row: Row, key: str) -> None:
        if self._early():
            return
        if key == "a":
            self._ask(row)
        elif key == "b":
            self._choices = self._asked(lambda: self.slated.rows("workspaces")) or []
            self._type("bind")
        elif key in "pt":
            self._candidate(row, {"p": "propose", "t": "retry"}[key])
        else:
            self._type({"r": "rejected", "d": "dismissed"}[key])

    def _type(self, deed: str) -> None:
        self._deed, self.typing, self.since = deed, "", self.clock()

    def _ask(self, row: Row) -> None:
        if not self.read:
            self.note = "not taken: read it to its end first (space)."
            return
        named = {"workspace": row["workspace"], "proposal": row["id"], "digest": row["digest"]}
        made = self._asked(lambda: self.slated.call("review_confirm", **named))
        if made is not None:
            self.token, self.since = made["token"], self.clock()

    def _sure(self, key: str) -> None:
        row = self.current
        if key == "y" and row is not None:
            if not self._early():
                self._decide(row, "accepted", token=self.token)
        else:
            self.token, self.note = "", "nothing was accepted"

    def _typed(self, key: str) -> None:
        said, row = self.typing or "", self.current
        if key == "\x1b" or row is None:
            self.typing, self.note = None, "nothing was done"
        elif key in ("\n", "\r", "KEY_ENTER"):
            if not self._early():
                self.typing = None
                self._finish(row, said)
        elif key in ("\x7f", "\b", "KEY_BACKSPACE"):
            self.typing = said[:-1]
        elif len(key) == 1 and key.isprintable():
            self.typing = said + key

    def _finish(self, row: Row, said: str) -> None:
        if self._deed == "bind":
            if said.isdecimal() and 0 < int(said) <= len(self._choices):
                self._candidate(row, "bind", workspace=self._choices[int(said) - 1]["id"])
            else:
                self.note = "nothing was done: that is none of the numbers"
        elif row["section"] == "candidate":
            self._candidate(row, "dismiss", reason=said)
        else:
            self._decide(row, self._deed, reason=said)

    # -- deeds -----------------------------------------------------------------------------------

    def _decide(self, row: Row, decision: str, **more: str) -> None:
        named = {"workspace": row["workspace"], "proposal": row["id"], "decision": decision}
        made = self._asked(lambda: self.slated.call("review", **named, **more))
        if made is not None:
            page = f", written to {escaped(made['path'])}" if made.get("path") else ""
            self.history.append(f"{row['kind']} {row['id']}: {made['status']}{page}")
        self._again()

    def _candidate(self, row: Row, deed: str, **more: str) -> None:
        named = {"deed": deed, "slate": row["slate"], **more}
        made = self._asked(lambda: self.slated.call("candidate", **named))
        if made is not None:
            self.history += [f"{row['slate']}: {one}" for one in catch_up.done(deed, made["made"])]
        self._again()

    def _again(self) -> None:
        del self.history[:-_HISTORY]
        note = self.note
        self._asked(self.load)
        self.note = note or self.note

    def _asked(self, call: Callable[[], Any]) -> Any:
        try:
            return call()
        except SlateError as error:
            self.note = _told(error)
            return None

    # -- screen ----------------------------------------------------------------------------------

    def lines(self, width: int, height: int) -> Lines:
        """The screen; what was scrolled to its end counts as read."""
        foot = self._foot(width)
        room = self._page = max(3, height - len(foot) - 2)
        body = self._body(width)
        self.top = max(0, min(self.top, len(body) - room))
        self.read = self.read or self.top + room >= len(body)
        more = len(body) - self.top - room
        head = f"{self.selected + 1} of {len(self.items)}" if self.items else "nothing waits"
        rest = f"   … {more} more lines" if more > 0 else ""
        return [(f"Review: {head}{rest}", True), *body[self.top : self.top + room], *foot]

    def _body(self, width: int) -> list[tuple[str, bool]]:
        row = self.current
        if row is None:
            return [("Everything was reviewed. Closed slates of agents will appear here.", False)]
        shown = [(line, True) for line in _wrapped(catch_up.line(row), width)]
        if row["section"] == "proposal":
            shown.append((f"proposed by {escaped(row['author'])} at {row['created']}", False))
        if row["section"] == "candidate":
            anchors = escaped(json.dumps(row["anchors"], ensure_ascii=False))
            shown += [(line, False) for line in _wrapped(f"anchors: {anchors}", width)]
        for number, seed in enumerate(self._seeds, 1):
            shown += [("", False), *seed_lines(number, seed, width)]
        return shown

    def _foot(self, width: int) -> list[tuple[str, bool]]:
        row = self.current
        foot: list[tuple[str, bool]] = [("", False)]
        if self.typing is not None:
            if self._deed == "bind":
                foot += [
                    (f"  {number} {escaped(one['title'], 60)} ({one['id']})", False)
                    for number, one in enumerate(self._choices, 1)
                ]
            ask = "Which number? " if self._deed == "bind" else ENOUGH
            foot.append((f"{ask}{escaped(self.typing)}", True))
        elif self.token and row is not None:
            foot.append((f"Accept these {row['seeds']} Seed(s) as {row['kind']}? y: yes", True))
        else:
            foot.append((KEYS.get(row["section"], "") + MOVES if row else MOVES, False))
        foot += [(line, True) for line in _wrapped(self.note, width) if line]
        return foot + [(line, False) for line in reversed(self.history)]


def seed_lines(number: int, seed: Row, width: int) -> list[tuple[str, bool]]:
    """One Seed: who says so and what that is worth, then its text, each line marked as theirs."""
    origin = json.dumps(seed["origin"]["harness"], ensure_ascii=False)
    head = f"{number}. from {escaped(origin)}, {escaped(seed['trust'])}, {seed['ts']}, {seed['id']}"
    text = [
        piece
        for line in seed["text"].splitlines()
        for piece in _wrapped(escaped(line, 4_000), width - 4)
    ]
    return [
        *((line, True) for line in _wrapped(head, width)),
        *((f"  | {one}", False) for one in text),
    ]


def _wrapped(text: str, width: int) -> list[str]:
    return full.wrapped(text, max(20, width))


def _told(error: SlateError) -> str:
    return f"{error.code}: {error.message} {error.next_step}".strip()


# -- process -------------------------------------------------------------------------------------


def run(environ: Mapping[str, str], words: Sequence[str]) -> int:
    """Show and decide until the person leaves. Raises `refused.not_a_person` inside a task."""
    parser = argparse.ArgumentParser(
        prog="slate review", description="Decide about what agents found. Needs a terminal."
    )
    parser.add_argument("--project", default=".", metavar="DIR", help="default: this directory")
    where = project(parser.parse_args(words).project)
    full.needed("review")
    with connected(environ) as link:

        class Calls:
            def call(self, method: str, **params: object) -> Any:
                return link.ask(method, {"project": where, **params})

            def rows(self, method: str, **params: object) -> list[dict[str, Any]]:
                return rows(link, method, project=where, **params)

        view = View(time.time, Calls())
        view.load()
        full.shown("review", lambda screen: _loop(screen, view))
    return 0


def _loop(screen: curses.window, view: View) -> None:
    full.prepared(screen)
    while True:
        height, width = screen.getmaxyx()
        full.draw(screen, view.lines(width - 1, height))
        select.select([sys.stdin], [], [], 1.0)
        while (key := full.key(screen)) is not None:
            if not view.key(key):
                return

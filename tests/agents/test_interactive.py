"""Claude Code as a person runs it, on a terminal: the hooks hold there as well.

What happened is read off the file system and the log, never off the screen. `Bash` is allowed by the program's own
rules throughout, so nothing but Slate stands between the model and the command.
"""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from slated.approvals import Answer
from tests.agents.bed import RUN_S, Bed, Conscience
from tests.agents.impostor import impostor, killing
from tests.agents.models import call, script

FREELY = ("--allowedTools", "Bash")


def append(path: Path) -> str:
    return call("Bash", command=f"echo ran >> {path}", description="d")


def lines(path: Path) -> int:
    return len(path.read_text().splitlines()) if path.exists() else 0


@pytest.fixture
def ready(bed: Bed) -> Bed:
    """A person who has been through the program's first questions, and trusts this project."""
    known: dict[str, Any] = {
        "hasCompletedOnboarding": True,
        "theme": "dark",
        "customApiKeyResponses": {"approved": [bed.env["ANTHROPIC_API_KEY"][-20:]], "rejected": []},
        "projects": {str(bed.work): {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}},
    }  # fmt: skip
    (bed.home / ".claude.json").write_text(json.dumps(known))
    bed.install("claude")
    return bed


class Screen:
    """The other end of the terminal that the program runs on."""

    def __init__(self, master: int) -> None:
        self._master = master
        self.shown = b""

    def until(self, true: Callable[[], bool], within_s: float = RUN_S) -> None:
        """Take what is drawn until something holds."""
        deadline = time.monotonic() + within_s
        while not true():
            assert time.monotonic() < deadline, self.shown[-3000:].decode(errors="replace")
            if select.select([self._master], [], [], 0.05)[0]:
                self.shown += os.read(self._master, 1 << 16)


@contextmanager
def claude(bed: Bed, prompt: str) -> Iterator[Screen]:
    """The program with its prompt typed, until the context ends."""
    argv, environ = bed.apart("claude", *FREELY, "--", prompt)
    pid, master = pty.fork()
    if pid == 0:
        os.chdir(Path(__file__).parents[2])
        environ |= {"TERM": "xterm-256color", "LINES": "50", "COLUMNS": "160"}
        os.execve(argv[0], argv, environ)  # noqa: S606 - no shell is wanted
    try:
        yield Screen(master)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
        os.close(master)
        os.waitpid(pid, 0)


def run(bed: Bed, *steps: str) -> None:
    """Let it do these, and then something that is silently let through, by which their end is known."""
    end = bed.covered / "end"
    with claude(bed, script(*steps, append(end), "SAY done")) as screen:
        screen.until(end.exists)


def test_what_observes_and_what_undo_covers_runs_silently(ready: Bed, slated: Conscience) -> None:
    inside = ready.covered / "file"
    run(ready, call("Bash", command="ls", description="d"), append(inside))
    assert lines(inside) == 1
    assert slated.asked == []
    assert [t["mode"] for t in ready.sessions("claude")] == ["guarded"]


@pytest.mark.parametrize(
    ("says", "ran", "questions"),
    [
        ([Answer.ONCE, Answer.DENY], 1, 2),
        ([Answer.ALWAYS], 2, 1),
        ([Answer.DENY], 0, 1),
        ([None], 0, 1),
    ],
    ids=["once", "again", "deny", "no answer"],
)
def test_what_needs_a_yes_obeys_the_person(
    ready: Bed, slated: Conscience, says: list[Answer | None], ran: int, questions: int
) -> None:
    slated.says = says
    out = ready.root / "out"
    run(ready, append(out), append(out))
    assert lines(out) == ran
    assert len(slated.asked) == questions


@pytest.mark.promise("gate-down-no-action")
def test_a_hook_that_is_killed_stops_the_command(ready: Bed) -> None:
    out = ready.root / "out"
    steps = script(append(out), append(out), "SAY done")
    with impostor(ready.socket, killing) as reached, claude(ready, steps) as screen:
        screen.until(lambda: len(reached) > 1)  # the first is over when the second is asked for
        assert lines(out) == 0


def test_a_project_that_switches_hooks_off_makes_the_session_advisory(
    ready: Bed, slated: Conscience
) -> None:
    (ready.work / ".claude").mkdir()
    (ready.work / ".claude/settings.json").write_text(json.dumps({"disableAllHooks": True}))
    run(ready)
    assert ready.modes("claude") == {"advisory"}

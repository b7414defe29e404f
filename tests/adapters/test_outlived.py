"""Processes that a call left behind are found, whether their parents live or not; others are not taken for them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from slated import outlived, person
from slated.wire.peer import started
from tests.fakes.stage import alive, until

AGENT = """
import subprocess, sys
print("ready", flush=True)
for line in sys.stdin:
    subprocess.run(["sh", "-c", line.strip()])
    print("ran", flush=True)
"""


class Agent:
    """A program that runs commands, as an agent program does."""

    def __init__(self) -> None:
        pipe = subprocess.PIPE
        argv = [sys.executable, "-c", AGENT]
        self.process = subprocess.Popen(argv, stdin=pipe, stdout=pipe, text=True)
        self._line("ready")
        self.identity = (self.process.pid, started(self.process.pid) or 0)

    def _line(self, wanted: str) -> None:
        assert self.process.stdout is not None
        assert self.process.stdout.readline().strip() == wanted

    def run(self, command: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        self._line("ran")

    def end(self) -> None:
        self.process.communicate(timeout=10)


@pytest.fixture
def agent() -> Iterator[Agent]:
    made = Agent()
    yield made
    made.end()


def kill(path: Path) -> None:
    pid = int(path.read_text())
    os.kill(pid, signal.SIGKILL)
    assert until(lambda: not alive(pid), 5)


def test_a_command_that_ends_leaves_nothing_behind(agent: Agent) -> None:
    since = outlived.now_ticks()
    agent.run("true")
    assert outlived.left_behind(agent.identity, since) == ()


def test_a_command_in_the_background_is_left_behind_and_then_gone(
    agent: Agent, tmp_path: Path
) -> None:
    """Its shell has ended: the mark alone tells whose it is."""
    assert person.mark(*agent.identity)
    since = outlived.now_ticks()
    agent.run(f"sleep 60 >/dev/null & echo $! > {tmp_path}/pid")
    try:
        left = outlived.left_behind(agent.identity, since)
        assert [pid for pid, _ in left] == [int((tmp_path / "pid").read_text())]
        assert outlived.alive(left)
        assert set(left) <= set(outlived.marked())
    finally:
        kill(tmp_path / "pid")
    assert not outlived.alive(left)


def test_what_the_agent_program_itself_holds_on_to_is_left_behind(
    agent: Agent, tmp_path: Path
) -> None:
    """A child that was there before the call, or that only tells of its end, is not."""
    child = subprocess.Popen(["sleep", "60"])
    own = (os.getpid(), started(os.getpid()) or 0)
    began = started(child.pid) or 0
    try:
        assert (child.pid, began) in outlived.left_behind(own, began)
        assert (child.pid, began) not in outlived.left_behind(own, began + 1)
        assert (child.pid, began) not in outlived.left_behind(own, began, [child.pid])
    finally:
        child.kill()
        child.wait()


def test_slates_own_programs_are_nobodys_work(tmp_path: Path) -> None:
    place = tmp_path / "slated"
    place.mkdir()
    hook = place / "hook.py"
    hook.write_text("import sys; sys.stdin.read()")
    own = (os.getpid(), started(os.getpid()) or 0)
    with subprocess.Popen([sys.executable, str(hook)], stdin=subprocess.PIPE) as child:
        assert until(lambda: b"hook.py" in Path(f"/proc/{child.pid}/cmdline").read_bytes(), 5)
        since = started(child.pid) or 0
        assert child.pid not in [pid for pid, _ in outlived.left_behind(own, since)]


def test_an_ended_process_that_nobody_collected_is_over() -> None:
    child = subprocess.Popen(["true"])
    began = started(child.pid) or 0
    try:
        assert until(lambda: not outlived.alive([(child.pid, began)]), 5)
    finally:
        child.wait()

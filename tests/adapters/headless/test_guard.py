"""The guard, given orders as its owner gives them: what it starts, hears of and leaves behind."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from slate_desktop.headless import guard

SLEEP = ["/bin/sleep", "600"]
FAMILY = ["/bin/sh", "-c", "/bin/sleep 601 & env -i setsid /bin/sleep 602 & exec /bin/sleep 603"]


class Guarded:
    """A guard with its pipes open."""

    def __init__(self, directory: Path, *programs: list[str], keep: bool = False) -> None:
        self.mark = f"SLATE_SESSION={os.urandom(8).hex()}"
        self.directory = directory
        lock = os.open(directory / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-S", guard.__file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={},
            pass_fds=(lock,),
            start_new_session=True,
            bufsize=0,
        )
        name, _, value = self.mark.partition("=")
        order = {
            "mark": self.mark,
            "lock": lock,
            "directory": str(directory),
            "keep_directory": keep,
            "programs": [
                {
                    "name": f"part{number}",
                    "argv": argv,
                    "env": {name: value, "PATH": os.defpath},
                    "log": str(directory / "log"),
                    "cwd": "/",
                }
                for number, argv in enumerate(programs)
            ],
        }
        os.close(lock)
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(order).encode() + b"\n")

    def close(self) -> None:
        """Close both pipes and collect the process."""
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()
        self.process.wait(5)

    def event(self, wait_s: float) -> dict[str, Any]:
        assert self.process.stdout is not None
        assert select.select([self.process.stdout], [], [], wait_s)[0], "the guard says nothing"
        event: dict[str, Any] = json.loads(self.process.stdout.readline())
        return event

    def family(self) -> set[int]:
        """Everything below the guard, itself left out."""
        return set(guard.belonging(self.mark, self.process.pid))

    def warden(self) -> int:
        """The lower of the two guard processes."""
        return next(
            pid for pid in self.family() if (guard.born(pid) or (0,))[0] == self.process.pid
        )


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    made = tmp_path / "session"
    (made / "below").mkdir(parents=True)
    (made / "below/file").touch()
    return made


Ordered = Callable[..., Guarded]


@pytest.fixture
def ordered(directory: Path) -> Iterator[Ordered]:
    """A function that starts a guard for some programs; its pipes are closed after the test."""
    with ExitStack() as stack:

        def start(*programs: list[str], keep: bool = False) -> Guarded:
            guarded = Guarded(directory, *programs, keep=keep)
            stack.callback(guarded.close)
            return guarded

        yield start


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    """No process of a test outlives it, whatever the test found."""
    before = set(alive())
    yield
    for pid in set(alive()) - before:
        os.kill(pid, signal.SIGKILL)


def alive() -> list[int]:
    """The sleepers of these tests."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = entry.read_bytes().split(b"\0")
        except OSError:
            continue
        if words[0] == b"/bin/sleep" and words[1:2] and words[1].startswith(b"60"):
            found.append(int(entry.parent.name))
    return found


def gone(pids: set[int], directory: Path, within_s: float = 2.0) -> bool:
    """Whether all of them and the directory vanish in time."""
    deadline = time.monotonic() + within_s
    while any(guard.born(pid) for pid in pids) or directory.exists():
        if time.monotonic() > deadline:
            return False
        select.select([], [], [], 0.01)
    return True


def started(guarded: Guarded, wait_s: float, sleepers: int) -> set[int]:
    """Ids of all processes below the guard, once the given number of sleepers is among them."""
    guarded.event(wait_s)
    deadline = time.monotonic() + wait_s
    while len(set(alive()) & guarded.family()) < sleepers:
        assert time.monotonic() < deadline, "the programs did not start"
        select.select([], [], [], 0.01)
    return guarded.family() | {guarded.process.pid}


def test_a_closed_pipe_ends_everything_however_it_hides(
    directory: Path, ordered: Ordered, wait_s: float
) -> None:
    """One of the family has neither the mark nor a parent of it any more."""
    guarded = ordered(FAMILY)
    family = started(guarded, wait_s, 3)
    assert guarded.process.stdin is not None
    guarded.process.stdin.close()
    assert guarded.event(wait_s) == {"event": "ended", "cause": "closed", "words": ""}
    assert guarded.process.wait(wait_s) == 0
    assert gone(family, directory)


@pytest.mark.parametrize("part", ["keeper", "warden", "first", "second"])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_r105_the_end_of_any_part_is_the_end_of_all(
    directory: Path, ordered: Ordered, wait_s: float, part: str, number: signal.Signals
) -> None:
    guarded = ordered(SLEEP, FAMILY)
    pids = started(guarded, wait_s, 4)
    programs = [pid for pid in sorted(pids) if (guard.born(pid) or (0,))[0] == guarded.warden()]
    victims = {
        "keeper": guarded.process.pid,
        "warden": guarded.warden(),
        "first": programs[0],
        "second": programs[1],
    }
    os.kill(victims[part], number)
    guarded.process.wait(wait_s)
    assert gone(pids, directory)


def test_the_death_of_the_owner_is_noticed_although_the_pipe_stays_open(
    directory: Path, wait_s: float
) -> None:
    """A child of the owner may have inherited the other end of the pipe."""
    code = (
        "import os, subprocess, sys\n"
        "r, w = os.pipe()\n"
        "subprocess.Popen([sys.executable, '-I', '-S', sys.argv[1]], stdin=r)\n"
        "os.set_inheritable(w, True)\n"
        "os.write(w, sys.argv[2].encode() + b'\\n')\n"
        "subprocess.Popen(['/bin/sleep', '604'], close_fds=False)\n"
        "sys.stdin.readline(); os.kill(os.getpid(), 9)\n"
    )
    order = {
        "mark": "SLATE_SESSION=owner-test",
        "lock": 0,
        "directory": str(directory),
        "keep_directory": False,
        "programs": [
            {"name": "a", "argv": SLEEP, "env": {}, "log": str(directory / "log"), "cwd": "/"}
        ],
    }
    with subprocess.Popen(
        [sys.executable, "-c", code, guard.__file__, json.dumps(order)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        bufsize=0,
    ) as owner:
        assert owner.stdout is not None
        assert owner.stdin is not None
        assert b"started" in owner.stdout.readline()
        owner.stdin.write(b"\n")
        assert owner.wait(wait_s) == -signal.SIGKILL
        assert b'"owner"' in owner.stdout.readline()
        assert gone(set(), directory)


def test_a_directory_that_is_not_ours_is_emptied_and_stays(
    directory: Path, ordered: Ordered, wait_s: float
) -> None:
    guarded = ordered(SLEEP, keep=True)
    started(guarded, wait_s, 1)
    assert guarded.process.stdin is not None
    guarded.process.stdin.close()
    guarded.process.wait(wait_s)
    assert list(directory.iterdir()) == []


def test_a_program_that_cannot_start_ends_the_session_with_its_name(
    directory: Path, ordered: Ordered, wait_s: float
) -> None:
    guarded = ordered(["/no/such/program"])
    assert guarded.event(wait_s)["event"] == "started"
    assert guarded.event(wait_s)["cause"] == "part0"
    assert guarded.process.wait(wait_s) == 0


def test_r101_a_program_reads_nothing_and_writes_into_its_log(
    directory: Path, ordered: Ordered, wait_s: float
) -> None:
    guarded = ordered(["/bin/sh", "-c", "cat; echo said; exec /bin/sleep 605"])
    started(guarded, wait_s, 1)
    assert (directory / "log").read_text() == "said\n"
    assert (directory / "log").stat().st_mode & 0o777 == 0o600


def test_the_last_words_of_what_ended_are_told(ordered: Ordered, wait_s: float) -> None:
    guarded = ordered(["/bin/sh", "-c", "printf '%05000d' 7; echo the end; exit 3"])
    guarded.event(wait_s)
    words = guarded.event(wait_s)["words"]
    assert words.endswith("7the end\n")
    assert len(words) == guard.WORDS


def test_a_number_that_passed_to_another_process_is_not_signalled() -> None:
    with subprocess.Popen(["/bin/sleep", "606"]) as stranger:
        birth = guard.born(stranger.pid)
        assert birth is not None
        guard.send(stranger.pid, b"1", signal.SIGKILL)
        assert stranger.poll() is None
        guard.send(stranger.pid, birth[1], signal.SIGKILL)
        assert stranger.wait(5) == -signal.SIGKILL


def test_the_mark_of_one_session_is_not_found_in_another() -> None:
    env = {"SLATE_SESSION": "aa1"}
    with subprocess.Popen(["/bin/sleep", "607"], env=env) as one:
        assert one.pid in guard.belonging("SLATE_SESSION=aa1", None)
        assert one.pid not in guard.belonging("SLATE_SESSION=aa", None)
        one.kill()

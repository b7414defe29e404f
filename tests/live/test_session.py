"""A headless session on real sway: fast, complete, and gone whatever part of it is killed."""

from __future__ import annotations

import json
import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import anyio
import pytest

from slate_desktop.geometry import Size
from slate_desktop.headless import guard
from slate_desktop.headless.program import SwayProgram
from slate_desktop.headless.session import Session, open_session

pytestmark = pytest.mark.anyio
ROOT = Path(__file__).parents[2]
OWNER = """
import anyio, ast, signal, subprocess, sys

# Whoever runs the tests may have made its children deaf to these (nohup, a background job).
signal.signal(signal.SIGHUP, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)

from slate_desktop.headless.program import SwayProgram
from slate_desktop.headless.session import open_session

async def main():
    program = SwayProgram(*ast.literal_eval(sys.argv[1]))
    async with open_session(program, slow=4) as session:
        command = ["/bin/sh", "-c", "sleep 600 & exec sleep 600"]
        subprocess.Popen(command, env=session.app_env)
        print(session.runtime_dir, session.app_env["SLATE_SESSION"], session.guard_pid,
              session.sway_pid, flush=True)
        await anyio.sleep_forever()

anyio.run(main)
"""
PARTS = ("owner", "keeper", "warden", "sway", "bus", "launcher")
ENDS = [
    *((part, signal.SIGKILL) for part in PARTS),
    *((part, signal.SIGTERM) for part in PARTS if part != "launcher"),
    ("owner", signal.SIGINT),
    ("owner", signal.SIGHUP),
]


class Owned:
    """A session whose owner is another process, with two programs of that owner in it."""

    def __init__(self, program: SwayProgram) -> None:
        facts = (program.argv, dict(program.env), program.version, program.source)
        self.owner = subprocess.Popen(
            [sys.executable, "-c", OWNER, repr(facts)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert self.owner.stdout is not None
        words = self.owner.stdout.readline().decode().split()
        self.directory = Path(words[0])
        self.mark, self.keeper, self.sway = (
            f"SLATE_SESSION={words[1]}",
            int(words[2]),
            int(words[3]),
        )

    def pids(self) -> set[int]:
        return set(guard.belonging(self.mark, self.keeper)) | {self.keeper}

    def part(self, name: str) -> int:
        """Process id of a part, `launcher` being that of the accessibility bus."""
        if name in {"owner", "keeper", "sway"}:
            return {"owner": self.owner.pid, "keeper": self.keeper, "sway": self.sway}[name]
        if name == "warden":
            return self._find(lambda words, parent: parent == self.keeper)
        inside = f"--config-file={self.directory}/bus.conf".encode()
        if name == "bus":
            return self._find(lambda words, parent: inside in words)
        return self._find(lambda words, parent: b"at-spi-bus-launcher" in words)

    def _find(self, fits: Callable[[bytes, int], bool]) -> int:
        for pid in self.pids():
            birth = guard.born(pid)
            if birth and fits(Path(f"/proc/{pid}/cmdline").read_bytes(), birth[0]):
                return pid
        raise LookupError

    def grown(self, count: int) -> set[int]:
        """Its processes once they are as many: accessibility starts its last after it has answered."""
        deadline = time.monotonic() + 5
        while len(pids := self.pids()) < count and time.monotonic() < deadline:
            select.select([], [], [], 0.02)
        assert len(pids) >= count
        return pids

    def gone_within(self, seconds: float, pids: set[int]) -> list[str]:
        """What is still there when the time is over."""
        deadline = time.monotonic() + seconds
        while True:
            left = [str(pid) for pid in pids if guard.born(pid)]
            left += [str(self.directory)] if self.directory.exists() else []
            if not left or time.monotonic() > deadline:
                return left
            select.select([], [], [], 0.02)


@pytest.fixture
def owned(sway_program: SwayProgram) -> Iterator[Owned]:
    made = Owned(sway_program)
    yield made
    made.owner.kill()
    made.owner.wait()
    assert made.owner.stdout is not None
    made.owner.stdout.close()


@pytest.mark.parametrize(("part", "number"), ENDS)
def test_whatever_part_is_ended_nothing_is_left_after_two_seconds(
    owned: Owned, part: str, number: signal.Signals
) -> None:
    pids = owned.grown(7)
    os.kill(owned.part(part), number)
    if part == "launcher":
        # Without accessibility the session goes on; it must still end whole.
        owned.owner.kill()
    assert owned.gone_within(2.0, pids) == []


async def test_it_is_up_within_a_second(sway_program: SwayProgram) -> None:
    """The first one also reads sway from disk; the second is what people wait for."""
    for _ in range(2):
        before = time.monotonic()
        async with open_session(sway_program):
            took_s = time.monotonic() - before
    assert took_s < 1.0


def swaymsg(program: SwayProgram, session: Session, kind: str) -> list[dict[str, object]]:
    """What sway's own client says."""
    env = {**session.app_env, **program.env, "SWAYSOCK": str(session.sway_socket)}
    done = subprocess.run(
        [*program.swaymsg, "-r", "-t", kind], env=env, capture_output=True, timeout=5, check=True
    )
    found: list[dict[str, object]] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("background", [True, False])
async def test_the_person_looks_at_the_screen_and_the_agents_output_lies_far_off(
    sway_program: SwayProgram, background: bool
) -> None:
    async with open_session(
        sway_program, size=Size(900, 700), background=background, extra_config="gaps inner 7"
    ) as session:
        outputs = {one["name"]: one for one in swaymsg(sway_program, session, "get_outputs")}
        spaces = {one["name"]: one for one in swaymsg(sway_program, session, "get_workspaces")}
    rect = {"x": 0, "y": 0, "width": 900, "height": 700}
    assert outputs["HEADLESS-1"]["rect"] == rect
    assert outputs["HEADLESS-1"]["focused"] is True
    assert spaces["1"]["output"] == "HEADLESS-1"
    assert len(outputs) == len(spaces) == 1 + background
    if background:
        assert outputs["HEADLESS-2"]["rect"] == {**rect, "x": 5900}
        assert spaces["agent"]["output"] == "HEADLESS-2"
        assert spaces["agent"]["focused"] is False


async def test_the_environment_is_enough_for_an_application(
    sway_program: SwayProgram, app_start_s: float
) -> None:
    """A terminal finds compositor and bus, and writes into its own home only."""
    async with open_session(sway_program) as session:
        command = ["foot", "sh", "-c", 'echo "$HOME"; echo "$HOME" > "$HOME/proof"']
        with anyio.fail_after(app_start_s):
            await anyio.run_process(command, env=session.app_env)
        home = anyio.Path(session.app_env["HOME"])
        assert await (home / "proof").read_text() == f"{home}\n"
    assert not await home.exists()


@contextmanager
def headless(*words: str) -> Iterator[subprocess.Popen[str]]:
    """The command line as people use it."""
    with subprocess.Popen(
        [sys.executable, "-m", "slate_desktop", "headless", *words],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.usefixtures("sway_program")
def test_the_command_runs_a_program_and_passes_its_exit_code_on() -> None:
    with headless("--", "sh", "-c", 'echo "$WAYLAND_DISPLAY"; exit 7') as process:
        out, err = process.communicate(timeout=10)
    assert (process.returncode, out, err) == (7, "wayland-1\n", "")


@pytest.mark.usefixtures("sway_program")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_the_command_says_how_to_join_and_ends_with_a_signal(number: signal.Signals) -> None:
    with headless("--size", "900x700") as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(17)]
        directory = Path(re.findall(r"XDG_RUNTIME_DIR=(\S+)", "".join(lines))[0])
        assert "900x700" in lines[0]
        assert directory.exists()
        process.send_signal(number)
        process.communicate(timeout=10)
    assert process.returncode == 128 + number
    assert not directory.exists()


@pytest.mark.usefixtures("sway_program")
def test_the_command_takes_a_program_that_hangs_along() -> None:
    with headless("--", "sh", "-c", "trap '' TERM; echo $$; sleep 600") as process:
        assert process.stdout is not None
        pid = int(process.stdout.readline())
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=10)
    assert process.returncode == 128 + signal.SIGTERM
    assert guard.born(pid) is None

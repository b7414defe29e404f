"""Asks real bash what a command line runs, and whether the grader knew: `python -m tests.soak.shell_oracle --count N`.

Each line runs in an empty directory where every program on PATH is a recording stub; wrappers record, then really run.
A program that started, but is in no graded command of a line below confirm, is a miss.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from slated.model import Tier
from slated.policy.facts import Kind, Place, Program, ProtectedRoots, Repository, Setting
from slated.policy.grade import CommandGrade, Graded, Grader
from slated.policy.paths import normal
from slated.policy.rules import Rulebook
from slated.policy.second_opinion import difference, evident
from tests.soak.shell_grammar import STUBS, Grammar

REAL = ("env", "nice", "timeout", "nohup", "setsid", "stdbuf", "xargs", "find", "bash", "sh")
DEADLINE_S = 2
CPU_S = 3
"""What one process of a line may use. A loop that got away from everything else ends by this, also without us."""
FILE_BYTES = 16 << 20


class SandboxFacts:
    """Facts of the sandbox: every name is a system program, paths are as they are written."""

    def program(self, name: str, directory: str | None) -> Program:
        return Program(f"/usr/bin/{name}", system="/" not in name)

    def place(self, path: str) -> Place:
        return Place(normal(path), normal(path), Kind.MISSING)

    def expand(self, pattern: str) -> tuple[str, ...] | None:
        return ()

    def repository(self, directory: str) -> Repository:
        return Repository()


@dataclass
class Tally:
    """What a run of the oracle found."""

    lines: int = 0
    started: int = 0
    below_confirm: int = 0
    started_below_confirm: int = 0
    doubted: int = 0
    """Lines that only the second opinion made a question."""
    misses: list[str] = field(default_factory=list)


class Sandbox:
    """A directory with stubs for every program, and real bash. Each line gets a log of its own."""

    def __init__(self, top: Path) -> None:
        self.top, self.work, self.runs = top, top / "work", 0
        self.bin = top / "bin"
        self.bin.mkdir()
        self.bash = shutil.which("bash") or ""
        self.limit = shutil.which("prlimit") or ""
        assert self.bash, "the oracle needs bash"
        assert self.limit, "the oracle needs prlimit"
        for name in STUBS:
            self._stub(name, "exit 0")
        # The grader knows what a lone `cat` of a text prints, so this one really prints it.
        self._stub("cat", f"[ $# -gt 0 ] || exec {shutil.which('cat')}")
        for name in REAL:
            self._stub(name, f'exec {shutil.which(name)} "$@"')

    def _stub(self, name: str, then: str) -> None:
        """A program that writes its name and words to the log beside the directory it was found in."""
        path = self.bin / name
        record = f"printf '%s\\037' '\036{name}' \"$@\" >>\"${{0%/bin/*}}/log\""
        path.write_text(f"#!/bin/dash\n{record}\n{then}\n", encoding="utf-8")
        path.chmod(0o755)

    def run(self, line: str) -> list[tuple[str, ...]]:
        """The programs that really started, in order, with their words."""
        shutil.rmtree(self.work, ignore_errors=True)
        (self.work / "d").mkdir(parents=True)
        self.runs += 1
        run = self.top / f"run{self.runs}"
        run.mkdir()
        (run / "bin").symlink_to(self.bin)
        log = run / "log"
        log.touch()
        self._start(["-c", line], str(run / "bin"))
        records = log.read_text(encoding="utf-8", errors="replace").split("\036")
        shutil.rmtree(run)
        return [tuple(record.split("\037")[:-1]) for record in records if record]

    def _start(self, arguments: list[str], path: str) -> None:
        """Runs bash until every process it started has ended, at most for the deadline.

        They all hold the writing end of a pipe, so its end of file says that none is left.
        """
        reading, writing = os.pipe()
        bounds = [self.limit, f"--cpu={CPU_S}", f"--fsize={FILE_BYTES}", "--core=0"]
        process = subprocess.Popen(
            [*bounds, self.bash, "--norc", "--noprofile", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=self.work,
            env={"PATH": path, "HOME": str(self.work), "LC_ALL": "C.UTF-8"},
            pass_fds=(writing,),
            start_new_session=True,
        )
        os.close(writing)
        try:
            select.select([reading], [], [], DEADLINE_S)
        finally:
            os.close(reading)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            self._end_rest()
            process.wait(DEADLINE_S)

    def _end_rest(self) -> None:
        """Ends what works in the sandbox still: a line may have left its group and session, or closed the pipe."""
        deadline = time.monotonic() + DEADLINE_S
        while left := self.working():
            for pid in left:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            if time.monotonic() > deadline:
                raise TimeoutError(f"{left} cannot be ended")

    def working(self) -> list[int]:
        """Processes whose working directory is in the sandbox."""
        found = []
        for name in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError):
                if Path(os.readlink(f"/proc/{name}/cwd")).is_relative_to(self.work):
                    found.append(int(name))
        return found

    def printed(self, line: str) -> str | None:
        """What `bash --pretty-print` makes of a line."""
        done = subprocess.run(
            [self.bash, "--norc", "--noprofile", "--pretty-print"],
            input=line.encode(),
            capture_output=True,
            env={"LC_ALL": "C.UTF-8"},
            timeout=DEADLINE_S,
            check=False,
        )
        right = done.returncode == 0 and not done.stderr
        return done.stdout.decode(errors="replace") if right else None


def explained(argv: tuple[str, ...], commands: tuple[CommandGrade, ...]) -> bool:
    """Whether one of the graded commands is the one that started."""
    return any(fits(list(argv), list(command.argv)) for command in commands)


def fits(have: list[str], graded: list[str | None]) -> bool:
    """Whether words match a graded command's; an unknown word stands for any number of them."""
    if not graded or not have:
        return not graded and not have
    if graded[0] is None:
        return any(fits(have[skip:], graded[1:]) for skip in range(len(have) + 1))
    return have[0] == graded[0] and fits_rest(have[1:], graded[1:])


def fits_rest(have: list[str], graded: list[str | None]) -> bool:
    if not graded:
        return not have
    if graded[0] is None:
        return any(fits_rest(have[skip:], graded[1:]) for skip in range(len(have) + 1))
    return bool(have) and have[0] == graded[0] and fits_rest(have[1:], graded[1:])


def lines(count: int, seed: int) -> Iterator[str]:
    """Random command lines without bytes that no command line can hold."""
    grammar = Grammar(seed)
    while count:
        line = grammar.line()
        if "\0" not in line:
            count -= 1
            yield line


def check(line: str, sandbox: Sandbox, grader: Grader, tally: Tally) -> None:
    """Runs one line and compares."""
    work = str(sandbox.work)
    graded: Graded = grader.grade(line, Setting(work, work))
    started = sandbox.run(line)
    tally.lines += 1
    tally.started += len(started)
    if graded.tier is Tier.CONFIRM:
        return
    tally.below_confirm += 1
    tally.started_below_confirm += len(started)
    unknown = [argv for argv in started if not explained(argv, graded.commands)]
    if unknown:
        tally.misses.append(f"{line!r} ran {unknown!r}")
    doubted = [text for text in graded.texts if difference(text, sandbox.printed(text))]
    tally.doubted += bool(doubted)
    tally.misses += [f"{text!r} is no evident line" for text in doubted if evident(text)]


def soak(count: int, seed: int) -> Tally:
    """Checks `count` random lines."""
    tally = Tally()
    with tempfile.TemporaryDirectory(prefix="slate-oracle-") as top:
        sandbox = Sandbox(Path(top).resolve())
        rules = Rulebook(str(sandbox.work)).rules
        grader = Grader(SandboxFacts(), ProtectedRoots((str(sandbox.work),)), rules)
        for line in lines(count, seed):
            check(line, sandbox, grader, tally)
    return tally


def main(arguments: list[str]) -> int:
    """Runs the oracle and prints what it found; 1 if anything was missed."""
    parser = argparse.ArgumentParser(prog="shell_oracle", description=__doc__)
    parser.add_argument("--count", type=int, default=10_000, help="how many command lines")
    parser.add_argument("--seed", type=int, default=1, help="the same seed makes the same lines")
    options = parser.parse_args(arguments)
    tally = soak(options.count, options.seed)
    print(
        f"{tally.lines} lines, {tally.started} programs started; "
        f"{tally.below_confirm} lines below confirm started {tally.started_below_confirm}; "
        f"{tally.doubted} of them only the second opinion would stop; {len(tally.misses)} misses"
    )
    for miss in tally.misses:
        print(miss)
    return 1 if tally.misses else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

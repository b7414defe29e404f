"""What the conscience costs: the hook, a round trip of the gate with and without a flush, grades of real commands.

`python -m bench.gate`; exit code 1 if a bound is missed.
"""

from __future__ import annotations

import json
import math
import os
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import anyio

from bench import floor
from bench.rows import ROUNDS, Result, Row, measure, table
from slated import settings
from slated.agents.own import Own
from slated.audit.lines import segment_name
from slated.audit.reader import firsts
from slated.judgement import Judge
from slated.machine import Machine
from slated.rulefile import RuleFile
from slated.settings import PATH
from slated.wire import control
from tests.fakes.conscience import CLICK, LOOK, alone, connected
from tests.fakes.policy_world import corpus

LOOK_MS = 1.0
GRADES_A_SECOND = 1000
EVENT = {
    "session_id": "bench", "cwd": "/", "permission_mode": "default", "hook_event_name": "PreToolUse",
    "tool_name": "Bash", "tool_input": {"command": "ls -la", "description": "d"}, "tool_use_id": "toolu_1",
}  # fmt: skip
ME = {"pid": os.getpid(), "started": 1}
ACT = {**CLICK, "tool": "desktop_scroll", "agent": ME}
"""An act that changes no file: one that does also takes an undo mark, which `bench.undo` measures."""


def hook_row(environ: dict[str, str]) -> Row:
    """A real tool call through the hook as it is installed, against the bare interpreter."""
    hook = Own(sys.executable, control.daemon_of(environ).socket).hook("claude")
    bare = [sys.executable, "-I", "-S", "-c", "pass"]
    event = json.dumps(EVENT).encode()

    def ours() -> None:
        done = subprocess.run(hook, input=event, env={}, capture_output=True, check=True)
        assert b'"allow"' in done.stdout, done

    return Row(
        name="hook of a tool call",
        against="`python3 -I -S -c pass`",
        bound=1.8,
        ours=ours,
        theirs=lambda: subprocess.run(bare, input=event, env={}, capture_output=True, check=True),
    )


def look_result(slated: control.Control, rounds: int) -> Result:
    """The median of verdicts that need no flush, against its limit."""
    took = []
    for _ in range(rounds):
        start = time.perf_counter()
        slated.ask("admit", {**LOOK, "agent": ME})
        took.append((time.perf_counter() - start) * 1000)
    ours = statistics.median(took)
    return Result("gate, a look", "limit", ours, LOOK_MS, ours / LOOK_MS, 1.0)


@contextmanager
def act_rows(slated: control.Control, log: Path) -> Iterator[tuple[Row, Row]]:
    """A verdict that is on disk before it is told, against a line as long, written and flushed beside the log.

    Then what a server that decides nothing takes for the same, which no bound of ours holds: it is the floor of ours.
    """
    slated.ask("admit", ACT)
    line = (log / segment_name(firsts(log)[-1])).read_bytes().splitlines(keepends=True)[-1]
    raw = os.open(log.parent / "raw", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def theirs() -> None:
        os.write(raw, line)
        os.fsync(raw)

    with floor.served(log.parent) as link:

        def bare() -> None:
            link.sendall(line)
            assert link.recv(len(line), socket.MSG_WAITALL) == line

        ours = Row(
            name="gate, an act on disk",
            against="write and fsync of its line",
            bound=1.5,
            ours=lambda: slated.ask("admit", ACT),
            theirs=theirs,
        )
        yield (
            ours,
            replace(
                ours,
                name="(an asyncio server that decides nothing)",
                bound=math.inf,
                ours=bare,
            ),
        )
    os.close(raw)


async def grades_result(folder: Path) -> Result:
    """Verdicts a second on the developers' commands, second opinions included, in a real repository."""
    project = folder / "project"
    await anyio.run_process(["git", "init", "-q", str(project)])
    judge = Judge(RuleFile(folder / "policy.toml", str(folder), ()), folder, Machine(PATH))
    lines = [row.cmd for row in corpus("developer_commands.jsonl")]
    # What git is asked is kept only once the repository has not changed for a moment.
    await anyio.sleep(0.5)
    for line in lines:
        await judge.command(line, str(project))
    start, count = time.perf_counter(), 0
    while count < GRADES_A_SECOND:
        for line in lines:
            await judge.command(line, str(project))
        count += len(lines)
    rate = count / (time.perf_counter() - start)
    limit = float(GRADES_A_SECOND)
    return Result("grades a second", "at least", rate, limit, limit / rate, 1.0, unit="count")


def results(rounds: int) -> list[Result]:
    """All rows."""
    with alone() as environ, connected(environ) as slated:
        log = settings.directories(environ).audit
        found = [measure(hook_row(environ), rounds), look_result(slated, 10 * rounds)]
        with act_rows(slated, log) as rows:
            found += [measure(row, 10 * rounds) for row in rows]
    with TemporaryDirectory(prefix="slate-bench-") as folder:
        found.append(anyio.run(grades_result, Path(folder)))
    return found


def main() -> None:
    """The command line."""
    found = results(2 * ROUNDS)
    print(table(found))
    sys.exit(0 if all(result.kept for result in found) else 1)


if __name__ == "__main__":
    main()

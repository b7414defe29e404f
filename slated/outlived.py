"""Which processes a call left behind: started while it ran, by its agent program, and still there afterwards."""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Final

from slated.person import Process, ancestry
from slated.wire.peer import started

_OURS: Final = ("/slated/hook.py", "/slated/__main__.py", "/slate_desktop/__main__.py")
Identity = tuple[int, int]
"""A process by pid and start time (clock ticks since boot)."""


def now_ticks() -> int:
    """The time as the kernel notes it for a process that starts now."""
    seconds = time.clock_gettime(time.CLOCK_BOOTTIME)
    return int(seconds * os.sysconf("SC_CLK_TCK"))


def left_behind(
    agent: Identity, since_ticks: int, besides: Collection[int] = (), proc: Path = Path("/proc")
) -> tuple[Identity, ...]:
    """Processes of a task that were started at `since_ticks` or later and run on.

    `besides` are pids that are no part of it, such as the hook that tells of the call's end. A process whose parents
    are gone counts if it carries a task's mark.
    """
    found = []
    for name in os.listdir(proc):
        if not name.isdecimal() or int(name) in besides:
            continue
        began = started(int(name))
        if began is None or began < since_ticks or _is_over(proc, name):
            continue
        chain = ancestry(int(name), proc)
        if chain and chain[0].started == began and _belongs(chain, agent):
            found.append((int(name), began))
    return tuple(found)


def _belongs(chain: Sequence[Process], agent: Identity) -> bool:
    if any(_is_ours(process) for process in chain):
        return False
    if any((process.pid, process.started) == agent for process in chain[1:]):
        return True
    # Adopted by init or a subreaper: no agent program is above it any more.
    return chain[0].marked and not any(process.marked for process in chain[1:])


def _is_ours(process: Process) -> bool:
    return any(word.endswith(_OURS) for word in process.words)


def marked(proc: Path = Path("/proc")) -> tuple[Identity, ...]:
    """Every process that some task started and that lost its agent program: what may be left from a former life."""
    found = []
    for name in os.listdir(proc):
        if name.isdecimal() and (chain := ancestry(int(name), proc)):
            alone = chain[0].marked and not any(process.marked for process in chain[1:])
            if alone and not any(_is_ours(process) for process in chain):
                found.append((chain[0].pid, chain[0].started))
    return tuple(found)


def alive(processes: Iterable[Identity], proc: Path = Path("/proc")) -> bool:
    """Whether one of them still runs."""
    return any(started(pid) == began and not _is_over(proc, str(pid)) for pid, began in processes)


def _is_over(proc: Path, name: str) -> bool:
    """Whether a process has ended and only waits to be collected."""
    try:
        stat = (proc / name / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return True
    return stat.rpartition(")")[2].split()[0] in ("Z", "X")

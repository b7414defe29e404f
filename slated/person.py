"""Whether the program at the other end of a connection was started by a person at a terminal, and not inside a task.

Everything is read off the kernel's books; what a program says about itself counts for nothing.
"""

from __future__ import annotations

import os
import resource
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from slated.wire.peer import started

MARK_US: Final = 0x51A7_E000_0000
"""The hard limit on real-time CPU (RLIMIT_RTTIME, microseconds: two and a half years) that marks a task's processes.

It is inherited by every child, survives setsid, a cleared environment and adoption by another parent, can only be
lowered without privileges, and means nothing to programs without real-time scheduling.
"""
SHELLS: Final = frozenset("bash dash sh zsh fish ksh mksh".split())
TERMINALS: Final = frozenset(
    "foot kitty alacritty wezterm-gui gnome-terminal-server kgx ptyxis-agent konsole xterm urxvt st xfce4-terminal"
    " lxterminal qterminal terminology sshd sshd-session login agetty".split()
)
AGENTS: Final = frozenset("claude codex codex-code-mode-host opencode gemini".split())
TASK_VARIABLES: Final = ("SLATE_TASK=", "CLAUDECODE=", "CODEX_SANDBOX=", "CODEX_THREAD_ID=")
LOADS_CODE: Final = (
    "PYTHONPATH=",
    "PYTHONSTARTUP=",
    "PYTHONHOME=",
    "LD_PRELOAD=",
    "LD_LIBRARY_PATH=",
    "LD_AUDIT=",
)
SYSTEM: Final = ("/usr/", "/bin/", "/sbin/", "/nix/store/")
_LOGIN_FLAGS: Final = frozenset("-l -i -li -il --login --interactive".split())
_DEEPEST: Final = 64


@dataclass(frozen=True, slots=True)
class Process:
    """One process as the kernel has it. `program` is "" and `environ` empty where we may not look (other users')."""

    pid: int
    parent: int
    name: str
    started: int
    terminal: int
    uid: int
    marked: bool
    program: str = ""
    words: tuple[str, ...] = ()
    environ: tuple[str, ...] = ()


def read(pid: int, proc: Path = Path("/proc")) -> Process | None:
    """The process with this id, or None."""
    own = proc / str(pid)
    try:
        stat = (own / "stat").read_text(encoding="utf-8", errors="replace")
        status = (own / "status").read_text(encoding="utf-8", errors="replace")
        limits = (own / "limits").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    head, _, rest = stat.rpartition(")")
    fields = rest.split()
    uid = next(line.split()[1] for line in status.splitlines() if line.startswith("Uid:"))
    program = ""
    with suppress(OSError):
        program = os.readlink(own / "exe")
    return Process(
        pid=pid,
        parent=int(fields[1]),
        name=head.partition("(")[2],
        started=int(fields[19]),
        terminal=int(fields[4]),
        uid=int(uid),
        marked=_marked(limits),
        program=program,
        words=_strings(own / "cmdline"),
        environ=_strings(own / "environ"),
    )


def _strings(path: Path) -> tuple[str, ...]:
    try:
        data = path.read_bytes()
    except OSError:
        return ()
    return tuple(part.decode(errors="replace") for part in data.split(b"\0")[:-1])


def _marked(limits: str) -> bool:
    for line in limits.splitlines():
        if line.startswith("Max realtime timeout"):
            hard = line.split()[4]
            return hard != "unlimited" and int(hard) <= MARK_US
    return False


def ancestry(pid: int, proc: Path = Path("/proc")) -> list[Process]:
    """The process and its parents, up to the first one that is nobody's child."""
    found: list[Process] = []
    while pid > 0 and len(found) < _DEEPEST and (process := read(pid, proc)) is not None:
        found.append(process)
        pid = process.parent
    return found


def why_not(chain: Sequence[Process], tasks: Collection[tuple[int, int]]) -> str:
    """Why the first process of a chain does not speak for a person; "" if it does.

    `tasks` are the agent programs that are known, by pid and start time.
    """
    if not chain:
        return "the process is gone"
    if inside := in_task(chain, tasks):
        return inside
    if chain[0].terminal == 0:
        return "it has no terminal"
    for process in chain[1:]:
        name = os.path.basename(process.program) if process.program else process.name
        trusted = process.program.startswith(SYSTEM) or (not process.program and process.uid == 0)
        if name in TERMINALS and trusted:
            return ""
        if name not in SHELLS or not trusted:
            return f"it was started by {name} ({process.pid}), which is neither a shell nor a terminal of the system"
        if set(process.words[1:]) - _LOGIN_FLAGS:
            return f"it was started by a script ({name}, {process.pid})"
    return "no terminal window is above it"


def in_task(chain: Sequence[Process], tasks: Collection[tuple[int, int]]) -> str:
    """How it can be told that a process runs inside a task; "" if it cannot."""
    for process in chain:
        name = os.path.basename(process.program) if process.program else process.name
        if (process.pid, process.started) in tasks:
            return f"it runs below the agent program {name} ({process.pid})"
        if name in AGENTS:
            return f"it runs below {name} ({process.pid})"
        if process.marked:
            return f"{name} ({process.pid}) carries the mark of a task"
        if any(entry.startswith(TASK_VARIABLES) for entry in process.environ):
            return f"{name} ({process.pid}) has the environment of a task"
    return ""


def planted(chain: Sequence[Process]) -> list[str]:
    """Variables in the environment of a chain's first process that load code into a program."""
    entries = chain[0].environ if chain else ()
    return sorted({e.partition("=")[0] for e in entries if e.startswith(LOADS_CODE)})


def agent_of(chain: Sequence[Process]) -> tuple[Process | None, bool]:
    """The agent program above a front, and whether it is only a person's own shell.

    It is a known one, else what started the front through whatever wrappers; None where nothing of the kind is there.
    """
    for process in chain[1:]:
        if os.path.basename(process.program or process.name) in AGENTS or process.name in AGENTS:
            return process, False
    for process in chain[1:]:
        name = os.path.basename(process.program or process.name)
        scripted = bool(set(process.words[1:]) - _LOGIN_FLAGS)
        if name in SHELLS and scripted:
            continue
        if name in SHELLS:
            return process, True
        theirs = name in TERMINALS or name.startswith("systemd") or process.pid == 1
        return None if theirs else process, False
    return None, False


def mark(pid: int, began: int) -> bool:
    """Mark a process, and so everything it will start; whether it is marked now."""
    if started(pid) != began:
        return False
    try:
        soft, hard = resource.prlimit(pid, resource.RLIMIT_RTTIME)
        if hard == resource.RLIM_INFINITY or hard > MARK_US:
            kept = MARK_US if soft == resource.RLIM_INFINITY else min(soft, MARK_US)
            resource.prlimit(pid, resource.RLIMIT_RTTIME, (kept, MARK_US))
    except (OSError, ValueError):
        return False
    return True

"""The process above a session's programs: starts them, and leaves nothing of them when it ends.

Run as a script with the standard library alone (`python -I -S guard.py`). It reads one line of
JSON from stdin (written by keeper.py) and answers one line of JSON per event. It is two processes,
the keeper above the warden: whichever of them is killed, the other one cleans up. The session ends
when stdin closes, its owner dies, one of its programs ends or a signal asks.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import select
import shutil
import signal
import sys
import time
from typing import Any, NoReturn

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
POLITE_S = 0.6
FORCED_S = 1.2
WORDS = 2000  # bytes of a log that are told
ASKING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def prctl(option: int, value: int) -> None:
    """Set a property of this process; the two used here exist since Linux 3.4."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(option, ctypes.c_ulong(value), 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


def born(pid: int) -> tuple[int, bytes] | None:
    """Parent and start time of a living process. The latter tells it from a later namesake."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            # The name may hold spaces and brackets: what counts is after its last bracket.
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return None
    return None if fields[0] in (b"Z", b"X") else (int(fields[1]), fields[19])


def marked(pid: int, mark: bytes) -> bool:
    """Whether a process was started with the session's mark in its environment."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return mark in file.read().split(b"\0")
    except OSError:
        return False


def belonging(mark: str, root: int | None) -> dict[int, bytes]:
    """Processes (id → start time) that carry `mark` (NAME=value) or descend from `root`, but us."""
    alive: dict[int, tuple[int, bytes]] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit() and (birth := born(int(entry))) is not None:
            alive[int(entry)] = birth
    family = set() if root is None else {root}
    while grown := {pid for pid, (parent, _) in alive.items() if parent in family} - family:
        family |= grown
    ours = (family - {root, os.getpid()}) | {
        pid for pid in alive if pid != os.getpid() and marked(pid, mark.encode())
    }
    return {pid: alive[pid][1] for pid in ours if pid in alive}


def send(pid: int, since: bytes, number: int) -> None:
    """Signal `pid` unless its number has passed to another process since we looked."""
    try:
        handle = os.pidfd_open(pid)
    except OSError:
        return
    try:
        birth = born(pid)
        if birth is not None and birth[1] == since:
            signal.pidfd_send_signal(handle, number)
    except OSError:
        pass
    finally:
        os.close(handle)


def reap() -> list[int]:
    """Collect children that have ended, adopted ones too."""
    ended: list[int] = []
    while True:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return ended
        if pid == 0:
            return ended
        ended.append(pid)


def sweep(mark: str, directory: str, keep_directory: bool, root: int | None) -> None:
    """End every process of the session (asked first, then forced) and remove its directory."""
    for number, within_s in ((signal.SIGTERM, POLITE_S), (signal.SIGKILL, FORCED_S)):
        deadline = time.monotonic() + within_s
        asked: set[int] = set()
        while left := belonging(mark, root):
            for pid in left.keys() - asked:
                send(pid, left[pid], number)
            asked |= left.keys()
            if root is not None:
                reap()
            if time.monotonic() > deadline:
                break
            select.select([], [], [], 0.01)
    clear(directory, keep_directory)


def clear(directory: str, keep_directory: bool) -> None:
    """Remove a session's directory, or only what is in it."""
    if not keep_directory:
        shutil.rmtree(directory, ignore_errors=True)
        return
    try:
        names = os.listdir(directory)
    except OSError:
        return
    for name in names:
        path = os.path.join(directory, name)
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path, ignore_errors=True)
        else:
            os.unlink(path)


def start(argv: list[str], env: dict[str, str], log: str, cwd: str) -> int:
    """Start a program that dies with us, deaf, talking into `log`. Returns its process id."""
    us = os.getpid()
    pid = os.fork()
    if pid:
        return pid
    try:
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != us:
            os._exit(1)
        os.setsid()
        os.chdir(cwd)
        os.umask(0o077)
        signal.set_wakeup_fd(-1)
        for number in (*ASKING, signal.SIGCHLD, signal.SIGPIPE):
            signal.signal(number, signal.SIG_DFL)
        silence, output = (
            os.open("/dev/null", os.O_RDONLY),
            os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600),
        )
        for source, target in ((silence, 0), (output, 1), (output, 2)):
            os.dup2(source, target)
        os.execve(argv[0], argv, env)
    finally:
        os._exit(127)


def tell(**event: object) -> None:
    """One line to the owner, who may be gone."""
    with contextlib.suppress(OSError):
        os.write(1, json.dumps(event).encode() + b"\n")


def read_order() -> dict[str, Any] | None:
    """The owner's one line, or None when it ended first."""
    data = b""
    while not data.endswith(b"\n"):
        chunk = os.read(0, 65536)
        if not chunk:
            return None
        data += chunk
    order: dict[str, Any] = json.loads(data)
    return order


def watch(programs: dict[int, str], owner: int, wakeup: int) -> str:
    """Wait for the first reason to end, and name it."""
    poll = select.poll()
    for descriptor in (0, owner, wakeup):
        poll.register(descriptor, select.POLLIN)
    while True:
        for descriptor, _ in poll.poll():
            if descriptor == owner:
                return "owner"
            if descriptor == 0 and not os.read(0, 4096):
                return "closed"
            if descriptor != wakeup:
                continue
            if set(os.read(wakeup, 512)) & set(ASKING):
                return "signal"
            ended = [programs[pid] for pid in reap() if pid in programs]
            if ended:
                return ended[0]


def ward(order: dict[str, Any], owner: int, wakeup: int) -> None:
    """Start what the order names, wait for the end, tell why."""
    programs: dict[int, str] = {}
    logs: dict[str, str] = {}
    for program in order["programs"]:
        pid = start(program["argv"], program["env"], program["log"], program["cwd"])
        programs[pid] = program["name"]
        logs[program["name"]] = program["log"]
    tell(event="started", pids={name: pid for pid, name in programs.items()})
    cause = watch(programs, owner, wakeup)
    tell(event="ended", cause=cause, words=last_words(logs.get(cause)))


def last_words(log: str | None) -> str:
    """The end of a log: soon it will be gone with its directory."""
    if log is None:
        return ""
    try:
        with open(log, "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - WORDS))
            return file.read().decode(errors="replace")
    except OSError:
        return ""


def signals() -> int:
    """Turn the signals that matter into bytes of a pipe; returns its reading end."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    for number in (*ASKING, signal.SIGCHLD):
        signal.signal(number, lambda *_: None)
    return reading


def keep(warden: int, wakeup: int) -> None:
    """The upper half: pass on a request to end; return when the lower half has ended, anyhow."""
    while warden not in reap():
        if set(os.read(wakeup, 512)) & set(ASKING):
            os.kill(warden, signal.SIGTERM)


def finish(order: dict[str, Any]) -> None:
    """Leave nothing of the session behind."""
    sweep(order["mark"], order["directory"], order["keep_directory"], os.getpid())


def main() -> NoReturn:
    """Read the order, split in two, guard, clean up."""
    owner = os.pidfd_open(os.getppid())
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    order = read_order()
    if order is None:
        sys.exit(0)
    os.set_inheritable(order["lock"], False)
    us, wakeup = os.getpid(), signals()
    warden = os.fork()
    if warden:
        for descriptor in (0, 1):
            os.close(descriptor)
        keep(warden, wakeup)
    else:
        prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        prctl(PR_SET_CHILD_SUBREAPER, 1)
        wakeup = signals()
        if os.getppid() == us:
            ward(order, owner, wakeup)
    finish(order)
    sys.exit(0)


if __name__ == "__main__":
    main()

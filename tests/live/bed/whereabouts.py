"""Where the headless desktop of a daemon is, seen from outside; for the demo, whose person must
reach its screen.
"""

from __future__ import annotations

import os
import signal
import socket
import struct
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import anyio

from tests.live.bed.patience import WAIT_S
from tests.live.bed.program import ROOT


@dataclass(frozen=True, slots=True)
class HeadlessPlace:
    """The environment of programs on its screen, and sway's control socket."""

    env: dict[str, str]
    sway_socket: Path


def find_place(runtime: Path) -> HeadlessPlace:
    """The desktop whose daemon listens below `runtime`. LookupError when there is none."""
    daemon = daemon_pid(runtime)
    if daemon is None:
        raise LookupError(f"no daemon listens below {runtime}")
    parents = _parents()
    for pid in parents:
        if not _descends(pid, daemon, parents):
            continue
        with suppress(OSError):
            entries = Path(f"/proc/{pid}/environ").read_bytes().decode().split("\0")
            env = dict(entry.split("=", 1) for entry in entries if "=" in entry)
            sockets = [*Path(env.get("XDG_RUNTIME_DIR", "/nonexistent")).glob("sway-ipc.*.sock")]
            if sockets and "WLR_BACKENDS" in env:
                ours = {name: value for name, value in env.items() if not name.startswith("WLR_")}
                return HeadlessPlace(
                    {**ours, "WAYLAND_DISPLAY": "wayland-1", "PYTHONPATH": str(ROOT)}, sockets[0]
                )
    raise LookupError(f"the daemon {daemon} has no headless desktop")


def daemon_pid(runtime: Path) -> int | None:
    """Who listens on a desktop daemon's socket below `runtime`, by the kernel's word; None when nobody
    does. Slated listens there as well, and is not meant.
    """
    for path in (runtime / f"slate/{name}.sock" for name in ("desktop", "headless")):
        with socket.socket(socket.AF_UNIX) as link, suppress(OSError):
            link.connect(str(path))
            raw = link.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
            return int(struct.unpack("3i", raw)[0])
    return None


async def end_daemon(runtime: Path) -> None:
    """End the daemon below `runtime`, if there is one, and wait until it has gone."""
    pid = daemon_pid(runtime)
    if pid is None:
        return
    handle = os.pidfd_open(pid)
    try:
        os.kill(pid, signal.SIGTERM)
        with anyio.move_on_after(WAIT_S) as waited:
            await anyio.wait_readable(handle)
        if waited.cancelled_caught:
            os.kill(pid, signal.SIGKILL)
    finally:
        os.close(handle)


def _parents() -> dict[int, int]:
    """The parent of each process."""
    found: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                found[int(entry.name)] = int(
                    (entry / "stat").read_text().rpartition(")")[2].split()[1]
                )
    return found


def _descends(pid: int, ancestor: int, parents: dict[int, int]) -> bool:
    while pid in parents:
        pid = parents[pid]
        if pid == ancestor:
            return True
    return False

"""Who is at the other end of a unix socket, by the kernel's word and not by theirs."""

from __future__ import annotations

import socket
import struct
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Peer:
    """The process that connected. `started` (clock ticks since boot) tells it from a later one with the same pid.

    It is None when the process was gone before it could be read.
    """

    uid: int
    pid: int
    started: int | None


def peer_of(link: socket.socket) -> Peer:
    """The peer of a connected unix socket, as it was when it connected."""
    size = struct.calcsize("3i")
    pid, uid, _ = struct.unpack("3i", link.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))
    return Peer(uid, pid, started(pid))


def started(pid: int) -> int | None:
    """When a process started, in clock ticks since boot; None if there is no such process."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # The name in parentheses may hold anything, also spaces and parentheses: count from the last one.
    return int(stat.rpartition(")")[2].split()[19])

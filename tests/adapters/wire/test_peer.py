"""The peer of a socket is who the kernel says."""

from __future__ import annotations

import os
import socket
import subprocess
import sys

from slated.wire.peer import peer_of, started


def test_the_peer_is_this_process_when_it_made_both_ends() -> None:
    ours, theirs = socket.socketpair(socket.AF_UNIX)
    with ours, theirs:
        peer = peer_of(ours)
    assert (peer.uid, peer.pid) == (os.getuid(), os.getpid())
    assert peer.started == started(os.getpid())
    assert peer.started is not None


def test_a_process_that_is_gone_has_no_start_time_and_a_later_one_has_another() -> None:
    first = subprocess.Popen([sys.executable, "-c", ""])
    first.wait(5)
    assert started(first.pid) is None
    mine = started(os.getpid())
    assert mine is not None
    assert mine < 1 << 62


def test_a_hostile_process_name_does_not_shift_the_fields() -> None:
    code = (
        "import ctypes,sys;"
        "ctypes.CDLL(None).prctl(15, b') 1 2 (3 4', 0, 0, 0);"
        "print(open('/proc/self/stat').read().rpartition(')')[2].split()[19]);"
        "sys.stdout.flush(); sys.stdin.read()"
    )
    child = subprocess.Popen([sys.executable, "-c", code], stdin=-1, stdout=-1, text=True)
    assert child.stdout is not None
    assert started(child.pid) == int(child.stdout.readline())
    child.communicate(timeout=5)

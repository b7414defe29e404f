"""Runs one program with nothing of the network but loopback, and the model on it. Started inside `unshare --net`."""

from __future__ import annotations

import fcntl
import os
import socket
import struct
import subprocess
import sys

from tests.agents.models import serving

PORT = 8377
_SET_FLAGS, _UP = 0x8914, 0x41


def loopback_up() -> None:
    """Bring the fresh namespace's loopback up."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sh14x", b"lo", _UP))


def main() -> int:
    """Run the argv after `--` in the directory before it; its exit code. On a terminal it gets that as its input."""
    directory, dashes, *argv = sys.argv[1:]
    assert dashes == "--"
    given = None if os.isatty(0) else subprocess.DEVNULL
    loopback_up()
    with serving(PORT):
        environ = dict(os.environ)
        environ.pop("PYTHONPATH", None)
        return subprocess.run(argv, cwd=directory, env=environ, stdin=given).returncode


if __name__ == "__main__":
    sys.exit(main())

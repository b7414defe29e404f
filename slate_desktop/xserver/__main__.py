"""Runs a program on an X server of its own and ends as it did: `python -I -S __main__.py SOCKET PROGRAM ARGUMENT…`.

Whoever connects to SOCKET asks its window to close: the window of an older server does not hear of that by itself. It
outlives the daemon, so it has nothing but the standard library, and needs nobody.
"""

from __future__ import annotations

import os
import secrets
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

# Started by its path, isolated: the package it is part of is not on the module path.
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

from slate_desktop.xserver import wire
from slate_desktop.xserver.steward import Steward

SIZE = "1280x800"  # of a background as we make it; a server that follows its window is not told
X_SOCKETS = "/tmp/.X11-unix/X"  # noqa: S108  # where X has them
START_S = 10.0
FIRST_WINDOW_S = 2.0  # for a program that goes on in another process to open it
NO_SERVER = 126
PRIVATE = ("-nolisten", "tcp", "-terminate")
# Toolkits that can do both would take Wayland.
X11_ONLY = {
    "XDG_SESSION_TYPE": "x11",
    "GDK_BACKEND": "x11",
    "QT_QPA_PLATFORM": "xcb",
    "SDL_VIDEODRIVER": "x11",
    "MOZ_ENABLE_WAYLAND": "0",
}


def main(doorbell: str, argv: list[str]) -> int:
    """The exit code of the program."""
    with _listening(doorbell) as bell, tempfile.TemporaryDirectory(prefix="slate-x-") as place:
        cookie = secrets.token_bytes(16)
        authority = os.path.join(place, "authority")
        with open(authority, "xb") as file:
            file.write(_entry(cookie))
        display = _start(authority)
        with _connected(display) as connection:
            steward = _begin(connection, cookie)
            env = {**os.environ, **X11_ONLY, "DISPLAY": f":{display}", "XAUTHORITY": authority}
            del env["WAYLAND_DISPLAY"]
            program = subprocess.Popen(argv, env=env)
            signal.signal(signal.SIGTERM, lambda *_: program.terminate())
            _manage(connection, steward, program, bell)
            # Our connection is the last one: the server ends with it.
        return program.wait()


def _entry(cookie: bytes) -> bytes:
    """A line of an authority file that is good for every display: the number is not known yet."""
    parts = (b"", b"", wire.COOKIE, cookie)
    return struct.pack(">H", 0xFFFF) + b"".join(
        struct.pack(">H", len(part)) + part for part in parts
    )


def _start(authority: str) -> int:
    """Start the server with the whole screen as one window; its display's number."""
    said, tell = os.pipe()
    knows = subprocess.run(["Xwayland", "-help"], capture_output=True, check=False).stderr
    sized = ["-geometry", SIZE] if b"-geometry" in knows else []
    subprocess.Popen(
        ["Xwayland", *sized, "-displayfd", str(tell), "-auth", authority, *PRIVATE],
        stdout=subprocess.DEVNULL,
        pass_fds=(tell,),
        start_new_session=True,
    )
    os.close(tell)
    try:
        number = b""
        while not number.endswith(b"\n"):
            ready = select.select([said], [], [], START_S)[0]
            more = os.read(said, 16) if ready else b""
            if not more:
                sys.stderr.write("Xwayland did not start\n")
                raise SystemExit(NO_SERVER)
            number += more
        return int(number)
    finally:
        os.close(said)


def _connected(display: int) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(START_S)
    path = f"{X_SOCKETS}{display}"
    try:
        connection.connect(path)
    except OSError:
        connection.connect(f"\0{path}")  # where no one may make that directory
    return connection


def _begin(connection: socket.socket, cookie: bytes) -> Steward:
    connection.sendall(wire.hello(cookie))
    data = b""
    while (found := wire.welcome(data)) is None:
        more = connection.recv(65536)
        if not more:
            raise ConnectionError("the X server ended")
        data += more
    root, rest = found
    steward = Steward(root)
    connection.sendall(steward.begin() + steward.feed(rest))
    return steward


def _manage(
    connection: socket.socket,
    steward: Steward,
    program: subprocess.Popen[bytes],
    bell: socket.socket,
) -> None:
    """Manage windows until the program has ended and none is left, or the server is gone."""
    end = os.pidfd_open(program.pid)
    waiting: list[int | socket.socket] = [connection, bell, end]
    ever = False
    while end in waiting or steward.windows or not ever:
        ready = select.select(waiting, [], [], None if end in waiting else FIRST_WINDOW_S)[0]
        if connection in ready:
            data = connection.recv(65536)
            if not data:
                return
            connection.sendall(steward.feed(data))
        if bell in ready:
            bell.accept()[0].close()
            connection.sendall(steward.close())
        if end in ready:
            waiting.remove(end)
            ever = ever or program.poll() != 0  # what has failed opens none
        ever = ever or steward.windows > 0
        if not ready and not steward.windows:
            return


@contextmanager
def _listening(path: str) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        try:
            listener.listen()
            yield listener
        finally:
            os.unlink(path)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))

"""A program run behind an X server, with a server that only says what a client waits for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from slate_desktop import xserver
from tests.unit.xserver.test_wire import welcoming

MAIN = Path(xserver.__file__).with_name("__main__.py")
SERVER = """#!{python} -IS
import os, socket, sys
if "-help" in sys.argv:
    sys.exit(0)
number = {number}
listener = socket.socket(socket.AF_UNIX)
listener.bind("\\0/tmp/.X11-unix/X%d" % number)
listener.listen()
os.write(int(sys.argv[sys.argv.index("-displayfd") + 1]), b"%d\\n" % number)
assert os.stat(sys.argv[sys.argv.index("-auth") + 1]).st_size > 30
client = listener.accept()[0]
client.recv(4096)
client.sendall({welcome!r})
while client.recv(4096):
    pass
"""


def run(place: Path, server: str, *argv: str) -> subprocess.CompletedProcess[str]:
    """The program's end, and what was said."""
    fake = place / "Xwayland"
    fake.write_text(server)
    fake.chmod(0o755)
    env = {"PATH": f"{place}:/usr/bin:/bin", "WAYLAND_DISPLAY": "w", "GREETING": "hello"}
    return subprocess.run(
        [sys.executable, "-I", "-S", str(MAIN), str(place / "bell"), *argv],
        env=env,
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )


def answering() -> str:
    number = 20_000 + os.getpid() % 40_000
    return SERVER.format(python=sys.executable, number=number, welcome=welcoming())


def test_a_program_knows_its_server_and_no_wayland_and_its_end_is_ours(tmp_path: Path) -> None:
    words = (
        'echo "$GREETING $DISPLAY [$WAYLAND_DISPLAY] $GDK_BACKEND"; test -s "$XAUTHORITY" && exit 5'
    )
    done = run(tmp_path, answering(), "sh", "-c", words)
    assert done.returncode == 5, done.stderr
    assert done.stdout == f"hello :{20_000 + os.getpid() % 40_000} [] x11\n"
    assert not (tmp_path / "bell").exists()


def test_a_server_that_does_not_start_is_told(tmp_path: Path) -> None:
    done = run(tmp_path, "#!/bin/sh\nexit 3\n", "true")
    assert (done.returncode, done.stderr) == (126, "Xwayland did not start\n")


def test_a_program_that_goes_on_elsewhere_is_given_time_for_its_window(tmp_path: Path) -> None:
    assert run(tmp_path, answering(), "true").returncode == 0


def test_a_bell_that_is_rung_before_there_is_a_window_does_no_harm(tmp_path: Path) -> None:
    ring = (
        "import socket, sys; s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); sys.exit(3)"
    )
    bell = str(tmp_path / "bell")
    assert run(tmp_path, answering(), sys.executable, "-c", ring, bell).returncode == 3

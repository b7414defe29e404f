"""Start a user's daemon as nobody's child, or through systemd, and hear at once whether it serves.

Standard library only, for the front's sake. Nothing here knows what the daemon is for.
"""

from __future__ import annotations

import fcntl
import json
import os
import pwd
import select
import signal
import socket
import time

from slated.errors import SlateError, Unavailable
from slated.wire import places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# The client programs give up at 30 s; a daemon that fails tells at once, so this is for a busy machine only.
START_DEADLINE_S = 25.0
SYSTEMD_DEADLINE_S = 10.0
SYSTEMCTL = "/usr/bin/systemctl"
_LOG_LIMIT = 1 << 20
_PASSED_ON = ("LANG", "LC_ALL", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME")


class Daemon:
    """Which daemon is meant and how to start it.

    `name` is that of its socket and log, `command` its argv (a `--ready-fd N` is added), `attached` names the
    environment it gets from us if we have it, `unit` the systemd user unit that may hold it.
    """

    __slots__ = ("attached", "command", "directory", "environ", "name", "uid", "unit", "version")

    def __init__(
        self,
        name: str,
        *,
        version: str,
        command: Sequence[str],
        environ: Mapping[str, str],
        attached: Sequence[str] = (),
        unit: str = "",
    ) -> None:
        self.name = name
        self.version = version
        self.command = list(command)
        self.environ = environ
        self.attached = attached
        self.unit = unit
        self.uid = os.getuid()
        self.directory = places.runtime_directory(environ, self.uid)

    @property
    def socket(self) -> str:
        """The path of its socket."""
        return os.path.join(self.directory, f"{self.name}.sock")

    @property
    def log(self) -> str:
        """The path of the file its output goes to when we start it."""
        return os.path.join(places.state_directory(self.environ, self.uid), f"{self.name}.log")


def surroundings() -> dict[str, str]:
    """The environment this program was started with."""
    return dict(os.environ)


def start(daemon: Daemon, deadline: float) -> None:
    """Start it and wait until it serves; `deadline` on the monotonic clock.

    Raises `unavailable.daemon`, or what the daemon itself says keeps it from starting.
    """
    if daemon.unit and _start_unit(daemon, deadline):
        return
    reader, writer = os.pipe()
    try:
        _detach(daemon, writer)
    finally:
        os.close(writer)
    try:
        _await_ready(daemon, reader, deadline)
    finally:
        os.close(reader)


def _await_ready(daemon: Daemon, reader: int, deadline: float) -> None:
    """Wait for the daemon's one line. It closes the pipe by ending, so a failure is known at once."""
    data = b""
    while not data.endswith(b"\n"):
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([reader], [], [], left)[0]:
            raise failed(daemon, f"it was not ready within {START_DEADLINE_S:.0f} s")
        more = os.read(reader, 4096)
        if not more:
            raise failed(daemon, "it ended before it was ready")
        data += more
    told = json.loads(data)
    if "code" in told:
        raise _told(told)


def _told(told: Mapping[str, str]) -> SlateError:
    """What the daemon says keeps it from starting, as if it were raised here."""
    error = Unavailable("daemon", told["message"], next_step=told.get("next", ""))
    error.code = told["code"]
    return error


def failed(daemon: Daemon, why: str) -> Unavailable:
    """The failure of a start, with the log named."""
    return Unavailable(
        "daemon", f"the daemon could not be started: {why}.", next_step=f"read {daemon.log}"
    )


def _detach(daemon: Daemon, ready: int) -> None:
    """Start it as nobody's child, with an environment and file descriptors of its own."""
    environ = daemon_environment(daemon)
    log = _open_log(daemon.log)
    # Above the numbers that are put in place below, whichever of 0, 1 and 2 we were started with.
    ready = fcntl.fcntl(ready, fcntl.F_DUPFD_CLOEXEC, 10)
    middle = os.fork()
    if middle:
        os.waitpid(middle, 0)
        os.close(log)
        os.close(ready)
        return
    try:
        os.setsid()
        if os.fork():
            os._exit(0)
        os.chdir("/")
        null = os.open(os.devnull, os.O_RDONLY)
        for source, target in ((null, 0), (log, 1), (log, 2), (ready, 3)):
            if source == target:
                os.set_inheritable(source, True)
            else:
                os.dup2(source, target)
        os.closerange(4, 1024)
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.execve(daemon.command[0], [*daemon.command, "--ready-fd", "3"], environ)  # noqa: S606 - no shell is wanted
    finally:
        os._exit(127)


def _open_log(path: str) -> int:
    try:
        if os.path.getsize(path) > _LOG_LIMIT:
            os.replace(path, path + ".1")
    except FileNotFoundError:
        pass
    flags = os.O_CREAT | os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC
    opened = os.open(path, flags, 0o600)
    moved = fcntl.fcntl(opened, fcntl.F_DUPFD_CLOEXEC, 10)
    os.close(opened)
    return moved


def daemon_environment(daemon: Daemon) -> dict[str, str]:
    """The daemon's environment, built from nothing: an agent program's own must not shape the desktop."""
    try:
        name, shell = pwd.getpwuid(daemon.uid).pw_name, pwd.getpwuid(daemon.uid).pw_shell
    except KeyError:
        name, shell = str(daemon.uid), "/bin/sh"
    made = {
        "HOME": places.home(daemon.environ, daemon.uid),
        "USER": name,
        "LOGNAME": name,
        "SHELL": shell or "/bin/sh",
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "LANG": "C.UTF-8",
        "XDG_RUNTIME_DIR": os.path.dirname(daemon.directory),
    }
    wanted = (*_PASSED_ON, *daemon.attached)
    made.update({key: daemon.environ[key] for key in wanted if daemon.environ.get(key)})
    return made


# -- systemd -------------------------------------------------------------------------------------


def _start_unit(daemon: Daemon, deadline: float) -> bool:
    """Start the user unit if it is installed and systemd answers; False to go on without."""
    if not _unit_installed(daemon):
        return False
    answers = os.path.join(os.path.dirname(daemon.directory), "systemd/private")
    if not os.access(SYSTEMCTL, os.X_OK) or not os.path.exists(answers):
        return False
    import subprocess  # only here: it doubles what a front imports

    try:
        done = subprocess.run(
            [SYSTEMCTL, "--user", "start", daemon.unit],
            env=daemon_environment(daemon),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=max(0.1, min(SYSTEMD_DEADLINE_S, deadline - time.monotonic())),
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0 and _listens(daemon, deadline)


def _listens(daemon: Daemon, deadline: float) -> bool:
    """Wait until it accepts connections: to systemd it is started as soon as its process runs."""
    while time.monotonic() < deadline:
        with socket.socket(socket.AF_UNIX) as link:
            if link.connect_ex(daemon.socket) == 0:
                return True
        select.select([], [], [], 0.02)
    return False


def _unit_installed(daemon: Daemon) -> bool:
    home = places.home(daemon.environ, daemon.uid)
    config = daemon.environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    data = daemon.environ.get("XDG_DATA_HOME") or os.path.join(home, ".local/share")
    folders = (
        f"{config}/systemd/user",
        f"{data}/systemd/user",  # where pip puts ours
        "/etc/systemd/user",
        "/usr/lib/systemd/user",
        "/usr/local/lib/systemd/user",
    )
    return any(os.path.exists(os.path.join(folder, daemon.unit)) for folder in folders)

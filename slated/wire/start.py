"""Reach a user's daemon: connect, say hello, start it when there is none, once for all who ask at the same time.

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
import sys
import time

from slated.errors import SlateError, Unavailable
from slated.wire import places, rpc

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

PROTOCOL = 1
# The client programs give up at 30 s; a daemon that fails tells at once, so this is for a busy machine only.
START_DEADLINE_S = 25.0
HELLO_DEADLINE_S = 5.0
HELLO_LIMIT = 64 << 10
SYSTEMD_DEADLINE_S = 10.0
SYSTEMCTL = "/usr/bin/systemctl"
_LOG_LIMIT = 1 << 20
_PASSED_ON = ("LANG", "LC_ALL", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME")
_PASSED_IN_HELLO = ("CLAUDE_CODE_SESSION_ID", "CLAUDE_PROJECT_DIR", "CODEX_THREAD_ID", "SLATE_TASK")


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


def reach(
    daemon: Daemon, *, share: str = "", say: Callable[[str], None], start: bool = True
) -> socket.socket:
    """A greeted connection, with a daemon of our version at its other end.

    `share` names connections that are one to the daemon (the verbs of a command line). Raises `unavailable.daemon`,
    `unavailable.daemon_version`, or what the daemon itself says keeps it from starting.
    """
    deadline = time.monotonic() + START_DEADLINE_S
    while True:
        link = _connect(daemon.socket)
        if link is None:
            if not start:
                raise Unavailable("daemon", f"no daemon answers at {daemon.socket}.")
            link = _start_once(daemon, deadline)
        welcome = _greet(link, daemon, share)
        if welcome.get("version") == daemon.version and not welcome.get("refused"):
            return link
        if not welcome.get("leaving"):
            link.close()
            raise _turned_away(daemon, welcome)
        say(
            f"the daemon is version {welcome.get('version')}, not {daemon.version}, and idle: it is started anew"
        )
        _wait_until_gone(link, deadline)


def running(daemon: Daemon) -> bool:
    """Whether something answers at its socket."""
    link = _connect(daemon.socket)
    if link is not None:
        link.close()
    return link is not None


def _connect(path: str) -> socket.socket | None:
    link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        link.connect(path)
    except (FileNotFoundError, ConnectionRefusedError):
        link.close()
        return None
    return link


# -- the greeting --------------------------------------------------------------------------------


def _greet(link: socket.socket, daemon: Daemon, share: str) -> dict[str, object]:
    env = {name: daemon.environ[name] for name in _PASSED_IN_HELLO if name in daemon.environ}
    hello: dict[str, object] = {
        "slate": PROTOCOL,
        "version": daemon.version,
        "cwd": _cwd(),
        "argv": sys.argv[:20],
        "env": env,
    }
    if share:
        hello["share"] = share
    link.settimeout(HELLO_DEADLINE_S)
    try:
        link.sendall(rpc.encode(hello))
        welcome = json.loads(_line(link))
    except (OSError, ValueError) as error:
        link.close()
        raise Unavailable(
            "daemon",
            f"the daemon at {daemon.socket} does not answer.",
            next_step=f"end it (its lock {daemon.name}.lock names its pid) and try again; its log is {daemon.log}",
        ) from error
    link.settimeout(None)
    return welcome if isinstance(welcome, dict) else {}


def _cwd() -> str:
    try:
        return os.getcwd()
    except OSError:  # deleted under us
        return "/"


def _line(link: socket.socket) -> bytes:
    """The first line. The daemon sends nothing after it before we ask, so no byte beyond it is lost."""
    data = b""
    while not data.endswith(b"\n"):
        more = link.recv(HELLO_LIMIT)
        if not more or len(data) > HELLO_LIMIT:
            raise ConnectionError
        data += more
    return data


def _turned_away(daemon: Daemon, welcome: Mapping[str, object]) -> Unavailable:
    if welcome.get("refused") == "busy":
        return Unavailable(
            "daemon_busy", "the daemon has all the connections it takes.", next_step="close one"
        )
    return Unavailable(
        "daemon_version",
        f"the running daemon is version {welcome.get('version')}, this is {daemon.version}, and others use it.",
        next_step=f"end the programs that use it, then try again; its pid is {welcome.get('pid')}",
    )


def _wait_until_gone(link: socket.socket, deadline: float) -> None:
    link.settimeout(max(0.1, deadline - time.monotonic()))
    try:
        while link.recv(4096):
            pass
    except OSError:
        pass
    finally:
        link.close()


# -- starting it ---------------------------------------------------------------------------------


def _start_once(daemon: Daemon, deadline: float) -> socket.socket:
    lock = os.open(
        os.path.join(daemon.directory, f"{daemon.name}.start"),
        os.O_CREAT | os.O_RDWR | os.O_CLOEXEC,
        0o600,
    )
    try:
        _take(lock, daemon, deadline)
        link = _connect(daemon.socket)  # another front may have started it while we waited
        if link is None:
            _start(daemon, deadline)
            link = _connect(daemon.socket)
        if link is None:
            raise _failed(daemon, "it was started but does not answer")
        return link
    finally:
        os.close(lock)


def _take(lock: int, daemon: Daemon, deadline: float) -> None:
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise _failed(daemon, "another program has been starting it for too long") from None
            select.select([], [], [], 0.02)  # flock has no deadline of its own


def _start(daemon: Daemon, deadline: float) -> None:
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
            raise _failed(daemon, f"it was not ready within {START_DEADLINE_S:.0f} s")
        more = os.read(reader, 4096)
        if not more:
            raise _failed(daemon, "it ended before it was ready")
        data += more
    told = json.loads(data)
    if "code" in told:
        raise _told(told)


def _told(told: Mapping[str, str]) -> SlateError:
    """What the daemon says keeps it from starting, as if it were raised here."""
    error = Unavailable("daemon", told["message"], next_step=told.get("next", ""))
    error.code = told["code"]
    return error


def _failed(daemon: Daemon, why: str) -> Unavailable:
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
    return done.returncode == 0


def _unit_installed(daemon: Daemon) -> bool:
    config = daemon.environ.get("XDG_CONFIG_HOME") or os.path.join(
        places.home(daemon.environ, daemon.uid), ".config"
    )
    folders = (
        f"{config}/systemd/user",
        "/etc/systemd/user",
        "/usr/lib/systemd/user",
        "/usr/local/lib/systemd/user",
    )
    return any(os.path.exists(os.path.join(folder, daemon.unit)) for folder in folders)

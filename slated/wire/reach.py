"""Reach a user's daemon: connect, say hello, have it started when there is none, once for all who ask together.

Standard library only, for the front's sake.
"""

from __future__ import annotations

import fcntl
import json
import os
import select
import socket
import sys
import time

from slated.errors import Unavailable
from slated.wire import rpc, start
from slated.wire.start import Daemon

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

PROTOCOL = 1
HELLO_DEADLINE_S = 5.0
HELLO_LIMIT = 64 << 10
_PASSED_IN_HELLO = ("CLAUDE_CODE_SESSION_ID", "CLAUDE_PROJECT_DIR", "CODEX_THREAD_ID", "SLATE_TASK")


def reach(
    daemon: Daemon, *, share: str = "", say: Callable[[str], None], may_start: bool = True
) -> socket.socket:
    """A greeted connection, with a daemon of our version at its other end.

    `share` names connections that are one to the daemon (the verbs of a command line). Raises `unavailable.daemon`,
    `unavailable.daemon_version`, or what the daemon itself says keeps it from starting.
    """
    began = time.monotonic()
    deadline = began + start.START_DEADLINE_S
    while True:
        link = _connect(daemon.socket)
        if link is None:
            if not may_start:
                raise Unavailable("daemon", f"no daemon answers at {daemon.socket}.")
            link = _start_once(daemon, deadline)
        welcome = _greet(link, daemon, share)
        if welcome is None:  # it was about to end when we came
            if time.monotonic() - began > HELLO_DEADLINE_S:
                raise _silent(daemon)
            select.select([], [], [], 0.02)
        elif welcome.get("version") == daemon.version and not welcome.get("refused"):
            return link
        elif welcome.get("leaving"):
            say(
                f"an idle daemon of version {welcome.get('version')} makes room for {daemon.version}"
            )
            _wait_until_gone(link, deadline)
            began = time.monotonic()
        else:
            link.close()
            raise _turned_away(daemon, welcome)


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
    except OSError as error:
        link.close()
        what = f"{path} cannot be connected to: {error.strerror}."
        raise Unavailable("daemon", what, next_step="see who owns it") from error
    return link


# -- the greeting --------------------------------------------------------------------------------


def _greet(link: socket.socket, daemon: Daemon, share: str) -> dict[str, object] | None:
    """The daemon's welcome; None if it closes the connection instead."""
    env = {name: daemon.environ[name] for name in _PASSED_IN_HELLO if name in daemon.environ}
    hello: dict[str, object] = {
        "slate": PROTOCOL,
        "version": daemon.version,
        "cwd": _cwd(),
        # No more than the command: what follows may be a text to type, which no log may hold.
        "argv": sys.argv[:2],
        "env": env,
    }
    if share:
        hello["share"] = share
    link.settimeout(HELLO_DEADLINE_S)
    try:
        link.sendall(rpc.encode(hello))
        welcome = json.loads(_line(link))
    except ConnectionError:
        link.close()
        return None
    except (OSError, ValueError) as error:
        link.close()
        raise _silent(daemon) from error
    link.settimeout(None)
    return welcome if isinstance(welcome, dict) else {}


def _silent(daemon: Daemon) -> Unavailable:
    return Unavailable(
        "daemon",
        f"the daemon at {daemon.socket} does not answer.",
        next_step=f"end it (its lock {daemon.name}.lock names its pid) and try again; its log is {daemon.log}",
    )


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


# -- one start for all ---------------------------------------------------------------------------


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
            start.start(daemon, deadline)
            link = _connect(daemon.socket)
        if link is None:
            raise start.failed(daemon, "it was started but does not answer")
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
                raise start.failed(
                    daemon, "another program has been starting it for too long"
                ) from None
            select.select([], [], [], 0.02)  # flock has no deadline of its own

"""What the surroundings say: environment, directories, compositor. Only reader of os.environ."""

from __future__ import annotations

import os
import re
import socket
import stat
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from slate_desktop.errors import BadRequest, Unavailable

CONNECT_S = 2.0
SEAT_KINDS = ("transient", "named")
NAMED_SEAT = "slate-1"  # as sway/slate-seat.conf calls it
RUN_USER = Path("/run/user")
LAST_RESORT = Path("/tmp")  # noqa: S108  # the directory made in it is checked for owner and mode
SWAY_SOCKET = re.compile(r"sway-ipc\.\d+\.\d+\.sock")
_OUR_SESSION = b"SLATE_SESSION="
WAYLAND_SOCKET = re.compile(r"wayland-\d+")


@dataclass(frozen=True, slots=True)
class Compositor:
    """The sockets of one running sway."""

    sway_socket: Path
    wayland_socket: Path


def environment() -> Mapping[str, str]:
    """This process's environment, as it is now."""
    return dict(os.environ)


def home(environ: Mapping[str, str]) -> Path:
    """The person's home, never relative."""
    return _absolute(environ, "HOME") or Path("~").expanduser()


def data_home(environ: Mapping[str, str]) -> Path:
    """Where a person's programs keep data; a relative value counts as unset (XDG rules)."""
    return _absolute(environ, "XDG_DATA_HOME") or home(environ) / ".local" / "share"


def slow(environ: Mapping[str, str]) -> float:
    """By how much deadlines are stretched (SLATE_SLOW). Raises BadRequest unless from 1 to 100."""
    text = environ.get("SLATE_SLOW") or "1"
    try:
        factor = float(text)
    except ValueError:
        factor = 0.0
    if not 1 <= factor <= 100:
        what = f"SLATE_SLOW is {text!r}."
        raise BadRequest("slate_slow", what, next_step="give it a number from 1 to 100")
    return factor


def named_seat(environ: Mapping[str, str]) -> str | None:
    """The seat of sway's configuration to use (SLATE_SEATS=named); None for seats made when needed.

    Raises BadRequest for another word.
    """
    kind = environ.get("SLATE_SEATS") or "transient"
    if kind not in SEAT_KINDS:
        what = f"SLATE_SEATS is {kind!r}."
        raise BadRequest("slate_seats", what, next_step=f"give it {' or '.join(SEAT_KINDS)}")
    return NAMED_SEAT if kind == "named" else None


def runtime_dir(environ: Mapping[str, str]) -> Path:
    """The directory for sockets: XDG_RUNTIME_DIR, else the login's, else one of ours below /tmp.

    It belongs to this user and nobody else can enter it. Agent programs strip the environment, so
    the first may be missing although the second is there. Raises Unavailable when somebody else
    has taken the last one.
    """
    uid = os.getuid()
    for candidate in (_absolute(environ, "XDG_RUNTIME_DIR"), RUN_USER / str(uid)):
        if candidate is not None and _private(candidate, uid):
            return candidate
    ours = LAST_RESORT / f"slate-{uid}"
    try:
        ours.mkdir(mode=0o700)
    except FileExistsError:
        pass
    except OSError as error:
        raise Unavailable("runtime_dir", f"{ours} cannot be made: {error.strerror}.") from error
    if not _private(ours, uid):
        raise Unavailable(
            "runtime_dir",
            f"{ours} is not a directory that belongs to you alone (mode 0700).",
            next_step="set XDG_RUNTIME_DIR to a directory of yours with mode 0700",
        )
    return ours


def state_dir(runtime: Path) -> Path:
    """Slate's own directory below the runtime directory, mode 0700; made when missing."""
    ours = runtime / "slate"
    ours.mkdir(mode=0o700, exist_ok=True)
    if not _private(ours, os.getuid()):
        raise Unavailable(
            "runtime_dir",
            f"{ours} is not a directory that belongs to you alone (mode 0700).",
            next_step="remove it",
        )
    return ours


def find_compositor(runtime: Path, environ: Mapping[str, str]) -> Compositor:
    """The sway we were started in, else the only one that answers below `runtime`.

    Connects to sockets, waiting at most two seconds for each. Raises Unavailable with a list of
    what was found.
    """
    own_sway, own_wayland = environ.get("SWAYSOCK"), environ.get("WAYLAND_DISPLAY")
    if own_sway and own_wayland:
        sway_socket, wayland_socket = Path(own_sway), runtime / own_wayland
        for path in (sway_socket, wayland_socket):
            if _listener(path) is None:
                raise _none_found(f"{path} is named in the environment but does not answer", [])
        return Compositor(sway_socket, wayland_socket)
    sways = _listeners([Path(own_sway)] if own_sway else _sockets(runtime, SWAY_SOCKET))
    waylands = _listeners(
        [runtime / own_wayland] if own_wayland else _sockets(runtime, WAYLAND_SOCKET)
    )
    # Both sockets of one sway have the same listener; their names say nothing about that.
    pairs = [
        Compositor(sway_socket, wayland_socket)
        for sway_socket, pid in sways.items()
        for wayland_socket, other in waylands.items()
        if pid == other
    ]
    if len(pairs) == 1:
        return pairs[0]
    found = [*sways, *waylands]
    if pairs:
        raise Unavailable(
            "compositor",
            f"more than one sway is running: {', '.join(str(pair.sway_socket) for pair in pairs)}.",
            next_step="set SWAYSOCK and WAYLAND_DISPLAY to those of the one you mean",
        )
    raise _none_found(f"no sway answers in {runtime}", found)


def attended(compositor: Compositor) -> bool:
    """Whether a person may sit at a sway: not at one that we started without a screen, whose environment says so."""
    pid = _listener(compositor.sway_socket)
    try:
        environ = Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return True
    return not any(entry.startswith(_OUR_SESSION) for entry in environ.split(b"\0"))


def _none_found(what: str, found: list[Path]) -> Unavailable:
    listed = f" (found: {', '.join(str(path) for path in found)})" if found else ""
    return Unavailable(
        "compositor",
        f"{what}{listed}.",
        next_step="start this from inside sway, or use --headless for a desktop without a screen",
    )


def _absolute(environ: Mapping[str, str], name: str) -> Path | None:
    value = environ.get(name, "")
    return Path(value) if value.startswith("/") else None


def _private(path: Path, uid: int) -> bool:
    """Whether `path` is itself a directory (no link to one) of `uid` that nobody else may enter."""
    try:
        facts = path.lstat()
    except OSError:
        return False
    ours = stat.S_ISDIR(facts.st_mode) and facts.st_uid == uid
    return ours and stat.S_IMODE(facts.st_mode) == 0o700


def _sockets(directory: Path, name: re.Pattern[str]) -> list[Path]:
    try:
        return sorted(path for path in directory.iterdir() if name.fullmatch(path.name))
    except OSError:
        return []


def _listeners(paths: list[Path]) -> dict[Path, int]:
    return {path: pid for path in paths if (pid := _listener(path)) is not None}


def _listener(path: Path) -> int | None:
    """Process id of the listener on a unix socket (0: in another container), None for nobody."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        client.settimeout(CONNECT_S)
        try:
            client.connect(str(path))
        except OSError:
            return None
        credentials = client.getsockopt(
            socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i")
        )
    pid: int = struct.unpack("3i", credentials)[0]
    return pid


def proxies(environ: Mapping[str, str]) -> dict[str, str]:
    """The variables that say how to reach the network; the only ones a download is given."""
    names = ("http_proxy", "https_proxy", "no_proxy")
    return {name: environ[name] for name in names if environ.get(name)}

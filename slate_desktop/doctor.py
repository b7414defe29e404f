"""What works on this machine, one short line each; nothing is started for it."""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import anyio

from slate_desktop import __version__, settings
from slate_desktop.errors import SlateError
from slate_desktop.headless import runtime
from slate_desktop.headless.program import WANTED
from slated.wire import reach, start

ANSWER_S = 2.0
GET_VERSION = 7


def run(daemons: Sequence[start.Daemon], write: Callable[[str], object]) -> int:
    """Print what was found; 0 if agents can be served in at least one way."""
    served = False
    for name, said, works in findings(daemons):
        write(f"{name}: {said}\n")
        served = served or works
    return 0 if served else 1


def findings(daemons: Sequence[start.Daemon]) -> Iterator[tuple[str, str, bool]]:
    """(What, what is so, whether agents can be served by it)."""
    environ = settings.environment()
    yield "slate", __version__, False
    try:
        directory = settings.runtime_dir(environ)
        yield "runtime directory", str(directory), False
        compositor = settings.find_compositor(directory, environ)
    except SlateError as error:
        yield "desktop", f"no: {error.message}", False
    else:
        yield "desktop", *_desktop(compositor.sway_socket)
        yield "protocols", _protocols(compositor.wayland_socket), False
        yield "accessibility", _accessibility(environ.get("DBUS_SESSION_BUS_ADDRESS")), False
    program = runtime.find_sway(settings.data_home(environ))
    wanted = ".".join(map(str, WANTED))
    if program is None:
        yield "headless", f"no: no sway ≥ {wanted} (next: slate-desktop runtime install)", False
    else:
        version = ".".join(map(str, program.version))
        yield "headless", f"yes, with the {program.source} sway {version}", True
    for daemon in daemons:
        said = "runs" if reach.running(daemon) else "does not run; it is started when needed"
        yield f"daemon {daemon.name}", f"{said} ({daemon.socket}, log {daemon.log})", False


def _desktop(sway_socket: Path) -> tuple[str, bool]:
    """What the running sway is, and whether it is new enough."""
    wanted = ".".join(map(str, WANTED))
    found = _version(sway_socket)
    text = ".".join(map(str, found))
    if found < WANTED:
        return f"no: the sway at {sway_socket} is {text}, {wanted} is needed", False
    return f"yes, sway {text} at {sway_socket}", True


def _protocols(wayland_socket: Path) -> str:
    """Which protocols the compositor lacks, each with what is lost."""
    from slate_desktop import desk  # loads every adapter

    try:
        missing = anyio.run(desk.missing_protocols, wayland_socket)
    except SlateError as error:
        return f"no: {error.message}"
    lacks = "; ".join(f"{name}: {lost}" for name, lost in missing.items())
    return f"missing: {lacks}" if lacks else "all there"


def _accessibility(session_bus: str | None) -> str:
    """Whether elements of windows can be read."""
    from slate_desktop import desk  # loads every adapter

    if session_bus is None:
        return "no: there is no session bus, so no element can be read"
    try:
        there = anyio.run(desk.accessible, session_bus)
    except SlateError as error:
        return f"no: {error.message}"
    return "yes" if there else "no: at-spi2-core is not installed, so no element can be read"


def _version(sway_socket: Path) -> tuple[int, int]:
    """The version a sway tells of itself; 0.0 if it tells none within the deadline."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as link:
            link.settimeout(ANSWER_S)
            link.connect(str(sway_socket))
            link.sendall(struct.pack("=6sII", b"i3-ipc", 0, GET_VERSION))
            with link.makefile("rb") as answer:
                _, length, _ = struct.unpack("=6sII", answer.read(14))
                facts = json.loads(answer.read(length))
        return int(facts["major"]), int(facts["minor"])
    except (OSError, ValueError, KeyError, struct.error):
        return 0, 0

"""Opens one complete desktop without a screen and takes all of it away again."""

from __future__ import annotations

import fcntl
import json
import logging
import os
import pwd
import secrets
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
from anyio.abc import Process
from anyio.streams.buffered import BufferedByteReceiveStream

from slate_desktop.errors import BadRequest, Unavailable
from slate_desktop.geometry import Size
from slate_desktop.headless import guard, recipe
from slate_desktop.headless.program import SwayProgram
from slate_desktop.headless.recipe import Place

log = logging.getLogger(__name__)

PARENT = Path("/tmp")  # noqa: S108  # short, and there on every machine; mkdtemp makes the name and mode safe
PREFIX = "slate-session-"
LOCK = ".guard"
START_S = 5.0
A11Y_S = 2.0
END_S = 3.0
LONGEST_SOCKET = 107  # bytes in sockaddr_un, the ending zero left out
RUN_COMMAND, GET_OUTPUTS = 0, 3


@dataclass(frozen=True, slots=True)
class Session:
    """A running session. `app_env` is the whole environment for an application in it."""

    runtime_dir: Path
    wayland_socket: Path
    sway_socket: Path
    bus_address: str
    a11y_address: str | None
    app_env: Mapping[str, str]
    sway_pid: int
    guard_pid: int
    _events: BufferedByteReceiveStream = field(repr=False)

    async def ended(self) -> str:
        """Wait until the session has ended by itself; says which part ended first (`sway`, `bus`, `guard` …)."""
        try:
            return str((await _event(self._events))["cause"])
        except Unavailable:
            return "guard"


@asynccontextmanager
async def open_session(
    program: SwayProgram,
    *,
    size: Size = Size(1280, 800),  # noqa: B008  # frozen
    runtime_dir: Path | None = None,
    extra_config: str = "",
    home: Path | None = None,
    background: bool = True,
    path: str = recipe.PATH,
    slow: float = 1.0,
) -> AsyncIterator[Session]:
    """A session bus, an accessibility bus and sway with a screen of `size`; all of it ends with this context.

    `runtime_dir` must be missing or empty; what is made there is removed at the end. `home` defaults to a directory
    inside it. `slow` stretches every deadline. Raises Unavailable when a part is missing or does not start.
    """
    bus_program = shutil.which("dbus-daemon", path=path)
    if bus_program is None:
        raise Unavailable("bus", "there is no dbus-daemon on this machine.", next_step="install the package dbus-daemon")
    place, lock, made = _make_place(runtime_dir, home, path)
    try:
        process = await _start_guard(lock)
    except BaseException:
        guard.clear(place.runtime_dir, not made)
        raise
    finally:
        os.close(lock)
    try:
        _write_files(place, recipe.sway_config(size, background=background, extra=extra_config))
        events = await _give_order(process, place, program, bus_program, lock=lock, background=background, keep=not made)
        yield await _settle(process, events, place, size, background=background, slow=slow)
    finally:
        with anyio.CancelScope(shield=True):
            await _end(process, place, keep_directory=not made)


def _make_place(runtime_dir: Path | None, home: Path | None, path: str) -> tuple[Place, int, bool]:
    """The place, the descriptor of its lock, and whether its directory is ours to remove."""
    made = runtime_dir is None or not runtime_dir.exists()
    if runtime_dir is None:
        sweep_abandoned()
        runtime_dir = Path(tempfile.mkdtemp(prefix=PREFIX, dir=PARENT))
    else:
        runtime_dir.mkdir(mode=0o700, exist_ok=True)
        if any(runtime_dir.iterdir()):
            raise BadRequest("runtime_dir", f"{runtime_dir} is not empty.")
        runtime_dir.chmod(0o700)
    longest = f"{runtime_dir}/sway-ipc.{os.getuid()}.4194304.sock"
    if len(os.fsencode(longest)) > LONGEST_SOCKET:
        raise BadRequest("runtime_dir", f"{runtime_dir} is too long a name for the sockets in it.")
    lock = os.open(runtime_dir / LOCK, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)
    user = pwd.getpwuid(os.getuid()).pw_name
    place = Place(secrets.token_hex(8), str(runtime_dir), str(home or runtime_dir / "home"), user, path)
    os.write(lock, place.mark.encode())
    return place, lock, made


def _write_files(place: Place, sway_config: str) -> None:
    directory = Path(place.runtime_dir)
    services = directory / "dbus-1" / "services"
    services.mkdir(parents=True, mode=0o700)
    for name in recipe.MASKED_SERVICES:
        (services / f"{name}.service").write_text(recipe.masked_service(name))
    (directory / "bus.conf").write_text(recipe.bus_config(place))
    (directory / "sway.conf").write_text(sway_config)
    Path(place.home).mkdir(mode=0o700, parents=True, exist_ok=True)


async def _start_guard(lock: int) -> Process:
    return await anyio.open_process(
        [sys.executable, "-I", "-S", guard.__file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=None,
        env={"LANG": "C.UTF-8"},
        cwd="/",
        start_new_session=True,
        pass_fds=(lock,),
    )


async def _give_order(
    process: Process, place: Place, program: SwayProgram, bus_program: str, *, lock: int, background: bool, keep: bool
) -> BufferedByteReceiveStream:
    directory = place.runtime_dir
    bus = {
        "name": "bus",
        "argv": [bus_program, "--nofork", "--nopidfile", "--nosyslog", f"--config-file={directory}/bus.conf"],
        "env": recipe.app_env(place),
    }
    sway = {
        "name": "sway",
        "argv": [*program.argv, "-c", f"{directory}/sway.conf"],
        "env": recipe.sway_env(place, program.env, background=background),
    }
    order = {
        "mark": place.mark,
        "lock": lock,
        "directory": directory,
        "keep_directory": keep,
        "programs": [
            entry | {"log": f"{directory}/{entry['name']}.log", "cwd": place.home} for entry in (bus, sway)
        ],
    }
    assert process.stdin is not None  # noqa: S101  # asked for above
    assert process.stdout is not None  # noqa: S101
    await process.stdin.send(json.dumps(order).encode() + b"\n")
    return BufferedByteReceiveStream(process.stdout)


async def _settle(
    process: Process,
    events: BufferedByteReceiveStream,
    place: Place,
    size: Size,
    *,
    background: bool,
    slow: float,
) -> Session:
    """Wait until bus and sway answer, switch accessibility on, point the person's seat at the screen."""
    try:
        with anyio.fail_after(START_S * slow):
            pids = (await _event(events))["pids"]
            sway_pid = pids["sway"]
            await _answering(Path(place.bus_socket), pids["bus"], "the session bus")
            a11y_address = await _accessibility(place.bus_address, A11Y_S * slow)
            sway_socket = Path(place.runtime_dir, f"sway-ipc.{os.getuid()}.{sway_pid}.sock")
            await _answering(sway_socket, sway_pid, "sway")
            await _check_screens(sway_socket, size, background=background)
    except (Unavailable, TimeoutError) as error:
        log.error("the session did not start; sway said: %s", _tail(Path(place.runtime_dir, "sway.log")))
        if isinstance(error, Unavailable):
            raise
        raise Unavailable("session", f"the headless session did not start within {START_S * slow:g} s.") from error
    return Session(
        runtime_dir=Path(place.runtime_dir),
        wayland_socket=Path(place.runtime_dir, recipe.WAYLAND_NAME),
        sway_socket=sway_socket,
        bus_address=place.bus_address,
        a11y_address=a11y_address,
        app_env=recipe.app_env(place, accessible=a11y_address is not None),
        sway_pid=sway_pid,
        guard_pid=process.pid,
        _events=events,
    )


async def _event(events: BufferedByteReceiveStream) -> dict[str, Any]:
    """The guard's next line."""
    try:
        event: dict[str, Any] = json.loads(await events.receive_until(b"\n", 65536))
    except (anyio.IncompleteRead, anyio.EndOfStream, anyio.ClosedResourceError) as error:
        raise Unavailable("session", "the guard of the headless session ended.") from error
    return event


async def _answering(socket: Path, pid: int, what: str) -> None:
    """Wait until `socket` accepts connections, as long as the process behind it lives."""
    while True:
        try:
            stream = await anyio.connect_unix(socket)
        except OSError:
            if guard.born(pid) is None:
                raise Unavailable("session", f"{what} ended while it was starting.") from None
            await anyio.sleep(0.005)
        else:
            await stream.aclose()
            return


async def _accessibility(bus_address: str, within_s: float) -> str | None:
    # Imported late: it takes longer than sway needs to start, and sway is starting meanwhile.
    from slate_desktop.headless import a11y

    with anyio.move_on_after(within_s):
        return await a11y.switch_on(bus_address)
    log.warning("the accessibility bus does not answer: applications start without it")
    return None


async def _check_screens(socket: Path, size: Size, *, background: bool) -> None:
    """Point the person's seat at the screen and make sure that sway has the outputs we asked for."""
    wanted = {recipe.SCREEN, recipe.BACKGROUND} if background else {recipe.SCREEN}
    # sway starts out looking at the output that was added last.
    await _ask(socket, RUN_COMMAND, f"focus output {recipe.SCREEN}")
    outputs = {output["name"]: output for output in await _ask(socket, GET_OUTPUTS)}
    shown = {name: (output["rect"]["width"], output["rect"]["height"]) for name, output in outputs.items()}
    if shown != dict.fromkeys(wanted, (size.width, size.height)) or not outputs[recipe.SCREEN]["focused"]:
        raise Unavailable("session", f"sway made other outputs than asked for: {shown}.")


async def _ask(socket: Path, kind: int, payload: str = "") -> Any:
    """One request over sway's IPC (i3-ipc framing, native byte order) and its answer."""
    async with await anyio.connect_unix(socket) as connection:
        await connection.send(struct.pack("=6sII", b"i3-ipc", len(payload), kind) + payload.encode())
        stream = BufferedByteReceiveStream(connection)
        _, length, _ = struct.unpack("=6sII", await stream.receive_exactly(14))
        return json.loads(await stream.receive_exactly(length))


async def _end(process: Process, place: Place, *, keep_directory: bool) -> None:
    """Let the guard clean up; do it ourselves when it cannot."""
    assert process.stdin is not None  # noqa: S101  # asked for in _start_guard
    await process.stdin.aclose()
    clean = False
    with anyio.move_on_after(END_S):
        clean = await process.wait() == 0
    await process.aclose()
    if not clean or not keep_directory and Path(place.runtime_dir).exists():
        await anyio.to_thread.run_sync(guard.sweep, place.mark, place.runtime_dir, keep_directory, None)


def _tail(path: Path) -> str:
    try:
        return path.read_text(errors="replace")[-2000:]
    except OSError:
        return "nothing"


def sweep_abandoned(parent: Path = PARENT) -> None:
    """Remove what sessions left whose guards were both killed; sessions that live hold their lock."""
    for directory in parent.glob(f"{PREFIX}*"):
        try:
            if directory.is_symlink() or directory.stat().st_uid != os.getuid():
                continue
            lock = os.open(directory / LOCK, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            mark = os.read(lock, 200).decode("ascii", "replace")
            if mark.startswith(recipe.MARK):
                guard.sweep(mark, str(directory), False, None)
        except OSError:
            continue
        finally:
            os.close(lock)

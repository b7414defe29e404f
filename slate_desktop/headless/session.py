"""Opens one complete desktop without a screen and takes all of it away again."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import pwd
import secrets
import shutil
import struct
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
from anyio.streams.buffered import BufferedByteReceiveStream

from slate_desktop.errors import BadRequest, Unavailable
from slate_desktop.geometry import Size
from slate_desktop.headless import guard, recipe
from slate_desktop.headless.keeper import Keeper, Order, lock_place, sweep_abandoned
from slate_desktop.headless.program import SwayProgram
from slate_desktop.headless.recipe import Place

log = logging.getLogger(__name__)

# Short (socket paths have a limit) and there on every machine; mkdtemp sees to the name and mode.
PARENT = Path("/tmp")  # noqa: S108
PREFIX = "slate-session-"
SCREEN_SIZE = Size(1280, 800)
START_S = 5.0
A11Y_S = 2.0
TELL_S = 0.5
LONGEST_SOCKET = 107  # bytes in sockaddr_un, the ending zero left out
RUN_COMMAND, GET_OUTPUTS = 0, 3
# What a stream raises when the other side goes away.
BROKEN = (anyio.EndOfStream, anyio.IncompleteRead, anyio.BrokenResourceError)


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
    _keeper: Keeper = field(repr=False)

    async def ended(self) -> str:
        """Wait until the session ends by itself; says by what: `sway`, `bus`, `guard`, `signal`."""
        try:
            return str((await self._keeper.event())["cause"])
        except Unavailable:
            return "guard"


@asynccontextmanager
async def open_session(  # noqa: PLR0913  # each is one plain fact about the desktop wanted
    program: SwayProgram,
    *,
    size: Size = SCREEN_SIZE,
    runtime_dir: Path | None = None,
    extra_config: str = "",
    home: Path | None = None,
    background: bool = True,
    path: str = recipe.PATH,
    slow: float = 1.0,
) -> AsyncIterator[Session]:
    """Session bus, accessibility bus and sway with a screen of `size`; all ends with this context.

    `background` adds the agent's output. `runtime_dir` must be missing or empty; what is made there
    is removed at the end. `home` defaults to a directory inside it. `path` is the applications'
    PATH, `slow` stretches every deadline. Raises Unavailable when a part is missing or does not
    start, BadRequest for a directory that cannot serve.
    """
    bus_program = shutil.which("dbus-daemon", path=path)
    if bus_program is None:
        what = "a headless session needs dbus-daemon, and this machine has none."
        raise Unavailable("bus", what, next_step="have an administrator install dbus-daemon")
    directory, made = _directory(runtime_dir)
    try:
        user = pwd.getpwuid(os.getuid()).pw_name
        place = Place(
            secrets.token_hex(8), str(directory), str(home or directory / "home"), user, path
        )
        config = recipe.sway_config(size, background=background, extra=extra_config)
        keeper = _start(place, not made, config, [bus_program], program, background=background)
    except BaseException:
        guard.clear(str(directory), not made)
        raise
    try:
        yield await _settle(keeper, place, size, background=background, slow=slow)
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(keeper.end)


def _directory(wanted: Path | None) -> tuple[Path, bool]:
    """An empty runtime directory of ours, mode 0700, and whether we made it."""
    if wanted is None:
        sweep_abandoned(list(PARENT.glob(f"{PREFIX}*")), recipe.MARK)
        return Path(tempfile.mkdtemp(prefix=PREFIX, dir=PARENT)), True
    longest = wanted / f"sway-ipc.{os.getuid()}.4194304.sock"
    if not wanted.is_absolute() or len(os.fsencode(longest)) > LONGEST_SOCKET:
        raise BadRequest(
            "runtime_dir", f"{wanted} is no absolute path short enough for the sockets below it."
        )
    made = not wanted.exists()
    wanted.mkdir(mode=0o700, exist_ok=True)
    if any(wanted.iterdir()):
        raise BadRequest(
            "runtime_dir", f"{wanted} is not empty.", next_step="name a new or empty directory"
        )
    wanted.chmod(0o700)
    return wanted, made


def _start(
    place: Place,
    keep: bool,
    config: str,
    bus_argv: list[str],
    program: SwayProgram,
    *,
    background: bool,
) -> Keeper:
    """Lay out the directory and have the guard start bus and sway side by side."""
    directory = Path(place.runtime_dir)
    services = directory / "dbus-1" / "services"
    services.mkdir(parents=True, mode=0o700)
    for name in recipe.MASKED_SERVICES:
        (services / f"{name}.service").write_text(recipe.masked_service(name))
    (directory / "bus.conf").write_text(recipe.bus_config(place))
    (directory / "sway.conf").write_text(config)
    Path(place.home).mkdir(mode=0o700, parents=True, exist_ok=True)
    bus_argv = [
        *bus_argv,
        "--nofork",
        "--nopidfile",
        "--nosyslog",
        f"--config-file={directory}/bus.conf",
    ]
    sway_argv = [*program.argv, "-c", f"{directory}/sway.conf"]
    programs = [
        {
            "name": name,
            "argv": argv,
            "env": env,
            "log": f"{directory}/{name}.log",
            "cwd": place.home,
        }
        for name, argv, env in (
            ("bus", bus_argv, recipe.app_env(place)),
            ("sway", sway_argv, recipe.sway_env(place, program.env, background=background)),
        )
    ]
    lock = lock_place(directory, place.mark)
    try:
        return Keeper(Order(place.mark, place.runtime_dir, keep, programs), lock)
    finally:
        os.close(lock)


async def _settle(
    keeper: Keeper, place: Place, size: Size, *, background: bool, slow: float
) -> Session:
    """Wait until bus and sway answer, switch accessibility on, look at the screen."""
    directory = Path(place.runtime_dir)
    try:
        with anyio.fail_after(START_S * slow):
            pids = (await keeper.event())["pids"]
            await _answering(Path(place.bus_socket), pids["bus"])
            a11y_address = await accessibility(place.bus_address, A11Y_S * slow)
            sway_socket = directory / f"sway-ipc.{os.getuid()}.{pids['sway']}.sock"
            await _answering(sway_socket, pids["sway"])
            await _answering(directory / recipe.WAYLAND_NAME, pids["sway"])
            await _check_screens(sway_socket, size, background=background)
    except (Unavailable, TimeoutError, OSError, *BROKEN) as error:
        raise await _failure(keeper, directory, error) from error
    return Session(
        runtime_dir=directory,
        wayland_socket=directory / recipe.WAYLAND_NAME,
        sway_socket=sway_socket,
        bus_address=place.bus_address,
        a11y_address=a11y_address,
        app_env=recipe.app_env(place, accessible=a11y_address is not None),
        sway_pid=pids["sway"],
        guard_pid=keeper.pid,
        _keeper=keeper,
    )


async def _failure(keeper: Keeper, directory: Path, error: Exception) -> Unavailable:
    """Why the session did not start: the guard knows, as whatever ends takes all else along."""
    with anyio.move_on_after(TELL_S), contextlib.suppress(Unavailable):
        event = await keeper.event()
        log.error("%s ended while the session was starting: %s", event["cause"], event["words"])
        what = f"{event['cause']} ended while the headless session was starting."
        return Unavailable("session", what, next_step="the log has what it said")
    log.error("the session did not start; sway said: %s", _tail(directory / "sway.log"))
    if isinstance(error, Unavailable):
        return error
    what = "the headless session did not start in time."
    return Unavailable("session", what, next_step="the log has what sway said")


async def _answering(socket: Path, pid: int) -> None:
    """Wait until `socket` accepts connections, for as long as the process behind it lives."""
    while True:
        try:
            stream = await anyio.connect_unix(socket)
        except OSError:
            if guard.born(pid) is None:
                raise
            await anyio.sleep(0.005)
        else:
            await stream.aclose()
            return


async def accessibility(bus_address: str, within_s: float) -> str | None:
    """Address of the accessibility bus; None where there is none or it does not answer in time."""
    # Imported late: it takes longer than sway needs to start, and sway is starting meanwhile.
    from slate_desktop.headless import a11y

    with anyio.move_on_after(within_s):
        return await a11y.switch_on(bus_address)
    log.warning("the accessibility bus does not answer: applications start without it")
    return None


async def _check_screens(socket: Path, size: Size, *, background: bool) -> None:
    """Point the person's seat at the screen; make sure that sway has the outputs asked for."""
    wanted = {recipe.SCREEN, recipe.BACKGROUND} if background else {recipe.SCREEN}
    # sway starts out looking at the output that was added last.
    await _ask(socket, RUN_COMMAND, f"focus output {recipe.SCREEN}")
    outputs = {output["name"]: output for output in await _ask(socket, GET_OUTPUTS)}
    shown = {
        name: (output["rect"]["width"], output["rect"]["height"])
        for name, output in outputs.items()
    }
    if (
        shown != dict.fromkeys(wanted, (size.width, size.height))
        or not outputs[recipe.SCREEN]["focused"]
    ):
        raise Unavailable("session", f"sway made other outputs than asked for: {shown}.")


async def _ask(socket: Path, kind: int, payload: str = "") -> Any:
    """One request over sway's IPC (i3-ipc framing, native byte order) and its answer."""
    async with await anyio.connect_unix(socket) as connection:
        await connection.send(
            struct.pack("=6sII", b"i3-ipc", len(payload), kind) + payload.encode()
        )
        stream = BufferedByteReceiveStream(connection)
        _, length, _ = struct.unpack("=6sII", await stream.receive_exactly(14))
        return json.loads(await stream.receive_exactly(length))


def _tail(path: Path) -> str:
    try:
        return path.read_text(errors="replace")[-2000:]
    except OSError:
        return "nothing"

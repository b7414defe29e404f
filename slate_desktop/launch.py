"""Starts programs for the agent, each with a display, a session, a group and an output file of its
own.
"""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import Protocol

import anyio
import anyio.to_thread
from anyio.abc import TaskGroup

from slate_desktop import entries, xserver
from slate_desktop.entries import Entry
from slate_desktop.errors import BadRequest, Unavailable
from slate_desktop.filtered import Display, Filters, doorbell, sweep

# Addresses of other displays and of the compositor's own controls.
_NOT_PASSED = frozenset(
    {
        "SWAYSOCK",
        "I3SOCK",
        "DISPLAY",
        "WAYLAND_SOCKET",
        "XDG_ACTIVATION_TOKEN",
        "DESKTOP_STARTUP_ID",
    }
)
_X_SERVER = Path(xserver.__file__).with_name("__main__.py")
_DISPLAY = "wayland-"  # what the sockets of displays are called, before the launch
_PATH = "/usr/local/bin:/usr/bin:/bin"
_DATA_DIRS = "/usr/local/share:/usr/share"
OUTPUT_CAP, OUTPUT_KEPT = 1 << 20, 1 << 16
TAIL_BYTES = 2000
TRIM_EVERY_S = 5.0
SYSTEMD_S = 2.0
PREPARE_AFTER_S = 1.0
KEPT_LOGS = 20  # of programs that have ended


class Displays(Protocol):
    """Makes displays; wayland.security does."""

    async def open(self, launch: str, program: str) -> Display: ...


@dataclass(slots=True)
class Program:
    """A program that was started: implements the `Launched` port."""

    id: str
    pid: int
    output: Path
    exit_code: int | None = None
    ended: anyio.Event = field(default_factory=anyio.Event)

    @property
    def output_tail(self) -> str:
        """The last lines it printed."""
        with suppress(OSError), self.output.open("rb") as file:
            file.seek(max(0, self.output.stat().st_size - TAIL_BYTES))
            return file.read().decode("utf-8", "replace")
        return ""


class ProgramLauncher:
    """Implements the `Launcher` port. `app_env` is an application's environment but for its
    display; `global_name` gives the number of a seat in registries, None for none of ours.

    Programs outlive this object and the daemon: nothing of theirs depends on either.
    """

    def __init__(
        self,
        displays: Displays,
        state: Path,
        app_env: Mapping[str, str],
        tasks: TaskGroup,
        global_name: Callable[[str], int | None],
    ) -> None:
        self._displays = displays
        self._state = state
        self._logs = state / "launches"
        self._env = {name: value for name, value in app_env.items() if name not in _NOT_PASSED}
        self._tasks = tasks
        self._global_name = global_name
        systemd = Path(self._env.get("XDG_RUNTIME_DIR", "/nonexistent"), "systemd/private")
        # Whether a systemd of the user's answers; None: not asked yet.
        self._scopes: bool | None = None if systemd.exists() else False
        self._ended: deque[Program] = deque()
        self._logs.mkdir(mode=0o700, exist_ok=True)
        for old in self._logs.glob("*.log"):
            if not (state / f"{_DISPLAY}{old.stem}").exists():  # that launch is over
                old.unlink(missing_ok=True)
        sweep(state, _DISPLAY)
        self._filters = Filters(self._env)

    def command(self, app: str, files: Sequence[str]) -> Sequence[str]:
        """The argv of a desktop entry, named by id or name, for these files or URLs.

        BadRequest with near names when there is none; Unavailable when it cannot be run.
        """
        entry = entries.find(self._entries(), app)
        return entries.command(entry, files, lambda name: self._which(name, None) is not None)

    async def start(
        self, argv: Sequence[str], *, cwd: str | None, seat: str | None = None, x11: bool = False
    ) -> Program:
        """Start detached, without a shell, stdin closed, output to a file cut to size.

        Every window it opens carries the id. A `seat` of ours is the first that its programs are
        told of. `x11`: on an X server of its own. BadRequest for a program or a directory that is
        not there, Unavailable when the compositor gives it no display or Xwayland is missing.
        """
        directory = self._directory(cwd)
        executable = self._executable(argv, directory)
        name = Path(executable).name
        launch = f"L{secrets.token_hex(6)}"
        if x11:
            argv = [*self._x_server(launch), executable, *argv[1:]]
            executable = argv[0]
        output = self._logs / f"{launch}.log"
        scope = _scope(launch) if await self._has_scopes() else []
        display = await self._displays.open(launch, name)
        with anyio.CancelScope(shield=True):  # a program that runs is always followed to its end
            try:
                display = await self._filtered(display, launch, seat, output)
                spawn = partial(
                    _spawn,
                    [*scope, executable, *argv[1:]] if scope else list(argv),
                    executable=None if scope else executable,
                    cwd=directory,
                    # Whatever runs below it, a terminal that somebody types into as well, is no person's.
                    env=self._env | {"WAYLAND_DISPLAY": str(display.socket), "SLATE_TASK": launch},
                    output=output,
                    keep=display.life,
                )
                pid, exit_fd = await anyio.to_thread.run_sync(spawn)
            finally:
                display.handed_over()
                self._tasks.start_soon(display.until_over)
            program = Program(launch, pid, output)
            self._tasks.start_soon(self._follow, program, exit_fd)
        return program

    async def close(self, launch: str) -> bool:
        """Ask the X server of a launch to have its window closed; False when it has none."""
        try:
            async with await anyio.connect_unix(doorbell(self._state, launch)):
                return True
        except OSError:
            return False

    async def _filtered(
        self, display: Display, launch: str, seat: str | None, output: Path
    ) -> Display:
        """The display behind a filter that puts a seat of ours before the others."""
        number = self._global_name(seat) if seat is not None else None
        if number is None:
            return display
        prefix = await self._filter_scope()
        begin = partial(self._filters.before, display, launch, number, prefix=prefix, log=output)
        filtered = await anyio.to_thread.run_sync(begin)
        self._tasks.start_soon(self._prepare_later)
        return filtered

    async def prepare(self) -> None:
        """Have a filter ready for the next launch. Errors: `unavailable.filter`."""
        prefix = await self._filter_scope()
        await anyio.to_thread.run_sync(self._filters.prepare, prefix)

    async def _prepare_later(self) -> None:
        """The same when the program that starts now has had the processor for itself."""
        await anyio.sleep(PREPARE_AFTER_S)
        with suppress(Unavailable):  # the next launch says so, if it is still so
            await self.prepare()

    async def _filter_scope(self) -> Sequence[str]:
        token = f"filter-{secrets.token_hex(6)}"
        return _scope(token) if await self._has_scopes() else ()

    def shut(self) -> None:
        """Let go of what waits for a next launch. What was started stays."""
        self._filters.close()

    async def _follow(self, program: Program, exit_fd: int) -> None:
        """Wait for its end and reap it; keep its output file small meanwhile."""
        try:
            while True:
                with anyio.move_on_after(TRIM_EVERY_S):
                    await anyio.wait_readable(exit_fd)
                    break
                _trim(program.output)
            # It has ended, so this does not wait.
            status = os.waitid(os.P_PIDFD, exit_fd, os.WEXITED)  # noqa: ASYNC222  # see above
        finally:
            os.close(exit_fd)
        if status is not None:
            exited = status.si_code == os.CLD_EXITED
            program.exit_code = status.si_status if exited else -status.si_status
        _trim(program.output)
        program.ended.set()
        self._ended.append(program)
        while len(self._ended) > KEPT_LOGS:
            self._ended.popleft().output.unlink(missing_ok=True)

    async def _has_scopes(self) -> bool:
        """Whether a systemd of the user's answers: a scope of its own keeps a program alive when
        ours ends.
        """
        if self._scopes is None:
            self._scopes = await self._systemctl("show-environment")
        return self._scopes

    async def _systemctl(self, *words: str) -> bool:
        program = self._which("systemctl", None)
        if program is None or self._which("systemd-run", None) is None:
            return False
        with anyio.move_on_after(SYSTEMD_S):
            done = await anyio.run_process([program, "--user", *words], check=False, env=self._env)
            return done.returncode == 0
        return False

    def _entries(self) -> dict[str, Entry]:
        found: dict[str, Entry] = {}
        for directory in self._data_dirs():
            for path in sorted(directory.rglob("*.desktop")):
                id_ = str(path.relative_to(directory)).replace("/", "-").removesuffix(".desktop")
                if id_ in found:
                    continue
                with suppress(OSError):
                    text = path.read_text(encoding="utf-8", errors="replace")
                    entry = entries.read(id_, str(path), text)
                    # A hidden entry takes away the one of the same id in a later directory.
                    found[id_] = entry or _HIDDEN
        return {id_: entry for id_, entry in found.items() if entry is not _HIDDEN}

    def _data_dirs(self) -> list[Path]:
        home = Path(self._env.get("HOME", "/nonexistent"))
        first = self._env.get("XDG_DATA_HOME") or str(home / ".local/share")
        rest = (self._env.get("XDG_DATA_DIRS") or _DATA_DIRS).split(":")
        return [Path(name, "applications") for name in (first, *rest) if name]

    def _directory(self, cwd: str | None) -> str:
        home = self._env.get("HOME", "/")
        wanted = cwd if cwd is not None else home if Path(home).is_dir() else "/"
        if not Path(wanted).is_absolute() or not Path(wanted).is_dir():
            raise BadRequest(
                "no_directory",
                "cwd is no directory that is there",
                next_step="give an absolute path",
            )
        return wanted

    def _executable(self, argv: Sequence[str], directory: str) -> str:
        if not argv or not argv[0] or any("\0" in word for word in argv):
            raise BadRequest("argv", "argv must name a program and hold no zero character")
        found = self._which(argv[0], directory)
        if found is None:
            raise BadRequest(
                "no_program", "there is no such program", next_step=self._near(argv[0])
            )
        return found

    def _x_server(self, launch: str) -> Sequence[str]:
        """The beginning of a command line that runs the rest of it on an X server of its own."""
        if self._which("Xwayland", None) is None:
            raise Unavailable(
                "xwayland",
                "a program for X11 needs Xwayland, and this machine has none.",
                next_step="have an administrator install xwayland",
            )
        bell = doorbell(self._state, launch)
        return [sys.executable, "-I", "-S", str(_X_SERVER), str(bell)]

    def _which(self, name: str, directory: str | None) -> str | None:
        """The path of a program; a name with a slash is relative to `directory`."""
        if "/" in name:
            path = Path(directory or "/", name)
            return str(path) if path.is_file() and os.access(path, os.X_OK) else None
        return shutil.which(name, path=self._env.get("PATH", _PATH))

    def _near(self, name: str) -> str:
        programs = {
            path.name
            for part in self._env.get("PATH", _PATH).split(":")
            for path in _listed(Path(part))
        }
        close = get_close_matches(Path(name).name, programs, n=5, cutoff=0.7)
        return f"near it: {', '.join(close)}" if close else "desktop_launch takes app, too"


_HIDDEN = Entry("", "", "", "")


def _spawn(
    argv: Sequence[str],
    *,
    executable: str | None,
    cwd: str,
    env: Mapping[str, str],
    output: Path,
    keep: int,
) -> tuple[int, int]:
    """The pid, and a descriptor that becomes readable when the process ends."""
    with output.open("ab") as file:
        try:
            process = subprocess.Popen(
                argv,
                executable=executable,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                cwd=cwd,
                env=env,
                pass_fds=(keep,),
                start_new_session=True,
            )
        except OSError as fault:
            raise BadRequest(
                "cannot_start",
                _WHY.get(fault.errno or 0, "the system refuses to start that program"),
            ) from fault
    exit_fd = os.pidfd_open(process.pid)
    process.returncode = 0  # reaped by its descriptor; it may outlive us, and Popen would complain
    return process.pid, exit_fd


_WHY = {
    errno.E2BIG: "the arguments are too long for the system",
    errno.ENOEXEC: "that file is no program",
    errno.EACCES: "that file may not be run",
}


def _scope(launch: str) -> list[str]:
    unit = f"--unit=slate-launch-{launch}"
    return ["systemd-run", "--user", "--scope", "--quiet", "--collect", unit, "--"]


def _trim(output: Path) -> None:
    """Cut a file that has grown too large down to its end. Its writer appends, so goes on there."""
    with suppress(OSError):
        if output.stat().st_size > OUTPUT_CAP:
            with output.open("r+b") as file:
                file.seek(-OUTPUT_KEPT, os.SEEK_END)
                rest = b""
                while more := file.read():  # what comes between the last read and the cut is lost
                    rest += more
                file.truncate(0)
            with output.open("ab") as file:
                file.write(rest)


def _listed(directory: Path) -> list[Path]:
    with suppress(OSError):
        return list(directory.iterdir())
    return []

"""Programs that are started, without a compositor: argv, environment, output, ends and groups."""

from __future__ import annotations

import gc
import json
import os
import signal
import socket
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio
import pytest
from anyio.abc import TaskGroup

from slate_desktop import launch
from slate_desktop.errors import BadRequest, Unavailable
from slate_desktop.launch import Program, ProgramLauncher

pytestmark = pytest.mark.anyio
SEATS = {"transient-1": 41}

DUMP = """
import json, os, sys
fds = {}
for fd in os.listdir("/proc/self/fd"):
    try: fds[fd] = os.readlink(f"/proc/self/fd/{fd}")
    except OSError: pass
print(json.dumps({"argv": sys.argv[1:], "env": dict(os.environ), "fds": fds, "cwd": os.getcwd(),
    "session": os.getsid(0) == os.getpid(), "in": sys.stdin.read()}))
"""


@dataclass
class FakeDisplay:
    """A socket's name, and a pipe for its life."""

    socket: Path
    life: int
    over: int
    ended: anyio.Event

    def handed_over(self) -> None:
        os.close(self.life)

    async def until_over(self) -> None:
        try:
            await anyio.wait_readable(self.over)
            self.ended.set()
        finally:
            os.close(self.over)


class FakeDisplays:
    """Makes them and remembers them."""

    def __init__(self, directory: Path = Path("/run/fake")) -> None:
        self.directory = directory
        self.made: list[tuple[str, str, FakeDisplay]] = []

    async def open(self, launch: str, program: str) -> FakeDisplay:
        over, life = os.pipe()
        display = FakeDisplay(self.directory / launch, life, over, anyio.Event())
        self.made.append((launch, program, display))
        return display


@dataclass
class Bench:
    launcher: ProgramLauncher
    displays: FakeDisplays
    home: Path
    tasks: TaskGroup

    async def end_of(self, program: Program) -> Program:
        with anyio.fail_after(5):
            await program.ended.wait()
        return program

    def children_left(self) -> list[str]:
        """Processes of ours that have a launch's display in their environment."""
        return [
            str(environ.parent)
            for environ in Path("/proc").glob("[0-9]*/environ")
            if str(self.home).encode() in _bytes(environ)
        ]


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def runs(pid: int) -> bool:
    """Whether a process runs and does what was asked; a dead one that nobody reaps does not."""
    try:
        return " Z " not in Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False


def end(pid: int) -> None:
    """Kill and reap what a test has left running."""
    os.killpg(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


@asynccontextmanager
async def bench(**env: str) -> AsyncIterator[Bench]:
    with tempfile.TemporaryDirectory(prefix="launch-") as name:
        home = Path(name)
        state = home / "state"
        state.mkdir()
        base = {"PATH": "/usr/bin:/bin", "HOME": name, "XDG_DATA_DIRS": str(home / "data")}
        displays = FakeDisplays()
        async with anyio.create_task_group() as tasks:
            launcher = ProgramLauncher(displays, state, base | env, tasks, SEATS.get)
            yield Bench(launcher, displays, home, tasks)
            tasks.cancel_scope.cancel()


async def test_r81_a_program_gets_exactly_its_argv_and_only_what_it_may_know() -> None:
    hidden = {"SWAYSOCK": "s", "I3SOCK": "i", "DISPLAY": ":0", "WAYLAND_SOCKET": "5"}
    words = ["%s", 'a; b  "c"', "$HOME", "", "*", "--", "ü\n"]
    async with bench(**hidden, GREETING="hello") as it:
        program = await it.launcher.start([sys.executable, "-c", DUMP, *words], cwd="/")
        await it.end_of(program)
        seen = json.loads(program.output.read_text())
    assert seen["argv"] == words
    assert seen["env"]["WAYLAND_DISPLAY"] == f"/run/fake/{program.id}"
    assert seen["env"]["GREETING"] == "hello"
    assert not hidden.keys() & seen["env"].keys()
    assert (seen["cwd"], seen["session"], seen["in"]) == ("/", True, "")  # R101: stdin is empty
    opened = {target for fd, target in seen["fds"].items() if fd not in "012"}
    assert seen["fds"]["0"] == "/dev/null"
    assert len([target for target in opened if target.startswith("pipe:")]) == 1


async def test_a_program_for_a_seat_of_ours_gets_a_display_behind_a_filter() -> None:
    async with bench() as it:
        it.displays.directory = it.home / "state"
        asked = [sys.executable, "-c", DUMP]
        program = await it.launcher.start(asked, cwd="/", seat="transient-1")
        await it.end_of(program)
        seen = json.loads(program.output.read_text())
        assert seen["env"]["WAYLAND_DISPLAY"] == str(it.home / f"state/seat-{program.id}")
        # The filter has what kept the display, and ends with the program.
        pipes = [target for fd, target in seen["fds"].items() if fd not in "012"]
        assert len([target for target in pipes if target.startswith("pipe:")]) == 1
        (_, _, display) = it.displays.made[0]
        with anyio.fail_after(5):
            await display.ended.wait()
            while list((it.home / "state").glob("seat-*")):  # noqa: ASYNC110  # a file tells nobody
                await anyio.sleep(0.01)


async def test_a_program_for_a_seat_that_is_not_ours_gets_the_plain_display() -> None:
    async with bench() as it:
        program = await it.launcher.start([sys.executable, "-c", DUMP], cwd="/", seat="transient-9")
        await it.end_of(program)
        seen = json.loads(program.output.read_text())
    assert seen["env"]["WAYLAND_DISPLAY"] == f"/run/fake/{program.id}"


async def test_without_a_filter_to_start_nothing_is_started() -> None:
    async with bench() as it:
        with pytest.raises(Unavailable) as caught:
            await it.launcher.start(["touch", "ran"], cwd=str(it.home), seat="transient-1")
        assert caught.value.code == "unavailable.filter"
        (_, _, display) = it.displays.made[0]
        with anyio.fail_after(5):
            await display.ended.wait()
        assert not (it.home / "ran").exists()


async def test_a_program_that_fails_at_once_leaves_its_code_and_last_lines() -> None:
    async with bench() as it:
        program = await it.launcher.start(["sh", "-c", "echo no such file >&2; exit 3"], cwd=None)
        await it.end_of(program)
        assert (program.exit_code, program.output_tail) == (3, "no such file\n")
        killed = await it.launcher.start(["sh", "-c", "kill -9 $$"], cwd=None)
        assert (await it.end_of(killed)).exit_code == -signal.SIGKILL


async def test_r104_a_program_lives_on_when_the_launcher_ends() -> None:
    async with bench() as it:
        program = await it.launcher.start(["sleep", "600"], cwd=None)
        assert program.exit_code is None
    gc.collect()
    assert runs(program.pid)
    end(program.pid)


async def test_the_display_lives_as_long_as_a_process_that_inherited_it() -> None:
    async with bench() as it:
        program = await it.launcher.start(["sh", "-c", "sleep 0.3 & exit 0"], cwd=None)
        await it.end_of(program)
        _, _, display = it.displays.made[0]
        assert not display.ended.is_set()
        with anyio.fail_after(5):
            await display.ended.wait()


async def test_output_is_cut_to_its_end_and_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch, "TRIM_EVERY_S", 0.02)
    monkeypatch.setattr(launch, "OUTPUT_CAP", 4000)
    monkeypatch.setattr(launch, "OUTPUT_KEPT", 1000)
    loop = "i=0; while [ $i -lt 3000 ]; do echo line $i; i=$((i+1)); done; sleep 0.2; echo last"
    async with bench() as it:
        program = await it.end_of(await it.launcher.start(["sh", "-c", loop], cwd=None))
        assert program.output.stat().st_size <= 4000
        assert program.output_tail.endswith("line 2999\nlast\n")


async def test_only_the_output_of_the_last_programs_is_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(launch, "KEPT_LOGS", 2)
    async with bench() as it:
        programs = [await it.launcher.start(["true"], cwd=None) for _ in range(4)]
        for program in programs:
            await it.end_of(program)
        assert sum(program.output.exists() for program in programs) == 2
        gone = next(program for program in programs if not program.output.exists())
        assert gone.output_tail == ""


@pytest.mark.parametrize(
    ("argv", "cwd", "code"),
    [
        (["mousepadd"], None, "bad_request.no_program"),
        (["./not-there"], None, "bad_request.no_program"),
        (["/etc/passwd"], None, "bad_request.no_program"),
        ([], None, "bad_request.argv"),
        ([""], None, "bad_request.argv"),
        (["echo", "a\0b"], None, "bad_request.argv"),
        (["true"], "/not/there", "bad_request.no_directory"),
        (["true"], "relative", "bad_request.no_directory"),
        (["echo", "x" * 3_000_000], None, "bad_request.cannot_start"),
    ],
)
async def test_what_cannot_be_started_is_the_callers_fault(
    argv: list[str], cwd: str | None, code: str
) -> None:
    async with bench() as it:
        with pytest.raises(BadRequest) as raised:
            await it.launcher.start(argv, cwd=cwd)
        assert raised.value.code == code
        for _, _, display in it.displays.made:
            with anyio.fail_after(5):
                await display.ended.wait()


async def test_a_mistyped_program_comes_with_near_names() -> None:
    async with bench() as it:
        with pytest.raises(BadRequest) as raised:
            await it.launcher.start(["slepe"], cwd=None)
        assert "sleep" in raised.value.next_step


async def test_a_file_that_is_no_program_is_refused_plainly() -> None:
    async with bench() as it:
        broken = it.home / "broken"
        broken.write_bytes(b"\x7fELF nonsense")
        broken.chmod(0o755)
        with pytest.raises(BadRequest, match="no program"):
            await it.launcher.start([str(broken)], cwd=None)


async def test_a_program_beside_the_working_directory_is_found() -> None:
    async with bench() as it:
        script = it.home / "hello"
        script.write_text("#!/bin/sh\necho hello\n")
        script.chmod(0o755)
        program = await it.end_of(await it.launcher.start(["./hello"], cwd=str(it.home)))
        assert program.output_tail == "hello\n"


async def test_an_application_is_started_by_its_desktop_entry_the_first_directory_winning() -> None:
    async with bench() as it:
        for where, text in (
            (".local/share", "Hidden=true\nExec=no"),
            ("data", "Exec=wrong"),
        ):
            (it.home / where / "applications").mkdir(parents=True)
            (it.home / where / "applications/gone.desktop").write_text(
                f"[Desktop Entry]\nName=Gone\n{text}\n"
            )
        sub = it.home / "data/applications/kde"
        sub.mkdir()
        (sub / "tool.desktop").write_text("[Desktop Entry]\nName=A Tool\nExec=echo %F\n")
        (sub / "latin.desktop").write_bytes(b"[Desktop Entry]\nName=Caf\xe9\nExec=x\n")
        assert list(it.launcher.command("a tool", ["/a", "/b"])) == ["echo", "/a", "/b"]
        assert list(it.launcher.command("kde-tool", [])) == ["echo"]
        with pytest.raises(BadRequest):
            it.launcher.command("gone", [])


async def test_a_user_with_systemd_gets_a_scope_for_each_program() -> None:
    async with bench() as first:
        tools = first.home / "bin"
        tools.mkdir()
        for name, text in (
            ("systemctl", 'test "$*" = "--user show-environment"'),
            ("systemd-run", 'echo "$@"; while [ "$1" != -- ]; do shift; done; shift; exec "$@"'),
        ):
            (tools / name).write_text(f"#!/bin/sh\n{text}\n")
            (tools / name).chmod(0o755)
        (first.home / "systemd").mkdir()
        (first.home / "systemd/private").touch()
        env = {"PATH": f"{tools}:/usr/bin:/bin", "XDG_RUNTIME_DIR": str(first.home)}
        async with bench(**env) as it:
            program = await it.end_of(await it.launcher.start(["echo", "a  b"], cwd=None))
            said, printed = program.output_tail.splitlines()
            assert printed == "a  b"
            assert f"--scope --quiet --collect --unit=slate-launch-{program.id} -- " in said
        (tools / "systemctl").write_text("#!/bin/sh\nexit 1\n")
        async with bench(**env) as it:
            program = await it.end_of(await it.launcher.start(["echo", "a  b"], cwd=None))
            assert program.output_tail == "a  b\n"


async def test_a_call_that_is_cancelled_leaves_no_process_unfollowed() -> None:
    async with bench() as it:
        for _ in range(5):
            with anyio.move_on_after(0.001):
                await it.launcher.start(["true"], cwd=None)
        for _, _, display in it.displays.made:
            with anyio.fail_after(5):
                await display.ended.wait()
        assert not it.children_left()


async def test_a_program_for_x11_is_started_behind_a_server_of_its_own() -> None:
    with tempfile.TemporaryDirectory() as name:
        fake = Path(name, "Xwayland")
        async with bench(PATH=name) as it:
            with pytest.raises(Unavailable) as caught:
                await it.launcher.start(["/bin/true"], cwd="/", x11=True)
            assert caught.value.code == "unavailable.xwayland"
            os.symlink("/bin/false", fake)
            program = await it.end_of(await it.launcher.start(["/bin/true"], cwd="/", x11=True))
            assert program.exit_code == 126
            assert "Xwayland did not start" in program.output_tail
            assert not list((it.home / "state").glob("close-*"))


async def test_only_the_x_server_of_a_launch_can_be_asked_to_close_its_window() -> None:
    async with bench() as it:
        assert not await it.launcher.close("L1")
        with socket.socket(socket.AF_UNIX) as bell:
            bell.bind(str(it.home / "state" / "close-L1"))
            bell.listen()
            assert await it.launcher.close("L1")
            bell.accept()[0].close()

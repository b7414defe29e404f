"""A session around a scripted sway: how it starts, fails to start, and what its programs know."""

from __future__ import annotations

import os
import shutil
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp

import anyio
import pytest

from slate_desktop.errors import BadRequest, Unavailable
from slate_desktop.geometry import Size
from slate_desktop.headless import guard, recipe, session
from slate_desktop.headless.program import SwayProgram
from slate_desktop.headless.session import open_session

pytestmark = pytest.mark.anyio

# Answers every request with two outputs, of which the one named first is the one looked at.
SCRIPTED = """
import json, os, signal, socket, struct, sys
ended, focused, width = sys.argv[1:4]
if ended == "early":
    sys.exit("no such renderer")
directory = os.environ["XDG_RUNTIME_DIR"]
with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as wayland:
    if ended != "blind":
        wayland.bind(f"{directory}/wayland-1")
        wayland.listen()
    server.bind(f"{directory}/sway-ipc.{os.getuid()}.{os.getpid()}.sock")
    server.listen()
    while True:
        client, _ = server.accept()
        with client:
            header = client.recv(14)
            if ended == "mute":
                signal.pause()
            if len(header) < 14 or ended == "deaf":
                continue
            _, length, kind = struct.unpack("=6sII", header)
            client.recv(length)
            outputs = [
                {"name": name, "focused": name == focused,
                 "rect": {"x": 0, "y": 0, "width": int(width), "height": 600}}
                for name in ("HEADLESS-1", "HEADLESS-2")
            ]
            reply = json.dumps([{"success": True}] if kind == 0 else outputs).encode()
            client.sendall(struct.pack("=6sII", b"i3-ipc", len(reply), kind) + reply)
"""
SIZE = Size(800, 600)


def scripted(ended: str = "", focused: str = "HEADLESS-1", width: int = 800) -> SwayProgram:
    argv = (sys.executable, "-I", "-S", "-c", SCRIPTED, ended, focused, str(width))
    return SwayProgram(argv, {"XKB_CONFIG_ROOT": "/nowhere"}, (1, 12), "private")


@pytest.fixture
def parent() -> Iterator[Path]:
    """A directory with a name short enough for sockets below it."""
    made = Path(mkdtemp(prefix="slate-t-"))
    yield made
    shutil.rmtree(made)


@pytest.fixture(autouse=True)
def private_parent(parent: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sessions of these tests are made where those of nobody else are."""
    monkeypatch.setattr(session, "PARENT", parent)


def below(path: Path) -> list[Path]:
    return sorted(path.iterdir())


def environ(pid: int) -> dict[str, str]:
    """The environment a process was started with."""
    entries = Path(f"/proc/{pid}/environ").read_bytes().decode().split("\0")
    return dict(entry.split("=", 1) for entry in entries if entry)


async def test_a_session_comes_up_and_leaves_nothing(parent: Path, wait_s: float) -> None:
    with anyio.fail_after(wait_s):
        async with open_session(scripted(), size=SIZE) as desktop:
            assert below(parent) == [desktop.runtime_dir]
            assert desktop.sway_socket.parent == desktop.runtime_dir
            assert desktop.app_env["XDG_RUNTIME_DIR"] == str(desktop.runtime_dir)
            pids = [desktop.sway_pid, desktop.guard_pid]
            pids += guard.belonging(f"{recipe.MARK}={desktop.app_env[recipe.MARK]}", None)
    assert below(parent) == []
    assert not [pid for pid in pids if guard.born(pid)]


async def test_a_sessions_processes_inherit_nothing_of_the_developers_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Neither a variable nor a value: bus, sway, guards, and what the bus has started."""
    monkeypatch.setenv("SECRET_OF_THE_DEVELOPER", "s3cret")
    for name in ("WAYLAND_DISPLAY", "SWAYSOCK", "DISPLAY", "DBUS_SESSION_BUS_ADDRESS"):
        monkeypatch.setenv(name, "the-developers")
    async with open_session(scripted(), size=SIZE) as desktop:
        mark = f"{recipe.MARK}={desktop.app_env[recipe.MARK]}"
        pids = guard.belonging(mark, desktop.guard_pid)
        assert len(pids) >= 3, "a warden, a bus and a sway at least"
        for pid in (*pids, desktop.guard_pid):
            seen = environ(pid)
            allowed = desktop.app_env.keys() | {"XKB_CONFIG_ROOT"}
            foreign = {
                name
                for name in seen.keys() - allowed
                if not name.startswith(("WLR_", "DBUS_STARTER_", "LC_CTYPE"))
            }
            assert not foreign, (pid, foreign)
            assert "the-developers" not in seen.values()
            assert "s3cret" not in seen.values()
        assert "SECRET_OF_THE_DEVELOPER" not in desktop.app_env
        assert desktop.app_env["HOME"].startswith(str(desktop.runtime_dir))


async def test_a_given_directory_is_used_and_one_that_was_there_stays(
    parent: Path, wait_s: float
) -> None:
    made, there = parent / "made", parent / "there"
    os.mkdir(there, 0o755)
    with anyio.fail_after(wait_s):
        for directory in (made, there):
            async with open_session(scripted(), size=SIZE, runtime_dir=directory) as desktop:
                assert desktop.runtime_dir == directory
                assert os.stat(directory).st_mode & 0o777 == 0o700
    assert below(parent) == [there]
    assert below(there) == []


async def test_a_directory_with_something_in_it_is_refused_and_untouched(parent: Path) -> None:
    precious = parent / "precious"
    os.mknod(precious)
    with pytest.raises(BadRequest, match="not empty"):
        async with open_session(scripted(), runtime_dir=parent):
            pytest.fail("opened")
    assert below(parent) == [precious]


async def test_a_directory_too_deep_for_sockets_is_refused(parent: Path) -> None:
    deep = parent / ("d" * 90)
    with pytest.raises(BadRequest, match="short enough"):
        async with open_session(scripted(), runtime_dir=deep):
            pytest.fail("opened")
    assert below(parent) == []


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (scripted("early"), "sway ended while"),
        (scripted("deaf"), "did not start"),
        (scripted("mute"), "did not start in time"),
        (scripted("blind"), "did not start in time"),
        (scripted(focused="HEADLESS-2"), "other outputs"),
        (scripted(width=640), "other outputs"),
        (SwayProgram(("/no/such/sway",), {}, (1, 12), "system"), "sway ended while"),
    ],
)
async def test_a_sway_that_does_not_do_is_unavailable_and_leaves_nothing(
    parent: Path, program: SwayProgram, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "START_S", 1.5)
    with pytest.raises(Unavailable, match=message) as failure:
        async with open_session(program, size=SIZE):
            pytest.fail("opened")
    assert failure.value.code == "unavailable.session"
    assert below(parent) == []


async def test_the_words_of_a_sway_that_failed_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(Unavailable) as failure:
        async with open_session(scripted("early")):
            pytest.fail("opened")
    assert "no such renderer" in caplog.text
    assert "no such renderer" not in failure.value.message


async def test_without_a_session_bus_program_it_says_what_to_install(parent: Path) -> None:
    with pytest.raises(Unavailable, match="dbus-daemon") as failure:
        async with open_session(scripted(), path=str(parent)):
            pytest.fail("opened")
    assert failure.value.code == "unavailable.bus"
    assert below(parent) == []


async def test_it_tells_which_part_ended_first(wait_s: float) -> None:
    with anyio.fail_after(wait_s):
        async with open_session(scripted(), size=SIZE) as desktop:
            os.kill(desktop.sway_pid, 9)
            assert await desktop.ended() == "sway"
        async with open_session(scripted(), size=SIZE) as desktop:
            os.kill(desktop.guard_pid, 9)
            assert await desktop.ended() in {"signal", "guard"}


async def test_an_error_inside_passes_through_and_everything_is_gone(parent: Path) -> None:
    with pytest.raises(KeyError):
        async with open_session(scripted(), size=SIZE):
            raise KeyError
    assert below(parent) == []


async def test_cancellation_ends_it_cleanly(parent: Path, wait_s: float) -> None:
    with anyio.fail_after(wait_s), anyio.move_on_after(0.5):
        async with open_session(scripted(), size=SIZE):
            await anyio.sleep_forever()
    assert below(parent) == []


async def test_sockets_of_a_session_belong_to_its_user_alone(wait_s: float) -> None:
    with anyio.fail_after(wait_s):
        async with open_session(scripted(), size=SIZE) as desktop:
            assert os.stat(desktop.runtime_dir).st_mode & 0o777 == 0o700
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(desktop.bus_address.removeprefix("unix:path="))

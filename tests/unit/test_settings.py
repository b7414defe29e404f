"""Directories and the compositor, as a given environment and given sockets say."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from slate_desktop import settings
from slate_desktop.errors import BadRequest, Unavailable

Listen = Callable[[Path], Path]


@pytest.fixture
def runtime() -> Iterator[Path]:
    """A directory with a name short enough for sockets, mode 0700."""
    with TemporaryDirectory(prefix="slate-t-") as name:
        yield Path(name)


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch, runtime: Path) -> Path:
    """No /run/user, and a place of the test's own instead of /tmp."""
    monkeypatch.setattr(settings, "RUN_USER", runtime / "run-user")
    monkeypatch.setattr(settings, "LAST_RESORT", runtime)
    return runtime


@pytest.fixture
def listen() -> Iterator[Listen]:
    """A function that listens on a path for as long as the test lasts."""
    with ExitStack() as sockets:

        def at(path: Path) -> Path:
            server = sockets.enter_context(socket.socket(socket.AF_UNIX))
            server.bind(str(path))
            server.listen()
            return path

        yield at


def test_the_runtime_directory_of_the_environment_comes_first(nowhere: Path) -> None:
    given = nowhere / "given"
    given.mkdir(mode=0o700)
    assert settings.runtime_dir({"XDG_RUNTIME_DIR": str(given)}) == given


def test_without_one_in_the_environment_it_is_that_of_the_login(nowhere: Path) -> None:
    login = nowhere / "run-user" / str(os.getuid())
    login.mkdir(mode=0o700, parents=True)
    assert settings.runtime_dir({}) == login
    assert settings.runtime_dir({"XDG_RUNTIME_DIR": "relative"}) == login


def test_a_runtime_directory_others_may_enter_is_passed_over(nowhere: Path) -> None:
    given = nowhere / "given"
    given.mkdir(mode=0o755)
    assert settings.runtime_dir({"XDG_RUNTIME_DIR": str(given)}) == nowhere / f"slate-{os.getuid()}"


def test_the_last_resort_is_made_for_us_alone(nowhere: Path) -> None:
    found = settings.runtime_dir({})
    assert found == nowhere / f"slate-{os.getuid()}"
    assert found.stat().st_mode & 0o777 == 0o700
    assert settings.runtime_dir({}) == found


@pytest.mark.parametrize("trap", ["open", "link", "file"])
def test_a_last_resort_somebody_prepared_is_refused(nowhere: Path, trap: str) -> None:
    ours = nowhere / f"slate-{os.getuid()}"
    elsewhere = nowhere / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    if trap == "open":
        ours.mkdir(mode=0o777)
        ours.chmod(0o777)
    elif trap == "link":
        ours.symlink_to(elsewhere)
    else:
        ours.touch(mode=0o600)
    with pytest.raises(Unavailable) as refusal:
        settings.runtime_dir({})
    assert refusal.value.code == "unavailable.runtime_dir"
    assert "XDG_RUNTIME_DIR" in refusal.value.next_step


def test_the_state_directory_is_below_it_and_private(runtime: Path) -> None:
    state = settings.state_dir(runtime)
    assert (state, state.stat().st_mode & 0o777) == (runtime / "slate", 0o700)
    state.chmod(0o755)
    with pytest.raises(Unavailable):
        settings.state_dir(runtime)


def test_data_live_below_home_unless_an_absolute_path_is_given() -> None:
    environ = {"HOME": "/h"}
    assert settings.data_home(environ) == Path("/h/.local/share")
    assert settings.data_home({**environ, "XDG_DATA_HOME": "/d"}) == Path("/d")
    assert settings.data_home({**environ, "XDG_DATA_HOME": "d"}) == Path("/h/.local/share")
    assert settings.home({}).is_absolute()


def test_deadlines_stretch_by_slate_slow() -> None:
    assert settings.slow({}) == 1.0
    assert settings.slow({"SLATE_SLOW": "2.5"}) == 2.5
    for bad in ("zero", "0", "-1", "nan", "1000"):
        with pytest.raises(BadRequest):
            settings.slow({"SLATE_SLOW": bad})


def test_a_download_learns_of_the_network_and_nothing_else() -> None:
    environ = {"http_proxy": "http://p", "no_proxy": "", "HOME": "/h", "TOKEN": "secret"}
    assert settings.proxies(environ) == {"http_proxy": "http://p"}


def test_the_environment_is_a_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    before = settings.environment()
    monkeypatch.setenv("SLATE_TEST_ONLY", "1")
    assert "SLATE_TEST_ONLY" not in before
    assert settings.environment()["SLATE_TEST_ONLY"] == "1"


def test_the_compositor_we_were_started_in_is_taken(runtime: Path, listen: Listen) -> None:
    sway, wayland = listen(runtime / "mine.sock"), listen(runtime / "wayland-7")
    listen(runtime / "sway-ipc.0.1.sock")
    listen(runtime / "wayland-1")
    environ = {"SWAYSOCK": str(sway), "WAYLAND_DISPLAY": "wayland-7"}
    assert settings.find_compositor(runtime, environ) == settings.Compositor(sway, wayland)


def test_a_named_compositor_that_does_not_answer_is_unavailable(
    runtime: Path, listen: Listen
) -> None:
    listen(runtime / "wayland-1")
    environ = {"SWAYSOCK": str(runtime / "gone"), "WAYLAND_DISPLAY": "wayland-1"}
    with pytest.raises(Unavailable, match="gone is named in the environment"):
        settings.find_compositor(runtime, environ)


def test_with_a_stripped_environment_the_only_sway_is_found(runtime: Path, listen: Listen) -> None:
    sway, wayland = listen(runtime / "sway-ipc.0.1.sock"), listen(runtime / "wayland-1")
    left = socket.socket(socket.AF_UNIX)
    left.bind(str(runtime / "sway-ipc.0.2.sock"))
    left.close()
    assert settings.find_compositor(runtime, {}) == settings.Compositor(sway, wayland)


def test_two_sways_are_an_error_that_lists_them(runtime: Path, listen: Listen) -> None:
    listen(runtime / "wayland-1")
    names = [listen(runtime / f"sway-ipc.0.{number}.sock").name for number in (1, 2)]
    with pytest.raises(Unavailable, match="more than one sway") as failure:
        settings.find_compositor(runtime, {})
    assert all(name in failure.value.message for name in names)
    environ = {"SWAYSOCK": str(runtime / names[1])}
    assert settings.find_compositor(runtime, environ).sway_socket == runtime / names[1]


def test_the_display_of_another_compositor_is_not_taken_for_sways(
    runtime: Path, listen: Listen
) -> None:
    listen(runtime / "sway-ipc.0.1.sock")
    code = (
        "import socket, sys; s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen();"
        "print(flush=True); sys.stdin.read()"
    )
    other = subprocess.Popen(
        [sys.executable, "-I", "-c", code, str(runtime / "wayland-1")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with other:
        assert other.stdout is not None
        other.stdout.readline()
        with pytest.raises(Unavailable, match="no sway answers") as failure:
            settings.find_compositor(runtime, {})
        assert "wayland-1" in failure.value.message
        other.kill()


def test_no_compositor_at_all_says_what_to_do(runtime: Path) -> None:
    with pytest.raises(Unavailable) as failure:
        settings.find_compositor(runtime / "missing", {})
    assert failure.value.code == "unavailable.compositor"
    assert "--headless" in failure.value.next_step


def test_a_sway_that_we_started_without_a_screen_has_nobody_in_front_of_it(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    where = tmp_path_factory.mktemp("s")
    code = (
        "import socket,sys; s=socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen();"
        "print('up', flush=True); sys.stdin.read()"
    )
    for name, environ, there in (
        ("a", {"SLATE_SESSION": "x"}, False),
        ("b", {"NOT_SLATE_SESSION": "x"}, True),
    ):
        path = where / name
        with subprocess.Popen(
            [sys.executable, "-c", code, str(path)],
            env=environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as sway:
            assert sway.stdout is not None
            assert sway.stdout.readline() == b"up\n"
            assert settings.attended(settings.Compositor(path, path)) is there
            sway.communicate(timeout=5)
    assert settings.attended(settings.Compositor(where / "none", where / "none"))


def test_the_kind_of_seat_is_one_of_two_words() -> None:
    assert settings.named_seat({}) is None
    assert settings.named_seat({"SLATE_SEATS": "transient"}) is None
    assert settings.named_seat({"SLATE_SEATS": "named"}) == "slate-1"
    with pytest.raises(BadRequest, match="'both'") as caught:
        settings.named_seat({"SLATE_SEATS": "both"})
    assert caught.value.code == "bad_request.slate_seats"


def test_the_seat_that_is_looked_for_is_the_one_that_the_shipped_configuration_makes() -> None:
    shipped = (Path(__file__).parents[2] / "sway" / "slate-seat.conf").read_text()
    for device in ("keyboard", "pointer"):
        assert f'seat {settings.NAMED_SEAT} attach "0:0:wlr_virtual_{device}_v1"' in shipped

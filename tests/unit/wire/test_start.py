"""What a daemon is started with, seen without starting one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from slated.wire import places, start


@pytest.fixture
def environ(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    run = tmp_path_factory.mktemp("r")
    run.chmod(0o700)
    return {
        "XDG_RUNTIME_DIR": str(run),
        "XDG_STATE_HOME": str(run / "state"),
        "WAYLAND_DISPLAY": "wayland-1",
        "SWAYSOCK": "/run/sway.sock",
        "LD_PRELOAD": "evil.so",
        "PYTHONPATH": "/evil",
        "PATH": "/evil",
        "HOME": "/evil",
        "LANG": "de_DE.UTF-8",
    }


def _daemon(environ: dict[str, str], *attached: str) -> start.Daemon:
    return start.Daemon("x", version="1", command=["prog"], environ=environ, attached=attached)


def test_the_environment_of_a_daemon_is_built_from_nothing(environ: dict[str, str]) -> None:
    made = start.daemon_environment(_daemon(environ))
    assert "evil" not in str(made)
    assert made["HOME"] == places.home({}, os.getuid())
    assert made["LANG"] == "de_DE.UTF-8"
    assert made["XDG_RUNTIME_DIR"] == environ["XDG_RUNTIME_DIR"]
    assert "WAYLAND_DISPLAY" not in made
    assert {"USER", "LOGNAME", "SHELL", "PATH"} <= set(made)


def test_a_daemon_of_the_persons_desktop_is_told_which_one(environ: dict[str, str]) -> None:
    made = start.daemon_environment(_daemon(environ, "WAYLAND_DISPLAY", "SWAYSOCK", "NOT_SET"))
    assert (made["WAYLAND_DISPLAY"], made["SWAYSOCK"]) == ("wayland-1", "/run/sway.sock")
    assert "NOT_SET" not in made


def test_socket_and_log_have_the_daemons_name(environ: dict[str, str]) -> None:
    daemon = _daemon(environ)
    assert Path(daemon.socket).name == "x.sock"
    assert Path(daemon.log).name == "x.log"

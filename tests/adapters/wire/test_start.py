"""Starting a daemon: what it gets, how its failure is known, and what systemd has to do with it."""

from __future__ import annotations

import os
import socket
import stat
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from slated.errors import SlateError
from slated.wire import reach, start
from tests.fakes.front import the_daemon
from tests.fakes.stage import Stage, stage


@pytest.fixture
def here() -> Iterator[Stage]:
    with stage() as made:
        yield made


def _daemon(here: Stage, *extra: str, version: str = "0.1.0") -> start.Daemon:
    return the_daemon("fake", list(extra), version, here.env, "doorman.py")


def _reach(daemon: start.Daemon) -> socket.socket:
    return reach.reach(daemon, say=print)


def test_a_daemon_is_nobodys_child_and_has_nothing_of_ours(here: Stage) -> None:
    _reach(_daemon(here)).close()
    proc = Path(f"/proc/{here.daemon_pid}")
    status = proc.joinpath("stat").read_text().rpartition(")")[2].split()
    assert int(status[1]) != os.getpid()
    assert int(status[3]) != os.getsid(0)
    env = dict(e.partition("=")[::2] for e in proc.joinpath("environ").read_text().split("\0") if e)
    assert set(env) <= {
        *("HOME", "USER", "LOGNAME", "SHELL", "PATH", "LANG", "XDG_RUNTIME_DIR", "XDG_STATE_HOME"),
        "LC_CTYPE",  # Python sets it for itself in the C locale
    }
    assert env["XDG_RUNTIME_DIR"] == here.env["XDG_RUNTIME_DIR"]
    files = {os.readlink(proc / "fd" / n) for n in ("0", "1", "2")}
    assert files == {"/dev/null", str(here.log)}
    assert proc.joinpath("cwd").readlink() == Path("/")


def test_the_log_is_ours_alone_and_what_it_prints_is_in_it(here: Stage) -> None:
    _reach(_daemon(here)).close()
    assert stat.S_IMODE(here.log.stat().st_mode) == 0o600
    text = here.log.read_text()
    assert "a line of output" in text


def test_a_log_that_has_grown_is_put_aside(here: Stage) -> None:
    here.log.parent.mkdir(parents=True)
    here.log.write_bytes(b"x" * 1_100_000)
    _reach(_daemon(here)).close()
    assert here.log.with_name("fake.log.1").stat().st_size == 1_100_000
    assert here.log.stat().st_size < 10_000


def test_what_keeps_a_daemon_from_starting_is_told_in_its_own_words_at_once(here: Stage) -> None:
    began = time.monotonic()
    with pytest.raises(SlateError) as caught:
        _reach(_daemon(here, "--fail"))
    assert caught.value.code == "unavailable.compositor"
    assert caught.value.message == "no sway answers."
    assert caught.value.next_step == "start sway"
    assert time.monotonic() - began < 5


def test_a_daemon_that_ends_without_a_word_is_known_at_once_and_its_log_named(here: Stage) -> None:
    daemon = _daemon(here)
    daemon.command = ["/bin/false"]
    began = time.monotonic()
    with pytest.raises(SlateError, match="ended before it was ready") as caught:
        _reach(daemon)
    assert str(here.log) in caught.value.next_step
    assert time.monotonic() - began < 5


def test_a_program_that_cannot_be_run_is_known_at_once(here: Stage) -> None:
    daemon = _daemon(here)
    daemon.command = ["/nonexistent/python"]
    with pytest.raises(SlateError, match="ended before it was ready"):
        _reach(daemon)


def test_a_daemon_that_never_is_ready_is_given_up_at_the_deadline(
    here: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(start, "START_DEADLINE_S", 0.3)
    daemon = _daemon(here)
    daemon.command = ["/bin/sh", "-c", "exec sleep 3"]
    with pytest.raises(SlateError, match="was not ready within"):
        _reach(daemon)


# -- systemd -------------------------------------------------------------------------------------


def _unit(here: Stage, daemon: start.Daemon, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install a unit and a systemctl that does `script`."""
    daemon.unit = "fake.service"
    unit = here.root / "config/systemd/user/fake.service"
    unit.parent.mkdir(parents=True)
    unit.write_text("[Service]\n")
    here.env["XDG_CONFIG_HOME"] = str(here.root / "config")
    systemctl = here.root / "systemctl"
    systemctl.write_text(f"#!/bin/sh\n{script}\n")
    systemctl.chmod(0o755)
    monkeypatch.setattr(start, "SYSTEMCTL", str(systemctl))
    answers = here.root / "run/systemd"
    answers.mkdir()
    (answers / "private").touch()


def test_an_installed_unit_is_started_by_systemd(
    here: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    daemon = _daemon(here)
    line = " ".join(daemon.command)
    # To systemd a unit of type exec is started as soon as its process runs, long before it listens.
    script = f'echo "$@" > {here.root}/asked; (sleep 0.3; {line}) >/dev/null 2>&1 &'
    _unit(here, daemon, script, monkeypatch)
    _reach(daemon).close()
    assert (here.root / "asked").read_text() == "--user start fake.service\n"
    assert not here.log.exists()


@pytest.mark.parametrize("script", ["exit 1", "exec sleep 5"])
def test_a_systemd_that_fails_or_hangs_is_done_without(
    here: Stage, monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    daemon = _daemon(here)
    monkeypatch.setattr(start, "SYSTEMD_DEADLINE_S", 0.3)
    _unit(here, daemon, script, monkeypatch)
    _reach(daemon).close()
    assert here.log.exists()

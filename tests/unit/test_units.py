"""The systemd user units we ship: they are the ones that are asked for, and start what is there."""

from __future__ import annotations

import configparser
import os
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from slate_desktop.__main__ import daemon_of
from slated.wire import control

ROOT = Path(__file__).parents[2]
UNITS = sorted(path.name for path in (ROOT / "sway").glob("*.service"))


def unit(name: str) -> configparser.ConfigParser:
    """A unit file, its keys as they are written."""
    parser = configparser.ConfigParser(interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]  # the documented way
    parser.read_string((ROOT / "sway" / name).read_text(encoding="utf-8"))
    return parser


@pytest.mark.parametrize("headless", [False, True])
def test_the_unit_of_each_daemon_is_shipped_and_starts_it(headless: bool) -> None:
    daemon = daemon_of({"XDG_RUNTIME_DIR": "/run/user/0"}, headless=headless)
    program, *words = unit(daemon.unit)["Service"]["ExecStart"].split()
    assert (
        Path(program).name
        in tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    )
    ours = daemon.command[daemon.command.index("daemon") :]
    assert words == ours[: len(words)]
    assert ("--headless" in words) is headless


def test_every_unit_in_the_tree_is_installed_and_there() -> None:
    told = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["data-files"]
    assert sorted(told["share/systemd/user"]) == sorted(
        str(path.relative_to(ROOT)) for path in (ROOT / "sway").glob("*.service")
    )


def test_the_unit_of_slated_is_shipped_and_serves() -> None:
    started = control.daemon_of({"XDG_RUNTIME_DIR": "/run/user/0"})
    program, *words = unit(started.unit)["Service"]["ExecStart"].split()
    assert (Path(program).name, words) == ("slated", ["serve"])
    assert words[0] in started.command


def verified(home: Path, path: Path) -> str:
    """What systemd finds wrong with a unit, for a user with this home; "" for nothing."""
    runtime = home / "run"
    runtime.mkdir(mode=0o700, exist_ok=True)
    env = {"HOME": str(home), "XDG_RUNTIME_DIR": str(runtime), "PATH": os.environ["PATH"]}
    done = subprocess.run(
        ["systemd-analyze", "verify", "--user", str(path)],
        env=env, capture_output=True, text=True, check=False, timeout=20,
    )  # fmt: skip
    said = done.stdout + done.stderr
    return said or ("" if done.returncode == 0 else f"exit {done.returncode}")


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
@pytest.mark.parametrize("name", UNITS)
def test_systemd_finds_nothing_wrong_with_a_unit(tmp_path: Path, name: str) -> None:
    programs = tmp_path / ".local/bin"
    programs.mkdir(parents=True)
    for program in ("slated", "slate-desktop"):
        (programs / program).write_text("#!/bin/sh\n", encoding="utf-8")
        (programs / program).chmod(0o755)
    assert verified(tmp_path, ROOT / "sway" / name) == ""
    text = (ROOT / "sway" / name).read_text(encoding="utf-8").replace("Type=", "Kind=")
    spoiled = tmp_path / name
    spoiled.write_text(text, encoding="utf-8")
    assert "Kind" in verified(tmp_path, spoiled)
    for program in ("slated", "slate-desktop"):
        (programs / program).unlink()
    assert "not executable" in verified(tmp_path, ROOT / "sway" / name)

"""The systemd user units we ship: they are the ones that are asked for, and start what is there."""

from __future__ import annotations

import configparser
import tomllib
from pathlib import Path

import pytest

from slate_desktop.__main__ import daemon_of

ROOT = Path(__file__).parents[2]


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

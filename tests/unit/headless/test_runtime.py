"""Which sway is found, and what a data directory may hold that must not be taken for one."""

from __future__ import annotations

import json
import platform
from pathlib import Path

import pytest

from slate_desktop.headless import runtime
from slate_desktop.headless.progress import Progress

QUIET = Progress(open("/dev/null", "w"), live=False)  # noqa: SIM115  # for as long as the tests


def make_private(data_home: Path, version: list[int], machine: str | None = None) -> Path:
    """A private sway on disk as far as its manifest says."""
    directory = data_home / "slate/runtime" / ".".join(str(part) for part in version)
    directory.mkdir(parents=True)
    facts = {
        "version": version,
        "machine": machine or platform.machine(),
        "package": "sway_1.12-1_amd64",
        "size_bytes": 30_000_000,
    }
    (directory / runtime.MANIFEST).write_text(json.dumps(facts))
    return directory


def make_system(path: Path, version: str) -> str:
    """A directory for PATH with a sway that says its version."""
    path.mkdir()
    program = path / "sway"
    program.write_text(f"#!/bin/sh\necho 'sway version {version}'\n")
    program.chmod(0o755)
    return str(path)


def test_a_system_sway_that_is_new_enough_wins(tmp_path: Path) -> None:
    make_private(tmp_path, [1, 12])
    found = runtime.find_sway(tmp_path, path=make_system(tmp_path / "bin", "1.12-rc2"))
    assert found is not None
    assert (found.source, found.version) == ("system", (1, 12))
    assert found.argv == (str(tmp_path / "bin/sway"),)


@pytest.mark.parametrize("version", ["1.7", "1.9.1", "0.20", "next"])
def test_an_old_system_sway_is_passed_over(tmp_path: Path, version: str) -> None:
    path = make_system(tmp_path / "bin", version)
    assert runtime.find_sway(tmp_path, path=path) is None
    root = make_private(tmp_path, [1, 12])
    found = runtime.find_sway(tmp_path, path=path)
    assert found is not None
    assert found.source == "private"
    assert found.argv[-1] == str(root / "usr/bin/sway")
    assert found.swaymsg[-1] == str(root / "usr/bin/swaymsg")
    assert found.env["XKB_CONFIG_ROOT"].startswith(str(root))


def test_the_newest_private_sway_is_taken_by_number(tmp_path: Path) -> None:
    for version in ([1, 12], [1, 100], [1, 13]):
        make_private(tmp_path, version)
    assert [one.version[1] for one in runtime.installed(tmp_path)] == [100, 13, 12]
    found = runtime.find_sway(tmp_path, path="")
    assert found is not None
    assert found.version == (1, 100)


def test_what_is_half_there_or_of_another_machine_is_never_taken(tmp_path: Path) -> None:
    place = tmp_path / "slate/runtime"
    (place / "1.14/usr/bin").mkdir(parents=True)
    (place / runtime.STAGING / "root").mkdir(parents=True)
    (place / runtime.STAGING / "root" / runtime.MANIFEST).write_text("{}")
    make_private(tmp_path, [1, 13], machine="riscv64")
    make_private(tmp_path, [1, 11])
    broken = make_private(tmp_path, [1, 15])
    (broken / runtime.MANIFEST).write_text('{"version": [1')
    assert runtime.find_sway(tmp_path, path="") is None


def test_remove_takes_everything_and_says_whether_there_was_anything(tmp_path: Path) -> None:
    assert not runtime.remove(tmp_path, QUIET)
    make_private(tmp_path, [1, 12])
    (tmp_path / "slate/runtime" / runtime.STAGING).mkdir()
    assert runtime.remove(tmp_path, QUIET)
    assert [path.name for path in (tmp_path / "slate/runtime").iterdir()] == [runtime.LOCK]
    assert not runtime.remove(tmp_path, QUIET)


def test_nothing_is_installed_where_a_sway_is_found(tmp_path: Path) -> None:
    make_private(tmp_path, [1, 12])
    request = runtime.Request(mirror="file:/nowhere")
    assert runtime.install(tmp_path, request, QUIET).version >= (1, 12)

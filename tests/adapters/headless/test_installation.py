"""Installing a private sway from an archive of our own: whole, once, and never by half."""

from __future__ import annotations

import dataclasses
import os
import platform
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path
from types import SimpleNamespace

import pytest

from slate_desktop.errors import Unavailable
from slate_desktop.headless import runtime, thin
from slate_desktop.headless.progress import Progress
from tests.adapters.headless.archive import Archive

ROOT = Path(__file__).parents[3]
# The package of the archive starts no desktop: trying it out is left out here, and shown by the live tests.
INSTALLER = """
import sys
from pathlib import Path
from slate_desktop.headless import runtime, thin
from slate_desktop.headless.progress import Progress

data_home, mirror, keyring = sys.argv[1:4]
runtime.system_version = lambda path="": None
runtime._try_out = lambda root: (1, 12)
request = runtime.Request(mirror, Path(keyring))
program = runtime.install(Path(data_home), request, Progress(sys.stdout, live=False))
print("installed", program.argv[-1], flush=True)
"""
Install = Callable[[], subprocess.Popen[str]]


@pytest.fixture
def installing(archive: Archive, tmp_path: Path) -> Iterator[Install]:
    """A function that starts an installer as a process of its own."""
    started: list[subprocess.Popen[str]] = []

    def start() -> subprocess.Popen[str]:
        argv = [sys.executable, "-c", INSTALLER, str(tmp_path), archive.address]
        process = subprocess.Popen(
            [*argv, str(archive.keyring)], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def place(data_home: Path) -> list[str]:
    return sorted(path.name for path in (data_home / "slate/runtime").iterdir())


def test_it_is_whole_and_nothing_else_is_left(installing: Install, tmp_path: Path) -> None:
    out, _ = installing().communicate(timeout=30)
    assert f"installed {tmp_path}/slate/runtime/1.12/usr/bin/sway" in out
    assert place(tmp_path) == [runtime.LOCK, "1.12"]
    found = runtime.find_sway(tmp_path, path="")
    assert found is not None
    assert subprocess.run(found.argv, env={}, check=False, timeout=10).returncode == 0
    assert runtime.installed(tmp_path)[0].package.startswith("sway_1.12-1")


@pytest.mark.parametrize("step", ["reading", "downloading", "unpacking", "starting"])
def test_killed_at_any_step_it_leaves_nothing_that_is_taken_and_the_next_one_finishes(
    installing: Install, tmp_path: Path, step: str
) -> None:
    process = installing()
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith(step):
            break
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert runtime.find_sway(tmp_path, path="") is None or place(tmp_path).count("1.12") == 1
    assert "installed" in installing().communicate(timeout=30)[0]
    assert place(tmp_path) == [runtime.LOCK, "1.12"]


def test_what_a_killed_one_left_beside_a_finished_one_is_removed(
    installing: Install, tmp_path: Path
) -> None:
    installing().communicate(timeout=30)
    (tmp_path / "slate/runtime" / runtime.STAGING / "apt").mkdir(parents=True)
    installing().communicate(timeout=30)
    assert place(tmp_path) == [runtime.LOCK, "1.12"]


def test_a_second_one_waits_for_the_first_and_finds_it_done(
    installing: Install, tmp_path: Path
) -> None:
    first = installing()
    assert first.stdout is not None
    first.stdout.readline()
    os.kill(first.pid, signal.SIGSTOP)
    second = installing()
    assert second.stdout is not None
    assert "waiting for it" in second.stdout.readline()
    os.kill(first.pid, signal.SIGCONT)
    outs = [process.communicate(timeout=30)[0] for process in (first, second)]
    assert all("installed" in out for out in outs)
    assert "downloading" not in outs[1]


def test_an_installation_that_never_ends_is_not_waited_for_for_ever(
    monkeypatch: pytest.MonkeyPatch, archive: Archive, tmp_path: Path
) -> None:
    monkeypatch.setattr(runtime, "TURN_S", 0.3)
    out = Progress(StringIO(), live=False)
    (tmp_path / "slate/runtime").mkdir(parents=True)
    with runtime.turn(tmp_path / "slate/runtime", out), pytest.raises(Unavailable) as failure:
        runtime.install(tmp_path, runtime.Request(archive.address, archive.keyring), out)
    assert failure.value.code == "unavailable.busy"


@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (lambda m: m.setattr(platform, "machine", lambda: "riscv64"), "unavailable.machine"),
        (
            lambda m: m.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=10**8)),
            "unavailable.disk",
        ),
    ],
)
def test_what_cannot_succeed_is_not_begun(
    spoil: Callable[[pytest.MonkeyPatch], None],
    code: str,
    monkeypatch: pytest.MonkeyPatch,
    archive: Archive,
    tmp_path: Path,
) -> None:
    monkeypatch.setattr(runtime, "system_version", lambda _: None)
    spoil(monkeypatch)
    request = runtime.Request(archive.address, archive.keyring)
    with pytest.raises(Unavailable) as failure:
        runtime.install(tmp_path, request, Progress(StringIO(), live=False))
    assert failure.value.code == code
    assert place(tmp_path) == [runtime.LOCK]


def test_a_sway_that_does_not_run_here_is_not_installed(
    monkeypatch: pytest.MonkeyPatch, archive: Archive, tmp_path: Path
) -> None:
    """The package's program says nothing of being sway 1.12; a machine nobody tried is named first."""
    monkeypatch.setattr(runtime, "system_version", lambda _: None)
    machine = dataclasses.replace(thin.MACHINES[platform.machine()], tested=False)
    monkeypatch.setitem(thin.MACHINES, platform.machine(), machine)
    request = runtime.Request(archive.address, archive.keyring)
    out = StringIO()
    with pytest.raises(Unavailable) as failure:
        runtime.install(tmp_path, request, Progress(out, live=False))
    assert "nobody has tried it" in out.getvalue()
    assert failure.value.code == "unavailable.package"
    assert runtime.installed(tmp_path) == []


def test_a_data_directory_that_cannot_be_written_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "slate").write_text("a file")
    with pytest.raises(Unavailable) as failure:
        runtime.install(tmp_path, runtime.Request(), Progress(StringIO(), live=False))
    assert failure.value.code == "unavailable.disk"

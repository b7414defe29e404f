"""The owner's side of a guard, and what is done about sessions nobody guards any more."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import anyio
import pytest

from slate_desktop.errors import Unavailable
from slate_desktop.headless import guard
from slate_desktop.headless.keeper import MARK_FILE, Keeper, Order, lock_place, sweep_abandoned

pytestmark = pytest.mark.anyio


def sleeper(directory: Path, seconds: str = "600") -> dict[str, object]:
    """A program of an order."""
    log = str(directory / "log")
    return {"name": "a", "argv": ["/bin/sleep", seconds], "env": {}, "log": log, "cwd": "/"}


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    made = tmp_path / "session"
    made.mkdir()
    return made


def keeper(directory: Path, *programs: dict[str, object], mark: str = "SLATE_SESSION=k") -> Keeper:
    lock = lock_place(directory, mark)
    try:
        return Keeper(Order(mark, str(directory), False, programs), lock)
    finally:
        os.close(lock)


def there(path: Path) -> bool:
    return path.exists()


def marked(session: str) -> subprocess.Popen[bytes]:
    """A process that belongs to a session by its mark alone."""
    return subprocess.Popen(["/bin/sleep", "600"], env={"SLATE_SESSION": session})


async def test_it_hears_of_the_start_and_of_an_end_nobody_asked_for(
    directory: Path, wait_s: float
) -> None:
    kept = keeper(directory, sleeper(directory))
    with anyio.fail_after(wait_s):
        pid = (await kept.event())["pids"]["a"]
        os.kill(pid, signal.SIGKILL)
        assert await kept.event() == {"event": "ended", "cause": "a", "words": ""}
        with pytest.raises(Unavailable, match="guard"):
            await kept.event()
    kept.end()
    assert not there(directory)


async def test_it_can_be_ended_from_another_event_loop(directory: Path, wait_s: float) -> None:
    kept = keeper(directory, sleeper(directory))
    with anyio.fail_after(wait_s):
        pid = (await kept.event())["pids"]["a"]
    await anyio.to_thread.run_sync(kept.end)
    assert guard.born(pid) is None
    assert not there(directory)


async def test_it_cleans_up_itself_after_both_guards_were_killed(
    directory: Path, wait_s: float
) -> None:
    kept = keeper(directory, sleeper(directory))
    with anyio.fail_after(wait_s):
        await kept.event()
    orphan = marked("k")
    for pid in (kept.pid, *guard.belonging("SLATE_SESSION=other", kept.pid)):
        os.kill(pid, signal.SIGKILL)
    kept.end()
    assert orphan.wait(wait_s) == -signal.SIGTERM
    assert not there(directory)


async def test_an_abandoned_session_is_swept_and_a_living_one_is_not(
    tmp_path: Path, wait_s: float
) -> None:
    living, dead, foreign = (tmp_path / name for name in ("living", "dead", "foreign"))
    for path in (living, dead, foreign):
        path.mkdir()
    os.close(lock_place(dead, "SLATE_SESSION=dead"))
    (foreign / MARK_FILE).write_text("OTHER=1")
    link = tmp_path / "link"
    link.symlink_to(dead)
    kept = keeper(living, sleeper(living))
    with anyio.fail_after(wait_s):
        await kept.event()
    orphan = marked("dead")
    sweep_abandoned([link, living, foreign, dead, tmp_path / "missing"], "SLATE_SESSION")
    assert (there(living), there(foreign), there(dead)) == (True, True, False)
    assert orphan.wait(wait_s) == -signal.SIGTERM
    kept.end()


async def test_a_guard_that_hangs_is_killed_and_its_work_done(
    directory: Path, wait_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("slate_desktop.headless.keeper.END_S", 0.2)
    kept = keeper(directory, sleeper(directory))
    with anyio.fail_after(wait_s):
        pid = (await kept.event())["pids"]["a"]
    below = set(guard.belonging("SLATE_SESSION=other", kept.pid))
    handles = [os.pidfd_open(process) for process in below]
    for stopped in below - {pid} | {kept.pid}:
        os.kill(stopped, signal.SIGSTOP)
    kept.end()
    assert not there(directory)
    with anyio.fail_after(wait_s):  # what was killed is gone when the kernel has come round to it
        for handle in handles:
            await anyio.wait_readable(handle)
            os.close(handle)


def test_the_guard_needs_nothing_but_the_standard_library(tmp_path: Path) -> None:
    """It runs isolated: neither our packages nor the person's Python settings are within reach."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", guard.__file__],
        stdin=subprocess.DEVNULL,
        env={"PYTHONPATH": str(tmp_path)},
        timeout=10,
        check=False,
    )
    assert done.returncode == 0

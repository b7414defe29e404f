"""Slated as a process: started on demand, one of it, untraceable, and what it keeps when it is killed."""

from __future__ import annotations

import os
import select
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest

from slated import settings
from slated.audit.reader import Wanted, judged, records
from slated.daemon import run
from slated.errors import Refused, Unavailable
from slated.wire import control, reach
from tests.fakes.conscience import CLICK, RISKY, alone, connected, directories, end

ROOT = Path(__file__).parents[2]


@pytest.fixture
def environ() -> Iterator[dict[str, str]]:
    with alone() as made:
        yield made


def log_of(environ: dict[str, str]) -> Path:
    return settings.directories(environ).audit


def logged(environ: dict[str, str], kind: str) -> dict[str, Any]:
    """The first line of a kind, once it is in the log."""
    limit = time.monotonic() + 20
    while not (found := list(records(log_of(environ), Wanted(kind=kind)))):
        assert time.monotonic() < limit, f"no line {kind}"
        select.select([], [], [], 0.05)
    return found[0]


def test_it_is_started_by_whoever_needs_it_and_only_its_user_may_come_in(
    environ: dict[str, str],
) -> None:
    with pytest.raises(Unavailable), connected(environ, may_start=False):
        pass
    with connected(environ) as one, connected(environ, may_start=False) as two:
        pid = one.ask("status", {})["pid"]
        assert two.ask("status", {})["pid"] == pid
        path = control.daemon_of(environ).socket
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
        command = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        assert command[1] == b"-I"


def test_its_environment_is_built_from_nothing(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LD_PRELOAD", "PYTHONPATH", "PATH", "HOME"):
        monkeypatch.setenv(name, "/evil" if name != "PATH" else os.environ["PATH"] + ":/evil")
    with connected(environ) as slated:
        pid = slated.ask("status", {})["pid"]
        if os.getuid() == 0:
            assert b"evil" not in Path(f"/proc/{pid}/environ").read_bytes()
        assert Path(f"/proc/{pid}/mem").stat().st_uid == 0  # untraceable


def test_a_second_one_for_the_same_socket_or_the_same_log_does_not_start(
    environ: dict[str, str],
) -> None:
    with connected(environ):
        command = [sys.executable, "-I", str(ROOT / "slated/__main__.py"), "serve"]
        done = subprocess.run(
            command, env=environ, capture_output=True, text=True, timeout=20, check=False
        )
        assert done.returncode == 1
        assert "daemon_running" in done.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
@pytest.mark.promise("no-record-lost")
def test_what_was_granted_is_in_the_log_whatever_ends_it(
    environ: dict[str, str], number: signal.Signals
) -> None:
    serials = []
    with connected(environ) as slated:
        for n in range(20):
            wish = {**CLICK, "arguments": {"x": n}}
            serials.append(slated.ask("admit", wish)["grant"])
        end(environ, number)
        with pytest.raises(Unavailable):
            slated.ask("admit", dict(CLICK))
    with connected(environ) as slated:
        made = slated.ask("admit", dict(CLICK))
        assert made["grant"] == 1
    calls = list(records(log_of(environ), Wanted(kind="call")))
    assert len(calls) == 21
    assert judged(log_of(environ), {}).sound


def test_an_old_grant_means_nothing_to_a_new_one(environ: dict[str, str]) -> None:
    with connected(environ) as slated:
        old = slated.ask("admit", dict(CLICK))
    end(environ, signal.SIGKILL)
    with connected(environ) as slated:
        assert slated.ask("finish", {"grant": old["grant"]}) == {"known": False}
        with pytest.raises(Refused):
            slated.ask("admit", {**CLICK, "under": old["grant"]})


@pytest.mark.promise("gate-down-no-action")
def test_while_it_is_stopped_nothing_is_granted_and_nobody_waits_for_ever(
    environ: dict[str, str],
) -> None:
    with connected(environ) as slated, connected(environ) as other:
        pid = slated.ask("status", {})["pid"]
        os.kill(pid, signal.SIGSTOP)
        try:
            with pytest.raises(Unavailable) as caught:
                slated.ask("admit", dict(CLICK), deadline_s=0.3)
            assert caught.value.code == "unavailable.slated"
        finally:
            os.kill(pid, signal.SIGCONT)
        assert other.ask("admit", dict(CLICK))["tier"] == "reversible"
        assert "signal" in logged(environ, "stopped")["why"]


def test_who_connects_and_says_nothing_is_in_the_log(environ: dict[str, str]) -> None:
    with connected(environ):
        assert reach.running(control.daemon_of(environ))
        line = logged(environ, "turned_away")
        assert (line["pid"], line["what"]) == (os.getpid(), "connect")


def test_a_person_it_is_not_who_connects_from_a_test(environ: dict[str, str]) -> None:
    with connected(environ) as slated:
        for method, params in (("attach", {}), ("auto", {"task": "t1", "on": True})):
            with pytest.raises(Refused) as caught:
                slated.ask(method, params)
            assert caught.value.code == "refused.not_a_person"
        with pytest.raises(Refused):
            slated.ask("admit", dict(RISKY))
    turned = list(records(log_of(environ), Wanted(kind="turned_away")))
    assert [line["what"] for line in turned] == ["approvals", "auto"]


@pytest.mark.anyio
async def test_it_ends_when_nobody_needs_it(tmp_path: Path) -> None:
    socket = str(tmp_path / "s.sock")
    with anyio.fail_after(5):
        assert await run(socket, directories(tmp_path), linger_s=0.05) == 0
    assert not os.path.lexists(socket)  # noqa: ASYNC240 - nothing else runs any more


@pytest.mark.anyio
async def test_it_ends_when_the_place_of_its_socket_is_gone(tmp_path: Path) -> None:
    place = tmp_path / "p"
    place.mkdir()
    reader, writer = os.pipe()
    began = time.monotonic()

    async def take_away() -> None:
        await anyio.wait_readable(reader)
        shutil.rmtree(place)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(take_away)
        with anyio.fail_after(5):
            code = await run(str(place / "s.sock"), directories(tmp_path), ready_fd=writer)
    os.close(reader)
    assert code == 0
    assert time.monotonic() - began < 5


@pytest.mark.anyio
async def test_a_log_that_another_one_writes_keeps_it_from_starting(tmp_path: Path) -> None:
    where = directories(tmp_path)
    reader, writer = os.pipe()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run, str(tmp_path / "a.sock"), where)
        with anyio.fail_after(5):
            while not await anyio.Path(tmp_path / "a.sock").exists():  # noqa: ASYNC110 - it comes once
                await anyio.sleep(0.02)
            assert await run(str(tmp_path / "b.sock"), where, ready_fd=writer) == 1
        tasks.cancel_scope.cancel()
    assert b"unavailable.audit" in os.read(reader, 4096)
    os.close(reader)

"""How it ends: end of input, signals, killed clients, fronts and daemons. Nothing stays held, nobody waits for ever."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from slated.wire import rpc
from tests.fakes.stage import INITIALIZE, Front, Stage, alive, until

ROOT = str(Path(__file__).parents[2])


def _released(here: Stage, leases: int) -> bool:
    """Whether one more lease is over, with nothing held."""
    return len(here.leases) > leases and "held []" in here.leases[-1]


def _in_a_call(front: Front, tool: str = "desktop_hold", seconds: float = 20) -> int:
    """A call that is certain to run: a note before it in the same queue has been answered."""
    front.result(front.call("desktop_note", text="ready"))
    id_ = front.call(tool, seconds=seconds)
    while "press ctrl" not in str(front.result(front.call("desktop_ledger"))):
        pass
    return id_


def test_r117_the_end_of_input_ends_the_front_and_the_call_within_two_seconds(here: Stage) -> None:
    with here.start() as front:
        _in_a_call(front)
        leases, began = len(here.leases), time.monotonic()
        front.end()
        assert front.process.wait(5) == 0
        assert time.monotonic() - began < 2
        assert until(lambda: _released(here, leases), 2)
    assert alive(here.daemon_pid)


def test_r117_a_front_started_at_the_end_of_input_is_gone_at_once(here: Stage) -> None:
    with here.start() as front:
        began = time.monotonic()
        front.end()
        assert front.process.wait(5) == 0
        assert time.monotonic() - began < 2


def test_answers_to_what_was_asked_before_the_end_of_input_still_come(here: Stage) -> None:
    with here.start() as front:
        id_ = front.call("desktop_wait", seconds=0.5)
        front.end()
        assert front.result(id_)["content"][0]["text"] == "waited"
        assert front.process.wait(5) == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_r117_a_front_that_is_killed_lets_go_of_everything(here: Stage, number: int) -> None:
    with here.start() as front:
        _in_a_call(front)
        leases = len(here.leases)
        front.process.send_signal(number)
        front.process.wait(5)
        assert until(lambda: _released(here, leases), 2)
    assert alive(here.daemon_pid)


def test_r117_a_client_that_is_killed_takes_its_front_and_its_call_with_it(here: Stage) -> None:
    client = f"""
        import sys
        sys.path.insert(0, {ROOT!r})
        from tests.fakes.stage import Front
        front = Front({here.front!r}, {here.env!r})
        front.result(front.call("desktop_note", text="ready"))
        front.call("desktop_hold", seconds=20)
        while "press ctrl" not in str(front.result(front.call("desktop_ledger"))):
            pass
        print(front.process.pid, flush=True)
        sys.stdin.read()
    """
    argv = [sys.executable, "-c", textwrap.dedent(client)]
    with subprocess.Popen(argv, stdin=-1, stdout=-1, text=True) as process:
        assert process.stdout is not None
        front_pid = int(process.stdout.readline())
        leases = len(here.leases)
        process.kill()
        assert until(lambda: not alive(front_pid), 2)
        assert until(lambda: _released(here, leases), 2)
    assert alive(here.daemon_pid)


@pytest.mark.parametrize("modern", [True, False])
def test_a_daemon_that_is_killed_answers_every_open_call_through_the_front(
    fresh: Stage, modern: bool
) -> None:
    with fresh.start() as front:
        if not modern:
            front.answer(front.ask("initialize", INITIALIZE, modern=False))
            front.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        done = front.call("desktop_echo", modern=modern)
        front.answer(done)
        called_off = front.call("desktop_wait", seconds=20, modern=modern)
        front.cancel(called_off)
        open_ = [front.call("desktop_wait", seconds=20, modern=modern) for _ in range(3)]
        front.answer(front.ask("tools/list", modern=modern))
        fresh.kill()
        for id_ in open_:
            result = front.result(id_)
            assert result["isError"] is True
            assert result["content"][0]["text"].startswith("unavailable.daemon: ")
            assert result["_meta"]["slate/outcome"]["error"]["code"] == "unavailable.daemon"
        assert front.process.wait(5) == 1
        for id_ in (done, called_off):
            with pytest.raises(EOFError):
                front.answer(id_)


def test_after_a_killed_daemon_the_next_front_starts_a_new_one(fresh: Stage) -> None:
    with fresh.start() as front:
        front.result(front.call("desktop_echo"))
        first = fresh.daemon_pid
        fresh.kill()
        front.process.wait(5)
    with fresh.start() as front:
        facts = front.result(front.call("desktop_echo"))["_meta"]["slate/outcome"]
        assert facts["pid"] == fresh.daemon_pid != first


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_daemon_told_to_end_lets_go_and_takes_its_socket_along(fresh: Stage, number: int) -> None:
    with fresh.start() as front:
        _in_a_call(front)
        pid = fresh.daemon_pid
        fresh.kill(number)
        assert until(lambda: not alive(pid), 3)
        assert not fresh.socket.exists()
        assert "held []" in fresh.leases[-1]


def test_a_daemon_that_nobody_needs_ends_by_itself_and_one_in_use_does_not(fresh: Stage) -> None:
    with fresh.start("--linger", "0.4") as front:
        front.result(front.call("desktop_wait", seconds=1))
        pid = fresh.daemon_pid
        assert alive(pid)
    assert until(lambda: not alive(pid), 5)
    assert not fresh.socket.exists()


def test_a_client_that_stops_reading_holds_up_nobody_else(here: Stage) -> None:
    with here.start() as stuck, here.start() as other:
        stuck.result(stuck.call("desktop_echo"))
        for _ in range(4):
            stuck.call("desktop_echo", size=2_000_000)
        began = time.monotonic()
        other.result(other.call("desktop_note", text="x"))
        assert time.monotonic() - began < 2
        leases = len(here.leases)
        stuck.process.kill()
        assert until(lambda: len(here.leases) > leases, 2)


def test_why_there_is_no_desktop_is_the_answer_to_the_first_request(fresh: Stage) -> None:
    with fresh.start("--fail") as front:
        id_ = front.ask("initialize", INITIALIZE, modern=False)
        error = front.answer(id_)["error"]
        assert error["message"] == "unavailable.compositor: no sway answers. next: start sway"
        assert front.process.wait(5) == 1
        assert front.process.stderr is not None
        assert b"no sway answers" in front.process.stderr.read()


def test_why_there_is_no_desktop_is_told_to_a_person_without_a_client(fresh: Stage) -> None:
    done = subprocess.run(
        [*fresh.front, "--fail"],
        env=fresh.env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=20,
    )
    assert done.returncode == 1
    assert b"no sway answers" in done.stderr
    assert done.stdout == b""


def test_a_second_daemon_of_the_same_socket_is_refused(here: Stage) -> None:
    with here.start() as front:
        front.result(front.call("desktop_echo"))
        daemon = Path(here.front[-2]).with_name("daemon.py")
        done = subprocess.run(
            [sys.executable, daemon, here.socket], env=here.env, capture_output=True, timeout=20
        )
        assert done.returncode == 1
        assert json.loads(done.stderr.splitlines()[-1])["code"] == "unavailable.daemon_running"
        front.result(front.call("desktop_echo"))


def test_a_front_whose_streams_are_closed_ends(here: Stage) -> None:
    with here.start() as front:
        front.result(front.call("desktop_echo"))
    for closing in ("<&-", ">&-", "<&- >&- 2>&-"):
        line = " ".join(here.front) + " " + closing
        subprocess.run(
            ["/bin/sh", "-c", line], env=here.env, stdin=subprocess.DEVNULL, timeout=5, check=False
        )


def test_requests_are_forwarded_as_they_are_and_rubbish_harms_nothing(here: Stage) -> None:
    with here.start() as front:
        front.send(b'\n  \nnot json\n\xff\xfe\n[1,2]\n{}\n"x"\n')
        front.result(front.call("desktop_echo"))
        front.send(rpc.encode({"jsonrpc": "2.0", "id": 77, "method": "no/such/method"}))
        assert front.answer(77)["error"]["code"]
        front.result(front.call("desktop_echo"))
    assert os.path.exists(here.socket)

"""Reaching a daemon that is there, is not, is another version, or is wanted by many at once."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress

import pytest

from slated.errors import SlateError
from slated.wire import reach, start
from slated.wire.peer import peer_of
from tests.fakes.front import the_daemon
from tests.fakes.stage import Stage, alive, stage, until


@pytest.fixture
def here() -> Iterator[Stage]:
    with stage() as made:
        yield made


def _daemon(here: Stage, *extra: str, version: str = "0.1.0") -> start.Daemon:
    return the_daemon("fake", list(extra), version, here.env, "doorman.py")


def _reach(daemon: start.Daemon) -> socket.socket:
    return reach.reach(daemon, say=print)


def test_a_missing_daemon_is_started_once_and_found_again(here: Stage) -> None:
    first = _reach(_daemon(here))
    second = _reach(_daemon(here))
    assert peer_of(first).pid == peer_of(second).pid == here.daemon_pid
    assert reach.running(_daemon(here))
    first.close()
    second.close()


def test_many_who_start_it_at_once_get_the_same_daemon(here: Stage) -> None:
    pids: list[int] = []

    def one() -> None:
        client = _reach(_daemon(here))
        pids.append(peer_of(client).pid)
        client.close()

    threads = [threading.Thread(target=one) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert len(pids) == 8
    assert set(pids) == {here.daemon_pid}


def test_an_idle_daemon_of_another_version_is_started_anew(here: Stage) -> None:
    old = _reach(_daemon(here, version="0.0.9"))
    before = here.daemon_pid
    old.close()
    said: list[str] = []
    fresh = reach.reach(_daemon(here), say=said.append)
    assert peer_of(fresh).pid == here.daemon_pid != before
    assert said == ["an idle daemon of version 0.0.9 makes room for 0.1.0"]
    assert until(lambda: not alive(before), 5)
    fresh.close()


def test_a_daemon_of_another_version_that_others_use_stays_and_says_so(here: Stage) -> None:
    old = _reach(_daemon(here, version="0.0.9"))
    with pytest.raises(SlateError) as caught:
        _reach(_daemon(here))
    assert caught.value.code == "unavailable.daemon_version"
    assert "0.0.9" in caught.value.message
    assert str(here.daemon_pid) in caught.value.next_step
    assert peer_of(old).pid == here.daemon_pid
    assert alive(here.daemon_pid)
    old.close()


def test_something_else_at_the_socket_is_given_up_at_the_deadline(
    here: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reach, "HELLO_DEADLINE_S", 0.2)
    daemon = _daemon(here)
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(daemon.socket)
        silent.listen(1)
        with pytest.raises(SlateError, match="does not answer"):
            _reach(daemon)


def test_a_daemon_that_is_about_to_end_is_followed_by_a_new_one(here: Stage) -> None:
    daemon = _daemon(here)
    leaving = socket.socket(socket.AF_UNIX)
    leaving.bind(daemon.socket)
    leaving.listen(5)

    def end() -> None:
        for _ in range(3):
            leaving.accept()[0].close()
        os.unlink(daemon.socket)
        leaving.close()

    thread = threading.Thread(target=end)
    thread.start()
    client = _reach(daemon)
    thread.join(5)
    assert peer_of(client).pid == here.daemon_pid
    client.close()


def test_something_that_only_ever_hangs_up_is_given_up(
    here: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reach, "HELLO_DEADLINE_S", 0.2)
    daemon = _daemon(here)
    with socket.socket(socket.AF_UNIX) as rude:
        rude.bind(daemon.socket)
        rude.listen(5)

        def hang_up() -> None:
            with suppress(OSError):
                while True:
                    rude.accept()[0].close()

        thread = threading.Thread(target=hang_up)
        thread.start()
        with pytest.raises(SlateError, match="does not answer"):
            _reach(daemon)
        rude.shutdown(socket.SHUT_RDWR)
        thread.join(5)


def test_a_verb_only_asks_whether_one_runs_without_starting_it(here: Stage) -> None:
    assert not reach.running(_daemon(here))
    with pytest.raises(SlateError, match="no daemon answers"):
        reach.reach(_daemon(here), say=print, may_start=False)
    assert not here.socket.exists()

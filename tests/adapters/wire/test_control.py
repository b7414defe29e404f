"""One call at a time to slated: failures as they were, and what a silent or ended slated is."""

from __future__ import annotations

import json
import socket
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from slated.errors import BadRequest, Bug, Refused, SlateError, Stale, Unavailable
from slated.wire import control


def answering(*lines: bytes) -> control.Control:
    """A connection whose other end answers the first call with these lines and hangs up."""
    ours, theirs = socket.socketpair()

    def serve() -> None:
        with theirs:
            theirs.recv(1 << 16)
            for line in lines:
                theirs.sendall(line)

    threading.Thread(target=serve, daemon=True).start()
    return control.Control(ours)


def test_the_result_is_that_of_the_call_and_what_comes_between_is_passed_over() -> None:
    slated = answering(
        b'{"jsonrpc":"2.0","method":"questions","params":{}}\n',
        b'{"jsonrpc":"2.0","id":1,"result":{"x":1}}\n',
    )
    assert slated.ask("status", {}) == {"x": 1}
    assert not slated.waiting
    slated.close()


@pytest.mark.parametrize(
    "made",
    [
        BadRequest("field", "no", next_step="go"),
        Refused("denied", "no", next_step="go"),
        Stale("question", "no"),
        Unavailable("audit", "no"),
        Bug("unexpected", "no"),
    ],
)
def test_a_failure_arrives_as_it_was_raised(made: SlateError) -> None:
    slated = answering(control.failed(1, made))
    with pytest.raises(type(made)) as caught:
        slated.ask("x", {})
    assert (caught.value.code, caught.value.message, caught.value.next_step) == (
        made.code,
        made.message,
        made.next_step,
    )
    slated.close()


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ({"message": "odd"}, "unavailable.protocol"),
        ("odd", "unavailable.protocol"),
        ({"data": {"code": "strange.thing"}}, "bug.thing"),
    ],
)
def test_an_error_that_says_little_is_still_one(answer: object, code: str) -> None:
    assert control.failure(answer).code == code


@pytest.mark.parametrize("lines", [(), (b'{"jsonrpc"',)])
def test_an_end_in_mid_call_is_unavailable(lines: tuple[bytes, ...]) -> None:
    slated = answering(*lines)
    with pytest.raises(Unavailable) as caught:
        slated.ask("status", {})
    assert caught.value.code == "unavailable.slated"
    slated.close()


def test_a_slated_that_says_nothing_is_given_up() -> None:
    ours, theirs = socket.socketpair()
    slated = control.Control(ours)
    with pytest.raises(Unavailable):
        slated.ask("status", {}, deadline_s=0.02)
    assert slated.fileno() == ours.fileno()
    slated.close()
    theirs.close()


def test_the_daemon_meant_is_this_version_of_ours(
    tmp_path: Path, short: Callable[[], Path]
) -> None:
    place = short()
    daemon = control.daemon_of({"XDG_RUNTIME_DIR": str(place)}, version="9")
    assert daemon.socket == str(place / "slate/slated.sock")
    assert daemon.version == "9"
    assert daemon.command[:2] == [sys.executable, "-I"]
    assert Path(daemon.command[2]).name == "__main__.py"
    assert json.dumps(daemon.command[3:]) == '["serve"]'


@pytest.fixture
def short(request: pytest.FixtureRequest) -> Callable[[], Path]:
    """Makes a directory whose sockets have short names."""
    import shutil
    import tempfile

    def make() -> Path:
        made = Path(tempfile.mkdtemp(prefix="slc"))
        made.chmod(0o700)
        request.addfinalizer(lambda: shutil.rmtree(made))
        return made

    return make

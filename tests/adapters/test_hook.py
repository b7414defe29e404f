"""The hook as a process: slated's answer and nothing else, or code 2 with a reason; and what it imports."""

from __future__ import annotations

import ast
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from slated import __version__, hook
from slated.wire import rpc

EVENT = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}
SAID = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"}}
Talk = Callable[[socket.socket], None]


@pytest.fixture
def path(short: Path) -> Path:
    return short / "slate/slated.sock"


@pytest.fixture
def short(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("r")
    made.chmod(0o700)
    (made / "slate").mkdir(mode=0o700)
    return made


def run(path: Path, given: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    """The hook, with a state directory that cannot be made: a slated it wanted to start would not come up."""
    argv = [sys.executable, "-I", "-S", hook.__file__, "claude", str(path)]
    env = {"XDG_STATE_HOME": "/dev/null/no", "PATH": "/usr/bin:/bin"}
    data = json.dumps(EVENT).encode() if given is None else given
    return subprocess.run(argv, input=data, env=env, capture_output=True, timeout=20, check=False)


def told(lines: bytes) -> Talk:
    """A slated that greets, takes the event and answers with these bytes."""

    def talk(link: socket.socket) -> None:
        link.sendall(rpc.encode({"slate": 1, "version": __version__, "pid": 1}))
        while b'"method":"hook"' not in link.recv(1 << 16):
            pass
        link.sendall(lines)

    return talk


class Peer:
    """A scripted slated."""

    def __init__(self, path: Path, talk: Talk) -> None:
        self._server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._server.bind(str(path))
        self._server.listen()
        self._talk = talk
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with self._server:
            link, _ = self._server.accept()
            with link:
                self._talk(link)


@pytest.fixture
def answered(path: Path) -> Iterator[Callable[[object], subprocess.CompletedProcess[bytes]]]:
    def one(result: object) -> subprocess.CompletedProcess[bytes]:
        Peer(path, told(rpc.encode({"jsonrpc": "2.0", "id": 1, "result": result})))
        return run(path)

    return one  # type: ignore[return-value] # a plain value is what a test gets


def refused(done: subprocess.CompletedProcess[bytes]) -> bool:
    """Whether it is a no that both agent programs understand: code 2, words on stderr, nothing on stdout."""
    return done.returncode == 2 and done.stdout == b"" and done.stderr.startswith(b"slate: nothing")


def test_the_answer_is_passed_on_as_it_is(
    answered: Callable[[object], subprocess.CompletedProcess[bytes]],
) -> None:
    done = answered(SAID)
    assert (done.returncode, json.loads(done.stdout), done.stderr) == (0, SAID, b"")


def test_no_answer_to_give_prints_nothing(
    answered: Callable[[object], subprocess.CompletedProcess[bytes]],
) -> None:
    done = answered(None)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.promise("gate-down-no-action")
@pytest.mark.parametrize(
    "answer",
    [
        b'{"jsonrpc":"2.0","id":1,"result":{"hookSpecificOutput":{"permissionDecision":"al',
        b'{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"no"}}\n',
        b"garbage\n",
        b"\n",
        b"",
    ],
    ids=["cut off", "an error", "garbage", "an empty line", "nothing"],
)
def test_anything_but_a_whole_answer_is_a_no(path: Path, answer: bytes) -> None:
    Peer(path, told(answer))
    assert refused(run(path))


@pytest.mark.promise("gate-down-no-action")
def test_without_slated_and_without_one_that_can_be_started_it_is_a_no(path: Path) -> None:
    assert refused(run(path))


@pytest.mark.parametrize("given", [b"", b"   \n", b"x" * (hook.LIMIT + 1)])
def test_an_event_that_is_none_is_a_no(path: Path, given: bytes) -> None:
    assert refused(run(path, given))


def test_a_slated_that_hangs_is_a_no_in_time(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = threading.Event()
    Peer(path, lambda link: (done.wait(10), None)[1])
    monkeypatch.setattr(hook, "DEADLINE_S", 0.2)
    with pytest.raises(TimeoutError):
        hook.quick(str(path), b"{}\n")
    done.set()


def test_its_deadline_lies_between_that_of_a_question_and_its_own_limit() -> None:
    from slated.agents.own import HOOK_S
    from slated.approvals import CALL_S

    assert CALL_S + 5 <= hook.DEADLINE_S < HOOK_S


def test_it_speaks_for_this_version_in_slateds_own_form() -> None:
    assert __version__ == hook.VERSION
    made = rpc.encode({"jsonrpc": "2.0", "id": 1, "result": {"a": 1}})
    assert made.startswith(hook.ANSWER)
    assert made.endswith(b"}\n")
    asked = json.loads(hook.REQUEST % (b"claude", b'{"a":\n1}'.replace(b"\n", b" ")))
    assert asked["params"] == {"program": "claude", "event": {"a": 1}}


def test_it_imports_sys_and_socket_only() -> None:
    tree = ast.parse(Path(hook.__file__).read_text(encoding="utf-8"))
    top = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    assert [ast.unparse(node) for node in top] == ["import _socket", "import sys"]


@pytest.mark.skipif(not os.path.exists("/proc/self/environ"), reason="needs Linux's /proc")
def test_pythons_environment_does_not_reach_it(path: Path, tmp_path: Path) -> None:
    """A planted module is not found through PYTHONPATH or the working directory."""
    (tmp_path / "_socket.py").write_text("raise SystemExit(0)")
    argv = [sys.executable, "-I", "-S", hook.__file__, "claude", str(path)]
    env = {"PYTHONPATH": str(tmp_path), "XDG_STATE_HOME": "/dev/null/no"}
    done = subprocess.run(
        argv, input=b"{}", env=env, cwd=tmp_path, capture_output=True, timeout=20, check=False
    )
    assert done.returncode == 2

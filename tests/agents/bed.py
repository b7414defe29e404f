"""A home of its own for the real agent programs: directories, hooks, a slated with somebody to ask, and their runs."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import anyio

from slated import __version__, daemon, person
from slated.approvals import Answer
from slated.settings import Directories, directories
from slated.switchboard import Switchboard
from slated.wire import control
from slated.wire.serve import Door, alone, listening
from tests.agents.alone import PORT
from tests.fakes.stage import alive, until

HERE = Path(__file__).parent
ROOT = Path(__file__).parents[2]
BIN = HERE / "programs/node_modules/.bin"
SLATE = [sys.executable, "-I", str(ROOT / "slated/__main__.py")]
UNSHARE = shutil.which("unshare")
RUN_S = 60.0


def missing() -> str:
    """Why the real programs cannot run here; "" if they can."""
    for program in ("claude", "codex"):
        if not (BIN / program).exists():
            return f"{program} is not installed (make test-agents)"
    if UNSHARE is None or subprocess.run([*_apart(), "true"], capture_output=True).returncode:
        return "no network namespace can be made here (unshare --net)"
    return ""


def _apart() -> list[str]:
    return (
        [str(UNSHARE), "--net"] if os.getuid() == 0 else [str(UNSHARE), "--net", "--map-root-user"]
    )


class Bed:
    """One home. `work` is the project an agent runs in, `covered` what undo covers of it."""

    def __init__(self, root: Path) -> None:
        self.root, self.home, self.work = root, root / "h", root / "w"
        self.covered = self.work / "covered"
        self.main = ROOT / "slated/__main__.py"
        """Where `slate` is run from; what is installed points there."""
        for one in (self.home, self.work, self.covered, root / "r", root / "t"):
            one.mkdir(mode=0o700)
        self.env = {
            "PATH": f"{Path(shutil.which('node') or 'node').parent}:/usr/bin:/bin:{BIN}",
            "HOME": str(self.home),
            "CODEX_HOME": str(self.home / ".codex"),
            "TMPDIR": str(root / "t"),
            "LANG": "C.UTF-8",
            "XDG_RUNTIME_DIR": str(root / "r"),
            "XDG_STATE_HOME": str(root / "s"),
            "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{PORT}",
            "ANTHROPIC_API_KEY": "sk-ant-dummy",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1",
            "IS_SANDBOX": "1",
            "STUB_KEY": "dummy",
        }
        codex = self.home / ".codex"
        codex.mkdir(mode=0o700)
        (codex / "config.toml").write_text(CODEX_CONFIG)

    def slate(self, *words: str) -> subprocess.CompletedProcess[str]:
        """The command line `slate`, as its person would run it."""
        return subprocess.run(
            [sys.executable, "-I", str(self.main), *words], env=self.env, cwd=self.home, capture_output=True, text=True,
            timeout=RUN_S, check=False,
        )  # fmt: skip

    def install(self, program: str) -> None:
        """Put the hooks in."""
        done = self.slate("hook", "install", program)
        assert done.returncode == 0, done.stdout + done.stderr

    def copy_slate(self) -> Path:
        """Run `slate` from a copy that can be taken away again; where its package is."""
        package = self.root / "opt/slated"
        leave = shutil.ignore_patterns("__pycache__")
        shutil.copytree(self.main.parent, package, ignore=leave)
        self.main = package / "__main__.py"
        return package

    def agent(
        self, *words: str, env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run an agent program to its end, with loopback only."""
        argv, environ = self.apart(*words)
        environ |= env or {}
        pipe = subprocess.PIPE
        with subprocess.Popen(
            argv, env=environ, cwd=ROOT, stdout=pipe, stderr=pipe, text=True, start_new_session=True
        ) as process:
            try:
                out, err = process.communicate(timeout=RUN_S)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                raise
        return subprocess.CompletedProcess(argv, process.returncode, out, err)

    def apart(self, *words: str) -> tuple[list[str], dict[str, str]]:
        """An agent program's argv and environment, with loopback only."""
        inside = [sys.executable, "-m", "tests.agents.alone", str(self.work), "--", *words]
        return [*_apart(), *inside], {**self.env, "PYTHONPATH": str(ROOT)}

    def claude(self, prompt: str, *extra: str) -> list[dict[str, Any]]:
        """One `claude -p`: its events."""
        argv = ["claude", "-p", "--output-format", "stream-json", "--verbose", *extra, "--", prompt]
        done = self.agent(*argv)
        assert done.stdout, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]

    def codex(self, prompt: str, *extra: str) -> list[dict[str, Any]]:
        """One `codex exec`: its events."""
        argv = ["codex", "exec", "--json", "--skip-git-repo-check", *extra, "--", prompt]
        done = self.agent(*argv)
        assert done.stdout, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]

    def status(self) -> dict[str, Any]:
        """What `slate status` says."""
        told: dict[str, Any] = json.loads(self.slate("status", "--json").stdout)
        return told

    def sessions(self, program: str) -> list[dict[str, Any]]:
        """Tasks of an agent program with a session, newest last."""
        return [t for t in self.status()["tasks"] if t["session"] and program in t["program"]]

    def modes(self, program: str) -> set[str]:
        """How far each task of an agent program is said to be guarded, those no hook spoke of included."""
        return {t["mode"] for t in self.status()["tasks"] if program in t["program"]}

    def logged(self, *words: str) -> list[dict[str, Any]]:
        """Records of the audit log."""
        done = self.slate("audit", "--json", *words)
        return [json.loads(line) for line in done.stdout.splitlines()]

    @property
    def socket(self) -> Path:
        """slated's socket."""
        return self.root / "r/slate/slated.sock"

    def end_slated(self, number: int = signal.SIGKILL) -> None:
        """End a slated that was started here as a process of its own."""
        try:
            pid = int(self.socket.with_suffix(".lock").read_text())
            if pid != os.getpid():
                os.kill(pid, number)
                assert until(lambda: not alive(pid), 5)
        except (OSError, ValueError):  # there is none
            pass

    def close(self) -> None:
        """Leave nothing behind."""
        self.end_slated()
        shutil.rmtree(self.root, ignore_errors=True)


CODEX_CONFIG = f"""\
# The person's own configuration.
model = "stub"
model_provider = "stub"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.stub]
name = "stub"
base_url = "http://127.0.0.1:{PORT}/v1"
env_key = "STUB_KEY"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1
"""


@contextmanager
def bed() -> Iterator[Bed]:
    """A bed with a path short enough for sockets; below the home, since Codex takes none below TMPDIR."""
    made = Bed(Path(tempfile.mkdtemp(prefix="slate-bed-")))
    try:
        yield made
    finally:
        made.close()


class Conscience:
    """A real slated in a thread of this process, and somebody who answers its questions."""

    def __init__(
        self, where: Directories, socket: str, mark: Callable[[int, int], bool] = person.mark
    ) -> None:
        self._where, self._socket, self._mark = where, socket, mark
        self.says: list[Answer | None] = []
        """What is said to the next questions; None says nothing, and so does an empty list."""
        self.asked: list[Mapping[str, object]] = []
        self.before_answer: Callable[[], None] = lambda: None
        """What the person does before they answer."""
        self._ready = threading.Event()
        self._end: Callable[[], None] = lambda: None
        self._thread = threading.Thread(target=anyio.run, args=(self._run,), daemon=True)

    def start(self) -> None:
        """Serve."""
        self._thread.start()
        assert self._ready.wait(10)

    def stop(self) -> None:
        """End, as at the end of a session."""
        self._end()
        self._thread.join(10)
        assert not self._thread.is_alive()

    async def _run(self) -> None:
        from anyio.from_thread import BlockingPortal

        where = self._where
        async with (
            alone(self._socket), daemon.serving(where, mark=self._mark) as board, listening(self._socket) as listener,
            BlockingPortal() as portal, anyio.create_task_group() as tasks,
        ):  # fmt: skip
            door = Door(version=__version__)
            tasks.start_soon(door.serve, listener, partial(daemon.served, board))
            self._end = lambda: portal.call(tasks.cancel_scope.cancel)
            board.service.approvals.approvers += 1
            board.doors.wait_s = 2.0
            self._ready.set()
            await self._answer(board)

    async def _answer(self, board: Switchboard) -> None:
        known: set[object] = set()
        while True:
            await anyio.sleep(0.02)
            for question in board.service.approvals.open():
                if question.ref in known:
                    continue
                known.add(question.ref)
                self.asked.append(question.told())
                said = self.says.pop(0) if self.says else None
                if said is not None:
                    self.before_answer()
                    await board.service.answer(
                        question.ref, question.digest, said, "a test's person"
                    )


@contextmanager
def conscience(made: Bed) -> Iterator[Conscience]:
    """A slated for a bed, with a person whose rules say that undo covers `covered`."""
    policy = made.root / "policy.toml"
    policy.write_text(f'[paths]\nprotected = ["{made.covered}"]\n')
    where = replace(directories(made.env), home=made.home, policy=policy)
    one = Conscience(where, control.daemon_of(made.env).socket)
    one.start()
    try:
        yield one
    finally:
        one.stop()

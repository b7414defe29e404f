"""What a GTK editor saved for an agent goes back: the real desktop, the real gate, the real undo of a person."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters

from slate_desktop import settings as desktop_settings
from slate_desktop.headless.runtime import find_sway
from slated.settings import directories
from slated.wire import control
from tests.agents.bed import Conscience
from tests.conftest import SLOW
from tests.fakes.conscience import a_person_sits_here
from tests.fakes.stage import Stage, stage, until

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "slate_desktop/__main__.py"
DATA_HOME = desktop_settings.data_home(desktop_settings.environment())
EDITORS: Mapping[str, list[str]] = {
    "mousepad": ["mousepad", "--disable-server"],
    "gnome-text-editor": ["gnome-text-editor", "--standalone"],
}
STILL_S = 0.25

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.timeout(120 * SLOW),
    pytest.mark.skipif(
        find_sway(DATA_HOME) is None,
        reason="there is no sway 1.12 or newer here: `slate-desktop runtime install` fetches one",
    ),
]


class Bench:
    """A headless desktop whose slated covers `docs`."""

    def __init__(self, made: Stage) -> None:
        self.docs = made.root / "docs"
        self.docs.mkdir()
        made.env["XDG_DATA_HOME"] = str(DATA_HOME)
        made.socket = made.socket.with_name("headless.sock")
        made.log = made.log.with_name("headless.log")
        self.env = made.env
        policy = made.root / "policy.toml"
        policy.write_text(f'[paths]\nprotected = ["{self.docs}"]\n')
        where = replace(directories(made.env), home=made.root, policy=policy)
        socket = control.daemon_of(made.env).socket
        self.slated = Conscience(where, socket, mark=lambda pid, began: False)

    def slate(self, *words: str) -> str:
        """What the command line says; it must succeed."""
        argv = [sys.executable, "-I", str(ROOT / "slated/__main__.py"), *words]
        done = subprocess.run(argv, env=self.env, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def held(self) -> dict[str, str]:
        return {path.name: path.read_text() for path in self.docs.iterdir()}


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    a_person_sits_here(monkeypatch)
    with stage() as made:
        one = Bench(made)
        one.slated.start()
        try:
            yield one
        finally:
            one.slated.stop()


class Agent:
    """The SDK's client on a front, asked in tool calls."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def call(self, tool: str, **arguments: object) -> dict[str, Any]:
        """The facts of a call that must succeed."""
        result = await self._client.call_tool(tool, arguments)
        assert not result.is_error, result.content
        told: dict[str, Any] = (result.meta or {}).get("slate/outcome", {})
        return told

    async def open(self, argv: list[str]) -> str:
        """Launch an editor; the ref of its window."""
        facts = await self.call("desktop_launch", argv=argv, timeout_s=40)
        window = str(facts["opened"][0]["ref"])
        await self.call("desktop_wait", target=window, still_s=STILL_S, timeout_s=20)
        return window

    async def newest(self, window: str) -> str:
        """Another window than this one, once there is one."""
        with anyio.fail_after(20 * SLOW):
            while True:
                facts = await self.call("desktop_windows")
                others = [w["ref"] for w in facts.get("windows", []) if w["ref"] != window]
                if others:
                    return str(others[0])
                await anyio.sleep(0.1)


@asynccontextmanager
async def agent(bench: Bench) -> AsyncIterator[Agent]:
    words = ["-I", "-S", str(PROGRAM), "mcp", "--headless"]
    server = StdioServerParameters(command=sys.executable, args=words, env=bench.env)
    async with Client(server) as client:
        yield Agent(client)


async def holds(path: Path, text: str) -> None:
    """Wait until a file holds a text."""
    there = partial(until, lambda: path.exists() and text in path.read_text(), 20 * SLOW)
    assert await anyio.to_thread.run_sync(there)


@pytest.mark.parametrize("editor", EDITORS)
async def test_a_file_that_a_gtk_editor_saved_goes_back_and_the_persons_stays(
    bench: Bench, editor: str
) -> None:
    if shutil.which(editor) is None:
        pytest.skip(f"{editor} is not installed (make setup)")
    letter, persons = bench.docs / "letter.txt", bench.docs / "persons.txt"
    letter.write_text("before\n")
    os.utime(letter, ns=(10**18, 10**18))
    persons.write_text("old\n")
    async with agent(bench) as one:
        window = await one.open([*EDITORS[editor], str(letter)])
        persons.write_text("the person's\n")
        await one.call("desktop_type", target=window, text="by the agent ")
        await one.call("desktop_key", target=window, keys=["ctrl+s"])
        await holds(letter, "by the agent")
        saved = bench.held()
        told = json.loads(
            await anyio.to_thread.run_sync(bench.slate, "undo", "--preview", "--json")
        )
        assert [step["path"] for step in told["steps"]] == [str(letter)], told
        await anyio.to_thread.run_sync(bench.slate, "undo", "--last")
        assert bench.held() == {"letter.txt": "before\n", "persons.txt": "the person's\n"}
        assert letter.stat().st_mtime_ns == 10**18
        await anyio.to_thread.run_sync(bench.slate, "undo", "--redo")
        assert bench.held() == saved


async def test_a_new_file_that_was_named_in_a_dialog_goes_away_again(bench: Bench) -> None:
    """What is typed into the dialog tells where the file will be, before it is there."""
    if shutil.which("mousepad") is None:
        pytest.skip("mousepad is not installed (make setup)")
    made = bench.docs / "deep/new letter.txt"
    made.parent.mkdir()
    async with agent(bench) as one:
        window = await one.open(EDITORS["mousepad"])
        await one.call("desktop_type", target=window, text="by the agent")
        facts = await one.call("desktop_key", target=window, keys=["ctrl+s"])
        opened = facts.get("opened")
        dialog = str(opened[0]["ref"]) if opened else await one.newest(window)
        await one.call("desktop_wait", target=dialog, still_s=STILL_S)
        await one.call("desktop_key", target=dialog, keys=["ctrl+a"])
        await one.call("desktop_type", target=dialog, text=str(made))
        await one.call("desktop_wait", target=dialog, still_s=STILL_S)
        await one.call("desktop_key", target=dialog, keys=["Return"])
        await holds(made, "by the agent")
        await anyio.to_thread.run_sync(bench.slate, "undo", "--last")
        assert list(made.parent.iterdir()) == []

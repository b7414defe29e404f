"""The main job, shown: an agent writes, copies and saves in a background editor while a person
keeps typing.

`python -m scripts.demo [EDITOR]`. Exits 0 only when the file's bytes and the person's text are as they
should be; the pictures are in demo/out/.
"""

from __future__ import annotations

import base64
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, StdioServerParameters

from slate_desktop.settings import data_home, environment
from slated.errors import sole
from tests.live.bed.patience import START_S, until
from tests.live.bed.program import ROOT, Program, running
from tests.live.bed.tree import Sway
from tests.live.bed.whereabouts import HeadlessPlace, end_daemon, find_place

OUT = ROOT / "demo" / "out"
LINES = (
    "Dear Zoë, the naïve café's Œuvre went to Straße, Ångström and Žluťoučký kůň.",
    "漢字とかな、한국어、中文。 Ελληνικά, Кириллица, ½ × 3 ≠ €7.",
    "🐱 🎉 👩‍🔬 — signs, not pictures of signs.",
    r"A literal \n \x41 %s $HOME stays what it is.",
    "copied line: déjà vu ✓",
)
PHRASE = "the person keeps typing while the agent works. "
PERSON_GAP_S = 0.03
STILL_S = 0.25  # shorter than half a blink of a text cursor


class Differs(Exception):
    """Something is not as it should be."""


@dataclass(frozen=True, slots=True)
class Editor:
    """A GTK editor: how it is launched, and what it adds to a text it saves."""

    launch: Mapping[str, object]
    adds: str


EDITORS = {
    "gnome-text-editor": Editor({"app": "org.gnome.TextEditor"}, "\n"),
    "mousepad": Editor({"argv": ["mousepad", "--disable-server"]}, ""),
}


class Steps:
    """Prints what is done and how long it took."""

    def __init__(self) -> None:
        self.began = time.monotonic()

    @contextmanager
    def step(self, what: str) -> Iterator[None]:
        """One step; its line is printed when it is done."""
        start = time.monotonic()
        yield
        print(
            f"{time.monotonic() - self.began:6.2f} s  {time.monotonic() - start:6.2f} s  {what}",
            flush=True,
        )


class Agent:
    """The MCP SDK's client, asked in tool calls."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def ok(self, tool: str, **arguments: object) -> tuple[str, dict[str, Any], list[bytes]]:
        """First line, facts and pictures of an answer that must not be an error."""
        result = await self._client.call_tool(tool, dict(arguments))
        text = "\n".join(block.text for block in result.content if block.type == "text")
        if result.is_error:
            raise Differs(f"{tool}: {text}")
        pictures = [
            base64.b64decode(block.data) for block in result.content if block.type == "image"
        ]
        facts: dict[str, Any] = (result.meta or {}).get("slate/outcome", {})
        return text.split("\n", 1)[0], facts, pictures

    async def wait(self, **conditions: object) -> None:
        """Wait for something that has to come."""
        said, facts, _ = await self.ok("desktop_wait", **conditions, timeout_s=20)
        if facts.get("verified") != "yes":
            raise Differs(f"waited for {conditions}: {said}")

    async def keys(self, window: str, *keys: str, **options: object) -> dict[str, Any]:
        """Chords into a window."""
        return (await self.ok("desktop_key", target=window, keys=list(keys), **options))[1]


async def main(wanted: Sequence[str]) -> None:
    """Everything, in order, with the first editor of `wanted` (default: any) that is here."""
    steps = Steps()
    print(" at       took    step")
    with steps.step("sway for a desktop without a screen"):
        install()
    with tempfile.TemporaryDirectory(prefix="slate-demo-") as directory:
        runtime = Path(directory)
        try:
            await perform(steps, runtime, wanted)
        finally:
            await end_daemon(runtime)
    print(
        f"done in {time.monotonic() - steps.began:.1f} s; pictures: {OUT}/editor.png {OUT}/screen.png"
    )


def install() -> None:
    """Have a sway that is new enough."""
    argv = [sys.executable, "-m", "slate_desktop", "runtime", "install"]
    subprocess.run(argv, check=True, cwd=ROOT, stdout=subprocess.DEVNULL, timeout=600)


async def perform(steps: Steps, runtime: Path, wanted: Sequence[str]) -> None:
    """The agent's work and the person's, side by side."""
    name = next((editor for editor in wanted or EDITORS if shutil.which(editor)), None)
    if name is None:
        raise Differs(
            "there is neither gnome-text-editor nor mousepad here: `make setup` installs them"
        )
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "slate_desktop", "mcp", "--headless"],
        env=server_environment(runtime),
        cwd=ROOT,
    )
    async with AsyncExitStack() as stack:
        with steps.step("agent connects over stdio; daemon and headless desktop start"):
            agent = Agent(await stack.enter_async_context(Client(server)))
            said, _, _ = await agent.ok("desktop_windows")
        with steps.step(f"windows: {said}"):
            place = find_place(runtime)
        record = runtime / "person.txt"
        with steps.step("a person starts typing in their terminal"):
            person = await stack.enter_async_context(typing_person(place, record))
        saved = runtime / "letter.txt"
        await write(steps, agent, EDITORS[name], saved)
        with steps.step("the person's text is whole"):
            await finish(person, record)
        with steps.step("the file holds every byte"):
            check(saved, "\n".join([*LINES, LINES[-1]]) + EDITORS[name].adds)


async def write(steps: Steps, agent: Agent, editor: Editor, saved: Path) -> None:
    """Launch, type, copy and paste, open the menu, save through the dialog, take pictures."""
    with steps.step("editor opens in the background"):
        said, facts, _ = await agent.ok("desktop_launch", **editor.launch, timeout_s=40)
        if not facts.get("opened"):
            raise Differs(f"no window: {said}")
        window = str(facts["opened"][0]["ref"])
        await agent.wait(target=window, still_s=STILL_S)
    text = "\n".join(LINES)
    with steps.step(f"{len(text)} characters typed by keys"):
        said, _, _ = await agent.ok("desktop_type", target=window, text=text)
        if "by keys" not in said:
            raise Differs(f"a fallback was used: {said}")
    with steps.step("last line selected, copied and pasted below"):
        await agent.keys(window, "shift+Home", "ctrl+c")
        await agent.keys(window, "End", "Return", "ctrl+v")
    with steps.step("menu opened and closed"):
        before = await picture(agent, window)
        await agent.keys(window, "F10")
        if await picture(agent, window) == before:
            raise Differs("F10 opened no menu")
        await agent.keys(window, "Escape")
    with steps.step("saved through the dialog"):
        await save(agent, window, saved)
    with steps.step("pictures of the editor and of the person's screen"):
        OUT.mkdir(parents=True, exist_ok=True)
        (OUT / "editor.png").write_bytes(await picture(agent, window))
        (OUT / "screen.png").write_bytes(await picture(agent, "screen"))


async def save(agent: Agent, window: str, saved: Path) -> None:
    """Ctrl+S, the whole path into the dialog's name field, Return; the dialog goes."""
    facts = await agent.keys(window, "ctrl+s")
    dialog = str(facts["opened"][0]["ref"]) if facts.get("opened") else await newest(agent, window)
    await agent.wait(target=dialog, still_s=STILL_S)
    await agent.keys(dialog, "ctrl+a")
    await agent.ok("desktop_type", target=dialog, text=str(saved))
    await agent.wait(target=dialog, still_s=STILL_S)  # it looks the folder up while one types
    await agent.keys(dialog, "Return")
    await agent.wait(gone=dialog)
    await agent.wait(target=window, title=saved.stem)


async def newest(agent: Agent, window: str) -> str:
    """The dialog, when it came after the answer: a background window that is not the editor."""
    with anyio.fail_after(START_S):
        while True:
            _, facts, _ = await agent.ok("desktop_windows")
            for one in facts.get("windows", []):
                if one["place"] == "background" and one["ref"] != window:
                    return str(one["ref"])


async def picture(agent: Agent, target: str) -> bytes:
    """A PNG of a window or the screen."""
    _, _, pictures = await agent.ok("desktop_screenshot", target=target)
    return pictures[0]


@asynccontextmanager
async def typing_person(place: HeadlessPlace, record: Path) -> AsyncIterator[Program]:
    """foot with `cat` on the screen, and somebody on seat0 who types into it until told to stop."""
    sway, socket, log = (
        Sway(str(place.sway_socket)),
        str(place.sway_socket),
        record.with_suffix(".log"),
    )
    argv = ["foot", "--app-id=person", "sh", "-c", 'exec cat >"$0"', str(record)]
    async with anyio.create_task_group() as tasks:
        # The person's keyboard comes first: an application has to have met it before its first key.
        started = running("person", socket, tasks=tasks, env=place.env, log=log, first="report")
        async with started as person:
            with log.open("ab") as output:
                terminal = await anyio.open_process(
                    argv, env=place.env, stdout=output, stderr=output, cwd=ROOT
                )
            async with terminal:
                try:
                    await until(lambda: sway.window("person"), "a terminal", deadline_s=START_S)
                    await until(record.exists, "cat is reading", deadline_s=START_S)
                    await person.ask("keep_typing", phrase=PHRASE, gap_s=PERSON_GAP_S)
                    yield person
                finally:
                    terminal.terminate()
        sway.close()
        tasks.cancel_scope.cancel()


async def finish(person: Program, record: Path) -> None:
    """The person ends their line; their file must hold exactly what they struck."""
    typed = str(await person.ask("stop_typing"))
    await person.ask("type", text="\n")
    await until(lambda: record.read_text().endswith("\n"), "the person's line is in their file")
    if len(typed) < 10:
        raise Differs(f"the person came to type {len(typed)} characters only")
    check(record, typed + "\n")


def check(path: Path, wanted: str) -> None:
    """The bytes of a file."""
    got = path.read_bytes()
    if got != wanted.encode():
        raise Differs(
            f"{path.name} differs:\nwanted {wanted!r}\ngot    {got.decode(errors='replace')!r}"
        )


def server_environment(runtime: Path) -> dict[str, str]:
    """What the server gets: a runtime directory of its own and the place where the private sway
    is.
    """
    surroundings = environment()
    return {
        "XDG_RUNTIME_DIR": str(runtime),
        "XDG_DATA_HOME": str(data_home(surroundings)),
        "XDG_STATE_HOME": str(runtime / "state"),
        "PATH": surroundings.get("PATH", "/usr/bin:/bin"),
        "HOME": surroundings.get("HOME", "/"),
    }


def told() -> bool:
    """Run the demo; whether it went well. What went wrong is printed."""
    try:
        anyio.run(main, sys.argv[1:])
    except Exception as fault:  # noqa: BLE001  # one line for a person, whatever it was
        cause = sole(fault)
        print(f"demo: {type(cause).__name__}: {cause}", file=sys.stderr)
        return False
    return True


if __name__ == "__main__":
    sys.exit(0 if told() else 1)

"""The applications of all toolkits as an agent opens them, and the test's end of their conversations."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import anyio
import anyio.to_thread

from slate_desktop.model import SANDBOX_ENGINE
from tests.live.bed.agent import Agent
from tests.live.bed.finding import need
from tests.live.bed.kits.web import page
from tests.live.bed.patience import START_S, WAIT_S, until
from tests.live.bed.program import ROOT, Ends, Program
from tests.live.bed.rows_web import Page, chromium, firefox
from tests.live.bed.stage import Stage

Ask = Callable[..., Awaitable[Any]]

KINDS = (
    *("foot", "GTK 3", "GTK 4", "Qt 5", "Qt 6", "Firefox", "Chromium", "Chromium app"),
    *("xterm", "GTK 3 on X11", "SDL 2"),
)
"""What can be opened, by the names of the tables."""
WEB = ("Firefox", "Chromium", "Chromium app")
TERMINALS = ("foot", "xterm")
ON_X11 = ("xterm", "GTK 3 on X11")
PROGRAMS = {
    "foot": "foot",
    "xterm": "xterm",
    "Firefox": "firefox-esr",
    **dict.fromkeys(("Chromium", "Chromium app"), "chromium"),
}


@dataclass(slots=True)
class Application:
    """An open application: its window's number in sway, what the agent calls it, the questions it answers."""

    kind: str
    con: int
    ref: str
    ask: Ask
    corner: tuple[float, float] = (0.0, 0.0)  # of its page in its window
    parts: dict[str, list[float]] = field(default_factory=dict)

    async def look(self) -> None:
        """Where its parts are now."""
        x, y = self.corner
        self.parts = {
            name: [left + x, top + y, width, height]
            for name, (left, top, width, height) in (await self.ask("parts")).items()
        }

    def middle(self, part: str) -> tuple[float, float]:
        """The middle of a part, in pixels of the window."""
        left, top, width, height = self.parts[part]
        return left + width // 2, top + height // 2

    async def got(self, *kinds: str) -> list[Any]:
        """What was got of these kinds, in order."""
        return [what for kind, what in await self.ask("got") if kind in kinds]


@asynccontextmanager
async def opened(stage: Stage, agent: Agent, kind: str) -> AsyncIterator[Application]:
    """The application of one kind, opened by the agent and answering."""
    title = f"kit {kind}"
    with TemporaryDirectory(prefix="slate-kit-", ignore_cleanup_errors=True) as directory:
        place = Path(directory)
        talk = _web(kind, title, place) if kind in WEB else _socket(stage, kind, title, place)
        async with talk as (argv, ready):
            need(PROGRAMS.get(kind, "python3"), stage.env["PATH"])
            x11 = kind in ON_X11
            before = _windows(stage)
            reply = await agent.ok("desktop_launch", argv=argv, x11=x11, timeout_s=40)
            # A server's screen is there before its program has drawn.
            assert x11 or "verified: yes" in reply.verdict, reply.text
            ask = await ready()
            (con,) = _windows(stage) - before
            (shown,) = reply.outcome["opened"]
            yield Application(kind, con, shown["ref"], ask)
            if kind in WEB:
                await agent.ok("desktop_close", window=shown["ref"])
        await until(lambda: con not in _windows(stage), f"{kind} is closed", deadline_s=WAIT_S * 2)


def _windows(stage: Stage) -> set[int]:
    """What agents have opened."""
    return {w["id"] for w in stage.sway.windows() if w.get("sandbox_engine") == SANDBOX_ENGINE}


Talk = tuple[Sequence[str], Callable[[], Awaitable[Ask]]]


@asynccontextmanager
async def _web(kind: str, title: str, place: Path) -> AsyncIterator[Talk]:
    served = Page(page(title))
    profile = place / "profile"
    argv = (
        firefox(profile, served.url)
        if kind == "Firefox"
        else chromium(profile, served.url, app=kind == "Chromium app")
    )

    async def ask(verb: str, **arguments: object) -> Any:
        return await anyio.to_thread.run_sync(partial(served.ask, verb, **arguments))

    async def ready() -> Ask:
        return ask

    try:
        yield argv, ready
    finally:
        served.close()


@asynccontextmanager
async def _socket(stage: Stage, kind: str, title: str, place: Path) -> AsyncIterator[Talk]:
    path = place / "socket"
    # A program whose conversation ends, ends.
    async with await anyio.create_unix_listener(path) as listener, AsyncExitStack() as ends:

        async def ready() -> Ask:
            with anyio.fail_after(START_S):
                stream = await ends.enter_async_context(await listener.accept())
            program = Program(kind, Ends(stream, stream))
            stage.tasks.start_soon(program.listen)
            await program.ask("parts", deadline_s=START_S)
            return program.ask

        yield _argv(kind, title, str(path)), ready


def _argv(kind: str, title: str, path: str) -> list[str]:
    environment = ["/usr/bin/env", f"PYTHONPATH={ROOT}"]

    def python(module: str, *arguments: str) -> list[str]:
        return [sys.executable, "-m", f"tests.live.bed.kits.{module}", path, *arguments]

    match kind:
        case "foot":
            foot = ["foot", "--app-id=kit.foot", f"--title={title}", "--override=locked-title=yes"]
            return [*environment, *foot, *python("terminal")]
        case "xterm":
            resources = ("metaSendsEscape", "altSendsEscape", "utf8", "allowColorOps")
            settings = [word for name in resources for word in ("-xrm", f"xterm*{name}: true")]
            xterm = ["xterm", "-T", title, "-fa", "DejaVu Sans Mono", "-fs", "11", *settings]
            return [*environment, *xterm, "-e", *python("terminal")]
        case "GTK 3 on X11":
            return [*environment, *python("gtk3", title)]
        case "SDL 2":
            return [*environment, "SDL_VIDEODRIVER=wayland", *python("sdl", title)]
        case "Qt 5" | "Qt 6":
            return [*environment, *python("qt", title, kind[-1])]
        case _:
            return [*environment, *python(f"gtk{kind[-1]}", title)]

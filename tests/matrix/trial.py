"""One application under trial: what an agent does to it, what it says it got, and what its pictures show."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import anyio
from PIL import Image

from tests.live.bed.agent import Agent, Reply
from tests.live.bed.kits.opened import ON_X11, Application
from tests.live.bed.patience import START_S, WAIT_S, until_it_says
from tests.live.bed.program import Program
from tests.live.bed.stage import Stage
from tests.soak.strings import difference

SIZE = (640, 480)
PLACE = "floating enable, resize set {} px {} px, move position 200 100".format(*SIZE)
STILL_S = 0.3


class No(Exception):
    """What an application did not get, or cannot; the reason in a cell."""


@dataclass(slots=True)
class Trial:
    """One application, opened by an agent while a person works elsewhere."""

    stage: Stage
    agent: Agent
    person: Program
    app: Application

    async def point(self, tool: str, part: str, **wish: Any) -> Reply:
        """A pointer's deed in the middle of a part."""
        x, y = self.app.middle(part)
        return await self.agent.ok(tool, target=self.app.ref, x=x, y=y, observe="none", **wish)

    async def gets(self, kind: str, wanted: list[Any]) -> None:
        """Wait until exactly that was got."""

        async def look() -> list[Any]:
            return await self.app.got(kind)

        await says(look, wanted, kind)

    async def field(self) -> None:
        """The keyboard in the empty field."""
        await self.point("desktop_click", "field")
        await self.app.ask("focus")
        await self.app.ask("fill", text="")
        await self.app.ask("forget")

    async def holds(self, text: str) -> None:
        """Wait until the field holds exactly that text."""

        async def look() -> str:
            return str(await self.app.ask("text"))

        try:
            await until_it_says(look, text, "the field")
        except TimeoutError:
            raise No(difference(text, await look())) from None

    async def picture(self) -> tuple[Image.Image, Mapping[str, Any]]:
        """A picture of the window in its own pixels, and what is told of it."""
        await self.agent.call(
            "desktop_wait", target=self.app.ref, still_s=STILL_S, timeout_s=WAIT_S
        )
        reply = await self.agent.ok("desktop_screenshot", target=self.app.ref)
        return Image.open(BytesIO(reply.pictures[0][1])).convert("RGB"), reply.outcome["frame"]

    def tell(self, words: str) -> None:
        """A command of the person's about the application's window."""
        self.stage.sway.run(f"[con_id={self.window['id']}] {words}")

    async def back(self) -> None:
        """To the background, where it floats and its menus have room; learn where its parts are."""
        self.tell("move container to workspace agent")
        if self.app.kind not in ON_X11:  # the screen of an X server keeps its size
            await until_it_says(self._placed, [SIZE] * 3, "it is in its place", deadline_s=START_S)
        await self.agent.call("desktop_wait", target=self.app.ref, still_s=0.5, timeout_s=WAIT_S)
        await self.app.look()

    async def _placed(self) -> list[tuple[int, int]]:
        """Its size at three looks. Said again until it stays: what it still has to answer undoes it."""
        self.tell(PLACE)
        seen = []
        for _ in range(3):
            await anyio.sleep(STILL_S)
            box = self.window["window_rect"]
            seen.append((box["width"], box["height"]))
        return seen

    @property
    def window(self) -> dict[str, Any]:
        """The window as sway has it."""
        return next(w for w in self.stage.sway.windows() if w["id"] == self.app.con)


async def says(look: Callable[[], Awaitable[Any]], wanted: Any, what: str) -> None:
    """Wait until it is so; else No with what it is."""
    try:
        await until_it_says(look, wanted, what)
    except TimeoutError:
        raise No(f"{what}: wanted {wanted}, got {await look()}") from None


def needs(trial: Trial, *parts: str, why: str) -> None:
    """No, unless the application has these parts."""
    if not set(parts) <= trial.app.parts.keys():
        raise No(why)

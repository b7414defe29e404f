"""Types random texts by keys alone into an application of each toolkit, and compares what the application has.

`python -m tests.soak.typing [--count 500] [--seed N] [--only "GTK 3"]`
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from tests.live.bed.agent import Agent
from tests.live.bed.kits.opened import Application, opened
from tests.live.bed.patience import until_it_says
from tests.live.bed.stage import Stage, daemon
from tests.soak.run import main
from tests.soak.strings import difference, texts

KINDS = (
    *("foot", "GTK 3", "GTK 4", "Qt 5", "Qt 6", "Firefox", "Chromium"),
    *("xterm", "GTK 3 on X11"),
)
FASTEST = ("foot", "GTK 3", "GTK 4")


async def soak(stage: Stage, count: int, seed: int, kinds: Sequence[str] = KINDS) -> bool:
    """All applications, one after the other; prints a line for each."""
    async with daemon(stage):
        return await run(stage, count, seed, kinds)


async def run(stage: Stage, count: int, seed: int, kinds: Sequence[str] = FASTEST) -> bool:
    """The same against a daemon that runs already."""
    agent = await stage.agent()
    held = []
    for kind in kinds:
        async with opened(stage, agent, kind) as application:
            held.append(await _into(agent, application, texts(count, seed)))
    return all(held)


async def _into(agent: Agent, application: Application, wanted: list[str]) -> bool:
    """Type each text and compare; a line of result, a line per difference."""
    await application.look()
    if "button" in application.parts:  # something else may have the keyboard
        await application.ask("focus")
    equal = fallbacks = characters = 0
    began = time.monotonic()

    async def read() -> str:
        return str(await application.ask("text"))

    for number, text in enumerate(wanted):
        await application.ask("fill", text="")
        reply = await agent.call("desktop_type", target=application.ref, text=text, observe="none")
        fallbacks += not reply.error and "by keys" not in reply.verdict
        characters += len(text)
        try:
            await until_it_says(read, text, application.kind)
            equal += 1
        except TimeoutError:
            off = difference(text, await read())
            print(f"{application.kind} text {number}: {off}; {reply.verdict}", flush=True)
    took = time.monotonic() - began
    print(
        f"{application.kind} {equal}/{len(wanted)} equal, {fallbacks} fallbacks, "
        f"{characters} characters in {took:.1f} s",
        flush=True,
    )
    return equal == len(wanted) and not fallbacks


if __name__ == "__main__":
    main(
        "Types random texts by keys alone and compares what the applications have.",
        soak,
        count=500,
        kinds=KINDS,
    )

"""Types random texts by keys alone into a terminal, GTK 3 and GTK 4, and compares what each
application has.

`python -m tests.soak.typing [--count 200] [--seed N]`
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.live.bed.agent import Agent
from tests.live.bed.patience import until_it_says
from tests.live.bed.stage import Stage, daemon
from tests.soak.run import main
from tests.soak.strings import difference, texts

Read = Callable[[], Awaitable[str]]


async def soak(stage: Stage, count: int, seed: int) -> bool:
    """All three applications, one after the other; prints a line for each."""
    async with daemon(stage):
        return await run(stage, count, seed)


async def run(stage: Stage, count: int, seed: int) -> bool:
    """The same against a daemon that runs already."""
    agent = await stage.agent()
    wanted = texts(count, seed)
    with TemporaryDirectory(prefix="slate-soak-") as directory:
        applications = (
            ("foot", "bed.foot", _terminal(stage, Path(directory))),
            ("GTK3", "bed.gtk3", _gtk(stage, 3)),
            ("GTK4", "bed.gtk4", _gtk(stage, 4)),
        )
        held = [
            await _into(agent, name, app_id, await opened, wanted)
            for name, app_id, opened in applications
        ]
    return all(held)


async def _terminal(stage: Stage, directory: Path) -> tuple[Read, Callable[[], Awaitable[None]]]:
    record = directory / "record"
    await stage.terminal(record)
    read_to = 0

    async def read() -> str:
        return record.read_bytes()[read_to:].decode(errors="replace")

    async def clear() -> None:
        nonlocal read_to
        read_to = record.stat().st_size

    return read, clear


async def _gtk(stage: Stage, version: int) -> tuple[Read, Callable[[], Awaitable[None]]]:
    app = await stage.gtk(version)

    async def read() -> str:
        return str(await app.ask("text"))

    async def clear() -> None:
        await app.ask("clear")

    return read, clear


async def _into(
    agent: Agent,
    name: str,
    app_id: str,
    opened: tuple[Read, Callable[[], Awaitable[None]]],
    wanted: list[str],
) -> bool:
    """Type each text and compare; a line of result, a line per difference."""
    read, clear = opened
    equal = fallbacks = characters = 0
    began = time.monotonic()
    for number, text in enumerate(wanted):
        await clear()
        reply = await agent.call("desktop_type", target=app_id, text=text, observe="none")
        fallbacks += not reply.error and "by keys" not in reply.verdict
        characters += len(text)
        try:
            await until_it_says(read, text, name)
            equal += 1
        except TimeoutError:
            print(
                f"{name} text {number}: {difference(text, await read())}; {reply.verdict}",
                flush=True,
            )
    took = time.monotonic() - began
    print(
        f"{name} {equal}/{len(wanted)} equal, {fallbacks} fallbacks, {characters} characters in {took:.1f} s",
        flush=True,
    )
    return equal == len(wanted) and not fallbacks


if __name__ == "__main__":
    main(
        "Types random texts by keys alone and compares what the applications have.", soak, count=200
    )

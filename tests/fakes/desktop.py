"""A desktop without a compositor: a few tools that show what a connection does, and a context that
keeps a ledger.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

import anyio
from pydantic import Field

from slate_desktop.errors import Refused, Stale
from slate_desktop.geometry import Point, Size
from slate_desktop.outcome import Picture
from slate_desktop.render import Reply
from slated.model import Tier
from slated.toolspec import Args, ToolSpec

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 60


@dataclass
class Ledger:
    """What the tools of one context did: `log` in order, `held` what is pressed now."""

    log: list[str] = field(default_factory=list)
    held: set[str] = field(default_factory=set)


class Echo(Args):
    text: str = ""
    size: Annotated[int, Field(ge=0, le=40_000_000)] = 0


class Hold(Args):
    key: str = "ctrl"
    seconds: float = 5


class Note(Args):
    text: str
    seconds: float = 0


class Fail(Args):
    how: str = "bug"


class Shot(Args):
    mime: str = "image/png"
    blank: bool = False


def _reply(text: str, facts: Mapping[str, object] | None = None) -> Reply:
    return Reply(text, None, facts or {})


async def echo(ledger: Ledger, args: Echo) -> Reply:
    return _reply(args.text + "x" * args.size, {"length": len(args.text), "pid": os.getpid()})


async def wait(ledger: Ledger, args: Hold) -> Reply:
    await anyio.sleep(args.seconds)
    return _reply("waited")


async def hold(ledger: Ledger, args: Hold) -> Reply:
    ledger.held.add(args.key)
    ledger.log.append(f"press {args.key}")
    try:
        await anyio.sleep(args.seconds)
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.sleep(0.01)
            ledger.held.discard(args.key)
            ledger.log.append(f"release {args.key}")
    return _reply("held")


async def note(ledger: Ledger, args: Note) -> Reply:
    ledger.log.append(f"begin {args.text}")
    await anyio.sleep(args.seconds)
    ledger.log.append(f"end {args.text}")
    return _reply(args.text)


async def ledger_of(ledger: Ledger, args: Args) -> Reply:
    return _reply("ledger", {"log": list(ledger.log), "held": sorted(ledger.held)})


async def fail(ledger: Ledger, args: Fail) -> Reply:
    if args.how == "stale":
        raise Stale("window_gone", "nothing was sent: w3 is gone.", next_step="desktop_windows")
    if args.how == "unanswered":
        raise Refused("unanswered", "nothing was sent. The person is being asked (q7).")
    if args.how == "group":
        async with anyio.create_task_group():
            raise Stale("window_gone", "in a group")
    if args.how == "print":
        print("a stray line")
        os.write(1, b"another, from C\n")
        sys.stdout.flush()
        return _reply("printed")
    raise RuntimeError("secret path /home/somebody")


async def shot(ledger: Ledger, args: Shot) -> Reply:
    data = b"" if args.blank else PNG
    return Reply("f7 of w3\nnext: look", Picture(data, args.mime, Size(4, 4), 1.0, Point(0, 0)))


REGISTRY = (
    ToolSpec("desktop_echo", Tier.OBSERVE, Echo, "Say it back.", echo, core=True),
    ToolSpec("desktop_wait", Tier.OBSERVE, Hold, "Wait.", wait),
    ToolSpec("desktop_ledger", Tier.OBSERVE, Args, "What was done.", ledger_of),
    ToolSpec("desktop_screenshot", Tier.OBSERVE, Shot, "A picture.", shot),
    ToolSpec("desktop_hold", Tier.REVERSIBLE, Hold, "Hold a key.", hold),
    ToolSpec("desktop_note", Tier.REVERSIBLE, Note, "Note it.", note),
    ToolSpec("desktop_fail", Tier.CONFIRM, Fail, "Fail.", fail),
)

"""The gate: slated decides, asks and records before anything is done; without it nothing above looking is."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from itertools import count
from typing import Any, Final

import anyio
import anyio.to_thread
from anyio.abc import SocketStream, TaskGroup

from slate_desktop import wish
from slate_desktop.errors import Bug, SlateError, Unavailable
from slate_desktop.intent import Intent
from slate_desktop.outcome import Outcome
from slated.model import Grant, Tier
from slated.wire import control, reach
from slated.wire.calls import Calls
from slated.wire.peer import Peer

ADMIT_S: Final = 50.0
"""Longer than slated lets a call wait for a person (45 s), shorter than what clients wait for a call (60 s)."""
FINISH_S: Final = 2.0
AGAIN_S: Final = 5.0
"""How long a failed attempt to reach slated stands for the next ones."""

tool_use: Final = ContextVar("tool_use", default="")
"""The agent program's own id of the call that this task serves, by which its hook knows the same call."""

log = logging.getLogger("slate.gate")
Connect = Callable[[], Awaitable[SocketStream]]


def connector(environ: Mapping[str, str]) -> Connect:
    """Reaches the slated of this user, which is started if there is none."""
    daemon = control.daemon_of(environ)

    async def connect() -> SocketStream:
        link = await anyio.to_thread.run_sync(lambda: reach.reach(daemon, say=log.info))
        return await SocketStream.from_socket(link)

    return connect


class Conscience:
    """The connection to slated, made when it is first needed and made again when it broke."""

    def __init__(self, connect: Connect, tasks: TaskGroup, *, attended: bool) -> None:
        self._connect, self._tasks = connect, tasks
        self._calls: Calls | None = None
        self._opening = anyio.Lock()
        self._failed: tuple[float, Unavailable] | None = None
        self._unasked = count(-1, -1)
        self.attended = attended

    def gate(self, agent: Peer) -> SlatedGate:
        """The gate of one connection, whose other end is `agent`."""
        return SlatedGate(self, agent)

    async def prepare(self) -> None:
        """Reach slated before somebody waits for it."""
        with suppress(Unavailable):
            await self._reached()

    async def ask(self, method: str, params: Mapping[str, object], *, deadline_s: float) -> Any:
        """A call. Raises what slated raised, and Unavailable when it cannot be reached or ended meanwhile."""
        return await (await self._reached()).ask(method, params, deadline_s=deadline_s)

    @property
    def ended(self) -> bool:
        """Whether the connection that was used last is gone; one that is only silent is not."""
        return self._calls is None or self._calls.ended

    async def _reached(self) -> Calls:
        async with self._opening:
            if self._calls is not None and not self._calls.ended:
                return self._calls
            if self._failed is not None and anyio.current_time() - self._failed[0] < AGAIN_S:
                raise self._failed[1]
            try:
                stream = await self._connect()
            except Unavailable as error:
                log.error("slated cannot be reached", extra={"code": error.code})
                self._failed = (anyio.current_time(), error)
                raise
            self._failed, self._calls = None, Calls(stream)
            self._tasks.start_soon(self._follow, stream, self._calls)
            return self._calls

    async def _follow(self, stream: SocketStream, calls: Calls) -> None:
        async with stream:
            await calls.run()

    def unasked(self, intent: Intent) -> Grant:
        """A grant to look, given by nobody. Its serial is below zero, so that it is never taken for one of slated's."""
        return Grant(intent.digest, Tier.OBSERVE, next(self._unasked))

    @staticmethod
    def given(intent: Intent, told: Mapping[str, Any], tiers: Mapping[str, Tier]) -> Grant:
        """The grant in an answer. Raises Bug for one that is about another intent."""
        if told["digest"] != intent.digest:
            raise Bug("grant", "slated answered about another intent")
        return Grant(intent.digest, tiers[told["tier"]], int(told["grant"]))


@asynccontextmanager
async def conscience(connect: Connect, *, attended: bool) -> AsyncIterator[Conscience]:
    """The way to slated, for as long as a desk is open. `attended`: whether a person sits at it."""
    async with anyio.create_task_group() as tasks:
        made = Conscience(connect, tasks, attended=attended)
        tasks.start_soon(made.prepare)
        yield made
        tasks.cancel_scope.cancel()


class SlatedGate:
    """The `Gate` of one connection."""

    _TIERS: Final = {tier.word: tier for tier in Tier}

    def __init__(self, conscience: Conscience, agent: Peer) -> None:
        self._conscience = conscience
        self._agent = {"pid": agent.pid, "started": agent.started or 0}

    async def admit(self, intent: Intent, *, under: Grant | None = None) -> Grant:
        """Slated's leave for an intent; the line about it is in its log, on disk unless it only looks.

        Raises Refused as slated does. Unreachable, slated refuses everything but looks by `unavailable.slated`.
        """
        params = wish.wish(intent) | {"agent": self._agent, "attended": self._conscience.attended}
        if use := tool_use.get():
            params["use"] = use
        if under is not None:
            params["under"] = under.serial
        try:
            told = await self._twice(params)
        except Unavailable as error:
            if intent.tier is Tier.OBSERVE and error.code != "unavailable.audit":
                log.warning("looks without slated", extra={"tool": intent.tool})
                return self._conscience.unasked(intent)
            raise _no_gate(error) from error
        return self._conscience.given(intent, told, self._TIERS)

    async def _twice(self, params: Mapping[str, object]) -> Any:
        """Ask; once more if slated ended meanwhile. Nothing was done yet, so asking again is safe."""
        try:
            return await self._conscience.ask("admit", params, deadline_s=ADMIT_S)
        except Unavailable as error:
            if error.code != "unavailable.slated" or not self._conscience.ended:
                raise
        return await self._conscience.ask("admit", params, deadline_s=ADMIT_S)

    async def finish(self, grant: Grant, outcome: Outcome | SlateError) -> None:
        """Tell slated what came of it. What was done is done: a slated that is gone by now is only noted."""
        if grant.serial < 0:
            return
        facts = {"grant": grant.serial, "outcome": wish.outcome(outcome)}
        try:
            told = await self._conscience.ask("finish", facts, deadline_s=FINISH_S)
        except Unavailable:
            log.warning("an outcome was not recorded", extra={"grant": grant.serial})
            return
        if not told["known"]:
            log.warning("slated does not know this grant", extra={"grant": grant.serial})


def _no_gate(error: Unavailable) -> Unavailable:
    if error.code == "unavailable.audit":
        return error
    return Unavailable(
        "slated",
        f"nothing was sent: slated, which has to agree first, cannot be reached ({error.code}).",
        next_step="looking still works; the person can read `slate status` and slated's log",
    )

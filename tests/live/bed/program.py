"""The test's end of a bed program: start it, command it, read what it answers and what it saw."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
from anyio.abc import ByteReceiveStream, ByteSendStream, Process, TaskGroup
from anyio.streams.text import TextReceiveStream

from tests.live.bed.patience import START_S, WAIT_S

ROOT = Path(__file__).resolve().parents[3]
_WHOLE = 1 << 20


class ProgramFault(AssertionError):
    """The program answered ERROR, ended, or said nothing in time."""


@dataclass(frozen=True, slots=True)
class Ends:
    """A conversation with a program that the test did not start: the agent did."""

    stdin: ByteSendStream
    stdout: ByteReceiveStream
    pid: int = 0


class Program:
    """A running bed program. `events` holds what it printed since the last `take`."""

    def __init__(self, name: str, process: Process | Ends) -> None:
        self.name = name
        self.events: list[dict[str, Any]] = []
        self._process = process
        self._turn = anyio.Lock()
        self._answers: list[str] = []
        self._news = anyio.Event()
        self._ended = False

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    async def ask(self, verb: str, *, deadline_s: float = WAIT_S, **arguments: object) -> Any:
        """Command it and wait for the answer. All events it printed before the answer are in
        `events` by then.
        """
        line = f"{verb} {json.dumps(arguments)}\n" if arguments else f"{verb}\n"
        async with self._turn:
            assert self._process.stdin is not None
            await self._process.stdin.send(line.encode())
            # Given up halfway, its answer would be taken for that of the next.
            with anyio.move_on_after(deadline_s, shield=True):
                while not self._answers and not self._ended:
                    await self._news.wait()
            if not self._answers:
                state = "ended" if self._ended else f"silent for {deadline_s:.0f} s"
                raise ProgramFault(
                    f"{self.name}: {state} at {line!r}; last events {self.events[-5:]}"
                )
            word, _, rest = self._answers.pop(0).partition(" ")
        if word != "OK":
            raise ProgramFault(f"{self.name}: {line!r} answered {rest}")
        return json.loads(rest) if rest else None

    def take(self, *kinds: str) -> list[dict[str, Any]]:
        """Hand over the events of these kinds (all kinds when none is named) and forget every
        event so far.
        """
        taken = [event for event in self.events if not kinds or event["kind"] in kinds]
        self.events.clear()
        return taken

    async def event(self, kind: str, **facts: object) -> dict[str, Any]:
        """The first event of that kind with those facts, past or to come."""
        with anyio.move_on_after(WAIT_S):
            while True:
                for event in self.events:
                    if event["kind"] == kind and facts.items() <= event.items():
                        return event
                if self._ended:
                    break
                await self._news.wait()
        raise ProgramFault(f"{self.name}: no {kind} {facts} among {self.events[-10:]}")

    async def listen(self) -> None:
        """Sort what it prints, until it ends."""
        assert self._process.stdout is not None
        rest = ""
        with suppress(anyio.ClosedResourceError):  # the program was ended by the test
            async for chunk in TextReceiveStream(self._process.stdout):
                *lines, rest = (rest + chunk).split("\n")
                for line in lines:
                    if line.startswith("EVENT "):
                        self.events.append(json.loads(line.removeprefix("EVENT ")))
                    else:
                        self._answers.append(line)
                self._tell()
        self._ended = True
        self._tell()

    def _tell(self) -> None:
        news, self._news = self._news, anyio.Event()
        news.set()


@asynccontextmanager
async def running(
    module: str,
    *arguments: str,
    tasks: TaskGroup,
    env: Mapping[str, str],
    log: Path,
    first: str = "",
) -> AsyncIterator[Program]:
    """Start `tests.live.bed.MODULE` with exactly this environment; it is gone when the block ends.

    It is heard in `tasks`, so that programs may come and go in any order.
    `first` is a verb to ask before the block starts, with the patience of a program start.
    """
    argv: Sequence[str] = (sys.executable, "-m", f"tests.live.bed.{module}", *arguments)
    with log.open("ab") as errors:
        process = await anyio.open_process(
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            cwd=ROOT,
            env=dict(env),
        )
    program = Program(module, process)
    tasks.start_soon(program.listen)
    try:
        if first:
            await program.ask(first, deadline_s=START_S)
        yield program
    finally:
        with anyio.CancelScope(shield=True):
            with suppress(ProcessLookupError):  # it ended with its compositor
                process.kill()
            await process.wait()
            await process.aclose()

"""Fifty clients at once behind one seat filter, which die, talk garbage and flood it, while one
goes on and must not notice; then how much the filter costs.

`python -m tests.soak.filter [--count 2000] [--seed N]`
"""

from __future__ import annotations

import functools
import itertools
import os
import random
import socket
import statistics
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import anyio
import anyio.to_thread

from slate_desktop.launch import PREPARE_AFTER_S
from tests.fakes.filter_bench import WAIT_S, FilterBench, filter_bench
from tests.fakes.wayland_bytes import bind, get_registry, message, sync
from tests.live.bed.patience import until
from tests.live.bed.stage import Stage, daemon
from tests.soak.run import main

AT_ONCE = 50
ADDED_S = 0.001
SAMPLES = 2000
STARTS, SLOWER = 15, 1.05
NAME = "bed.launched"


class Client:
    """A program that speaks the wire by itself."""

    def __init__(self, path: Path) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(WAIT_S)
        self.socket.connect(os.fspath(path))
        self._ids: Iterator[int] = itertools.count(2)
        self._rest = b""

    def events(self) -> list[tuple[int, int, bytes]]:
        """What has come since: object, opcode, body. Waits for something to come."""
        part = self.socket.recv(1 << 16)
        if not part:
            raise ConnectionError("the connection ended")
        data, found = self._rest + part, []
        while len(data) >= 8:
            object_, word = struct.unpack_from("=II", data)
            if len(data) < word >> 16:
                break
            found.append((object_, word & 0xFFFF, data[8 : word >> 16]))
            data = data[word >> 16 :]
        self._rest = data
        return found

    def round_trip(self, before: bytes = b"") -> list[tuple[int, int, bytes]]:
        """Everything said until the compositor has answered."""
        callback = next(self._ids)
        heard: list[tuple[int, int, bytes]] = []
        self.socket.sendall(before + sync(callback))
        while (callback, 0) not in [(object_, opcode) for object_, opcode, _ in heard]:
            heard += self.events()
        self._ids = itertools.chain([callback], self._ids)  # it is gone, its number free
        return heard

    def globals(self) -> tuple[int, list[tuple[int, str]]]:
        """A registry's number, and what it announces: names and interfaces, in order."""
        registry, found = next(self._ids), []
        for object_, opcode, body in self.round_trip(get_registry(registry)):
            if (object_, opcode) == (registry, 0):
                name, size = struct.unpack_from("=II", body)
                found.append((name, body[8 : 8 + size - 1].decode()))
        return registry, found

    def seats(self) -> list[int]:
        """The names of the seats, in the order in which they are announced."""
        return [name for name, interface in self.globals()[1] if interface == "wl_seat"]

    def shares_memory(self) -> None:
        """Descriptors pass: the compositor would end the connection if one were missing."""
        registry, found = self.globals()
        name = next(name for name, interface in found if interface == "wl_shm")
        shm, pool = next(self._ids), next(self._ids)
        fd = os.memfd_create("pool")
        os.ftruncate(fd, 4096)
        words = bind(registry, name, "wl_shm", shm) + message(shm, 0, pool, 4096)
        socket.send_fds(self.socket, [words], [fd])
        os.close(fd)
        self.round_trip()

    def close(self) -> None:
        self.socket.close()


def _dies(client: Client, dice: random.Random) -> None:
    client.socket.sendall(get_registry(2)[: dice.randint(1, 11)])


def _talks_garbage(client: Client, dice: random.Random) -> None:
    client.socket.sendall(dice.randbytes(dice.randint(8, 5000)))


def _errs(client: Client, _dice: random.Random) -> None:
    client.socket.sendall(message(77, 3, 1))  # no such object: the compositor ends it


def _floods(client: Client, dice: random.Random) -> None:
    fds = [os.memfd_create("flood") for _ in range(20)]
    try:
        for _ in range(dice.randint(1, 30)):
            socket.send_fds(client.socket, [b"\1"], fds)
    finally:
        for fd in fds:
            os.close(fd)


def _never_reads(client: Client, dice: random.Random) -> None:
    client.socket.setblocking(False)
    for callback in range(2, 2 + dice.randint(100, 3000)):
        client.socket.send(sync(callback))


MISDEEDS: tuple[Callable[[Client, random.Random], None], ...] = (
    _dies,
    _talks_garbage,
    _errs,
    _floods,
    _never_reads,
)


def crowd(bench: FilterBench, own_seat: int, count: int, dice: random.Random) -> list[str]:
    """`count` clients, fifty at once, most of them bad; what went wrong for the good ones."""
    faults: list[str] = []
    witness = Client(bench.filtered.socket)
    faults += _served(witness, own_seat)
    idle = bench.fds
    for begin in range(0, count, AT_ONCE):
        clients = [Client(bench.filtered.socket) for _ in range(min(AT_ONCE, count - begin))]
        for client in dice.sample(clients, len(clients)):
            if dice.random() < 0.3:
                faults += _served(client, own_seat)
            else:
                with suppress(OSError):  # it may be thrown out before it has said everything
                    dice.choice(MISDEEDS)(client, dice)
            if dice.random() < 0.5:
                client.close()
        faults += _served(witness, own_seat)
        for client in clients:
            client.close()
    deadline = time.monotonic() + WAIT_S
    while bench.fds != idle and time.monotonic() < deadline:
        bench.asked()
    if bench.fds != idle:
        faults.append(f"{bench.fds} descriptors, {idle} before")
    if (threads := len(os.listdir(f"/proc/{bench.pid}/task"))) != 1:
        faults.append(f"{threads} threads")
    witness.close()
    return faults


def _served(client: Client, own_seat: int) -> list[str]:
    try:
        first = client.seats()[0]
        client.shares_memory()
    except (OSError, IndexError) as fault:
        return [f"a good client was not served: {fault!r}"]
    return [] if first == own_seat else [f"seat {first} came first"]


def added_s(bench: FilterBench, direct: Path) -> float:
    """How much longer a round trip through the filter takes, in the median: two messages."""
    ours, theirs = Client(bench.filtered.socket), Client(direct)
    took: dict[Client, list[float]] = {ours: [], theirs: []}
    for _ in range(SAMPLES):
        for client, times in took.items():
            begin = time.perf_counter()
            client.round_trip()
            times.append(time.perf_counter() - begin)
    for client in took:
        client.close()
    return statistics.median(took[ours]) - statistics.median(took[theirs])


def _behind(upstream: Path, count: int, seed: int) -> list[str]:
    """The part without applications; prints the figures, gives what went wrong."""
    plain = Client(upstream)
    own_seat = plain.seats()[-1]
    plain.close()
    with filter_bench(upstream=upstream, own_seat=own_seat) as bench:
        faults = crowd(bench, own_seat, count, random.Random(seed))
        added = added_s(bench, upstream)
    print(f"{count} clients, {len(faults)} faults; a round trip takes {added * 1e3:.3f} ms more")
    if added >= ADDED_S:
        faults.append("the filter takes too long")
    return faults


async def starts(stage: Stage, count: int) -> dict[bool, float]:
    """Seconds until a terminal's window is there, in the median, with the filter and without."""
    took: dict[bool, list[float]] = {True: [], False: []}
    async with stage.connected() as agent:
        for number in range(2 * count):
            begin = time.perf_counter()
            await agent.ok(
                "desktop_launch",
                argv=["foot", f"--app-id={NAME}"],
                own_seat_first=number % 2 == 0,
                observe="none",
            )
            took[number % 2 == 0].append(time.perf_counter() - begin)
            await agent.ok("desktop_close", window=NAME)
            await until(lambda: stage.sway.window(NAME) is None, "it closed")
            await anyio.sleep(2 * PREPARE_AFTER_S)  # launches come one at a time
    return {first: statistics.median(times) for first, times in took.items()}


async def run(stage: Stage, count: int, seed: int) -> bool:
    """The crowd and the cost of messages, on a stage with a daemon; prints each fault."""
    work = functools.partial(_behind, stage.session.wayland_socket, count, seed)
    faults = await anyio.to_thread.run_sync(work)
    for fault in faults:
        print(fault, flush=True)
    return not faults


async def soak(stage: Stage, count: int, seed: int) -> bool:
    """The same, and what the filter adds to the start of an application."""
    async with daemon(stage):
        held = await run(stage, count, seed)
        took = await starts(stage, STARTS)
    ratio = took[True] / took[False]
    print(f"start {took[True] * 1e3:.0f} ms with, {took[False] * 1e3:.0f} ms without: {ratio:.3f}")
    return held and ratio <= SLOWER


if __name__ == "__main__":
    main("Fifty clients at once behind one seat filter, most of them bad.", soak, count=2000)

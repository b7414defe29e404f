"""A seat filter between the ends a test holds: programs that connect to it, and the compositor it connects to."""

from __future__ import annotations

import os
import select
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import anyio

from slate_desktop.filtered import Filtered, Filters, witness_socket

WAIT_S = 5.0
OWN_SEAT = 41
LAUNCH = "L1"


def pid_of(descriptor: int) -> int:
    """The process that a pidfd is of; -1 once it was reaped."""
    facts = Path(f"/proc/self/fdinfo/{descriptor}").read_text()
    return int(next(line for line in facts.splitlines() if line.startswith("Pid:")).split()[1])


@dataclass
class FakeDisplay:
    """What the filter stands before: a socket's name, and a pipe whose other end tells when nobody holds it."""

    socket: Path
    over: int
    life: int
    handed: bool = False

    def handed_over(self) -> None:
        os.close(self.life)
        self.handed = True

    async def until_over(self) -> None:
        """Never over: what the bench starts ends before its display does."""
        await anyio.sleep_forever()


@dataclass
class FilterBench:
    """`client` makes a program's connection and the compositor's end of it."""

    directory: Path
    filtered: Filtered
    display: FakeDisplay
    log: Path
    compositor: socket.socket | None
    held: list[socket.socket] = field(default_factory=list)

    @property
    def pid(self) -> int:
        """The filter's process."""
        return pid_of(self.filtered._end)

    @property
    def fds(self) -> int:
        """How many descriptors the filter has open."""
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def near(self) -> socket.socket:
        """A program's connection."""
        near = socket.socket(socket.AF_UNIX)
        near.settimeout(WAIT_S)
        near.connect(os.fspath(self.filtered.socket))
        self.held.append(near)
        return near

    def client(self) -> tuple[socket.socket, socket.socket]:
        """A program's connection, and the filter's for it as the compositor has it."""
        assert self.compositor is not None
        near = self.near()
        far, _ = self.compositor.accept()
        far.settimeout(WAIT_S)
        self.held.append(far)
        return near, far

    def asked(self) -> bytes:
        """What the filter tells of its windows."""
        with socket.socket(socket.AF_UNIX) as one:
            one.settimeout(WAIT_S)
            one.connect(os.fspath(witness_socket(self.directory, LAUNCH)))
            return b"".join(iter(lambda: one.recv(1 << 16), b""))

    def programs_end(self) -> None:
        """The launch's last program is gone."""
        self.filtered.handed_over()
        self.filtered.life = -1

    @property
    def ended(self) -> bool:
        """Whether the filter has ended, given a moment."""
        return bool(select.select([self.filtered._end], [], [], WAIT_S)[0])


@contextmanager
def filter_bench(
    *, upstream: Path | None = None, own_seat: int = OWN_SEAT, prefix: tuple[str, ...] = ()
) -> Iterator[FilterBench]:
    """A filter before `upstream`, or before a compositor that the test plays. It is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="sf-") as name:
        directory = Path(name)
        compositor = None
        if upstream is None:
            compositor = socket.socket(socket.AF_UNIX)
            compositor.bind(os.fspath(directory / "wayland-L1"))
            compositor.listen()
            compositor.settimeout(WAIT_S)
        else:
            (directory / "wayland-L1").symlink_to(upstream)
        over, life = os.pipe()
        display, log = FakeDisplay(directory / "wayland-L1", over, life), directory / "log"
        it = Filters({}).before(display, LAUNCH, own_seat, prefix=prefix, log=log)
        bench = FilterBench(directory, it, display, log, compositor)
        try:
            yield bench
        finally:
            _tidy(bench)


def _tidy(bench: FilterBench) -> None:
    for one in (*bench.held, *filter(None, [bench.compositor])):
        one.close()
    if bench.filtered.life >= 0:
        bench.programs_end()
    ended = bench.ended
    if not ended:
        os.kill(bench.pid, 9)
    with suppress(ChildProcessError):
        os.waitid(os.P_PIDFD, bench.filtered._end, os.WEXITED)
    os.close(bench.filtered._end)
    os.close(bench.display.over)
    assert ended, "the filter outlived its launch"
    said = bench.log.read_text()
    assert not said, said

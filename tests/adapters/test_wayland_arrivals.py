"""Who is at the compositor's door, read from a table of sockets that the test writes."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio
import pytest

from slate_desktop.wayland import arrivals as arriving
from slate_desktop.wayland.arrivals import TABLE, Arrivals
from slate_desktop.wayland.connection import Connection
from slate_desktop.wayland.globals import Globals
from slate_desktop.wayland.toplevels import Toplevels
from tests.fakes.wayland_desk import FakeDesk

pytestmark = pytest.mark.anyio

HEAD = "Num       RefCount Protocol Flags    Type St Inode Path\n"


@dataclass
class Door:
    """A compositor's door: its table, its windows, and who we think is waiting."""

    table: Path
    desk: FakeDesk
    connection: Connection
    toplevels: Toplevels
    arrivals: Arrivals

    def connected(self, *inodes: int, path: str = "/run/wayland-1") -> None:
        """The table now shows these connections, and the listening socket."""
        row = "0000000000000000: 00000003 00000000 {flags} 0001 {state} {inode} {path}\n"
        rows = [row.format(flags="00010000", state="01", inode=1, path=path)]
        rows += [row.format(flags="00000000", state="03", inode=i, path=path) for i in inodes]
        rows += [row.format(flags="00000000", state="03", inode=99, path="/run/other")]
        self.table.write_text(HEAD + "".join(rows))


@asynccontextmanager
async def door(tmp_path: Path) -> AsyncIterator[Door]:
    table = tmp_path / "unix"
    table.write_text(HEAD)
    with FakeDesk.wired() as (sock, desk):
        async with Connection.adopt(sock) as connection:
            toplevels = Toplevels(await Globals.load(connection))
            await connection.sync()
            arrivals = Arrivals(Path("/run/wayland-1"), toplevels, table=table)
            yield Door(table, desk, connection, toplevels, arrivals)


async def test_a_program_that_connects_is_waited_for_until_it_shows_a_window(
    tmp_path: Path,
) -> None:
    async with door(tmp_path) as it:
        assert not it.arrivals.waiting()
        it.connected(5)
        assert it.arrivals.waiting()
        await it.toplevels.known(it.desk.open("a window", "app"))
        assert not it.arrivals.waiting()


async def test_one_that_leaves_again_is_not_waited_for(tmp_path: Path) -> None:
    async with door(tmp_path) as it:
        it.connected(5)
        assert it.arrivals.waiting()
        it.connected()
        assert not it.arrivals.waiting()


async def test_those_who_were_in_before_us_and_other_sockets_are_no_arrivals(
    tmp_path: Path,
) -> None:
    async with door(tmp_path) as it:
        it.connected(5)
        again = Arrivals(Path("/run/wayland-1"), it.toplevels, table=it.table)
        assert not again.waiting()
        it.connected(5, 6)
        assert again.waiting()


async def test_two_programs_need_two_windows(tmp_path: Path) -> None:
    async with door(tmp_path) as it:
        it.connected(5, 6)
        assert it.arrivals.waiting()
        await it.toplevels.known(it.desk.open("a window", "app"))
        assert it.arrivals.waiting()


async def test_one_without_a_window_is_taken_for_a_service_after_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arriving, "UNEXPLAINED_S", 0.1)
    async with door(tmp_path) as it:
        it.connected(5)
        with anyio.fail_after(2):
            assert await it.arrivals.settled(1.0)
        assert not it.arrivals.waiting()


@pytest.mark.promise("every-call-has-a-deadline")
async def test_waiting_has_a_deadline(tmp_path: Path) -> None:
    async with door(tmp_path) as it:
        it.connected(5)
        with anyio.fail_after(1):
            assert not await it.arrivals.settled(0.05)


async def test_a_table_that_cannot_be_read_hides_everybody(tmp_path: Path) -> None:
    async with door(tmp_path) as it:
        it.table.unlink()
        assert not it.arrivals.waiting()


async def test_the_systems_own_table_shows_a_client_of_a_real_socket(tmp_path: Path) -> None:
    path = tmp_path / "wayland-9"
    async with door(tmp_path) as it:
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(str(path))
            listening.listen()
            arrivals = Arrivals(path, it.toplevels, table=TABLE)
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(str(path))
                accepted, _ = listening.accept()
                assert arrivals.waiting()
                accepted.close()
            assert not arrivals.waiting()

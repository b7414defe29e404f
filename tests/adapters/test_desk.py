"""Opening and closing a whole desk, against a scripted sway and a scripted compositor."""

from __future__ import annotations

import asyncio
import os
import socket
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest

from slate_desktop.desk import DeskPlan, accessible, missing_protocols, open_desk
from slate_desktop.errors import SlateError
from slate_desktop.geometry import Size
from slate_desktop.settings import Compositor
from slated.errors import sole
from slated.wire.peer import Peer
from tests.fakes.ports import FakeGate
from tests.fakes.sway_peer import SwayPeer, sway_peer
from tests.fakes.sway_screens import Screens, screen
from tests.fakes.sway_tree import window
from tests.fakes.wayland_desk import GLOBALS, FakeDesk
from tests.fakes.wayland_peer import Peer as WaylandPeer

pytestmark = pytest.mark.anyio
AGENT = Peer(os.getuid(), 7, 1)


def gate(peer: Peer) -> FakeGate:
    """A gate that asks nobody."""
    return FakeGate()


@dataclass
class Clients:
    """A Wayland socket that gives every client a scripted desk of its own."""

    path: Path
    offered: Sequence[tuple[str, int]]
    desks: list[FakeDesk] = field(default_factory=list)

    @contextmanager
    def listening(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(self.path))
            listener.listen()
            listener.setblocking(False)

            def accept() -> None:
                self.desks.append(FakeDesk(WaylandPeer(listener.accept()[0], list(self.offered))))

            loop.add_reader(listener, accept)
            try:
                yield
            finally:
                loop.remove_reader(listener)
                for desk in self.desks:
                    desk.peer.close()

    @property
    def hung_up(self) -> bool:
        """Whether no client is connected any more, as far as was read."""
        return all(desk.peer.closed for desk in self.desks)


@dataclass
class World:
    """Everything a desk is opened on."""

    sway: SwayPeer
    clients: Clients
    screens: Screens
    plan: DeskPlan

    async def nothing_left(self) -> None:
        """Every connection is closed, and the output that was made for the agent is gone."""
        with anyio.fail_after(5):
            while not (self.clients.hung_up and self.sway.open == 0):  # noqa: ASYNC110  # two peers
                await anyio.sleep(0.01)
        assert self.screens.names == ["DP-1"]


@asynccontextmanager
async def world(*, without: str = "", shows: str = "1") -> AsyncIterator[World]:
    """A person's sway with one screen. `without`: a protocol the compositor lacks."""
    screens = Screens(screen(shows=shows))
    offered = [(name, version) for name, version in GLOBALS if name != without]
    with tempfile.TemporaryDirectory(prefix="desk-") as top:
        clients = Clients(Path(top, "wayland"), offered)
        state = Path(top, "state")
        await anyio.Path(state).mkdir(0o700)
        async with sway_peer(screens.answers) as sway:
            plan = DeskPlan(
                Compositor(Path(sway.path), clients.path), state, {}, Size(1280, 800), seats=1
            )
            with clients.listening():
                yield World(sway, clients, screens, plan)


def links() -> set[str]:
    """Descriptors of this process that lead to others."""
    found = set()
    for name in os.listdir("/proc/self/fd"):
        with suppress(OSError):  # that of the listing itself
            if os.readlink(f"/proc/self/fd/{name}").startswith(("socket:", "pipe:")):
                found.add(name)
    return found


async def refused(it: World) -> SlateError:
    """Why a desk does not open, once everything of it is closed again."""
    with pytest.raises(ExceptionGroup) as caught:
        async with open_desk(it.plan, gate=gate):
            raise AssertionError("it opened")
    await it.nothing_left()
    fault = sole(caught.value)
    assert isinstance(fault, SlateError)
    return fault


async def test_a_desk_opens_with_its_seats_and_closes_without_a_trace() -> None:
    async with world() as it:
        before = links()
        async with open_desk(replace(it.plan, seats=3), gate=gate):
            (desk,) = it.clients.desks
            made = desk.peer.names().count("ext_transient_seat_manager_v1.create")
            assert made >= 3
            assert len(it.screens.names) == 2
        await it.nothing_left()
        names = desk.peer.names()
        assert names.count("ext_transient_seat_v1.destroy") == made
        assert names.count("zwp_virtual_keyboard_v1.destroy") == 3
        assert links() <= before


@pytest.mark.parametrize(
    "protocol",
    [
        "zxdg_output_manager_v1",
        "ext_foreign_toplevel_list_v1",
        "zwlr_foreign_toplevel_manager_v1",
        "ext_transient_seat_manager_v1",
        "zwp_virtual_keyboard_manager_v1",
        "zwlr_virtual_pointer_manager_v1",
        "wp_viewporter",
    ],
)
async def test_a_missing_protocol_is_named_and_nothing_stays_open(protocol: str) -> None:
    async with world(without=protocol) as it:
        fault = await refused(it)
        assert fault.code == "unavailable.protocol"
        assert protocol in fault.message


async def test_a_background_that_the_person_looks_at_is_not_taken_and_nothing_stays_open() -> None:
    async with world(shows="agent") as it:
        assert (await refused(it)).code == "unavailable.background"
        assert it.clients.desks == []
        assert it.sway.commands() == []


async def test_an_output_that_was_made_in_vain_is_taken_away_again() -> None:
    async with world() as it:
        it.screens.refuses = "assign"  # the rules come after the output was made
        fault = await refused(it)
        assert fault.code.startswith("unavailable.")
        assert "create_output" in it.sway.commands()


async def test_a_compositor_that_denies_a_seat_gets_its_output_back() -> None:
    async with world() as it, anyio.create_task_group() as tasks:

        async def deny() -> None:
            while not it.clients.desks:  # a peer tells nobody
                await anyio.lowlevel.checkpoint()
            it.clients.desks[0].denies = True

        tasks.start_soon(deny)
        assert (await refused(it)).code == "unavailable.seat"


async def test_a_sway_without_a_wayland_socket_that_answers_is_said_to_be_gone() -> None:
    async with world() as it:
        gone = replace(it.plan.compositor, wayland_socket=it.clients.path.with_name("gone"))
        it.plan = replace(it.plan, compositor=gone)
        assert (await refused(it)).code == "unavailable.compositor"


async def test_a_sway_that_announces_nothing_is_not_waited_for_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("slate_desktop.desk.SUBSCRIBED_S", 0.1)
    async with world() as it:
        it.sway.silent = True
        fault = await refused(it)
        assert fault.code == "unavailable.compositor"
        assert "announce" in fault.message


async def test_a_lease_takes_a_seat_that_is_ready_and_gives_it_back() -> None:
    async with world() as it, open_desk(it.plan, gate=gate) as desk:
        async with desk.lease(AGENT) as first:
            seat = first.hands.seat
            async with desk.lease(AGENT) as second:
                assert second.hands.seat != seat
                other = second.hands.seat
        made = it.clients.desks[0].peer.names().count("ext_transient_seat_manager_v1.create")
        async with desk.lease(AGENT) as again, desk.lease(AGENT) as too:
            assert {again.hands.seat, too.hands.seat} == {seat, other}
        names = it.clients.desks[0].peer.names()
        assert names.count("ext_transient_seat_manager_v1.create") == made


async def test_a_lease_whose_connection_is_cancelled_gives_its_seat_back_too() -> None:
    async with world() as it, open_desk(it.plan, gate=gate) as desk:
        with anyio.move_on_after(0.05):
            async with desk.lease(AGENT) as lease:
                seat = lease.hands.seat
                await anyio.sleep(30)
        async with desk.lease(AGENT) as lease:
            assert lease.hands.seat == seat


async def test_refs_of_one_lease_are_unknown_to_the_next_and_numbers_go_on() -> None:
    async with world() as it:
        it.screens.outputs[0]["nodes"][0]["nodes"] = [window(10)]
        refs: list[str] = []
        for _ in range(2):
            async with open_desk(it.plan, gate=gate) as desk:
                for _ in range(2):
                    async with desk.lease(AGENT) as lease:
                        (seen,) = (await lease.desk.windows.desktop()).windows
                        for ref in refs:
                            with pytest.raises(SlateError) as caught:
                                lease.sightings.known(ref)
                            assert caught.value.code == "stale.unknown_ref"
                        refs.append(lease.sightings.see(seen))
        assert len(set(refs)) == 4


async def test_windows_of_the_agents_keep_an_idle_desk_and_the_persons_do_not() -> None:
    async with world() as it, open_desk(it.plan, gate=gate) as desk:
        screens = it.screens.outputs
        screens[0]["nodes"][0]["nodes"] = [window(10)]
        assert not await desk.occupied()
        screens[1]["nodes"][0]["nodes"] = [window(11)]
        assert await desk.occupied()
        screens[1]["nodes"][0]["nodes"] = []
        screens[0]["nodes"][0]["nodes"] = [window(12, sandbox_instance_id="L1")]
        assert await desk.occupied()


async def test_after_a_reload_the_background_is_said_again() -> None:
    async with world() as it, open_desk(it.plan, gate=gate):
        it.sway.asked.clear()
        await it.sway.emit(0, {"change": "reload"})
        with anyio.fail_after(5):
            while not it.sway.commands():  # noqa: ASYNC110  # a peer tells nobody
                await anyio.sleep(0.01)
        assert 'no_focus [sandbox_engine="^dev.slate$"]' in it.sway.commands()


async def test_a_window_that_opens_keeps_its_output_and_another_is_made_ready() -> None:
    async with world() as it, open_desk(it.plan, gate=gate):
        it.screens.open(window(10))
        await it.sway.emit(3, {"change": "new", "container": {"id": 10}})
        with anyio.fail_after(5):
            while it.screens.spaces["agent"] or len(it.screens.names) < 3:  # noqa: ASYNC110  # see above
                await anyio.sleep(0.01)
        it.screens.shut(10)


async def test_looking_takes_apart_what_has_opened_at_once() -> None:
    async with world() as it, open_desk(it.plan, gate=gate) as desk, desk.lease(AGENT) as lease:
        for id_ in (10, 11):
            it.screens.open(window(id_))
        seen = await lease.desk.windows.desktop()
        assert len({w.output for w in seen.windows}) == len(seen.windows) == 2
        for id_ in (10, 11):
            it.screens.shut(id_)


async def test_a_person_who_comes_to_a_workspace_of_ours_is_brought_back() -> None:
    async with world() as it, open_desk(it.plan, gate=gate):
        it.screens.outputs[1]["nodes"][0]["focused"] = True
        it.sway.asked.clear()
        visit = {"current": {"name": "agent"}, "old": {"name": "1", "output": "DP-1"}}
        await it.sway.emit(0, {"change": "focus", **visit})
        with anyio.fail_after(5):
            while "focus output DP-1" not in it.sway.commands():  # noqa: ASYNC110  # see above
                await anyio.sleep(0.01)


async def test_the_end_of_sway_is_the_end_of_the_desk() -> None:
    async with world() as it, open_desk(it.plan, gate=gate) as desk:
        await it.sway.emit(6, {"change": "exit"})
        with anyio.fail_after(5):
            assert await desk.ended() == "the compositor ended"


async def test_a_desk_closes_in_peace_when_its_compositor_is_gone() -> None:
    async with world() as it, open_desk(it.plan, gate=gate) as desk, desk.lease(AGENT):
        it.sway.hangs_up = True
        it.sway.drop_all()
        it.clients.desks[0].peer.close()
        await desk.ended()


@pytest.mark.parametrize("lost", ["ext_transient_seat_manager_v1", "wp_viewporter"])
async def test_what_a_compositor_lacks_is_told_with_what_is_lost(lost: str) -> None:
    async with world(without=lost) as it:
        missing = await missing_protocols(it.clients.path)
        assert lost in missing
        assert "ext_foreign_toplevel_list_v1" not in missing
        assert it.clients.desks[0].peer.names() == ["wl_display.get_registry", "wl_display.sync"]


async def test_a_session_bus_that_does_not_answer_has_no_elements() -> None:
    with pytest.raises(SlateError) as caught:
        await accessible("unix:path=/nonexistent/bus")
    assert caught.value.code == "unavailable.no_bus"

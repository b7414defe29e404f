"""The two IPC connections against a scripted sway that dies, stalls, tears and lies."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

import anyio
import pytest

from slate_desktop.errors import Stale, Unavailable
from slate_desktop.swayipc.codec import Ask, Event
from slate_desktop.swayipc.ipc import Events, Ipc
from tests.fakes.sway_peer import SwayPeer, frame, sway_peer

pytestmark = pytest.mark.anyio

TREE, SEATS, OUTPUTS = (Ask.GET_TREE, ""), (Ask.GET_SEATS, ""), (Ask.GET_OUTPUTS, "")
ANSWERS: dict[int, object] = {Ask.GET_TREE: {"id": 1}, Ask.GET_SEATS: [], Ask.GET_OUTPUTS: ["o"]}
SUBSCRIBED: dict[int, object] = {Ask.SUBSCRIBE: {"success": True}}


async def test_questions_of_one_call_travel_together_on_one_connection() -> None:
    async with sway_peer(ANSWERS) as peer:
        ipc = Ipc(peer.path)
        assert await ipc.ask(TREE, SEATS, OUTPUTS) == [{"id": 1}, [], ["o"]]
        assert await ipc.ask(OUTPUTS) == [["o"]]
        assert peer.connections == 1
        await ipc.close()


async def test_answers_torn_into_single_bytes_are_read() -> None:
    async with sway_peer(ANSWERS) as peer:
        peer.torn = 1
        ipc = Ipc(peer.path)
        assert await ipc.ask(TREE, SEATS) == [{"id": 1}, []]
        await ipc.close()


async def test_many_tasks_each_get_their_own_answer() -> None:
    async with sway_peer({Ask.RUN_COMMAND: lambda text: [{"success": True, "of": text}]}) as peer:
        ipc, got = Ipc(peer.path), {}

        async def one(number: int) -> None:
            got[number] = await ipc.ask((Ask.RUN_COMMAND, f"nop {number}"))

        async with anyio.create_task_group() as tasks:
            for number in range(20):
                tasks.start_soon(one, number)
        assert all(answer == [[{"success": True, "of": f"nop {n}"}]] for n, answer in got.items())
        await ipc.close()


async def test_r82_a_closed_socket_is_unavailable_not_a_spin() -> None:
    async with sway_peer(ANSWERS) as peer:
        peer.hangs_up = True
        ipc, began, cpu = Ipc(peer.path), time.monotonic(), time.process_time()
        with pytest.raises(Unavailable, match="closed its IPC connection") as raised:
            await ipc.ask(TREE)
        assert raised.value.code == "unavailable.compositor"
        assert time.monotonic() - began < 1
        assert time.process_time() - cpu < 0.5
        peer.hangs_up = False
        assert await ipc.ask(TREE) == [{"id": 1}]
        await ipc.close()


async def test_r83_a_late_answer_is_never_read_as_the_next_one() -> None:
    async with sway_peer(ANSWERS) as peer:
        ipc = Ipc(peer.path, answer_s=0.1)
        peer.silent = True
        with pytest.raises(Unavailable, match=r"did not answer within 0\.1 s"):
            await ipc.ask(TREE)
        peer.speak_up()
        assert await ipc.ask(OUTPUTS) == [["o"]]
        assert peer.connections == 2
        await ipc.close()


async def test_r83_a_question_that_was_cancelled_leaves_no_answer_behind() -> None:
    async with sway_peer(ANSWERS) as peer:
        ipc = Ipc(peer.path)
        peer.silent = True
        with anyio.move_on_after(0.05):
            await ipc.ask(TREE)
        peer.speak_up()
        assert await ipc.ask(OUTPUTS) == [["o"]]
        await ipc.close()


@pytest.mark.parametrize("raw", [b"HTTP/1.1 400", frame(3, []), frame(4, b"{"), frame(4, b"")])
async def test_an_answer_that_makes_no_sense_is_unavailable(raw: bytes) -> None:
    async with sway_peer(ANSWERS) as peer:
        peer.raw = raw
        ipc = Ipc(peer.path)
        with pytest.raises(Unavailable):
            await ipc.ask(TREE)
        assert await ipc.ask(OUTPUTS) == [["o"]]
        await ipc.close()


async def test_no_socket_at_all_is_unavailable() -> None:
    with pytest.raises(Unavailable, match="nothing answers"):
        await Ipc("/nonexistent/sway.sock").ask(TREE)


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        ([{"success": False, "error": "No matching node."}], Stale),
        ([{"success": True}, {"success": False, "error": "no"}], Unavailable),
        ([{}], Unavailable),
        ({"success": True}, Unavailable),
    ],
)
async def test_a_command_sway_refuses_is_an_error(answer: object, error: type[Exception]) -> None:
    async with sway_peer({Ask.RUN_COMMAND: answer}) as peer:
        ipc = Ipc(peer.path)
        with pytest.raises(error):
            await ipc.command("[con_id=1] kill")
        await ipc.close()


async def test_no_command_asks_nothing() -> None:
    await Ipc("/nonexistent/sway.sock").command()


async def following(
    peer: SwayPeer,
    check: Callable[[Events, anyio.Event], Awaitable[None]],
    heard: list[tuple[Event, str]],
) -> None:
    """Run `check` while events are followed; its second argument is set by the second
    subscription.
    """
    events, started = Events(peer.path, answer_s=0.5), [anyio.Event(), anyio.Event()]
    coming = iter(started)
    events.listen(lambda event, change: heard.append((event, change)))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(lambda: events.run(started=lambda: next(coming).set()))
        with anyio.fail_after(5):
            await started[0].wait()
            await check(events, started[1])
        tasks.cancel_scope.cancel()


async def test_a_window_event_wakes_who_waits_and_a_mode_does_not() -> None:
    heard: list[tuple[Event, str]] = []

    async def check(events: Events, again: anyio.Event) -> None:
        await peer.emit(2, {"change": "resize"})
        assert await events.changed(deadline_s=0.1) is False
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(peer.emit, 3, {"change": "new"})
            assert await events.changed(deadline_s=2) is True

    async with sway_peer(SUBSCRIBED) as peer:
        await following(peer, check, heard)
    assert heard == [(Event.MODE, "resize"), (Event.WINDOW, "new")]


async def test_r82_a_lost_event_connection_is_told_and_made_anew() -> None:
    async def check(events: Events, again: anyio.Event) -> None:
        asyncio.get_running_loop().call_later(0.01, peer.drop_all)
        with pytest.raises(Unavailable, match="event connection"):
            await events.changed(deadline_s=2)
        await again.wait()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(peer.emit, 0, {"change": "reload"})
            assert await events.changed(deadline_s=2) is True

    heard: list[tuple[Event, str]] = []
    async with sway_peer(SUBSCRIBED) as peer:
        await following(peer, check, heard)
    assert heard == [(Event.WORKSPACE, "reload")]


async def test_r82_a_compositor_that_stays_away_ends_the_pump_without_a_spin(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("slate_desktop.swayipc.ipc.RECONNECT_S", (0.01, 0.02, 0.04))
    events, cpu = Events("/nonexistent/sway.sock"), time.process_time()
    with anyio.fail_after(2):
        await events.run()
    assert time.process_time() - cpu < 0.3
    with pytest.raises(Unavailable, match="is gone"):
        await events.changed(deadline_s=1)


async def test_a_goodbye_ends_the_pump() -> None:
    async with sway_peer(SUBSCRIBED) as peer:
        events, started = Events(peer.path), anyio.Event()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(lambda: events.run(started=started.set))
            with anyio.fail_after(2):
                await started.wait()
                await peer.emit(6, {"change": "exit"})
        with pytest.raises(Unavailable, match="is gone"):
            await events.changed(deadline_s=1)

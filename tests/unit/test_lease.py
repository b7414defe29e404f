"""One connection's hold on a seat."""

from __future__ import annotations

import anyio
import anyio.lowlevel
import pytest

from slate_desktop import lease as leasing
from tests.fakes.ports import bench, desktop, window

pytestmark = pytest.mark.anyio


async def test_turns_take_the_seat_in_the_order_in_which_they_asked() -> None:
    lease = bench(desktop(window(2))).lease
    order: list[int] = []

    async def turn(number: int) -> None:
        async with lease.seat():
            assert lease.working
            await anyio.lowlevel.checkpoint()
            order.append(number)

    async with anyio.create_task_group() as turns:
        for number in range(5):
            turns.start_soon(turn, number)
    assert order == [0, 1, 2, 3, 4]
    assert not lease.working


async def test_a_seat_that_is_not_used_is_put_to_rest_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leasing, "IDLE_S", 0.05)
    made = bench(desktop(window(2)))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(made.lease.rest_when_idle)
        async with made.lease.seat():
            await anyio.sleep(0.12)
            assert made.hands.log == []
        await anyio.sleep(0.4)
        tasks.cancel_scope.cancel()
    assert made.hands.log == ["rest"]


@pytest.mark.promise("released-after-cancel")
async def test_closing_releases_everything_also_when_cancelled() -> None:
    made = bench(desktop(window(2)))
    with anyio.CancelScope() as scope:
        scope.cancel()
        await made.lease.close()
    assert made.hands.log == ["rest"]

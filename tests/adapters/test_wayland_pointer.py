"""The virtual pointers of a seat on the wire: one per output, steps in order, buttons in a ledger."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from pywayland.protocol.wayland import WlSeatProxy

from slate_desktop.geometry import Point
from slate_desktop.model import Button, PointerMove, PointerPress, PointerScroll
from slate_desktop.wayland.bindings.wlr_virtual_pointer_unstable_v1 import (
    ZwlrVirtualPointerManagerV1Proxy,
)
from slate_desktop.wayland.connection import Connection
from slate_desktop.wayland.globals import Globals
from slate_desktop.wayland.outputs import Outputs
from slate_desktop.wayland.pointer import Pointers
from slated.errors import BadRequest, Stale
from tests.fakes.wayland_desk import FakeDesk
from tests.fakes.wayland_peer import Request

pytestmark = pytest.mark.anyio

MAKE = "zwlr_virtual_pointer_manager_v1.create_virtual_pointer_with_output"


class Bench:
    """The pointers, and what they have said."""

    def __init__(self, desk: FakeDesk, connection: Connection, pointers: Pointers) -> None:
        self.desk, self.connection, self.pointers = desk, connection, pointers

    async def sent(self) -> list[Request]:
        """What arrived at pointers and their maker since the last time."""
        await self.connection.sync()
        found = [r for r in self.desk.peer.requests if "virtual_pointer" in r.interface]
        self.desk.peer.requests.clear()
        return found

    async def names(self) -> list[str]:
        """The same, by name."""
        return [request.name for request in await self.sent()]


@asynccontextmanager
async def bench(transform: int = 0, *, bound: bool = True) -> AsyncIterator[Bench]:
    """Pointers of a seat on two outputs, the second turned by a wl_output.transform."""
    with FakeDesk.wired() as (sock, desk):
        desk.turned["SCREEN-2"] = transform
        seat = desk.peer.add("wl_seat", 7)
        async with Connection.adopt(sock) as connection:
            globals_ = await Globals.load(connection)
            outputs = Outputs(globals_)
            await outputs.known("SCREEN-2")
            maker = globals_.bind(ZwlrVirtualPointerManagerV1Proxy, 2)
            proxy = globals_.bind_offer(seat, WlSeatProxy, 7)
            pointers = Pointers(connection, maker, proxy, outputs, bound=bound)
            it = Bench(desk, connection, pointers)
            assert await it.names() == ["create_virtual_pointer"]
            yield it


def press(button: Button = Button.LEFT, *, down: bool = True) -> PointerPress:
    return PointerPress(button, down=down)


async def test_nothing_is_flushed_before_it_is_asked_for() -> None:
    async with bench() as it:
        it.pointers.steps("SCREEN-1", [PointerMove(Point(1, 1)), press()])
        assert it.desk.peer.requests == []
        assert await it.names() == [
            "create_virtual_pointer_with_output",
            "motion_absolute",
            "frame",
            "button",
            "frame",
        ]


async def test_each_output_has_a_pointer_that_is_made_once() -> None:
    async with bench() as it:
        for name, x in (("SCREEN-1", 5), ("SCREEN-2", 1285), ("SCREEN-1", 6)):
            it.pointers.steps(name, [PointerMove(Point(x, 5))])
        sent = await it.sent()
        assert [str(r) for r in sent].count(MAKE) == 2
        first, second, third = (r.object for r in sent if r.name == "motion_absolute")
        assert first == third != second


async def test_a_move_is_told_in_parts_of_its_own_output() -> None:
    async with bench() as it:
        it.pointers.steps("SCREEN-2", [PointerMove(Point(1280 + 0.25, 719.5))])
        (move,) = [r for r in await it.sent() if r.name == "motion_absolute"]
        _, x, y, width, height = move.arguments
        assert (x / width * 1280, y / height * 720) == (0.25, 719.5)


@pytest.mark.parametrize(
    ("transform", "told"),
    [
        (0, (0.25, 0.1)),
        (1, (0.1, 0.75)),
        (2, (0.75, 0.9)),
        (3, (0.9, 0.25)),
        (4, (0.75, 0.1)),
        (5, (0.1, 0.25)),
        (6, (0.25, 0.9)),
        (7, (0.9, 0.75)),
    ],
)
async def test_r47_on_a_turned_output_a_move_is_told_in_the_panels_own_space(
    transform: int, told: tuple[float, float]
) -> None:
    async with bench(transform) as it:
        it.pointers.steps("SCREEN-2", [PointerMove(Point(1280 + 320, 72))])
        (move,) = [r for r in await it.sent() if r.name == "motion_absolute"]
        _, x, y, width, height = move.arguments
        assert (x / width, y / height) == told


async def test_an_unbound_pointer_is_one_for_all_outputs_and_told_places_of_the_layout() -> None:
    async with bench(transform=3, bound=False) as it:
        it.pointers.steps("SCREEN-2", [PointerMove(Point(1280 + 640, 180)), press()])
        it.pointers.steps("SCREEN-1", [PointerMove(Point(640, 180))])
        it.desk.unplug("SCREEN-2")
        it.pointers.release()
        sent = await it.sent()
        first, second = (r.arguments[1:] for r in sent if r.name == "motion_absolute")
        assert [first[0] / first[2], first[1] / first[3]] == [0.75, 0.25]
        assert [second[0] / second[2], second[1] / second[3]] == [0.25, 0.25]
        assert len({r.object for r in sent}) == 1
        assert [r.arguments[2] for r in sent if r.name == "button"] == [1, 0]


@pytest.mark.parametrize("button", [Button.LEFT, Button.MIDDLE, Button.RIGHT])
async def test_a_button_is_its_evdev_code(button: Button) -> None:
    async with bench() as it:
        it.pointers.steps("SCREEN-1", [press(button), press(button, down=False)])
        told = [r.arguments[1:] for r in await it.sent() if r.name == "button"]
        code = {Button.LEFT: 0x110, Button.RIGHT: 0x111, Button.MIDDLE: 0x112}[button]
        assert told == [(code, 1), (code, 0)]


async def test_buttons_come_up_in_the_opposite_order_on_the_output_where_they_went_down() -> None:
    async with bench() as it:
        it.pointers.steps("SCREEN-1", [press(Button.LEFT)])
        it.pointers.steps("SCREEN-2", [press(Button.RIGHT)])
        assert it.pointers.down == (Button.LEFT, Button.RIGHT)
        downs = [(r.object, r.arguments[1]) for r in await it.sent() if r.name == "button"]
        it.pointers.release()
        it.pointers.release()
        ups = [r for r in await it.sent() if r.name == "button"]
        assert [(r.object, r.arguments[1]) for r in ups] == downs[::-1]
        assert {r.arguments[2] for r in ups} == {0}
        assert not it.pointers.down


async def test_a_notch_has_a_frame_of_its_own_and_a_sign() -> None:
    async with bench() as it:
        it.pointers.steps("SCREEN-1", [PointerScroll(down=-2)])
        sent = [(r.name, r.arguments[1:]) for r in await it.sent() if r.name != MAKE.split(".")[1]]
        notch = [("axis_source", ()), ("axis_discrete", (0, -15.0, -1)), ("frame", ())]
        assert sent == notch * 2


async def test_r30_a_wheel_of_x11_is_begun_there_and_back_on_the_axes_it_turns() -> None:
    async with bench() as it:
        it.pointers.steps("SCREEN-1", [PointerScroll(right=1, begun=True)])
        sent = [(r.name, r.arguments[1:]) for r in await it.sent() if r.name != MAKE.split(".")[1]]
        turns = [
            [("axis_source", ()), ("axis", (1, least)), ("frame", ())]
            for least in (1 / 256, -1 / 256)
        ]
        notch = [("axis_source", ()), ("axis_discrete", (1, 15.0, 1)), ("frame", ())]
        assert sent == [*turns[0], *turns[1], *notch]


async def test_a_point_off_the_output_sends_not_even_the_steps_before_it() -> None:
    async with bench() as it:
        with pytest.raises(BadRequest) as caught:
            it.pointers.steps("SCREEN-1", [press(), PointerMove(Point(1280, 0))])
        assert caught.value.code == "bad_request.outside"
        with pytest.raises(Stale) as gone:
            it.pointers.steps("SCREEN-3", [press()])
        assert gone.value.code == "stale.output_gone"
        assert await it.sent() == []
        assert it.pointers.down == ()


@pytest.mark.parametrize("bound", [True, False])
async def test_a_move_whose_layout_changed_on_the_way_is_told_again_where_that_matters(
    bound: bool,
) -> None:
    async with bench(bound=bound) as it:
        it.pointers.steps("SCREEN-1", [PointerMove(Point(640, 180)), press()])
        assert not it.pointers.corrected()
        it.desk.unplug("SCREEN-2")
        await it.sent()
        assert it.pointers.corrected() is not bound
        sent = await it.sent()
        assert not it.pointers.corrected()
        told = [r.arguments[1:] for r in sent if r.name == "motion_absolute"]
        assert [[x / wide, y / high] for x, y, wide, high in told] == (
            [] if bound else [[0.5, 0.25]]
        )
        assert not [r for r in sent if r.name == "button"]
        it.pointers.steps("SCREEN-1", [press(down=False)])
        it.desk.plug("SCREEN-2")
        await it.sent()
        assert not it.pointers.corrected()  # it has done more since than move


async def test_with_an_output_go_its_pointer_and_what_was_down_on_it() -> None:
    async with bench() as it:
        it.pointers.steps("SCREEN-1", [press(Button.MIDDLE)])
        it.pointers.steps("SCREEN-2", [press(Button.LEFT)])
        await it.sent()
        it.desk.unplug("SCREEN-2")
        assert await it.names() == ["destroy"]
        assert it.pointers.down == (Button.MIDDLE,)
        it.pointers.release()
        assert await it.names() == ["button", "frame"]


async def test_all_pointers_are_destroyed_once() -> None:
    async with bench() as it:
        it.pointers.steps("SCREEN-1", [press()])
        it.pointers.steps("SCREEN-2", [press()])
        await it.sent()
        it.pointers.close()
        it.pointers.close()
        assert await it.names() == ["destroy"] * 3  # the one that keeps the capability, too
        assert it.pointers.down == ()

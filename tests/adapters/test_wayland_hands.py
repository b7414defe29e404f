"""Hands against a scripted compositor: what leaves in one flush, and what happens when it says no."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import pytest

from slate_desktop.geometry import Point
from slate_desktop.keys import CTRL, MAIN_KEYMAP, parse_chord, text_bursts
from slate_desktop.model import Button, Handle, PointerMove, PointerPress, PointerScroll
from slate_desktop.wayland.connection import Connection
from slate_desktop.wayland.globals import Globals
from slate_desktop.wayland.hands import SeatHands, Seats
from slate_desktop.wayland.outputs import Outputs
from slate_desktop.wayland.toplevels import Toplevels
from slated.errors import BadRequest, SlateError, Stale, Unavailable
from tests.fakes.wayland_desk import FakeDesk
from tests.fakes.wayland_peer import Request

pytestmark = pytest.mark.anyio

KEY, MODIFIERS = "zwp_virtual_keyboard_v1.key", "zwp_virtual_keyboard_v1.modifiers"
ACTIVATE = "zwlr_foreign_toplevel_handle_v1.activate"
GUARD = 32


class Arms:
    """A seat of ours on a scripted desk with one window, "target"."""

    def __init__(self, desk: FakeDesk, connection: Connection, seats: Seats) -> None:
        self.desk, self.connection, self.seats = desk, connection, seats
        self.hands: SeatHands
        self.target = Handle("")

    def since(self, mark: int) -> list[Request]:
        """Requests after the first `mark`, round trips left out."""
        return [r for r in self.desk.peer.requests[mark:] if str(r) != "wl_display.sync"]


@asynccontextmanager
async def armed() -> AsyncIterator[Arms]:
    """Everything open, one seat made."""
    with FakeDesk.wired() as (sock, desk):
        async with Connection.adopt(sock) as connection:
            globals_ = await Globals.load(connection)
            outputs, toplevels = Outputs(globals_), Toplevels(globals_)
            arms = Arms(desk, connection, Seats(globals_, outputs, toplevels))
            arms.hands = await arms.seats.make()
            arms.target = desk.open("target", "app")
            yield arms


async def test_a_burst_leaves_in_one_flush_led_by_its_focus() -> None:
    async with armed() as arms:
        assert await arms.hands.focus(arms.target)
        (burst,) = text_bursts("aB" * 20 + "é")
        mark = len(arms.desk.peer.requests)
        await arms.hands.keys(arms.target, burst)
        sent = arms.since(mark)
        assert str(sent[0]) == ACTIVATE
        assert len({request.batch for request in sent}) == 1
        assert [str(r) for r in sent[1:3]] == ["zwp_virtual_keyboard_v1.keymap", MODIFIERS]
        assert sum(str(r) == KEY for r in sent) == 82


async def test_the_largest_burst_is_not_split() -> None:
    async with armed() as arms:
        assert await arms.hands.focus(arms.target)
        for burst in text_bursts("é" + "x" * 99 + "aB" * 100):
            mark = len(arms.desk.peer.requests)
            await arms.hands.keys(arms.target, burst)
            assert len({request.batch for request in arms.since(mark)}) == 1


async def test_every_modifiers_request_holds_the_guard() -> None:
    async with armed() as arms:
        assert await arms.hands.focus(arms.target)
        for burst in (*text_bursts("aB é"), parse_chord("ctrl+alt+Delete"), parse_chord("super")):
            await arms.hands.keys(arms.target, burst)
        await arms.hands.rest()
        masks = [r.arguments for r in arms.desk.peer.requests if str(r) == MODIFIERS]
        assert len(masks) == 7
        assert all(depressed & GUARD for depressed, _, _, _ in masks)
        assert {(latched, locked, group) for _, latched, locked, group in masks} == {(0, GUARD, 0)}


async def test_a_keymap_is_sent_once_and_the_guard_again_after_it() -> None:
    async with armed() as arms:
        assert await arms.hands.focus(arms.target)
        mark = len(arms.desk.peer.requests)
        for text in ("é", "é", "a", "a", "é"):
            await arms.hands.keys(arms.target, text_bursts(text)[0])
        names = [str(r).split(".")[1] for r in arms.since(mark)]
        after = [names[n + 1] for n, name in enumerate(names) if name == "keymap"]
        assert after == ["modifiers"] * 3


async def test_the_keymap_ends_with_a_zero() -> None:
    async with armed() as arms:
        (first,) = [r for r in arms.desk.peer.requests if r.name == "keymap"]
        kind, descriptor, size = first.arguments
        assert kind == 1
        assert os.pread(descriptor, size + 1, 0) == MAIN_KEYMAP.encode() + b"\0"


async def test_no_key_is_sent_to_a_window_that_does_not_take_the_focus() -> None:
    async with armed() as arms:
        arms.desk.open("person", "app", activated=True)
        arms.desk.refuses.add(arms.target)
        assert not await arms.hands.focus(arms.target)
        with pytest.raises(Unavailable) as caught:
            await arms.hands.keys(arms.target, text_bursts("x")[0])
        assert caught.value.code == "unavailable.focus"
        assert KEY not in arms.desk.peer.names()


async def test_no_key_and_no_focus_is_sent_while_no_window_has_the_focus() -> None:
    async with armed() as arms:
        assert await arms.hands.focus(arms.target)
        arms.desk.deactivate_all()
        mark = len(arms.desk.peer.requests)
        with pytest.raises(Unavailable) as caught:
            await arms.hands.keys(arms.target, text_bursts("x")[0])
        assert caught.value.code == "unavailable.person_prompt"
        await arms.hands.rest()
        assert [str(r) for r in arms.since(mark)] == []


async def test_news_that_arrived_before_the_burst_stops_it() -> None:
    async with armed() as arms:
        assert await arms.hands.focus(arms.target)
        arms.desk.deactivate_all()  # sent, not handled yet
        assert not arms.hands.focused(arms.target)


async def test_a_seat_that_lost_its_devices_stops_and_gets_new_ones() -> None:
    async with armed() as arms:
        assert await arms.hands.focus(arms.target)
        arms.desk.peer.answers[ACTIVATE] = lambda _: arms.desk.reload()
        with pytest.raises(Unavailable, match="reloaded") as caught:
            await arms.hands.keys(arms.target, text_bursts("x")[0])
        assert caught.value.code == "unavailable.compositor"
        await arms.connection.sync()
        assert "zwp_virtual_keyboard_v1.destroy" in arms.desk.peer.names()
        assert arms.desk.peer.names().count("zwlr_virtual_pointer_v1.destroy") == 1
        lost = [n.split(".")[1] for n in arms.desk.peer.names()]
        anew = lost[lost.index("destroy") :]
        assert anew.index("create_virtual_keyboard") < anew.index("keymap")
        del arms.desk.peer.answers[ACTIVATE]
        mark, began = len(arms.desk.peer.requests), anyio.current_time()
        await arms.hands.keys(arms.target, text_bursts("x")[0])
        assert anyio.current_time() - began > 0.05  # programs take the new keyboard up meanwhile
        names = [str(r).split(".")[1] for r in arms.since(mark)]
        assert names[:3] == ["activate", "key", "key"]


async def test_what_is_down_is_released_when_the_hold_is_cancelled() -> None:
    async with armed() as arms:
        assert await arms.hands.focus(arms.target)
        mark = len(arms.desk.peer.requests)
        with anyio.move_on_after(0.05):
            await arms.hands.keys(arms.target, parse_chord("ctrl+x"), hold_s=30)
        await arms.connection.sync()
        keys = [(r.arguments[1], r.arguments[2]) for r in arms.since(mark) if str(r) == KEY]
        assert keys == [(29, 1), (45, 1), (45, 0), (29, 0)]
        assert arms.since(mark)[-1].arguments == (GUARD, 0, GUARD, 0)


async def test_a_hold_ends_when_the_focus_goes_and_is_released_without_focusing() -> None:
    async with armed() as arms:
        assert await arms.hands.focus(arms.target)
        mark = len(arms.desk.peer.requests)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(lambda: arms.hands.keys(arms.target, parse_chord("x"), hold_s=30))
            await anyio.sleep(0.05)
            arms.desk.deactivate_all()
        await arms.connection.sync()
        assert [str(r) for r in arms.since(mark)] == [ACTIVATE, KEY, KEY]


async def test_a_dead_compositor_ends_a_hold_at_once() -> None:
    async with armed() as arms:
        assert await arms.hands.focus(arms.target)

        async def hold() -> None:
            with pytest.raises(Unavailable):
                await arms.hands.keys(arms.target, parse_chord("x"), hold_s=30)

        with anyio.fail_after(1):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(hold)
                await anyio.sleep(0.05)
                arms.desk.peer.close()
        await arms_rest(arms)


async def arms_rest(arms: Arms) -> None:
    """Rest on a dead compositor: it has released everything, and says so."""
    with pytest.raises(Unavailable) as caught:
        await arms.hands.rest()
    assert caught.value.code == "unavailable.compositor"


async def test_rest_releases_buttons_and_goes_home_once() -> None:
    async with armed() as arms:
        assert await arms.hands.focus(arms.target)
        press = PointerPress(Button.LEFT, down=True)
        await arms.hands.pointer("SCREEN-1", [PointerMove(Point(10, 10)), press])
        mark = len(arms.desk.peer.requests)
        await arms.hands.rest()
        await arms.hands.rest()
        sent = [str(r) for r in arms.since(mark)]
        assert sent == [
            "zwlr_virtual_pointer_v1.button",
            "zwlr_virtual_pointer_v1.frame",
            ACTIVATE,
        ]


async def test_a_click_into_a_window_of_the_persons_is_left_at_rest() -> None:
    async with armed() as arms:
        arms.desk.pull("theirs", "person")
        await arms.connection.sync()
        await arms.connection.sync()  # home again
        arms.desk.restore()
        press = PointerPress(Button.LEFT, down=True)
        arms.desk.peer.answers["zwlr_virtual_pointer_v1.button"] = lambda _: arms.desk.leave_home()
        await arms.hands.pointer("SCREEN-1", [PointerMove(Point(10, 10)), press])
        mark = len(arms.desk.peer.requests)
        del arms.desk.peer.answers["zwlr_virtual_pointer_v1.button"]
        await arms.hands.rest()
        assert [str(r) for r in arms.since(mark)][2:] == [
            ACTIVATE,
            "ext_transient_seat_manager_v1.create",
            "ext_transient_seat_v1.destroy",
        ]


async def test_pulled_along_at_rest_we_go_home_and_give_the_person_their_focus_back() -> None:
    async with armed() as arms:
        mark = len(arms.desk.peer.requests)
        arms.desk.pull("new", "person")
        await arms.connection.sync()
        await arms.connection.sync()
        assert [str(r) for r in arms.since(mark)] == [
            ACTIVATE,
            "ext_transient_seat_manager_v1.create",
            "ext_transient_seat_v1.destroy",
        ]


async def test_a_launcher_keeps_the_keyboard_even_when_a_new_window_is_called_activated() -> None:
    async with armed() as arms:
        assert await arms.hands.focus(arms.target)
        arms.desk.deactivate_all()
        await arms.connection.sync()
        arms.desk.open("new", "person", activated=True)  # as sway does behind a launcher
        await arms.connection.sync()
        mark = len(arms.desk.peer.requests)
        with pytest.raises(Unavailable) as caught:
            await arms.hands.keys(arms.target, text_bursts("x")[0])
        assert caught.value.code == "unavailable.person_prompt"
        await arms.hands.rest()
        await arms.connection.sync()
        assert arms.since(mark) == []


async def test_at_rest_a_launcher_is_left_alone() -> None:
    async with armed() as arms:
        mark = len(arms.desk.peer.requests)
        arms.desk.deactivate_all()
        await arms.connection.sync()
        arms.desk.open("new", "person", activated=True)
        await arms.connection.sync()
        await arms.connection.sync()
        assert arms.since(mark) == []


async def test_pulled_along_by_a_window_while_typing_we_take_the_focus_back() -> None:
    async with armed() as arms:
        assert await arms.hands.focus(arms.target)
        arms.desk.pull("new", "person")
        await arms.connection.sync()
        mark = len(arms.desk.peer.requests)
        await arms.hands.keys(arms.target, text_bursts("x")[0])
        assert [str(r) for r in arms.since(mark)] == [ACTIVATE, ACTIVATE, KEY, KEY]


async def test_a_move_is_relative_to_its_output_and_finer_than_a_pixel() -> None:
    async with armed() as arms:
        await arms.hands.pointer("SCREEN-2", [PointerMove(Point(1280 + 640.5, 100))])
        (move,) = [r for r in arms.desk.peer.requests if r.name == "motion_absolute"]
        _, x, y, width, height = move.arguments
        assert (x / width * 1280, y / height * 720) == (640.5, 100)


async def test_r31_both_axes_in_one_frame_are_one_group_a_notch() -> None:
    async with armed() as arms:
        mark = len(arms.desk.peer.requests)
        await arms.hands.pointer("SCREEN-1", [PointerScroll(down=2, right=-1)])
        sent = [(r.name, r.arguments[1:]) for r in arms.since(mark) if "pointer_v1" in str(r)]
        assert sent == [
            ("axis_source", ()),
            ("axis_discrete", (0, 15.0, 1)),
            ("axis_discrete", (1, -15.0, -1)),
            ("frame", ()),
            ("axis_source", ()),
            ("axis_discrete", (0, 15.0, 1)),
            ("frame", ()),
        ]


async def test_modifiers_around_a_click_are_a_state_and_no_key() -> None:
    async with armed() as arms:
        mark = len(arms.desk.peer.requests)
        press = [PointerPress(Button.RIGHT, down=down) for down in (True, False)]
        await arms.hands.pointer("SCREEN-1", press, modifiers=CTRL)
        sent = arms.since(mark)
        assert KEY not in map(str, sent)
        masks = [r.arguments[0] for r in sent if str(r) == MODIFIERS]
        assert masks == [GUARD | CTRL, GUARD]
        assert {r.arguments[1] for r in sent if r.name == "button"} == {0x111}


async def test_a_point_off_its_output_sends_nothing() -> None:
    async with armed() as arms:
        mark = len(arms.desk.peer.requests)
        press = PointerPress(Button.LEFT, down=True)
        with pytest.raises(BadRequest) as caught:
            await arms.hands.pointer("SCREEN-1", [press, PointerMove(Point(1280, 0))])
        assert caught.value.code == "bad_request.outside"
        await arms.connection.sync()
        assert arms.since(mark) == []


async def test_the_pointer_of_an_output_goes_with_it() -> None:
    async with armed() as arms:
        press = PointerPress(Button.LEFT, down=True)
        await arms.hands.pointer("SCREEN-2", [PointerMove(Point(1300, 5)), press])
        arms.desk.unplug("SCREEN-2")
        with pytest.raises(Stale) as caught:
            await arms.hands.pointer("SCREEN-2", [press])
        assert caught.value.code == "stale.output_gone"
        await arms.connection.sync()
        assert arms.desk.peer.names().count("zwlr_virtual_pointer_v1.destroy") == 1
        await arms.hands.rest()  # the button went with the pointer


async def test_a_denied_seat_is_unavailable() -> None:
    async with armed() as arms:
        arms.desk.denies = True
        with pytest.raises(SlateError) as caught:
            await arms.seats.make()
        assert caught.value.code == "unavailable.seat"


async def test_closing_the_seats_twice_is_harmless() -> None:
    async with armed() as arms:
        mark = len(arms.desk.peer.requests)
        arms.seats.close()
        arms.seats.close()
        await arms.connection.sync()
        names = [str(request) for request in arms.since(mark)]
        assert names.count("ext_transient_seat_v1.destroy") == 1
        assert names.index("zwp_virtual_keyboard_v1.destroy") < names.index(
            "ext_transient_seat_v1.destroy"
        )

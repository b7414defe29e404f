"""The virtual keyboard of a seat on the wire: order of requests, keymaps, and what is down."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from pywayland.protocol.wayland import WlSeatProxy

from slate_desktop.keys import ALT, CTRL, MAIN_KEYMAP, SHIFT, SUPER
from slate_desktop.model import KeyStroke
from slate_desktop.wayland.bindings.virtual_keyboard_unstable_v1 import (
    ZwpVirtualKeyboardManagerV1Proxy,
)
from slate_desktop.wayland.connection import Connection
from slate_desktop.wayland.globals import Globals
from slate_desktop.wayland.keyboard import GUARD, Keyboard
from tests.fakes.wayland_peer import Peer, wired

pytestmark = pytest.mark.anyio

A, X, LEFT_CTRL, LEFT_ALT, LEFT_SHIFT = 30, 45, 29, 56, 42
Said = list[tuple[object, ...]]


class Bench:
    """A keyboard, and what it has said since it was made."""

    def __init__(self, peer: Peer, connection: Connection, keyboard: Keyboard) -> None:
        self.peer, self.connection, self.keyboard = peer, connection, keyboard

    async def said(self) -> Said:
        """Keys as (code, state), modifiers as ("modifiers", mask), the rest by name; then forgets."""
        await self.connection.sync()
        requests = [r for r in self.peer.requests if r.interface == "zwp_virtual_keyboard_v1"]
        self.peer.requests.clear()
        words: dict[str, slice] = {"key": slice(1, 3), "modifiers": slice(0, 1)}
        return [
            ((r.name,) if r.name != "key" else ()) + r.arguments[words.get(r.name, slice(0))]
            for r in requests
        ]


@asynccontextmanager
async def bench() -> AsyncIterator[Bench]:
    """Everything open, the first keymap said already."""
    with wired(("wl_seat", 7), ("zwp_virtual_keyboard_manager_v1", 1)) as (sock, peer):
        async with Connection.adopt(sock) as connection:
            globals_ = await Globals.load(connection)
            maker = globals_.bind(ZwpVirtualKeyboardManagerV1Proxy, 1)
            keyboard = Keyboard(connection, maker, globals_.bind(WlSeatProxy, 7))
            it = Bench(peer, connection, keyboard)
            assert await it.said() == [("keymap",), ("modifiers", GUARD)]
            yield it


async def test_nothing_is_flushed_before_it_is_asked_for() -> None:
    async with bench() as it:
        it.keyboard.strokes([KeyStroke(A)])
        assert it.peer.requests == []
        assert await it.said() == [(A, 1), (A, 0)]


async def test_r01_shift_is_pressed_for_programs_that_hear_keys_only() -> None:
    async with bench() as it:
        it.keyboard.strokes([KeyStroke(A, SHIFT), KeyStroke(X)], shift_key=True)
        assert await it.said() == [
            *[(LEFT_SHIFT, 1), ("modifiers", GUARD | SHIFT), (A, 1), (A, 0)],
            *[(LEFT_SHIFT, 0), ("modifiers", GUARD), (X, 1), (X, 0)],
        ]


async def test_shift_in_text_travels_in_the_mask_alone() -> None:
    async with bench() as it:
        it.keyboard.strokes([KeyStroke(A), KeyStroke(A, SHIFT), KeyStroke(X, SHIFT), KeyStroke(X)])
        assert await it.said() == [
            (A, 1),
            (A, 0),
            ("modifiers", GUARD | SHIFT),
            (A, 1),
            (A, 0),
            (X, 1),
            (X, 0),
            ("modifiers", GUARD),
            (X, 1),
            (X, 0),
        ]


async def test_a_chord_presses_its_modifiers_before_and_releases_them_after() -> None:
    async with bench() as it:
        it.keyboard.strokes([KeyStroke(X, CTRL | ALT)])
        assert await it.said() == [
            (LEFT_CTRL, 1),
            (LEFT_ALT, 1),
            ("modifiers", GUARD | CTRL | ALT),
            (X, 1),
            (X, 0),
            (LEFT_CTRL, 0),
            (LEFT_ALT, 0),
            ("modifiers", GUARD),
        ]
        assert it.keyboard.down == ()


async def test_from_one_chord_to_the_next_only_the_difference_is_pressed() -> None:
    async with bench() as it:
        it.keyboard.modify(CTRL | SHIFT)
        it.keyboard.modify(CTRL | ALT)
        assert [word for word in await it.said() if word[0] != "modifiers"] == [
            (42, 1),
            (LEFT_CTRL, 1),
            (42, 0),
            (LEFT_ALT, 1),
        ]
        assert it.keyboard.down == (LEFT_CTRL, LEFT_ALT)


async def test_modifiers_around_a_click_are_a_state_and_no_key() -> None:
    async with bench() as it:
        it.keyboard.modify(CTRL | SUPER, press=False)
        it.keyboard.modify(CTRL | SUPER, press=False)
        assert await it.said() == [("modifiers", GUARD | CTRL | SUPER)]


async def test_what_is_kept_down_is_in_the_ledger_until_it_is_released() -> None:
    async with bench() as it:
        it.keyboard.strokes([KeyStroke(A), KeyStroke(X, CTRL)], keep_last=True)
        assert it.keyboard.down == (LEFT_CTRL, X)
        await it.said()
        it.keyboard.release()
        assert await it.said() == [(X, 0), (LEFT_CTRL, 0), ("modifiers", GUARD)]
        it.keyboard.release()
        assert await it.said() == []


async def test_a_keymap_is_sent_whole_once_and_the_modifiers_said_again() -> None:
    async with bench() as it:
        it.keyboard.modify(CTRL, press=False)
        await it.said()
        it.keyboard.load("xkb_keymap {}")
        it.keyboard.load("xkb_keymap {}")
        await it.connection.sync()
        (keymap,) = [r for r in it.peer.requests if r.name == "keymap"]
        kind, descriptor, size = keymap.arguments
        assert (kind, os.pread(descriptor, size + 1, 0)) == (1, b"xkb_keymap {}\0")
        assert await it.said() == [("keymap",), ("modifiers", GUARD | CTRL)]
        it.keyboard.load(None)
        await it.connection.sync()
        (keymap,) = [r for r in it.peer.requests if r.name == "keymap"]
        assert os.pread(keymap.arguments[1], 1 << 20, 0) == MAIN_KEYMAP.encode() + b"\0"


async def test_a_closed_keyboard_holds_nothing_and_closes_once() -> None:
    async with bench() as it:
        it.keyboard.strokes([KeyStroke(X)], keep_last=True)
        await it.said()
        it.keyboard.close()
        it.keyboard.close()
        assert it.keyboard.down == ()
        assert await it.said() == [("destroy",)]

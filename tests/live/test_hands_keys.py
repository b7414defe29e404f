"""Chords and held keys of an agent's seat: they reach the window, no binding of the person's, and come up again."""

from __future__ import annotations

import sys
import time

import anyio
import pytest

from slate_desktop.keys import parse_chord
from tests.live.bed.arms import GUARD, Arms
from tests.live.bed.patience import WAIT_S, until, until_it_says
from tests.live.bed.program import ROOT
from tests.live.bed.tree import MODE_EVENT, SUBSCRIBE, Sway

pytestmark = pytest.mark.anyio


async def test_no_binding_and_no_mode_of_the_persons_reacts_to_our_keys(arms: Arms) -> None:
    stage = arms.stage
    window = await stage.window("bed.a")
    stage.focus("bed.a")
    sway = Sway(str(stage.session.sway_socket))
    for keys in ("a", "Shift+a", "Return", "Mod4+9", "Mod1+F4", "Control+a", "Control+Alt+Delete"):
        stage.sway.run(f"bindsym {keys} nop {keys}")
    stage.sway.run("bindsym --release Super_L nop released")
    stage.sway.run('mode "resize" bindsym h mode default')
    stage.sway.run("mode resize")
    sway.ask(SUBSCRIBE, '["binding", "mode"]')
    handle = arms.handle("bed.a")
    assert await arms.hands.focus(handle)
    for chord in ("a", "A", "Return", "super+9", "alt+F4", "ctrl+a", "ctrl+alt+Delete", "super"):
        await arms.hands.keys(handle, parse_chord(chord))
    await arms.type("bed.a", "haha é aA\n")
    window.take()
    state = await window.ask("state")
    assert state["seats"][arms.hands.seat]["text"].endswith("haha é aA\r")
    # The one event that may come is the one asked for here; it proves that events do arrive.
    stage.sway.run("mode default")
    kind, event = sway.next()
    assert (kind, event["change"]) == (MODE_EVENT, "default")
    sway.close()
    for keys in ("a", "Shift+a", "Return", "Mod4+9", "Mod1+F4", "Control+a", "Control+Alt+Delete"):
        stage.sway.run(f"unbindsym {keys}")
    stage.sway.run("unbindsym --release Super_L")


async def test_chords_reach_the_window_with_their_modifiers_and_switch_no_terminal(
    arms: Arms,
) -> None:
    window = await arms.stage.window("bed.a")
    handle = arms.handle("bed.a")
    assert await arms.hands.focus(handle)
    await window.ask("state")
    window.take()
    await arms.hands.keys(handle, parse_chord("ctrl+alt+F1"))
    await window.ask("state")
    events = [e for e in window.take("key", "modifiers") if e["seat"] == arms.hands.seat]
    names = [(e["symbol"], e["pressed"]) for e in events if e["kind"] == "key"]
    assert names == [
        ("Control_L", True),
        ("Alt_L", True),
        ("F1", True),
        ("F1", False),
        ("Control_L", False),
        ("Alt_L", False),
    ]
    assert [e["depressed"] for e in events if e["kind"] == "modifiers"] == [32 | 4 | 8, 32]


async def test_a_chord_after_strange_letters_uses_the_real_layout(arms: Arms) -> None:
    app = await arms.stage.gtk(4)
    await arms.type("bed.gtk4", "漢字 é to be cut")
    await until_it_says(lambda: app.ask("text"), "漢字 é to be cut", "the text is there")
    handle = arms.handle("bed.gtk4")
    await arms.hands.keys(handle, parse_chord("ctrl+a"))
    await arms.hands.keys(handle, parse_chord("BackSpace"))
    await until_it_says(lambda: app.ask("text"), "", "the text was selected and deleted")


async def test_a_held_key_is_down_for_as_long_as_asked(arms: Arms) -> None:
    window = await arms.stage.window("bed.a")
    handle = arms.handle("bed.a")
    assert await arms.hands.focus(handle)
    started = time.monotonic()
    await arms.hands.keys(handle, parse_chord("ctrl+Right"), hold_s=0.3)
    assert time.monotonic() - started >= 0.3
    state = await window.ask("state")
    assert state["seats"][arms.hands.seat]["down"] == []
    assert state["seats"][arms.hands.seat]["modifiers"] == GUARD
    times = [e["time_ms"] for e in window.take("key") if e["symbol"] == "Right"]
    assert len(times) == 2
    assert 290 <= times[1] - times[0] <= 600


async def test_r14_a_cancelled_hold_leaves_nothing_down(arms: Arms) -> None:
    window = await arms.stage.window("bed.a")
    handle = arms.handle("bed.a")
    with anyio.move_on_after(0.1):
        await arms.hands.keys(handle, parse_chord("ctrl+super+x"), hold_s=30)
    facts = (await window.ask("state"))["seats"][arms.hands.seat]
    assert (facts["down"], facts["modifiers"]) == ([], GUARD)


KILLED = """
import sys, anyio
from pathlib import Path
from slate_desktop.keys import parse_chord
from slate_desktop.model import Handle
from slate_desktop.wayland.connection import Connection
from slate_desktop.wayland.globals import Globals
from slate_desktop.wayland.hands import Seats
from slate_desktop.wayland.outputs import Outputs
from slate_desktop.wayland.toplevels import Toplevels

async def main():
    async with Connection.open(Path(sys.argv[1])) as connection:
        globals_ = await Globals.load(connection)
        toplevels = Toplevels(globals_)
        hands = await Seats(globals_, Outputs(globals_), toplevels).make()
        handle = Handle(sys.argv[2])
        assert await hands.focus(handle)
        print("holding", flush=True)
        await hands.keys(handle, parse_chord("ctrl+super+x"), hold_s=30)

anyio.run(main)
"""


async def test_r14_a_killed_process_leaves_the_persons_seat_as_it_was(arms: Arms) -> None:
    stage = arms.stage
    await stage.window("bed.ours")
    theirs = await stage.window("bed.person")
    person = await stage.person()
    stage.focus("bed.person")
    before = await person.ask("report")
    for _ in range(5):
        socket = str(stage.session.wayland_socket)
        argv = [sys.executable, "-c", KILLED, socket, arms.handle("bed.ours")]
        async with await anyio.open_process(argv, stderr=None, cwd=ROOT) as process:
            assert process.stdout is not None
            with anyio.fail_after(WAIT_S):
                assert (await process.stdout.receive()).startswith(b"holding")
            await anyio.sleep(0.05)
            process.kill()
        await until(lambda: set(stage.sway.seats()) == {"seat0", arms.hands.seat}, "seat gone")
        assert await person.ask("report") == before
        state = await theirs.ask("state")
        assert state["seats"]["seat0"]["modifiers"] == [0, 0, 0, 0]
        assert state["seats"]["seat0"]["down"] == []

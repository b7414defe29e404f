"""Seats of agents on the real compositor: what they type arrives, and nothing else happens."""

from __future__ import annotations

import os
import random
import signal
import string
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio
import pytest

from slate_desktop.geometry import Point
from slate_desktop.headless.program import SwayProgram
from slate_desktop.headless.recipe import BACKGROUND, SCREEN
from slate_desktop.headless.session import SCREEN_SIZE
from slate_desktop.keys import CTRL, parse_chord, text_bursts
from slate_desktop.model import (
    PARKING_APP_ID,
    Button,
    Handle,
    PointerMove,
    PointerPress,
    PointerScroll,
)
from slate_desktop.swayipc.background import RULES
from slate_desktop.wayland.connection import Connection
from slate_desktop.wayland.globals import Globals
from slate_desktop.wayland.hands import SeatHands, Seats
from slate_desktop.wayland.outputs import Outputs
from slate_desktop.wayland.toplevels import Toplevels
from slated.errors import SlateError, Unavailable
from tests.live.bed import stage as stages
from tests.live.bed.patience import WAIT_S, until, until_it_says
from tests.live.bed.program import ROOT, Program
from tests.live.bed.stage import Stage
from tests.live.bed.tree import MODE_EVENT, SUBSCRIBE, TREE, Sway

pytestmark = pytest.mark.anyio

GUARD = [32, 0, 0, 0]
"""The modifiers at rest: Mod3 alone."""


@dataclass(frozen=True)
class Arms:
    """Seats on a stage, made before what the test starts."""

    stage: Stage
    connection: Connection
    toplevels: Toplevels
    seats: Seats
    hands: SeatHands

    def handle(self, name: str) -> Handle:
        """The window of that app id or title, as the tree calls it."""
        window = self.stage.sway.window(name)
        assert window is not None
        return Handle(window["foreign_toplevel_identifier"])

    async def type(self, name: str, text: str) -> None:
        """Focus and type."""
        handle = self.handle(name)
        assert await self.hands.focus(handle)
        for burst in text_bursts(text):
            await self.hands.keys(handle, burst)

    def id(self, name: str) -> int:
        """Its container id."""
        window = self.stage.sway.window(name)
        assert window is not None
        return int(window["id"])

    def to_background(self, name: str) -> None:
        """Move a window out of the person's sight."""
        self.stage.sway.run(f"[con_id={self.id(name)}] move container to workspace agent")


@asynccontextmanager
async def armed(stage: Stage) -> AsyncIterator[Arms]:
    """A connection with one seat."""
    for rule in RULES:
        stage.sway.run(rule)
    async with Connection.open(stage.session.wayland_socket) as connection:
        globals_ = await Globals.load(connection)
        outputs, toplevels = Outputs(globals_), Toplevels(globals_)
        seats = Seats(globals_, outputs, toplevels)
        yield Arms(stage, connection, toplevels, seats, await seats.make())
        seats.close()


@pytest.fixture
async def arms(stage: Stage) -> AsyncIterator[Arms]:
    """One seat on the shared stage."""
    async with armed(stage) as it:
        yield it


def mixed(seed: int) -> str:
    """A random string of everything people write, 1 to 200 code points."""
    dice = random.Random(seed)  # the same strings at every run
    alphabets = (
        string.ascii_letters + string.digits,
        string.punctuation + " ",
        "àéîõüßñçøåÆŒ¿¡§€£",
        "αβγδεζηθικλμνξοπρστυφχψωΩώϊ",
        "абвгдежзийклмнопрстуфхцчшщъыьэюяЁҐ",
        "漢字仮名交じり文한국어你好",
        "🐱👩🚀🎉😀",
    )
    text = "".join(
        dice.choice(dice.choice(alphabets)) + ("\u0301" if dice.random() < 0.03 else "")
        for _ in range(dice.randint(1, 180))
    )
    return text[:200]


TEXTS = [mixed(seed) for seed in range(20)]
CASES = {
    "r01": "Mississippi bookkeeper -M -P -k Return",
    "r05": "πο Ωω őű жщ 漢字 🐱",
    "r07": "first.last+tag@example.com" + string.punctuation,
    "r08": "árvíztűrő tükörfúrógép",
    "r09": "azerty yz ;:!?",
    "r10": r"literal \n \x41 %s $HOME \\ \t",
}


@pytest.mark.parametrize("version", [3, 4])
async def test_mixed_text_typed_into_gtk_reads_back_equal(arms: Arms, version: int) -> None:
    app = await arms.stage.gtk(version)
    for text in [*TEXTS, *CASES.values(), "two\nlines\tand a tab"]:
        await app.ask("clear")
        await arms.type(f"bed.gtk{version}", text)
        await until_it_says(lambda: app.ask("text"), text, "the text is in the view")


def bytes_in(record: Path) -> Callable[[], Awaitable[bytes]]:
    """Reads a file anew each time."""

    async def read() -> bytes:
        return await anyio.Path(record).read_bytes()

    return read


async def test_mixed_text_typed_into_a_terminal_arrives_byte_by_byte(
    arms: Arms, tmp_path: Path
) -> None:
    record = tmp_path / "record"
    await arms.stage.terminal(record)
    expected = b""
    for text in [*TEXTS, *CASES.values(), "two\nlines\tand a tab"]:
        expected += text.replace("\n", "\r").encode()
        await arms.type("bed.foot", text)
        await until_it_says(bytes_in(record), expected, "all bytes are there")


async def test_r19_a_long_paragraph_keeps_its_order(arms: Arms) -> None:
    app = await arms.stage.gtk(3)
    text = "The Quick brown Fox — jumps over the lazy Dog? 0123456789!\n" * 35
    await arms.type("bed.gtk3", text)
    await until_it_says(lambda: app.ask("text"), text, "the text is in the view")


async def test_r18_a_window_that_hangs_gets_each_character_once(arms: Arms) -> None:
    window = await arms.stage.window("bed.a")
    await window.ask("deaf", for_s=0.9)
    await arms.type("bed.a", "//a\n")
    await until_it_says(lambda: heard(window, arms), "//a\r", "the text is there")


async def heard(window: Program, arms: Arms) -> str:
    """What our seat typed into a scriptable window."""
    state = await window.ask("state")
    return str(state["seats"].get(arms.hands.seat, {}).get("text", ""))


async def test_r02_the_first_keys_of_a_fresh_seat_arrive(stage: Stage) -> None:
    for _ in range(10):
        async with armed(stage) as arms:
            window = await stage.window("bed.fresh")
            await arms.type("bed.fresh", "Hello")
            assert await heard(window, arms) == "Hello"
            await stage.acts.aclose()


async def test_two_hundred_characters_take_less_than_150_ms_with_the_focus(arms: Arms) -> None:
    app = await arms.stage.gtk(3)
    text = "".join(random.Random(1).choices(string.printable[:95], k=200))
    started = time.perf_counter()
    await arms.type("bed.gtk3", text)
    took_s = time.perf_counter() - started
    await until_it_says(lambda: app.ask("text"), text, "the text is in the view")
    assert took_s < 0.15


async def test_a_hidden_window_takes_keys_while_the_person_types_in_theirs(arms: Arms) -> None:
    stage = arms.stage
    theirs, ours = await stage.window("bed.person"), await stage.window("bed.ours")
    arms.to_background("bed.ours")
    person = await stage.person()
    stage.focus("bed.person")
    await person.ask("keep_typing", phrase="the quick brown fox ", gap_s=0.002)
    for _ in range(10):
        await arms.type("bed.ours", "Agent text with é and 漢字. ")
    typed = await person.ask("stop_typing")
    assert await heard(ours, arms) == "Agent text with é and 漢字. " * 10
    state = await theirs.ask("state")
    assert state["seats"]["seat0"]["text"] == typed
    assert state["seats"][arms.hands.seat]["text"] == ""
    assert state["activated"]


async def test_r12_the_persons_layout_and_focus_are_as_before(arms: Arms) -> None:
    stage = arms.stage
    await stage.window("bed.person")
    await stage.window("bed.ours")
    person = await stage.person()
    await person.ask("layout", layout="de")
    stage.focus("bed.person")
    before = await person.ask("report")
    await arms.type("bed.ours", "Grüße, 漢字 und mehr")
    during = await person.ask("report")
    await arms.hands.rest()
    assert before == during == await person.ask("report")


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


async def test_at_rest_a_new_window_of_the_persons_keeps_its_focus_and_we_go_home(
    arms: Arms,
) -> None:
    stage = arms.stage
    ours = await stage.window("bed.ours")
    await arms.type("bed.ours", "x")
    await arms.hands.rest()
    assert (await ours.ask("state"))["seats"][arms.hands.seat]["modifiers"] == GUARD
    theirs = await stage.window("bed.person")

    async def where() -> tuple[bool, bool, bool]:
        state = await theirs.ask("state")
        return (
            stage.sway.focus() == arms.id("bed.person"),
            stage.sway.focus(arms.hands.seat) == arms.id(PARKING_APP_ID),
            bool(state["activated"]),
        )

    await until_it_says(where, (True, True, True), "both seats are where they belong")


async def test_leaving_a_window_that_the_person_uses_too_keeps_it_active(arms: Arms) -> None:
    stage = arms.stage
    shared = await stage.window("bed.shared")
    await stage.window("bed.other")
    stage.focus("bed.shared")
    await arms.type("bed.shared", "x")
    assert await arms.hands.focus(arms.handle("bed.other"))
    await arms.connection.sync()
    assert (await shared.ask("state"))["activated"]
    stage.focus("bed.shared")
    await arms.type("bed.shared", "y")
    await arms.hands.rest()
    assert (await shared.ask("state"))["activated"]


async def test_a_window_that_opens_while_we_type_gets_none_of_it(arms: Arms) -> None:
    stage = arms.stage
    ours, person = await stage.window("bed.ours"), await stage.person()
    for _ in range(20):
        await arms.type("bed.ours", "abc")
        await person.ask("open", title="theirs", app_id="person")
        handle = arms.handle("bed.ours")
        await arms.hands.keys(handle, text_bursts("def")[0])
    assert await heard(ours, arms) == "abcdef" * 20
    assert (await person.ask("state"))[arms.hands.seat]["text"] == ""


async def test_a_closed_window_is_stale(arms: Arms) -> None:
    window = await arms.stage.window("bed.a")
    handle = arms.handle("bed.a")
    assert await arms.hands.focus(handle)
    await window.ask("close")
    with pytest.raises(SlateError) as caught:
        await arms.hands.keys(handle, text_bursts("x")[0])
    assert caught.value.code == "stale.window_gone"
    with pytest.raises(SlateError) as caught:
        await arms.hands.focus(handle)
    assert caught.value.code == "stale.window_gone"


async def test_windows_with_equal_titles_are_told_apart(arms: Arms) -> None:
    stage = arms.stage
    windows = [await stage.window(f"bed.{n}", title="the same") for n in range(3)]
    twins = [await stage.window("bed.twin", title="twin") for _ in range(2)]
    ids = [w["id"] for w in stage.sway.windows() if w["app_id"] == "bed.twin"]
    for place, window in enumerate(windows):
        await arms.type(f"bed.{place}", f"to {place}")
        assert await heard(window, arms) == f"to {place}"
    for place, id_ in enumerate(ids):
        node = next(w for w in stage.sway.windows() if w["id"] == id_)
        handle = Handle(node["foreign_toplevel_identifier"])
        assert await arms.hands.focus(handle)
        assert stage.sway.focus(arms.hands.seat) == id_
        await arms.hands.keys(handle, text_bursts(f"twin {place}")[0])
    assert sorted([await heard(twin, arms) for twin in twins]) == ["twin 0", "twin 1"]


async def shown(stage: Stage) -> Program:
    """A window alone on the screen, once it has the size that is for: before, no pointer finds it."""
    window = await stage.window("bed.a")

    async def width() -> int:
        return int((await window.ask("state"))["width"])

    await until_it_says(width, SCREEN_SIZE.width, "the window fills the screen")
    stage.sway.ask(TREE)
    return window


async def test_the_pointer_goes_where_it_is_sent_and_clicks(arms: Arms) -> None:
    window = await shown(arms.stage)
    left, right = (PointerPress(Button.LEFT, down=d) for d in (True, False))
    await arms.hands.pointer(SCREEN, [PointerMove(Point(200.5, 100)), left, right])
    facts = (await window.ask("state"))["seats"][arms.hands.seat]
    assert (facts["pointer"], facts["buttons"]) == ([200.5, 100.0], 1)
    assert arms.stage.sway.focus(arms.hands.seat) == arms.id("bed.a")
    await arms.hands.rest()
    assert arms.stage.sway.focus(arms.hands.seat) == arms.id(PARKING_APP_ID)


@pytest.mark.parametrize(("down", "right"), [(3, 0), (-2, 0), (0, -2), (0, 2), (2, 3)])
async def test_r30_r31_a_notch_is_a_notch(arms: Arms, down: int, right: int) -> None:
    window = await shown(arms.stage)
    await arms.hands.pointer(SCREEN, [PointerMove(Point(200, 100)), PointerScroll(down, right)])
    facts = (await window.ask("state"))["seats"][arms.hands.seat]
    assert facts["notches"] == [down, right]
    totals = {"down": 0.0, "right": 0.0}
    for event in window.take("axis"):
        totals[event["axis"]] += event["value"]
    assert totals == {"down": 15.0 * down, "right": 15.0 * right}


async def test_modifiers_are_held_around_a_click_and_nothing_else(arms: Arms) -> None:
    window = await shown(arms.stage)
    assert await arms.hands.focus(arms.handle("bed.a"))
    await window.ask("state")
    window.take()
    press = [PointerPress(Button.LEFT, down=d) for d in (True, False)]
    await arms.hands.pointer(SCREEN, [PointerMove(Point(100, 100)), *press], modifiers=CTRL)
    await window.ask("state")
    kinds = [
        (e["kind"], e.get("depressed"), e.get("pressed"))
        for e in window.take("modifiers", "button", "key")
    ]
    assert kinds == [
        ("modifiers", 36, None),
        ("button", None, True),
        ("button", None, False),
        ("modifiers", 32, None),
    ]


async def test_a_button_that_is_down_is_released_at_rest(arms: Arms) -> None:
    window = await shown(arms.stage)
    await arms.hands.pointer(
        SCREEN, [PointerMove(Point(100, 100)), PointerPress(Button.MIDDLE, down=True)]
    )
    await window.event("button", button=0x112, pressed=True)
    await arms.hands.rest()
    await arms.hands.rest()
    await window.event("button", button=0x112, pressed=False)


async def test_a_point_off_the_output_is_refused_and_nothing_moves(arms: Arms) -> None:
    window = await arms.stage.window("bed.a")
    with pytest.raises(SlateError, match="is not on HEADLESS-2") as caught:
        await arms.hands.pointer(BACKGROUND, [PointerMove(Point(100, 100))])
    assert caught.value.code == "bad_request.outside"
    with pytest.raises(SlateError) as caught:
        await arms.hands.pointer("HEADLESS-99", [])
    assert caught.value.code == "stale.output_gone"
    assert (await window.ask("state"))["seats"][arms.hands.seat]["pointer"] is None


async def test_the_pointer_of_an_unplugged_output_goes_with_it(arms: Arms) -> None:
    sway = arms.stage.sway
    before = {output["name"] for output in sway.ask(3)}
    sway.run("create_output")
    (name,) = {output["name"] for output in sway.ask(3)} - before
    sway.run(f"output {name} position 30000 0")
    await arms.connection.sync()
    rect = next(output["rect"] for output in sway.ask(3) if output["name"] == name)
    there = Point(rect["x"] + 10, rect["y"] + 10)
    await arms.hands.pointer(name, [PointerMove(there)])
    sway.run(f"output {name} unplug")
    await arms.connection.sync()
    with pytest.raises(SlateError) as caught:
        await arms.hands.pointer(name, [PointerMove(there)])
    assert caught.value.code == "stale.output_gone"


@pytest.fixture
async def own_stage(sway_program: SwayProgram) -> AsyncIterator[Stage]:
    """A session of its own, for what would hurt the other tests."""
    async with stages.staged(sway_program) as stage:
        yield stage


async def refused(call: Callable[[], Awaitable[None]]) -> str:
    """The code with which a call is refused."""
    with pytest.raises(SlateError) as caught:
        await call()
    return caught.value.code


async def test_a_lock_screen_gets_no_key_of_ours(own_stage: Stage) -> None:
    async with armed(own_stage) as arms:
        ours = await own_stage.window("bed.ours")
        handle = arms.handle("bed.ours")
        await arms.type("bed.ours", "a")
        await own_stage.start(["swaylock", "--no-unlock-indicator"])
        await until(lambda: not arms.hands.focused(handle), "the lock has taken the keyboard")
        code = await refused(lambda: arms.hands.keys(handle, text_bursts("secret\n")[0]))
        assert code == "unavailable.person_prompt"
        assert not await arms.hands.focus(handle)
        assert await heard(ours, arms) == "a"


async def test_a_launcher_gets_no_key_of_ours_and_stays_open(own_stage: Stage) -> None:
    async with armed(own_stage) as arms:
        ours = await own_stage.window("bed.ours")
        handle = arms.handle("bed.ours")
        await arms.type("bed.ours", "a")
        launcher = await own_stage.start(["fuzzel", "--no-icons"])
        await until(lambda: own_stage.sway.focus() == 0, "the launcher has taken the keyboard")
        await until(lambda: not arms.hands.focused(handle), "and we know")
        code = await refused(lambda: arms.hands.keys(handle, text_bursts("b\n")[0]))
        assert code == "unavailable.person_prompt"
        await arms.hands.rest()
        await anyio.sleep(0.2)
        assert launcher.returncode is None
        assert own_stage.sway.focus() == 0
        launcher.terminate()
        await launcher.wait()
        await arms.type("bed.ours", "c")
        assert await heard(ours, arms) == "ac"


async def test_a_reload_stops_the_strokes_leaves_the_person_alone_and_passes(
    own_stage: Stage,
) -> None:
    async with armed(own_stage) as arms:
        await own_stage.window("bed.ours")
        handle = arms.handle("bed.ours")
        assert await arms.hands.focus(handle)
        async with anyio.create_task_group() as tasks:

            async def hold() -> None:
                code = await refused(
                    lambda: arms.hands.keys(handle, parse_chord("ctrl+x"), hold_s=5)
                )
                assert code == "unavailable.compositor"

            tasks.start_soon(hold)
            await anyio.sleep(0.1)
            own_stage.sway.run("reload")
        devices = own_stage.sway.seats()["seat0"]["devices"]
        assert [d["name"] for d in devices if "virtual" in d["name"]] == []
        await arms.type("bed.ours", "after")


async def test_a_compositor_that_dies_is_unavailable_at_once(own_stage: Stage) -> None:
    async with armed(own_stage) as arms:
        await own_stage.window("bed.ours")
        handle = arms.handle("bed.ours")
        async with anyio.create_task_group() as tasks:

            async def hold() -> None:
                with pytest.raises(Unavailable) as caught:
                    await arms.hands.keys(handle, parse_chord("ctrl+x"), hold_s=5)
                assert caught.value.code == "unavailable.compositor"

            tasks.start_soon(hold)
            await anyio.sleep(0.1)
            started = time.monotonic()
            os.kill(own_stage.session.sway_pid, signal.SIGKILL)
        assert time.monotonic() - started < 1

"""What is sent, when nothing is, and what is let go whatever happens."""

from __future__ import annotations

from dataclasses import replace

import anyio
import pytest

from slate_desktop import act as acting
from slate_desktop.act import act
from slate_desktop.errors import SlateError
from slate_desktop.geometry import Point, Rect
from slate_desktop.intent import (
    Action,
    Aim,
    Arrange,
    Click,
    Close,
    Drag,
    Focus,
    Intent,
    Launch,
    Move,
    PressKeys,
    Reshape,
    Scroll,
    TypeText,
    WindowSighting,
)
from slate_desktop.keys import parse_chord
from slate_desktop.model import Place, Window, WindowId
from slate_desktop.outcome import Delivery
from slate_desktop.resolve import resolve
from slated.model import Grant, Tier
from tests.fakes.ports import SEAT, Bench, bench, desktop, on_screen, window

pytestmark = pytest.mark.anyio


async def acted(
    made: Bench, action: Action, aimed: Window | None = None, point: Point | None = None
) -> Delivery:
    aim = None if aimed is None else Aim(WindowSighting("w1", aimed), point)
    intent = Intent("tool", Tier.REVERSIBLE, action, aim)
    target = resolve(Grant(intent.digest, intent.tier, 1), intent, made.windows.now)
    return await act(target, action, made.lease.limbs)


async def failing(
    made: Bench, action: Action, aimed: Window | None = None, point: Point | None = None
) -> SlateError:
    with pytest.raises(SlateError) as caught:
        await acted(made, action, aimed, point)
    return caught.value


def keys_sent(made: Bench) -> list[str]:
    return [line for line in made.hands.log if line.startswith("keys")]


async def test_a_click_moves_there_and_then_presses_and_releases() -> None:
    made = bench(desktop(on_screen(1), window(2)))
    await acted(made, Click(count=2), window(2), Point(10, 20))
    assert made.hands.log == [
        "pointer HEADLESS-2 ['PointerMove'] mods 0",
        "pointer HEADLESS-2 ['PointerPress', 'PointerPress', 'PointerPress', 'PointerPress'] mods 0",
    ]


@pytest.mark.parametrize("action", [Click(), Drag((Point(20, 20),)), Scroll(down=1)])
async def test_a_window_is_looked_for_anew_once_it_is_shown_where_it_is_said_to_be(
    action: Action,
) -> None:
    made = bench(desktop(window(2)))
    made.windows.on_drawn = [lambda: made.windows.put(on_screen(2))]
    await acted(made, action, window(2), Point(10, 20))
    assert {line.split()[1] for line in made.hands.log} == {"HEADLESS-1"}
    made.windows.on_drawn = [lambda: made.windows.put(on_screen(3))]
    assert (await failing(made, action, on_screen(2), Point(10, 20))).code == "stale.window_gone"


async def test_a_held_click_keeps_the_button_down_meanwhile() -> None:
    made = bench(desktop(window(2)))
    await acted(made, Click(hold_s=0.01, modifiers=4), window(2), Point(1, 1))
    assert made.hands.log[0] == "focus h2"  # modifiers are keys and go where the keyboard is
    assert made.hands.log[2:] == ["pointer HEADLESS-2 ['PointerPress'] mods 4"] * 2


async def test_moving_and_scrolling_press_nothing() -> None:
    made = bench(desktop(window(2)))
    await acted(made, Move(), window(2), Point(1, 1))
    await acted(made, Scroll(down=3), window(2), Point(1, 1))
    assert [line for line in made.hands.log if "Press" in line] == []
    assert made.hands.log[-1] == "pointer HEADLESS-2 ['PointerScroll'] mods 0"


async def test_a_covered_window_of_the_background_is_raised_first() -> None:
    over = window(3, rect=Rect(0, 5800, 100, 100), floating=True)
    made = bench(desktop(window(2, floating=True), over))
    focus = made.hands.focus

    async def raising(handle: object) -> bool:
        made.windows.put(over, window(2, floating=True))
        return await focus(handle)  # type: ignore[arg-type]

    made.hands.focus = raising  # type: ignore[method-assign]
    await acted(made, Click(), window(2, floating=True), Point(10, 20))
    assert made.hands.log[0] == "focus h2"


@pytest.mark.parametrize(
    "now",
    [
        [window(2, front=False, layout="tabbed")],
        [window(2), window(3, floating=True)],
    ],
    ids=["a tab behind", "a tile below what floats"],
)
async def test_a_window_that_focus_does_not_raise_is_lifted_out_where_it_is(
    now: list[Window],
) -> None:
    made = bench(desktop(*now))
    reshape = made.windows.reshape

    async def lifting(id_: WindowId, **changes: object) -> None:
        await reshape(id_, **changes)  # type: ignore[arg-type]
        made.windows.put(*now[1:], window(2, floating=True))

    made.windows.reshape = lifting  # type: ignore[method-assign]
    await acted(made, Click(), now[0], Point(10, 20))
    assert made.windows.log == [f"reshape 2 {now[0].rect} True None"]
    assert made.hands.log[:2] == ["focus h2", "focus h2"]
    assert made.hands.log[-1].startswith("pointer HEADLESS-2")


@pytest.mark.parametrize("over", [window(3, fullscreen=True), window(3, floating=True)])
async def test_what_nothing_raises_is_refused_with_what_covers_it(over: Window) -> None:
    """A fullscreen window lets nothing above it; what floats already is not lifted once more."""
    mine = window(2, floating=not over.fullscreen)
    made = bench(desktop(mine, over))
    error = await failing(made, Click(), mine, Point(10, 20))
    assert error.code == "unavailable.covered"
    assert '"app.3"' in error.message
    assert made.windows.log == []


async def test_r23_a_covered_window_of_the_person_is_left_alone() -> None:
    made = bench(desktop(on_screen(1), on_screen(4, floating=True)))
    error = await failing(made, Click(), on_screen(1), Point(10, 20))
    assert error.code == "unavailable.covered"
    assert made.hands.log == ["rest"]


async def test_text_goes_out_in_bursts_each_after_both_witnesses_agreed() -> None:
    made = bench(desktop(on_screen(1), window(2), agent=7))
    delivery = await acted(made, TypeText("a" * 250, submit=True), window(2))
    assert (delivery.sent, delivery.wanted, delivery.focus_held) == (250, 250, True)
    assert made.hands.log[0] == "focus h2"
    assert [line.split()[2] for line in keys_sent(made)] == ["100", "100", "50", "1"]


async def test_only_the_last_chord_is_held() -> None:
    made = bench(desktop(window(2)))
    chords = ("ctrl+a", "Delete")
    bursts = tuple(parse_chord(chord) for chord in chords)
    await acted(made, PressKeys(chords, bursts, hold_s=0.01), window(2))
    assert [line.split("hold ")[1] for line in keys_sent(made)] == ["0", "0.01"]


@pytest.mark.promise("no-typing-elsewhere")
async def test_r24_nothing_is_typed_while_a_prompt_has_the_persons_keyboard(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(acting, "PROMPT_S", 0.05)
    made = bench(desktop(on_screen(1), window(2), person=0))
    error = await failing(made, TypeText("ls\n"), window(2))
    assert error.code == "unavailable.person_prompt"
    assert keys_sent(made) == []


async def test_a_prompt_that_goes_away_in_time_is_waited_for() -> None:
    made = bench(desktop(on_screen(1), window(2), person=0))
    made.windows.on_change = [lambda: made.windows.look_at("seat0", 1)]
    assert (await acted(made, TypeText("x"), window(2))).sent == 1


@pytest.mark.promise("no-typing-elsewhere")
async def test_a_window_that_does_not_take_our_keyboard_gets_no_key() -> None:
    made = bench(desktop(on_screen(1), window(2)))
    made.hands.stubborn.add("h2")
    error = await failing(made, TypeText("x"), window(2))
    assert error.code == "unavailable.person_prompt"
    assert keys_sent(made) == []


async def test_a_window_behind_a_fullscreen_one_says_so() -> None:
    made = bench(desktop(window(3, fullscreen=True), window(2)))
    made.hands.stubborn.add("h2")
    error = await failing(made, TypeText("x"), window(2))
    assert error.code == "unavailable.behind_fullscreen"


@pytest.mark.promise("no-typing-elsewhere")
async def test_r25_typing_stops_when_the_focus_does_not_come_back() -> None:
    made = bench(desktop(on_screen(1), window(2)))

    def steal(bursts: int) -> None:
        if bursts == 1:
            made.hands.active = "other"
            made.hands.stubborn.add("h2")

    made.hands.after_burst = steal
    error = await failing(made, TypeText("a" * 250), window(2))
    assert len(keys_sent(made)) == 1
    assert "after 100 of 250" in error.message


async def test_r20_a_new_window_that_pulled_the_focus_along_costs_no_key() -> None:
    made = bench(desktop(on_screen(1), window(2)))

    def pull(bursts: int) -> None:
        if bursts == 1:
            made.hands.active = "h9"
            made.windows.look_at(SEAT, 9)

    made.hands.after_burst = pull
    delivery = await acted(made, TypeText("a" * 250), window(2))
    assert (delivery.sent, delivery.wanted, delivery.focus_held) == (250, 250, True)


async def test_a_window_that_goes_while_typing_tells_how_far_it_came() -> None:
    made = bench(desktop(on_screen(1), window(2)))
    made.hands.after_burst = lambda _count: made.windows.put(on_screen(1))
    error = await failing(made, TypeText("a" * 150), window(2))
    assert error.code == "stale.window_gone"
    assert "after 100 of 150" in error.message


async def test_a_scratchpad_window_is_moved_to_the_background_before_it_is_focused() -> None:
    hidden = window(2, place=Place.SCRATCHPAD)
    made = bench(desktop(hidden))
    await acted(made, Focus(), hidden)
    assert made.windows.log == ["to_background 2"]
    assert made.hands.log == ["focus h2"]


async def test_r01_an_x_server_is_typed_to_with_shift_as_a_key_and_one_keymap() -> None:
    screen = replace(window(2), x_server=True)
    made = bench(desktop(screen))
    await acted(made, TypeText("é", submit=True), screen)
    await acted(made, PressKeys(("ctrl+a",), (parse_chord("ctrl+a"),)), screen)
    assert all(burst.shift_key for burst in made.hands.bursts)
    assert len({burst.keymap for burst in made.hands.bursts}) == 1


async def test_r03_a_program_that_halves_characters_is_sent_both_halves() -> None:
    browser = replace(window(2), halves=True)
    made = bench(desktop(browser))
    await acted(made, TypeText("🐱"), browser)
    assert [len(burst.strokes) for burst in made.hands.bursts] == [2]


async def test_x11_keys_are_refused_while_the_person_has_x11_windows() -> None:
    made = bench(desktop(on_screen(1, x11=True), window(2, x11=True)))
    error = await failing(made, TypeText("x"), window(2, x11=True))
    assert error.code == "unavailable.shared_x11"


@pytest.mark.promise("released-after-cancel")
async def test_r32_a_cancelled_call_lets_everything_go() -> None:
    made = bench(desktop(window(2)))
    with anyio.move_on_after(0.02) as scope:
        await acted(made, Click(hold_s=5), window(2), Point(1, 1))
    assert scope.cancelled_caught
    assert made.hands.log[-1] == "rest"


@pytest.mark.parametrize(
    ("action", "asked"),
    [
        (Close(), "close 2"),
        (Reshape(Rect(1, 2, 3, 4), floating=True), "reshape 2 1,2 3x4 True None"),
    ],
)
async def test_window_actions_go_to_the_window_manager(action: Action, asked: str) -> None:
    made = bench(desktop(window(2)))
    await acted(made, action, window(2))
    assert made.windows.log == [asked]
    assert made.hands.log == []


async def test_the_window_of_an_x_server_of_our_own_is_closed_through_that_server() -> None:
    made = bench(desktop(window(2, sandbox="L1"), window(3, sandbox="L2")))
    made.launcher.x_servers.add("L2")
    await acted(made, Close(), window(2, sandbox="L1"))
    await acted(made, Close(), window(3, sandbox="L2"))
    assert made.windows.log == ["close 2"]
    assert made.launcher.log == ["close L1", "close L2"]


async def test_arranging_and_launching_need_no_window() -> None:
    made = bench(desktop(window(2)))
    await acted(made, Arrange("grid", (WindowId(2),)))
    assert made.windows.log == ["arrange [2] grid"]
    delivery = await acted(made, Launch(("foot", "-e"), "/", None, 1.0))
    assert made.launcher.log == ["start ['foot', '-e'] in / for transient-0"]
    made.launcher.log.clear()
    await acted(made, Launch(("foot",), "/", None, 1.0, own_seat_first=False))
    await acted(made, Launch(("xterm",), "/", None, 1.0, x11=True))
    assert made.launcher.log == [
        "start ['foot'] in /",
        "start ['xterm'] in / for transient-0 on X",
    ]
    assert delivery.launch is made.launcher.launched


async def test_the_agents_seat_is_named_by_its_hands() -> None:
    made = bench(replace(desktop(window(2)), focus={"seat0": 1}))
    delivery = await acted(made, TypeText("x"), window(2))
    assert delivery.focus_held

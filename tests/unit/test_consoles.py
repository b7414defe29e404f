"""Lines of terminals across calls: what the agent typed counts, and only where nobody else can have typed."""

from __future__ import annotations

from dataclasses import replace

import anyio
import pytest

from slate_desktop.errors import Stale
from slate_desktop.geometry import Point
from slate_desktop.intent import (
    Action,
    Aim,
    Click,
    Console,
    Drag,
    ElementSighting,
    Intent,
    ScreenSighting,
    Scroll,
    TypeText,
    WindowSighting,
)
from slate_desktop.model import Foreground, WindowId
from slate_desktop.shellline import UNSEEN
from slate_desktop.turn import run
from slated.model import Tier
from tests.fakes.ports import Bench, bench, desktop, on_screen, window
from tests.unit.test_shellline import keys

pytestmark = pytest.mark.anyio

FOOT = window(2, app_id="foot", sandbox="l1")
SHELL = Foreground((50, 7), directory="/srv")
OTHER_SHELL = Foreground((51, 8), directory="/srv")
KNOWN = Console("ls\n", directory="/srv")
AIM = Aim(WindowSighting("w1", FOOT))


def made(person: int = 1) -> Bench:
    it = bench(desktop(on_screen(1), FOOT, person=person))
    it.terminals.readers[1002] = SHELL
    return it


async def does(it: Bench, action: Action, aim: Aim = AIM) -> Console | None:
    """One call through the whole path; what it was judged by."""
    console = await it.lease.desk.consoles.plan(aim, action)
    await run(it.lease, Intent("desktop_x", Tier.REVERSIBLE, action, aim, console=console))
    return console


async def line(it: Bench, text: str = "ls\n") -> Console:
    console = await it.lease.desk.consoles.plan(AIM, TypeText(text))
    assert console is not None
    return console


async def fresh() -> Bench:
    """A terminal that a launch has just opened."""
    it = made()
    it.lease.desk.consoles.opened(it.windows.now, "l1")
    return it


async def test_a_terminal_that_was_there_before_is_not_known_until_its_line_is_given_up() -> None:
    it = made()
    unknown = await line(it)
    assert (unknown.line, unknown.doubt) == ("ls\n", UNSEEN)
    given_up = await does(it, keys("ctrl+c"))
    assert given_up is not None
    assert given_up.line == ""
    assert await line(it) == Console("ls\n", directory="/srv")


async def test_a_terminal_that_a_launch_opened_is_known_from_its_first_line() -> None:
    it = await fresh()
    await does(it, TypeText("rm "))
    await does(it, TypeText("x"))
    assert (await line(it, "y\n")).line == "rm xy\n"
    await does(it, TypeText("\n"))
    assert (await line(it)) == KNOWN


async def test_text_into_a_program_that_is_no_shell_waits_for_no_prompt(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("slate_desktop.consoles.JUST_S", 0.2)
    it = await fresh()
    it.terminals.readers[1002] = Foreground(why="vim reads the keys")
    await anyio.sleep(0.3)
    await does(it, TypeText("dd"))
    with anyio.fail_after(0.5):
        await line(it)
    await does(it, TypeText("\n"))  # a shell may come back after this
    with anyio.move_on_after(0.5) as waited:
        await line(it)
    assert waited.cancelled_caught


async def test_windows_of_other_launches_are_not_known() -> None:
    it = made()
    it.lease.desk.consoles.opened(it.windows.now, "l2")
    assert (await line(it)).doubt


async def test_a_window_that_the_person_has_the_keyboard_of_is_never_known() -> None:
    it = made(person=2)
    it.lease.desk.consoles.opened(it.windows.now, "l1")
    assert "the person" in (await line(it)).doubt
    await does(it, keys("ctrl+c"))
    assert "the person" in (await line(it)).doubt


async def test_a_person_who_came_and_went_makes_the_line_unknown() -> None:
    it = await fresh()
    await does(it, TypeText("ls "))
    it.lease.desk.consoles.person_at(2)
    it.lease.desk.consoles.person_at(1)
    assert "the person" in (await line(it)).doubt
    await does(it, keys("ctrl+c"))
    assert (await line(it)) == KNOWN


async def test_without_a_person_a_focus_of_their_seat_means_nothing() -> None:
    it = await fresh()
    it.lease.desk.consoles._attended = False
    it.lease.desk.consoles.person_at(2)
    assert (await line(it)) == KNOWN


@pytest.mark.parametrize("why", ["the program vim reads this terminal", "not at its prompt"])
async def test_what_is_no_shell_at_its_prompt_makes_the_line_unknown(why: str) -> None:
    it = await fresh()
    it.terminals.readers[1002] = Foreground(why=why)
    it.lease.desk.consoles._held[WindowId(2)].moved_s -= 60
    assert (await line(it)).doubt == why
    await does(it, TypeText("x"))
    it.terminals.readers[1002] = SHELL
    assert (await line(it)).doubt  # where the x went is not known


async def test_a_shell_that_is_just_busy_is_waited_for() -> None:
    it = await fresh()
    it.terminals.readers[1002] = Foreground(why="busy")
    looks = 0

    async def look(pid: int) -> Foreground | None:
        nonlocal looks
        looks += 1
        return SHELL if looks > 3 else it.terminals.readers[pid]

    it.lease.desk.consoles._look = look
    assert (await line(it)) == KNOWN


async def test_a_password_prompt_is_told() -> None:
    it = await fresh()
    it.terminals.readers[1002] = Foreground(why="sudo reads it", password=True)
    console = await line(it, "secret\n")
    assert (console.line, console.password) == (None, True)


async def test_another_shell_than_the_one_that_was_typed_to_makes_the_line_unknown() -> None:
    it = await fresh()
    await does(it, TypeText("rm "))
    it.terminals.readers[1002] = OTHER_SHELL
    assert (await line(it)).doubt
    it = await fresh()
    it.terminals.readers[1002] = OTHER_SHELL
    assert (await line(it)) == KNOWN


async def test_a_program_that_holds_a_terminal_is_one_whatever_its_windows_are_called() -> None:
    it = made()
    aim = Aim(WindowSighting("w1", replace(FOOT, app_id="notes")))
    assert await it.lease.desk.consoles.plan(aim, TypeText("x")) is not None
    it.terminals.readers.clear()
    assert await it.lease.desk.consoles.plan(aim, TypeText("x")) is None
    hidden = await line(it)  # called a terminal, but nobody can look into it
    assert "cannot be seen" in hidden.doubt


async def test_what_moves_nothing_on_a_line_is_no_matter() -> None:
    it = await fresh()
    assert await it.lease.desk.consoles.plan(AIM, Scroll(1)) is None
    assert await it.lease.desk.consoles.plan(Aim(ScreenSighting(it.windows.now)), Click()) is None
    assert await it.lease.desk.consoles.plan(None, TypeText("x")) is None


async def test_a_drag_and_a_click_of_chance_make_lines_unknown() -> None:
    it = await fresh()
    clicked = Intent("desktop_click", Tier.REVERSIBLE, Click(), Aim(ScreenSighting(it.windows.now)))
    async with it.lease.desk.consoles.turn(clicked, it.windows.now, FOOT):
        pass
    assert (await line(it)).doubt
    it = await fresh()
    other = Aim(WindowSighting("w9", on_screen(1)), Point(1, 1))
    dragged = Intent("desktop_drag", Tier.REVERSIBLE, Drag((Point(2, 2),)), other)
    async with it.lease.desk.consoles.turn(dragged, it.windows.now, on_screen(1)):
        pass
    assert (await line(it)).doubt


async def test_keys_meant_for_an_element_are_not_sure_to_reach_the_line() -> None:
    it = await fresh()
    seen = object()
    aim = Aim(ElementSighting("e1", FOOT, seen))  # type: ignore[arg-type]  # nothing of it is read
    console = await it.lease.desk.consoles.plan(aim, TypeText("ls\n"))
    assert console is not None
    assert "element" in console.doubt


async def test_a_line_that_changed_while_a_person_was_asked_is_stale_and_nothing_is_sent() -> None:
    it = await fresh()
    await does(it, TypeText("ls "))
    asked = Intent(
        "desktop_key", Tier.REVERSIBLE, keys("Return"), AIM,
        console=await it.lease.desk.consoles.plan(AIM, keys("Return")),
    )  # fmt: skip
    await does(it, TypeText("; rm x"))
    sent = len(it.hands.log)
    with pytest.raises(Stale) as caught:
        await run(it.lease, asked)
    assert caught.value.code == "stale.terminal_changed"
    assert not [entry for entry in it.hands.log[sent:] if entry.startswith("keys")]


async def test_the_digest_tells_lines_apart_and_unknown_ones_by_their_number() -> None:
    it = await fresh()
    intent = Intent("desktop_key", Tier.REVERSIBLE, keys("Return"), AIM)
    first = replace(intent, console=await it.lease.desk.consoles.plan(AIM, keys("Return")))
    await does(it, TypeText("x"))
    second = replace(intent, console=await it.lease.desk.consoles.plan(AIM, keys("Return")))
    assert len({intent.digest, first.digest, second.digest}) == 3
    it = made()
    unknown = [await line(it)]
    await does(it, TypeText("x"))
    unknown.append(await line(it))
    assert len({replace(intent, console=one).digest for one in unknown}) == 2


async def test_a_call_that_was_cut_short_leaves_the_line_unknown() -> None:
    it = await fresh()
    intent = Intent(
        "desktop_type", Tier.REVERSIBLE, TypeText("ls"), AIM,
        console=await it.lease.desk.consoles.plan(AIM, TypeText("ls")),
    )  # fmt: skip
    async with it.lease.desk.consoles.turn(intent, it.windows.now, FOOT):
        pass  # nobody said that all of it was sent
    assert "arrived" in (await line(it)).doubt


async def test_old_terminals_are_forgotten_and_another_window_of_the_same_id_is_another() -> None:
    it = await fresh()
    it.lease.desk.consoles._held[WindowId(2)].handle = FOOT.handle
    other = Aim(WindowSighting("w1", replace(FOOT, handle=on_screen(1).handle)))
    console = await it.lease.desk.consoles.plan(other, TypeText("ls\n"))
    assert console is not None
    assert console.doubt == UNSEEN

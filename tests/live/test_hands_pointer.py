"""The pointer of an agent's seat on the real compositor: moves, presses, notches, and outputs that go."""

from __future__ import annotations

import pytest

from slate_desktop.geometry import Point
from slate_desktop.headless.recipe import BACKGROUND, SCREEN
from slate_desktop.headless.session import SCREEN_SIZE
from slate_desktop.keys import CTRL
from slate_desktop.model import (
    PARKING_APP_ID,
    Button,
    PointerMove,
    PointerPress,
    PointerScroll,
)
from slated.errors import SlateError
from tests.live.bed.arms import Arms
from tests.live.bed.patience import until_it_says
from tests.live.bed.program import Program
from tests.live.bed.stage import Stage
from tests.live.bed.tree import TREE

pytestmark = pytest.mark.anyio


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
    await arms.connection.sync()
    before = (await window.ask("state"))["seats"][arms.hands.seat]["pointer"]
    with pytest.raises(SlateError, match="is not on HEADLESS-2") as caught:
        await arms.hands.pointer(BACKGROUND, [PointerMove(Point(100, 100))])
    assert caught.value.code == "bad_request.outside"
    with pytest.raises(SlateError) as caught:
        await arms.hands.pointer("HEADLESS-99", [])
    assert caught.value.code == "stale.output_gone"
    assert (await window.ask("state"))["seats"][arms.hands.seat]["pointer"] == before


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

"""Pointer tools on fakes."""

from __future__ import annotations

import pytest

from slate_desktop import act
from slate_desktop.errors import BadRequest
from slate_desktop.geometry import Rect
from slate_desktop.render import Reply
from slate_desktop.tools.pointer import TOOLS
from slated.toolspec import parse
from tests.fakes.ports import Bench, bench, desktop, window

pytestmark = pytest.mark.anyio

SPECS = {spec.name: spec for spec in TOOLS}


async def called(made: Bench, tool: str, **arguments: object) -> Reply:
    spec = SPECS[tool]
    answer: Reply = await spec.handler(made.lease, parse(spec, arguments))
    return answer


async def test_a_click_says_where_and_with_what_effect() -> None:
    made = bench(desktop(window(2)))
    answer = await called(
        made, "desktop_click", target="app.2", x=5, y=6, button="right", modifiers=["ctrl"]
    )
    assert answer.text.startswith("clicked right at 5,6 in w1; verified: unknown")
    assert made.hands.log[-1].endswith("mods 4")


async def test_a_move_presses_nothing() -> None:
    made = bench(desktop(window(2)))
    answer = await called(made, "desktop_move", target="app.2", x=5, y=6, observe="none")
    assert answer.text.startswith("moved your pointer to 5,6 in w1")
    assert len(made.hands.log) == 1


async def test_r31_a_scroll_on_both_axes_is_one_step() -> None:
    made = bench(desktop(window(2)))
    await called(made, "desktop_scroll", target="app.2", x=5, y=6, down=2, right=-1)
    assert [line for line in made.hands.log if "Scroll" in line] == [
        "pointer HEADLESS-2 ['PointerScroll'] mods 0"
    ]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("desktop_click", {"x": 1, "y": 1, "hold_s": 1, "count": 2}),
        ("desktop_click", {"x": 1}),
        ("desktop_click", {"x": 1, "y": 1, "button": "rigth"}),
        ("desktop_drag", {"path": [[1, 1]]}),
        ("desktop_drag", {"path": [[1, 1], [2]]}),
        ("desktop_scroll", {"x": 1, "y": 1}),
        ("desktop_scroll", {"x": 1, "y": 1, "down": 1.5}),
    ],
)
async def test_what_makes_no_sense_is_said_and_nothing_is_sent(
    tool: str, arguments: dict[str, object]
) -> None:
    made = bench(desktop(window(2)))
    with pytest.raises(BadRequest) as caught:
        await called(made, tool, target="app.2", **arguments)
    assert caught.value.next_step
    assert made.adapters == []


async def test_r32_a_drag_goes_in_small_steps_and_releases_at_its_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(act, "DRAG_STEP_S", 0.0)
    monkeypatch.setattr(act, "DRAG_REST_S", 0.0)
    made = bench(desktop(window(2)))
    answer = await called(
        made, "desktop_drag", target="app.2", path=[[10, 10], [310, 10]], observe="none"
    )
    assert answer.text.startswith("dragged left from 10,10 in w1 along 1 points")
    kinds = [line.split("'")[1] for line in made.hands.log]
    assert kinds[:2] == ["PointerMove", "PointerPress"]
    assert kinds[2:-1] == ["PointerMove"] * 13
    assert kinds[-1] == "PointerPress"


async def test_a_drag_may_leave_its_window_but_not_its_output() -> None:
    small = window(2, rect=Rect(0, 5800, 100, 100))
    made = bench(desktop(small))
    await called(made, "desktop_drag", target="app.2", path=[[10, 10], [40, 40]], observe="none")
    made.hands.log.clear()
    with pytest.raises(BadRequest):
        await called(made, "desktop_drag", target="app.2", path=[[10, 10], [4000, 10]])
    assert made.hands.log == []

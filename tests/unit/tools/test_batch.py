"""The batch tool on fakes."""

from __future__ import annotations

import anyio
import pytest

from slate_desktop.errors import BadRequest, Refused
from slate_desktop.render import Reply
from slate_desktop.tools.batch import STEPPED, TOOLS
from slated.model import Tier
from slated.toolspec import parse
from tests.fakes.ports import Bench, FakeGate, bench, desktop, on_screen, pixels, window

pytestmark = pytest.mark.anyio

(SPEC,) = TOOLS


def step(tool: str, **args: object) -> dict[str, object]:
    return {"tool": tool, "args": args}


async def ran(made: Bench, *steps: dict[str, object], **more: object) -> Reply:
    arguments = parse(SPEC, {"steps": list(steps), **more})
    answer: Reply = await SPEC.handler(made.lease, arguments)
    return answer


TYPE = step("desktop_type", target="app.2", text="hi")
LIST = step("desktop_windows")


async def test_steps_run_in_order_with_a_line_each() -> None:
    gate = FakeGate()
    made = bench(desktop(on_screen(1), window(2)), gate=gate)
    lines = (await ran(made, LIST, TYPE, TYPE)).text.splitlines()
    assert lines[0] == "all 3 steps ran"
    assert lines[1].startswith("1 desktop_windows: 2 windows")
    assert lines[2].startswith("2 desktop_type: typed 2 characters into w1")
    assert len(lines) == 4


async def test_a_batch_is_asked_once_as_its_strictest_step_and_has_a_receipt_for_all() -> None:
    gate = FakeGate()
    made = bench(desktop(on_screen(1), window(2)), gate=gate)
    await ran(made, LIST, TYPE)
    assert [intent.tool for intent in gate.admitted] == [
        "desktop_batch",
        "desktop_windows",
        "desktop_type",
    ]
    assert gate.admitted[0].tier is Tier.REVERSIBLE
    assert len(gate.receipts) == 3
    await ran(made, LIST)
    assert gate.admitted[3].tier is Tier.OBSERVE


@pytest.mark.promise("refused-reaches-no-adapter")
async def test_a_refused_batch_runs_no_step() -> None:
    made = bench(desktop(window(2)), gate=FakeGate(refuse=True))
    with pytest.raises(Refused):
        await ran(made, TYPE)
    assert made.adapters == []


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (step("desktop_tipe"), "step 2: there is no tool"),
        (step("desktop_batch", steps=[]), "step 2: there is no tool"),
        (step("desktop_type"), 'step 2: nothing was done: "text" is missing'),
        (step("desktop_type", text="x", target="$2"), "step 2: $2 is no earlier step"),
    ],
)
async def test_all_steps_are_checked_before_the_first_runs(
    bad: dict[str, object], words: str
) -> None:
    made = bench(desktop(window(2)))
    with pytest.raises(BadRequest) as caught:
        await ran(made, TYPE, bad)
    assert words in caught.value.message
    assert made.adapters == []


async def test_what_an_earlier_step_returned_can_be_the_target_of_a_later_one() -> None:
    made = bench(desktop(on_screen(1)))
    made.eyes.pictures["h9"] = [pixels()]
    made.windows.on_change = [lambda: made.windows.put(on_screen(1), window(9, sandbox="launch-1"))]
    answer = await ran(
        made,
        step("desktop_launch", argv=["foot"]),
        step("desktop_type", target="$1", text="hi"),
    )
    assert answer.text.splitlines()[2].startswith("2 desktop_type: typed 2 characters into w1")


async def test_it_stops_at_the_first_step_that_fails() -> None:
    made = bench(desktop(on_screen(1), window(2)))
    answer = await ran(made, TYPE, step("desktop_type", target="w99", text="x"), TYPE)
    lines = answer.text.splitlines()
    assert lines[0].startswith("stopped after step 2 of 3: it failed; verified: no")
    assert lines[2].startswith("2 desktop_type: stale.unknown_ref")
    assert len(lines) == 4


async def test_it_stops_when_a_window_opens_that_no_step_asked_for() -> None:
    made = bench(desktop(on_screen(1), window(2)))
    made.hands.after_burst = lambda _count: made.windows.put(
        on_screen(1), window(2), window(7, pid=1002)
    )
    answer = await ran(made, TYPE, TYPE)
    assert "stopped after step 1 of 2: a window opened" in answer.text


async def test_it_stops_when_the_focus_is_lost() -> None:
    made = bench(desktop(on_screen(1), window(2)))
    made.hands.after_burst = lambda _count: made.windows.look_at(made.hands.seat, 1)
    answer = await ran(made, TYPE, TYPE)
    assert "the window lost your keyboard" in answer.text


async def test_the_last_picture_comes_along() -> None:
    made = bench(desktop(window(2)))
    answer = await ran(made, step("desktop_screenshot", target="app.2"), LIST)
    assert answer.picture is not None


@pytest.mark.promise("every-call-has-a-deadline")
async def test_time_is_shared_by_all_steps() -> None:
    made = bench(desktop(window(2)))
    with anyio.fail_after(2):
        answer = await ran(
            made, step("desktop_wait", window="never", timeout_s=40), TYPE, timeout_s=0.1
        )
    assert "unavailable.deadline" in answer.text
    assert made.adapters == []


async def test_every_tool_but_the_batch_can_be_a_step() -> None:
    assert "desktop_batch" not in STEPPED
    assert {"desktop_launch", "desktop_click", "desktop_type", "desktop_wait"} <= set(STEPPED)

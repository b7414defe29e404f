"""The path of one call, end to end on fakes."""

from __future__ import annotations

import anyio
import pytest

from slate_desktop.errors import Refused, SlateError, Stale
from slate_desktop.geometry import Point
from slate_desktop.intent import Aim, Click, Intent, Look, Observe, TypeText, WindowSighting
from slate_desktop.outcome import Outcome, Verified
from slate_desktop.resolve import Target
from slate_desktop.turn import observe, run
from slated.model import Tier
from tests.fakes.ports import FakeGate, bench, desktop, on_screen, pixels, window

pytestmark = pytest.mark.anyio

AIM = Aim(WindowSighting("w1", window(2)), Point(3, 4))
CLICK = Intent("desktop_click", Tier.REVERSIBLE, Click(), AIM, Observe.NONE)


async def test_a_granted_call_is_done_and_its_receipt_is_the_outcome() -> None:
    gate = FakeGate()
    made = bench(desktop(on_screen(1), window(2)), gate=gate)
    outcome = await run(made.lease, CLICK)
    assert outcome.said == "clicked left at 3,4 in w1"
    assert outcome.verified is Verified.UNKNOWN
    assert gate.receipts == [outcome]


@pytest.mark.promise("refused-reaches-no-adapter")
async def test_a_refused_call_reaches_no_adapter() -> None:
    made = bench(desktop(on_screen(1), window(2)), gate=FakeGate(refuse=True))
    for intent in (CLICK, Intent("desktop_type", Tier.REVERSIBLE, TypeText("x"), AIM)):
        with pytest.raises(Refused):
            await run(made.lease, intent)
    assert made.adapters == []
    assert made.eyes.looks == 0


@pytest.mark.promise("stale-ref-never-acts")
async def test_a_stale_call_sends_nothing_and_its_receipt_is_the_failure() -> None:
    gate = FakeGate()
    made = bench(desktop(on_screen(1)), gate=gate)
    with pytest.raises(Stale):
        await run(made.lease, CLICK)
    assert made.adapters == []
    (receipt,) = gate.receipts
    assert isinstance(receipt, SlateError)
    assert receipt.code == "stale.window_gone"


@pytest.mark.promise("released-after-cancel")
async def test_a_cancelled_call_has_a_receipt_and_lets_the_seat_go() -> None:
    gate = FakeGate()
    made = bench(desktop(window(2)), gate=gate)
    held = Intent("desktop_click", Tier.REVERSIBLE, Click(hold_s=5), AIM)
    with anyio.move_on_after(0.05):
        await run(made.lease, held)
    assert made.hands.log[-1] == "rest"
    assert not made.lease.working
    (receipt,) = gate.receipts
    assert isinstance(receipt, SlateError)
    assert receipt.code == "unavailable.cancelled"


async def test_a_pixel_click_that_changed_something_answers_with_a_picture() -> None:
    made = bench(desktop(window(2)))
    made.eyes.pictures["h2"] = [pixels(value=1), pixels(value=2)]
    intent = Intent("desktop_click", Tier.REVERSIBLE, Click(), AIM, Observe.AUTO)
    outcome = await run(made.lease, intent)
    assert outcome.verified is Verified.YES
    assert outcome.picture is not None
    assert outcome.picture.mime == "image/png"
    assert outcome.frame is not None
    assert made.lease.sightings.frame(outcome.frame.ref).window == window(2)


async def test_a_pixel_click_that_changed_nothing_answers_with_one_line() -> None:
    made = bench(desktop(window(2)))
    intent = Intent("desktop_click", Tier.REVERSIBLE, Click(), AIM, Observe.AUTO)
    outcome = await run(made.lease, intent)
    assert (outcome.picture, outcome.verified) == (None, Verified.UNKNOWN)


async def test_a_call_that_only_looks_holds_no_seat() -> None:
    gate = FakeGate()
    made = bench(desktop(window(2)), gate=gate)

    async def look(target: Target) -> Outcome:
        assert target.window == window(2)
        return Outcome("seen")

    intent = Intent("desktop_screenshot", Tier.OBSERVE, Look("screenshot"), AIM)
    async with made.lease.seat():
        with anyio.fail_after(1):
            assert (await observe(made.lease, intent, look)).said == "seen"
    assert gate.receipts == [Outcome("seen")]
    assert made.adapters == []

"""The end of every acting tool."""

from __future__ import annotations

import pytest

from slate_desktop.intent import Aim, Close, Observe, TypeText, WindowSighting
from slate_desktop.tools.acting import acted
from slate_desktop.tools.keyboard import TypeArgs
from slate_desktop.tools.windows import OneWindowArgs
from slated.model import Tier
from tests.fakes.ports import FakeGate, bench, desktop, window

pytestmark = pytest.mark.anyio

AIM = Aim(WindowSighting("w1", window(2)))


async def test_the_intent_has_the_arguments_the_grade_and_what_is_to_be_observed() -> None:
    gate = FakeGate()
    made = bench(desktop(window(2)), gate=gate)
    args = TypeArgs(text="hi", target="w1", observe="text")
    answer = await acted(made.lease, "desktop_type", args, AIM, TypeText("hi"), None)
    (intent,) = gate.admitted
    assert (intent.tool, intent.tier, intent.observe) == (
        "desktop_type",
        Tier.REVERSIBLE,
        Observe.TEXT,
    )
    assert intent.arguments["text"] == "hi"
    assert answer.text.startswith("typed 2 characters")


async def test_a_tool_without_observe_observes_nothing() -> None:
    gate = FakeGate()
    made = bench(desktop(window(2)), gate=gate)
    made.windows.on_change = [made.windows.put]
    await acted(made.lease, "desktop_close", OneWindowArgs(window="w1"), AIM, Close(), None)
    assert gate.admitted[0].observe is Observe.NONE

"""Keyboard tools on fakes."""

from __future__ import annotations

import pytest

from slate_desktop.errors import BadRequest
from slate_desktop.render import Reply
from slate_desktop.tools.keyboard import TOOLS
from slated.toolspec import parse
from tests.fakes.ports import Bench, bench, desktop, window

pytestmark = pytest.mark.anyio

SPECS = {spec.name: spec for spec in TOOLS}


async def called(made: Bench, tool: str, **arguments: object) -> Reply:
    spec = SPECS[tool]
    answer: Reply = await spec.handler(made.lease, parse(spec, arguments))
    return answer


async def test_typed_text_is_counted_and_not_called_verified() -> None:
    made = bench(desktop(window(2)))
    answer = await called(made, "desktop_type", target="app.2", text="hé\n", submit=True)
    first, *_, last = answer.text.splitlines()
    assert first.startswith("typed 3 characters and Return into w1, by keys; verified: unknown")
    assert last == "next: desktop_screenshot of w1 shows what arrived"
    assert answer.facts["delivered"] == {"sent": 3, "wanted": 3, "focus_held": True}


async def test_chords_come_as_a_list_or_as_its_text() -> None:
    made = bench(desktop(window(2)))
    answer = await called(made, "desktop_key", target="app.2", keys='["ctrl+a","Delete"]')
    assert answer.text.startswith('pressed "ctrl+a" and "Delete" in w1')
    assert len([line for line in made.hands.log if line.startswith("keys")]) == 2


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("desktop_type", {"text": ""}),
        ("desktop_type", {"text": "a\x00b"}),
        ("desktop_key", {"keys": []}),
        ("desktop_key", {"keys": ["ctrl+nothing"]}),
        ("desktop_key", {"keys": ["a"], "hold_s": 60}),
    ],
)
async def test_what_cannot_be_typed_is_said_and_nothing_is_sent(
    tool: str, arguments: dict[str, object]
) -> None:
    made = bench(desktop(window(2)))
    with pytest.raises(BadRequest):
        await called(made, tool, target="app.2", **arguments)
    assert made.adapters == []


@pytest.mark.parametrize("text", ["-M -P -k Return", "--help", r"C:\new\x41 %s $HOME ~ `id`"])
async def test_r01_r10_text_is_typed_literally_whatever_it_looks_like(text: str) -> None:
    made = bench(desktop(window(2)))
    answer = await called(made, "desktop_type", target="app.2", text=text)
    assert answer.facts["delivered"] == {"sent": len(text), "wanted": len(text), "focus_held": True}

"""Looking tools on fakes."""

from __future__ import annotations

import pytest

from slate_desktop.elements import Detail
from slate_desktop.errors import BadRequest
from slate_desktop.geometry import Rect, Size
from slate_desktop.render import Reply
from slate_desktop.tools.look import TOOLS
from slated.toolspec import parse
from tests.fakes.ports import Bench, bench, desktop, element, frame, on_screen, pixels, window

pytestmark = pytest.mark.anyio

SPECS = {spec.name: spec for spec in TOOLS}
SMALL = window(2, rect=Rect(0, 5800, 100, 50))


def stage() -> Bench:
    made = bench(desktop(on_screen(1), SMALL))
    made.eyes.pictures["h2"] = [pixels(Size(100, 50), 3)]
    made.eyes.pictures["HEADLESS-1"] = [pixels(Size(1280, 800), 4)]
    return made


async def called(made: Bench, tool: str, **arguments: object) -> Reply:
    spec = SPECS[tool]
    answer: Reply = await spec.handler(made.lease, parse(spec, arguments))
    return answer


async def test_a_picture_names_its_window_its_ref_and_its_space() -> None:
    answer = await called(stage(), "desktop_screenshot", target="app.2")
    lines = answer.text.splitlines()
    assert lines[0] == 'picture of w1 "title 2".'
    assert lines[1].startswith("f1 of w1, 100x50, scale 1, from 0,0")
    assert answer.picture is not None
    assert answer.facts["frame"]["ref"] == "f1"  # type: ignore[index]  # facts are plain JSON


async def test_the_screen_is_the_one_the_person_is_on_or_the_one_named() -> None:
    assert (
        "f1 of screen, 1280x800"
        in (await called(stage(), "desktop_screenshot", target="screen")).text
    )
    named = await called(stage(), "desktop_screenshot", output="HEADLESS-1")
    assert "of screen" in named.text
    with pytest.raises(BadRequest) as caught:
        await called(stage(), "desktop_screenshot", output="DP-9")
    assert "HEADLESS-1" in caught.value.message


async def test_a_picture_of_a_picture_is_refused() -> None:
    made = stage()
    await called(made, "desktop_screenshot", target="app.2")
    with pytest.raises(BadRequest):
        await called(made, "desktop_screenshot", target="f1")


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("desktop_screenshot", {"target": "app.2", "region": [0, 0, 0, 5]}),
        ("desktop_screenshot", {"target": "app.2", "format": "bmp"}),
    ],
)
async def test_what_makes_no_sense_is_said(tool: str, arguments: dict[str, object]) -> None:
    with pytest.raises(BadRequest) as caught:
        await called(stage(), tool, **arguments)
    assert caught.value.next_step


async def test_marks_are_the_refs_of_the_controls_that_have_a_place() -> None:
    made = stage()
    made.widgets.trees["h2"] = frame(element("Save"), element("Nowhere"), element("Hint", "label"))
    made.widgets.known[element("Nowhere").key] = Detail()
    plain = await called(made, "desktop_screenshot", target="app.2")
    answer = await called(made, "desktop_screenshot", target="app.2", marks=True)
    assert answer.text.splitlines()[2:] == ['e1 push button "Save" 10,20 30x10']
    assert answer.picture is not None
    assert plain.picture is not None
    assert answer.picture.data != plain.picture.data
    with pytest.raises(BadRequest):
        await called(made, "desktop_screenshot", target="screen", marks=True)

"""Looking tools on fakes."""

from __future__ import annotations

import anyio
import pytest

from slate_desktop.errors import BadRequest
from slate_desktop.geometry import Rect, Size
from slate_desktop.render import Reply
from slate_desktop.tools.look import TOOLS
from slated.toolspec import parse
from tests.fakes.ports import Bench, bench, desktop, on_screen, pixels, window

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


async def test_a_wait_that_is_met_already_answers_at_once() -> None:
    made = stage()
    answer = await called(made, "desktop_wait", window="app.2", target="app.2", title="TITLE 2")
    assert "verified: yes" in answer.text
    assert '"app.2"' in answer.text.splitlines()[1]


async def test_a_wait_ends_when_the_window_comes_or_goes() -> None:
    made = stage()
    made.windows.on_change = [lambda: made.windows.put(on_screen(1), SMALL, window(5))]
    assert "verified: yes" in (await called(made, "desktop_wait", window="app.5")).text
    ref = made.lease.sightings.see(SMALL)
    made.windows.on_change = [lambda: made.windows.put(on_screen(1))]
    assert "verified: yes" in (await called(made, "desktop_wait", gone=ref)).text


@pytest.mark.promise("every-call-has-a-deadline")
async def test_a_wait_in_vain_ends_at_its_time_and_says_what_is_missing() -> None:
    with anyio.fail_after(1):
        answer = await called(stage(), "desktop_wait", window="never", timeout_s=0.05)
    assert 'verified: no, not yet: a window "never"' in answer.text
    assert answer.facts["verified"] == "no"


async def test_stillness_is_asked_of_the_windows_pictures() -> None:
    assert (
        "verified: yes" in (await called(stage(), "desktop_wait", target="app.2", still_s=0.1)).text
    )


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("desktop_wait", {}),
        ("desktop_wait", {"title": "x", "target": "screen"}),
        ("desktop_wait", {"window": "x", "timeout_s": 600}),
        ("desktop_screenshot", {"target": "app.2", "region": [0, 0, 0, 5]}),
        ("desktop_screenshot", {"target": "app.2", "format": "bmp"}),
    ],
)
async def test_what_makes_no_sense_is_said(tool: str, arguments: dict[str, object]) -> None:
    with pytest.raises(BadRequest) as caught:
        await called(stage(), tool, **arguments)
    assert caught.value.next_step

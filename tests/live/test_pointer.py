"""Where an agent's clicks land: outputs, covered windows, menus, and pictures of large screens."""

from __future__ import annotations

import io
from collections.abc import AsyncIterator

import pytest
from PIL import Image

from tests.live.bed.patience import until
from tests.live.bed.stage import SCREEN, Stage
from tests.live.bed.tree import OUTPUTS

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("daemon")]

SECOND = (640, 480)
LONG_EDGE_PX = 1568
PICTURE_BYTES = 4 << 20


@pytest.fixture
async def second_output(stage: Stage) -> AsyncIterator[str]:
    """One more screen of the person's, to the right of the first, smaller."""
    known = {output["name"] for output in stage.sway.ask(OUTPUTS)}
    stage.sway.run("create_output")
    name = next(str(o["name"]) for o in stage.sway.ask(OUTPUTS) if o["name"] not in known)
    stage.sway.run(f"output {name} resolution {SECOND[0]}x{SECOND[1]} position 1280 0")
    yield name
    stage.sway.run(f"output {name} unplug")
    stage.sway.run(f"focus output {SCREEN}")


async def test_r28_a_click_lands_on_the_output_it_is_meant_for(
    stage: Stage, second_output: str
) -> None:
    agent = await stage.agent()
    first = await stage.window("bed.first")
    stage.sway.run(f"focus output {second_output}")
    second = await stage.window("bed.second")
    await agent.ok("desktop_click", target="bed.second", x=100, y=100, observe="none")
    assert (await second.event("button", pressed=True))["at"] == [100, 100]
    await agent.ok("desktop_click", target="screen", x=1280 + 120, y=90, observe="none")
    await second.event("button", pressed=True, at=[120, 90])
    await first.ask("state")
    assert not first.take("button")


async def test_r28_a_click_waits_until_a_new_window_is_where_sway_says_it_is(stage: Stage) -> None:
    """Its neighbour does not answer: until sway gives up waiting, a click would still reach that one."""
    agent = await stage.agent()
    old = await stage.window("bed.old")
    await old.ask("deaf", for_s=1.0)
    new = await stage.window("bed.new")
    place = await stage.shows("bed.new")
    assert place["rect"]["x"] > 0, "the two are side by side"
    await agent.ok("desktop_click", target="bed.new", x=40, y=50, observe="none")
    await new.event("button", pressed=True, at=[40, 50])
    await old.ask("state")
    assert not old.take("button")


async def test_r23_a_covered_window_of_the_person_gets_no_click_and_the_answer_says_why(
    stage: Stage,
) -> None:
    agent = await stage.agent()
    covered, over = await stage.window("bed.covered"), await stage.window("bed.over")
    for name, rect in (("bed.covered", "500 px 400 px"), ("bed.over", "600 px 500 px")):
        stage.focus(name)
        stage.sway.run(f"floating enable, resize set {rect}, move absolute position 100 100")
    reply = await agent.call("desktop_click", target="bed.covered", x=50, y=50)
    assert reply.code == "unavailable.covered", reply.text
    assert "bed.over" in reply.text
    for window in (covered, over):
        await window.ask("state")
        assert not window.take("button")


async def test_r33_a_menu_stays_open_while_the_pointer_goes_to_it(stage: Stage) -> None:
    """The pointer jumps to where it is sent, so it crosses no neighbour on the way."""
    agent = await stage.agent()
    seat = str((await agent.ok("desktop_status")).outcome["seat"])
    window = await stage.window("bed.menu")
    neighbour = await stage.window("bed.neighbour")
    await agent.ok("desktop_click", target="bed.menu", x=630, y=100, button="right", observe="none")
    await window.event("button", pressed=True)
    place = {"x": 560, "y": 110, "width": 60, "height": 200}
    await window.ask("popup", **place, color=[9, 9, 9], grab=seat)
    window.take()
    await agent.ok("desktop_click", target="bed.menu", x=600, y=280, observe="none")
    click = await window.event("button", pressed=True)
    assert click["at"] == [40, 170]  # inside the menu, whose corner is at 560,110
    assert not window.take("popup_gone")
    await neighbour.ask("state")
    assert not neighbour.take("button", "motion")


async def test_r120_a_picture_of_a_4k_screen_is_an_image_a_model_takes(stage: Stage) -> None:
    agent = await stage.agent()
    await stage.window("bed.large")
    stage.sway.run(f"output {SCREEN} resolution 3840x2160")
    try:
        await until(lambda: _width(stage) == 3840, "the screen is large")
        reply = await agent.ok("desktop_screenshot", target="screen")
    finally:
        stage.sway.run(f"output {SCREEN} resolution 1280x800")
        await until(lambda: _width(stage) == 1280, "the screen is as before")
    ((mime, data),) = reply.pictures
    size = Image.open(io.BytesIO(data)).size
    assert mime == "image/png"
    assert max(size) <= LONG_EDGE_PX
    assert len(data) <= PICTURE_BYTES
    assert f"{size[0]}x{size[1]}" in reply.text
    assert "scale" in reply.text


def _width(stage: Stage) -> int:
    return next(int(o["rect"]["width"]) for o in stage.sway.ask(OUTPUTS) if o["name"] == SCREEN)

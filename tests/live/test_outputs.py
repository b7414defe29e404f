"""Screens of every kind: pictures upright and in place, pointers of outputs that go away, and no screen at all."""

from __future__ import annotations

import hashlib
import io
from collections.abc import AsyncIterator

import anyio
import pytest
from PIL import Image

from slate_desktop.headless.program import SwayProgram
from slate_desktop.model import Handle
from slate_desktop.wayland.capture import WindowEyes
from slate_desktop.wayland.connection import Connection
from slate_desktop.wayland.globals import Globals
from slate_desktop.wayland.outputs import Outputs
from slate_desktop.wayland.toplevels import Toplevels
from tests.live.bed import stage as stages
from tests.live.bed.agent import Agent, Reply
from tests.live.bed.patience import until, until_it_says
from tests.live.bed.stage import SCREEN, Stage
from tests.live.bed.tree import OUTPUTS

pytestmark = pytest.mark.anyio

RED = [255, 0, 0]
MARK = (30, 20, 36, 24)
"""x, y, width and height of the red mark in the window: near one corner and longer than high."""


@pytest.fixture
async def screen(stage: Stage) -> AsyncIterator[Stage]:
    """The stage; its screen is as before after the test."""
    yield stage
    stage.sway.run(f"output {SCREEN} scale 1 transform normal position 0 0")
    await until(lambda: rect(stage)["width"] == 1280, "the screen is as before")


@pytest.fixture
async def own_stage(sway_program: SwayProgram) -> AsyncIterator[Stage]:
    """A session of its own with a daemon, for what leaves no screen to the other tests."""
    async with stages.staged(sway_program) as stage, stages.daemon(stage):
        yield stage


def rect(stage: Stage, name: str = SCREEN) -> dict[str, int]:
    """The place of an output in the layout."""
    found: dict[str, int] = next(o["rect"] for o in stage.sway.ask(OUTPUTS) if o["name"] == name)
    return found


def names(stage: Stage) -> set[str]:
    return {str(output["name"]) for output in stage.sway.ask(OUTPUTS)}


def red_box(reply: Reply) -> tuple[float, float, float, float]:
    """Left, top, width and height of what is red in a picture."""
    image = Image.open(io.BytesIO(reply.pictures[0][1])).convert("RGB")
    red, green, _blue = image.split()
    mask = Image.eval(red, lambda v: 255 * (v > 160))
    mask.paste(0, (0, 0), Image.eval(green, lambda v: 255 * (v > 100)))
    box = mask.getbbox()
    assert box is not None, "nothing is red in the picture"
    return box[0], box[1], box[2] - box[0], box[3] - box[1]


def filling(stage: Stage) -> bool:
    """Whether the window fills the screen as it is now."""
    window, place = stage.sway.window("bed.marked"), rect(stage)
    return window is not None and window["rect"] == place


@pytest.mark.usefixtures("daemon")
@pytest.mark.parametrize(
    "transform",
    ["normal", "90", "180", "270", "flipped", "flipped-90", "flipped-180", "flipped-270"],
)
@pytest.mark.parametrize("scale", [1, 1.25, 1.5, 2])
async def test_r47_r36_the_picture_is_upright_and_a_click_on_what_it_shows_hits(
    screen: Stage, scale: float, transform: str
) -> None:
    agent = await screen.agent()
    window = await screen.window("bed.marked", color=[40, 40, 40])
    screen.sway.run(f"output {SCREEN} scale {scale} transform {transform} position -900 -301")
    await until(lambda: filling(screen), "the window fills the screen")
    await window.ask("state")
    await window.ask("paint", color=[40, 40, 40], markers=[[*MARK, RED]])
    await anyio.sleep(0.1)
    plain = await agent.ok("desktop_screenshot", target="screen")
    frame = plain.outcome["frame"]
    place = rect(screen)
    assert (frame["width"], frame["height"]) == (place["width"], place["height"])
    assert frame["origin"] == [-900, -301]
    assert red_box(plain) == pytest.approx(MARK, abs=1)
    for target in ("screen", "bed.marked"):
        small = await agent.ok("desktop_screenshot", target=target, max_edge=300)
        left, top, width, height = red_box(small)
        window.take()
        await agent.ok(
            "desktop_click",
            target=small.outcome["frame"]["ref"],
            x=left + width / 2,
            y=top + height / 2,
            observe="none",
        )
        at = (await window.event("button", pressed=True))["at"]
        assert at == pytest.approx((MARK[0] + MARK[2] / 2, MARK[1] + MARK[3] / 2), abs=3)


@pytest.mark.parametrize("scale", [1.25, 1.5, 2])
async def test_r41_capturing_a_window_changes_nothing_on_the_screen(
    screen: Stage, scale: float
) -> None:
    window = await screen.window("bed.sharp", color=[250, 250, 250])
    stripes = [[x, 0, 1, 2000, [0, 0, 0]] for x in range(0, 400, 3)]
    screen.sway.run(f"output {SCREEN} scale {scale}")
    await until(lambda: rect(screen)["width"] < 1280, "the screen is scaled")
    await anyio.sleep(0.3)
    await window.ask("paint", color=[250, 250, 250], markers=stripes)
    node = await screen.shows("bed.sharp")
    async with Connection.open(screen.session.wayland_socket) as connection:
        globals_ = await Globals.load(connection)
        outputs, toplevels = Outputs(globals_), Toplevels(globals_)
        await connection.sync()
        eyes = WindowEyes(globals_, outputs, toplevels)
        try:
            before = await look(eyes)
            await eyes.window(Handle(node["foreign_toplevel_identifier"]))
            during = await look(eyes)
            await anyio.sleep(1)
            assert {before, during, await look(eyes)} == {before}
        finally:
            eyes.close()


async def look(eyes: WindowEyes) -> str:
    """A hash of every pixel of the screen."""
    pixels = await eyes.output(SCREEN)
    return hashlib.sha256(pixels.data).hexdigest()


@pytest.mark.usefixtures("daemon")
async def test_r75_a_pointer_goes_with_its_output_and_the_next_click_goes_elsewhere(
    stage: Stage,
) -> None:
    """In the middle of a drag: the button is let go, and the person's screen sees no pointer of ours."""
    agent = await stage.agent()
    here = await stage.window("bed.here")
    known = names(stage)
    stage.sway.run("create_output")
    (second,) = names(stage) - known
    # Left behind by a failure, it would spoil the shared stage for all later tests.
    stage.acts.callback(unplug, stage, second)
    stage.sway.run(f"output {second} resolution 640x480 position 4000 300 scale 1.5")
    stage.sway.run(f"focus output {second}")
    away = await stage.window("bed.away")
    here.take()
    path = [[10, 10], [400, 300], [10, 300], [400, 10], [10, 10]]
    drag = await agent.post("desktop_drag", target="bed.away", path=path, observe="none")
    await away.event("button", pressed=True)
    stage.sway.run(f"output {second} unplug")
    reply = await agent.answer(drag)
    assert reply.code == "stale.output_gone", reply.text
    await here.ask("state")
    assert not here.take("motion", "pointer_enter", "button")
    await until(lambda: on_screen(stage, "bed.away"), "its window is on the other screen")
    for number, name in enumerate(("bed.here", "bed.away")):
        window = (here, away)[number]
        stage.focus(name)
        window.take()
        await agent.ok("desktop_click", target=name, x=33, y=44, observe="none")
        await window.event("button", pressed=True, at=[33, 44])
        state = (await window.ask("state"))["seats"]
        assert not [facts["down"] for facts in state.values() if facts["down"]]


@pytest.mark.promise("person-untouched")
@pytest.mark.parametrize("empty", [False, True], ids=["a window", "nothing"])
async def test_what_was_on_a_screen_that_goes_is_not_left_where_nobody_looks(
    own_stage: Stage, empty: bool
) -> None:
    """sway moves it to the output that it lists first; a screen that was off for a moment is listed last."""
    agent = await own_stage.agent()
    own_stage.sway.run(f"output {SCREEN} disable")
    own_stage.sway.run(f"output {SCREEN} enable")
    known = names(own_stage)
    own_stage.sway.run("create_output")
    (second,) = names(own_stage) - known
    own_stage.sway.run(f"focus output {second}")
    own_stage.sway.run("workspace theirs")
    if not empty:
        await own_stage.window("bed.theirs")
    own_stage.sway.run(f"output {second} unplug")
    if not empty:
        await until(lambda: on_screen(own_stage, "bed.theirs"), "it is on the person's screen")
    await until(lambda: focused(own_stage) == SCREEN, "the person is at their screen")
    assert shown(own_stage, "HEADLESS-2") == "agent"
    assert not (await agent.call("desktop_status")).error


def shown(stage: Stage, name: str) -> str:
    """The workspace that an output shows."""
    return str(next(o["current_workspace"] for o in stage.sway.ask(OUTPUTS) if o["name"] == name))


def focused(stage: Stage) -> str:
    """The output that the person is at."""
    return next(str(o["name"]) for o in stage.sway.ask(OUTPUTS) if o["focused"])


def unplug(stage: Stage, name: str) -> None:
    """Take an output away, if it is still there."""
    if name in names(stage):
        stage.sway.run(f"output {name} unplug")


def on_screen(stage: Stage, name: str) -> bool:
    window = stage.sway.window(name)
    place = rect(stage)
    return (
        window is not None
        and place["x"] <= window["rect"]["x"] < place["x"] + place["width"]
        and window["rect"]["width"] > 0
    )


async def test_r76_without_a_screen_nothing_fails_and_work_goes_on(own_stage: Stage) -> None:
    """The person's only screen goes, then the agent's output too; both come back under other names."""
    agent = await own_stage.agent()
    work = await own_stage.window("bed.work")
    id_ = (await own_stage.shows("bed.work"))["id"]
    own_stage.sway.run(f"[con_id={id_}] move container to workspace agent")
    own_stage.sway.run(f"output {SCREEN} unplug")
    listed = await agent.ok("desktop_windows")
    assert [w["place"] for w in listed.outcome["windows"]] == ["background"]
    assert (await agent.call("desktop_screenshot", target="screen")).code == "bad_request.no_output"
    assert (
        await agent.call("desktop_click", target="screen", x=5, y=5)
    ).code == "bad_request.outside"
    await agent.ok("desktop_click", target="bed.work", x=12, y=13, observe="none")
    await work.event("button", pressed=True, at=[12, 13])
    own_stage.sway.run("output HEADLESS-2 unplug")
    await agent.ok("desktop_windows")
    await agent.ok("desktop_status")
    await until(lambda: names(own_stage) - {"HEADLESS-2"}, "the agent has an output again")
    own_stage.sway.run("reload")
    await until_it_says(lambda: hit(agent), True, "the window is where a click reaches it")
    await work.event("button", pressed=True, at=[21, 22])
    own_stage.sway.run("create_output")
    await agent.ok("desktop_screenshot", target="screen")
    await agent.ok("desktop_type", target="bed.work", text="again", observe="none")


async def hit(agent: Agent) -> bool:
    """Whether a click into the window is accepted."""
    reply = await agent.call("desktop_click", target="bed.work", x=21, y=22, observe="none")
    return not reply.error

"""Every window of the background has an output of its own, and the person's outputs, focus and windows stay theirs."""

from __future__ import annotations

import signal
import sys
from collections.abc import AsyncIterator
from typing import Any

import pytest

from slate_desktop.headless.program import SwayProgram
from slate_desktop.model import PARKING_APP_ID
from slate_desktop.swayipc.berths import MOST, SPARE, is_ours
from tests.live.bed import stage as stages
from tests.live.bed.agent import Agent, Reply
from tests.live.bed.patience import WAIT_S, until
from tests.live.bed.program import ROOT
from tests.live.bed.stage import Stage
from tests.live.bed.tree import OUTPUTS, SUBSCRIBE, WORKSPACES, Sway

pytestmark = pytest.mark.anyio

SIZE = {"width": 1280, "height": 800}
ASKING = ["/usr/bin/env", f"PYTHONPATH={ROOT}", sys.executable, "-m", "tests.live.bed.asking_gtk3"]


@pytest.fixture
async def own_stage(sway_program: SwayProgram) -> AsyncIterator[Stage]:
    """A session of its own, without a daemon yet."""
    async with stages.staged(sway_program) as stage, stage.acts:
        yield stage


def berths(stage: Stage) -> dict[str, dict[str, int]]:
    """The agent's outputs with their places."""
    return {
        str(output["name"]): output["rect"]
        for output in stage.sway.ask(OUTPUTS)
        if is_ours(str(output["current_workspace"]))
    }


def screens(stage: Stage) -> list[tuple[str, Any, Any, bool]]:
    """What is the person's: outputs with their places and workspaces, and which of them they are at."""
    return [
        (o["name"], o["rect"], o["current_workspace"], o["focused"])
        for o in stage.sway.ask(OUTPUTS)
        if not is_ours(str(o["current_workspace"]))
    ]


def output_of(stage: Stage, name: str) -> str:
    """The output of ours that a window fills wholly and shares with none; "" if there is none."""
    window = stage.sway.window(name)
    assert window is not None, f"no window {name!r}"
    others = [w for w in stage.sway.windows() if w["id"] != window["id"]]
    fills = [o for o, place in berths(stage).items() if place == window["rect"]]
    if len(fills) != 1 or any(inside(w["rect"], window["rect"]) for w in others):
        return ""
    return fills[0]


def inside(one: dict[str, int], other: dict[str, int]) -> bool:
    """Whether two rectangles have a point in common."""
    return (
        one["x"] < other["x"] + other["width"]
        and other["x"] < one["x"] + one["width"]
        and one["y"] < other["y"] + other["height"]
        and other["y"] < one["y"] + one["height"]
    )


def apart(stage: Stage, *names: str) -> bool:
    """Whether each of these windows fills an output of its own."""
    return len({output_of(stage, name) for name in names} - {""}) == len(names)


def reload(stage: Stage) -> None:
    """Reload sway, and wait until it has."""
    events = Sway(str(stage.session.sway_socket), deadline_s=WAIT_S)
    events.ask(SUBSCRIBE, '["workspace"]')
    stage.sway.run("reload")
    while events.next()[1]["change"] != "reload":
        pass
    events.close()


async def launched(agent: Agent, *names: str) -> list[Reply]:
    """Terminals of these app ids, started at once."""
    calls = [
        await agent.post("desktop_launch", argv=["foot", f"--app-id={name}"], timeout_s=30)
        for name in names
    ]
    return [await agent.answer(call) for call in calls]


async def test_windows_that_open_at_once_are_whole_and_apart_when_they_are_reported(
    own_stage: Stage,
) -> None:
    names = [f"bed.l{n}" for n in range(3)]
    async with stages.daemon(own_stage):
        await own_stage.window("bed.person")
        before, focus = screens(own_stage), own_stage.sway.focus()
        agents = [await own_stage.agent() for _ in names]
        posted = [
            (
                agent,
                await agent.post("desktop_launch", argv=["foot", f"--app-id={name}"], timeout_s=30),
            )
            for agent, name in zip(agents, names, strict=True)
        ]
        for agent, call in posted:
            (opened,) = (await agent.answer(call)).outcome["opened"]
            # What it was when it was told: another window may come to the same place right afterwards.
            assert opened["rect"] in [[*place.values()] for place in berths(own_stage).values()]
            assert opened["rect"][2:] == [*SIZE.values()]
        assert apart(own_stage, *names)
        assert (screens(own_stage), own_stage.sway.focus()) == (before, focus)


async def test_windows_of_one_launch_are_apart_too(own_stage: Stage) -> None:
    script = "foot --app-id=bed.one & foot --app-id=bed.two & foot --app-id=bed.three & wait"
    async with stages.daemon(own_stage):
        agent = await own_stage.agent()
        await agent.ok("desktop_launch", argv=["sh", "-c", script], timeout_s=30)
        names = ["bed.one", "bed.two", "bed.three"]
        for name in names:
            await own_stage.shows(name, deadline_s=30)
        await agent.ok("desktop_windows")
        assert apart(own_stage, *names)


@pytest.mark.promise("person-untouched")
async def test_a_dialog_stays_with_its_window_and_covers_no_other(own_stage: Stage) -> None:
    async with stages.daemon(own_stage):
        agent = await own_stage.agent()
        await own_stage.window("bed.person")
        before, focus = screens(own_stage), own_stage.sway.focus()
        first = await agent.ok("desktop_launch", argv=[*ASKING, "first"], timeout_s=40)
        await agent.ok("desktop_launch", argv=[*ASKING, "second"], timeout_s=40)
        (old,) = first.outcome["opened"]
        reply = await agent.ok("desktop_click", target=old["ref"], x=300, y=300)
        (dialog,) = reply.outcome["opened"]
        asker = await own_stage.shows("first")
        place = dict(zip(("x", "y", "width", "height"), dialog["rect"], strict=True))
        assert inside(place, asker["rect"]), reply.text
        assert (await own_stage.shows("first"))["rect"] in berths(own_stage).values()
        assert output_of(own_stage, "second") != ""
        node = await own_stage.shows("first asks")
        assert node["type"] == "floating_con"
        # A second one, of the other window, goes to that one.
        await agent.ok("desktop_click", target="second", x=300, y=300)
        other = await own_stage.shows("second asks")
        assert inside(other["rect"], (await own_stage.shows("second"))["rect"])
        assert (screens(own_stage), own_stage.sway.focus()) == (before, focus)


async def test_closing_windows_takes_their_outputs_away(own_stage: Stage) -> None:
    async with stages.daemon(own_stage):
        agent = await own_stage.agent()
        names = [f"bed.c{n}" for n in range(4)]
        await launched(agent, *names)
        ready = 1 + SPARE
        await until(
            lambda: len(berths(own_stage)) == len(names) + ready, "each has one, two are ready"
        )
        for name in names:
            await agent.ok("desktop_close", window=name)
        await until(lambda: len(berths(own_stage)) == 1 + SPARE, "what nobody needs has gone")
        assert "agent" in {o["current_workspace"] for o in own_stage.sway.ask(OUTPUTS)}
    assert [*berths(own_stage)] == ["HEADLESS-2"]


async def test_a_reload_and_a_killed_daemon_leave_windows_where_they_are(own_stage: Stage) -> None:
    names = ["bed.r0", "bed.r1", "bed.r2"]
    before = screens(own_stage)
    async with stages.daemon(own_stage) as daemon:
        agent = await own_stage.agent()
        await launched(agent, *names)
        assert apart(own_stage, *names)
        places = {name: output_of(own_stage, name) for name in names}
        known = berths(own_stage)
        reload(own_stage)
        await until(lambda: berths(own_stage) == known, "the outputs are at their places again")
        assert {name: output_of(own_stage, name) for name in names} == places
        daemon.send_signal(signal.SIGKILL)
        await daemon.wait()
    reload(own_stage)
    async with stages.daemon(own_stage):
        agent = await own_stage.agent()
        await until(lambda: apart(own_stage, *names), "they are apart again")
        assert {name: output_of(own_stage, name) for name in names} == places
        await launched(agent, "bed.r3")
        assert apart(own_stage, *names, "bed.r3")
        await agent.ok("desktop_type", target="bed.r1", text="x", observe="none")
        assert screens(own_stage) == before
        for name in (*names, "bed.r3"):
            await agent.ok("desktop_close", window=name)
    assert [*berths(own_stage)] == ["HEADLESS-2"]


async def test_a_window_that_is_hidden_gets_an_output_and_one_that_is_shown_gives_it_back(
    own_stage: Stage,
) -> None:
    async with stages.daemon(own_stage):
        agent = await own_stage.agent()
        await launched(agent, "bed.work")
        for name in ("bed.mine", "bed.too", "bed.person"):
            await own_stage.window(name)
        before = screens(own_stage)
        for name in ("bed.mine", "bed.too"):
            await agent.ok("desktop_hide", window=name)
            assert apart(own_stage, "bed.work", name)
        kept = output_of(own_stage, "bed.too")
        await agent.ok("desktop_hide", window="bed.too")
        assert output_of(own_stage, "bed.too") == kept
        for name in ("bed.mine", "bed.too"):
            await agent.ok("desktop_show", window=name)
        await until(lambda: len(berths(own_stage)) == 2 + SPARE, "what nobody needs has gone")
        assert screens(own_stage) == before


async def test_what_is_arranged_together_stays_together_until_it_is_hidden(
    own_stage: Stage,
) -> None:
    async with stages.daemon(own_stage):
        agent = await own_stage.agent()
        await launched(agent, "bed.left", "bed.right")
        await agent.ok("desktop_arrange", layout="side-by-side")
        await launched(agent, "bed.more")
        left, right = [await own_stage.shows(name) for name in ("bed.left", "bed.right")]
        assert left["rect"]["y"] == right["rect"]["y"]
        assert not inside(left["rect"], right["rect"])
        assert output_of(own_stage, "bed.more") != ""
        await agent.ok("desktop_hide", window="bed.right")
        assert apart(own_stage, "bed.left", "bed.right", "bed.more")


@pytest.mark.promise("person-untouched")
async def test_a_person_who_goes_through_all_workspaces_does_not_end_up_at_the_agents(
    own_stage: Stage,
) -> None:
    async with stages.daemon(own_stage):
        agent = await own_stage.agent()
        await launched(agent, "bed.n0", "bed.n1")
        await own_stage.window("bed.person")
        own_stage.sway.run("workspace 2")
        for way in ("next", "prev", "next", "next", "prev"):
            own_stage.sway.run(f"workspace {way}")
            await until(
                lambda: at(own_stage) in ("1", "2"), f"they are at a workspace of theirs: {way}"
            )
        own_stage.sway.run("focus output HEADLESS-2")
        await until(lambda: at(own_stage) in ("1", "2"), "they are back")


def at(stage: Stage) -> str:
    """The workspace that the person is at."""
    return next(str(w["name"]) for w in stage.sway.ask(WORKSPACES) if w["focused"])


async def test_a_lost_output_gives_its_window_another(own_stage: Stage) -> None:
    async with stages.daemon(own_stage):
        agent = await own_stage.agent()
        await launched(agent, "bed.w0", "bed.w1")
        await own_stage.window("bed.person")
        before = screens(own_stage)
        for name in ("bed.w1", "bed.w0"):
            own_stage.sway.run(f"output {output_of(own_stage, name)} unplug")
            await until(lambda: apart(own_stage, "bed.w0", "bed.w1"), f"{name} has another output")
            assert screens(own_stage) == before
        await agent.ok("desktop_click", target="bed.w0", x=20, y=20, observe="none")
        resting = [w for w in own_stage.sway.windows() if w["app_id"] == PARKING_APP_ID]
        assert resting
        covered = [
            (w["rect"], o["rect"])
            for w in resting
            for o in own_stage.sway.ask(OUTPUTS)
            if inside(w["rect"], o["rect"])
        ]
        assert not covered


async def test_a_screen_that_came_later_is_where_it_was_after_a_reload(own_stage: Stage) -> None:
    """sway puts outputs without a place in a row again, ours among them."""
    own_stage.sway.run("output HEADLESS-2 unplug")
    async with stages.daemon(own_stage):
        agent = await own_stage.agent()
        await launched(agent, "bed.s0")
        await until(lambda: len(berths(own_stage)) == 2 + SPARE, "more are ready")
        own_stage.sway.run("create_output")
        await until(lambda: len(screens(own_stage)) == 2, "the second screen is there")
        before, ours = screens(own_stage), berths(own_stage)
        assert sorted(place["x"] for _, place, _, _ in before) == [0, 1280]
        reload(own_stage)
        await until(lambda: berths(own_stage) == ours, "the outputs are at their places again")
        await until(lambda: screens(own_stage) == before, "the screens are where they were")


async def test_there_is_a_limit_and_then_windows_share_one(own_stage: Stage) -> None:
    async with stages.daemon(own_stage):
        agent = await own_stage.agent()
        names = [f"bed.m{n}" for n in range(MOST + 2)]
        for name in names:
            await own_stage.window(name)
        for name in names:
            await agent.ok("desktop_hide", window=name)
        assert len(berths(own_stage)) == MOST
        alone = [name for name in names if output_of(own_stage, name)]
        assert len(alone) == MOST - 1
        for name in names:
            await agent.ok("desktop_type", target=name, text="x", observe="none")
        for name in alone[:2]:
            await agent.ok("desktop_close", window=name)
        await until(
            lambda: apart(own_stage, *(n for n in names if n not in alone[:2])),
            "those that shared one have taken the places",
        )

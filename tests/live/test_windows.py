"""Windows and the background on a real sway."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import anyio
import pytest

from slate_desktop.errors import BadRequest, Stale
from slate_desktop.geometry import Rect, Size
from slate_desktop.headless.program import SwayProgram
from slate_desktop.model import PARKING_APP_ID, Place, Window, WindowId
from slate_desktop.swayipc.background import Background
from slate_desktop.swayipc.codec import Ask, Event
from slate_desktop.swayipc.ipc import Events, Ipc
from slate_desktop.swayipc.tree import nodes, text, window_nodes
from slate_desktop.swayipc.windows import SwayWindows
from tests.live.bed import stage as stages
from tests.live.bed.patience import WAIT_S, until, until_it_says
from tests.live.bed.stage import Stage

pytestmark = pytest.mark.anyio

EVIL = "a, kill; exec touch /x\"] [con_id=3] 'kill"


@dataclass
class Eye:
    """The adapter on a stage."""

    stage: Stage
    ipc: Ipc
    windows: SwayWindows
    background: Background

    async def window(self, app_id: str) -> Window:
        """The one window of that app id."""
        (found,) = [w for w in (await self.windows.desktop()).windows if w.app_id == app_id]
        return found

    async def becomes(self, app_id: str, rect: Rect) -> None:
        """Wait until the content is there, to the pixel."""

        async def rect_now() -> Rect:
            return (await self.window(app_id)).rect

        await until_it_says(rect_now, rect, f"the place of {app_id}")

    async def to_background(self, *app_ids: str) -> list[WindowId]:
        ids = [(await self.window(app_id)).id for app_id in app_ids]
        for id_ in ids:
            await self.windows.to_background(id_)
        return ids

    async def output(self, app_id: str) -> Rect:
        """The place of the output that the window is on, which is one of ours."""
        seen = await self.windows.desktop()
        output = seen.output((await self.window(app_id)).output)
        assert output is not None
        assert output.background
        return output.rect

    async def focus(self) -> int:
        return (await self.windows.desktop()).focus["seat0"]


def part(output: Rect, x: int, y: int, width: int, height: int) -> Rect:
    """A rectangle of an output, in the layout."""
    return Rect(output.x + x, output.y + y, width, height)


@asynccontextmanager
async def eye(stage: Stage) -> AsyncIterator[Eye]:
    path = str(stage.session.sway_socket)
    ipc, events = Ipc(path), Events(path)
    background = Background(ipc, Size(1280, 800))
    started = anyio.Event()
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(lambda: events.run(started=started.set))
            with anyio.fail_after(WAIT_S):
                await started.wait()
            await background.ensure()
            yield Eye(stage, ipc, SwayWindows(ipc, events, background), background)
            tasks.cancel_scope.cancel()
    finally:
        await ipc.close()


async def test_windows_are_where_sway_says_and_the_background_is_told_from_the_screen(
    stage: Stage,
) -> None:
    await stage.window("bed.one", width=300, height=200)
    async with eye(stage) as it:
        one = await it.window("bed.one")
        assert (one.place, one.title, one.output) == (Place.SCREEN, "bed.one", "HEADLESS-1")
        assert await it.focus() == one.id
        assert one.pid is not None
        assert len(one.handle) == 32
        stage.sway.run(f"[con_id={one.id}] move scratchpad")
        assert (await it.window("bed.one")).place is Place.SCRATCHPAD
        await it.windows.to_background(one.id)
        moved = await it.window("bed.one")
        assert (moved.place, moved.workspace) == (Place.BACKGROUND, "agent")
        await it.windows.arrange([one.id], "side-by-side")
        await it.becomes("bed.one", await it.output("bed.one"))


async def test_nothing_done_to_background_windows_moves_the_persons_focus(stage: Stage) -> None:
    names = [f"bed.b{n}" for n in range(5)]
    for name in names:
        await stage.window(name)
    await stage.window("bed.person")
    async with eye(stage) as it:
        person = (await it.window("bed.person")).id
        ids = await it.to_background(*names)
        for layout in ("grid", "tabbed", "side-by-side", "stacked", "floating", "grid"):
            await it.windows.arrange(ids, layout)
            assert await it.focus() == person
        await it.windows.reshape(
            ids[0], floating=True, rect=part(await it.output(names[0]), 120, 100, 300, 200)
        )
        await it.windows.reshape(ids[1], fullscreen=True)
        await it.windows.reshape(ids[1], fullscreen=False)
        await it.windows.close(ids[2])
        assert await it.focus() == person
        assert (await it.window("bed.person")).rect.size == Size(1280, 800)


async def test_a_grid_has_rows_of_equal_height(stage: Stage) -> None:
    names = [f"bed.g{n}" for n in range(4)]
    for name in names:
        await stage.window(name)
    async with eye(stage) as it:
        ids = await it.to_background(*names)
        await it.windows.arrange(ids, "grid")
        place = await it.output(names[0])
        for name, left, top in zip(names, (0, 640, 0, 640), (0, 0, 400, 400), strict=True):
            await it.becomes(name, part(place, left, top, 640, 400))
        await it.windows.arrange(ids, "tabbed")
        seen = await it.windows.desktop()
        tabs = [window for window in seen.windows if window.app_id in names]
        assert {window.layout for window in tabs} == {"tabbed"}
        assert [window.front for window in tabs].count(True) == 1


@pytest.mark.parametrize("border", ["normal 4", "pixel 3", "none"])
async def test_r39_a_floating_window_takes_the_rectangle_asked_for_under_any_border(
    stage: Stage, border: str
) -> None:
    await stage.window("bed.f", width=300, height=200)
    async with eye(stage) as it:
        (id_,) = await it.to_background("bed.f")
        stage.sway.run(f"[con_id={id_}] border {border}")
        wanted = part(await it.output("bed.f"), 120, 120, 420, 333)
        await it.windows.reshape(id_, floating=True, rect=wanted)
        await it.becomes("bed.f", wanted)
        with pytest.raises(BadRequest):
            await it.windows.reshape(id_, rect=Rect(100, 100, 300, 200))
        await it.windows.reshape(id_, fullscreen=True)
        await it.becomes("bed.f", await it.output("bed.f"))


async def test_r79_a_title_full_of_commands_harms_nobody(stage: Stage) -> None:
    evil = await stage.window("bed.evil")
    await evil.ask("title", text=EVIL)
    await stage.window("bed.other")
    await stage.shows(EVIL)
    async with eye(stage) as it:
        window = await it.window("bed.evil")
        assert window.title == EVIL
        (id_,) = await it.to_background("bed.evil")
        for layout in ("tabbed", "floating"):
            await it.windows.arrange([id_], layout)
        rect = part(await it.output("bed.evil"), 120, 100, 300, 200)
        await it.windows.reshape(id_, floating=True, rect=rect)
        assert (await it.window("bed.other")).place is Place.SCREEN
        await it.windows.close(id_)
        await until(lambda: stage.sway.window("bed.evil") is None, "the window is gone")
        assert stage.sway.window("bed.other") is not None
        with pytest.raises(Stale):
            await it.windows.close(id_)


async def test_a_parking_window_covers_nothing_and_takes_no_focus(stage: Stage) -> None:
    await stage.window("bed.person")
    async with eye(stage) as it:
        focus = await it.focus()
        await stage.window(PARKING_APP_ID, width=64, height=64)
        parked = stage.sway.window(PARKING_APP_ID)
        assert parked is not None
        seen = await it.windows.desktop()
        place = Rect(*(parked["rect"][side] for side in ("x", "y", "width", "height")))
        assert all(place.intersection(output.rect).empty for output in seen.outputs)
        assert [window.app_id for window in seen.windows] == ["bed.person"]
        assert await it.focus() == focus
        (tree,) = await it.ipc.ask((Ask.GET_TREE, ""))
        assert isinstance(tree, dict)
        homes = [
            text(output, "name")
            for output in nodes(tree, "nodes")
            for window in window_nodes(output)
            if text(window, "app_id") == PARKING_APP_ID
        ]
        assert homes == [await it.background.ensure()]


async def test_an_event_wakes_who_waits_and_nothing_wakes_nobody(stage: Stage) -> None:
    async with eye(stage) as it:
        assert await it.windows.changed(deadline_s=0.1) is False
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(stage.window, "bed.new")
            assert await it.windows.changed(deadline_s=WAIT_S) is True


async def test_the_tree_is_read_within_three_milliseconds(stage: Stage) -> None:
    for n in range(4):
        await stage.window(f"bed.t{n}")
    async with eye(stage) as it:
        took = []
        for _ in range(20):
            began = anyio.current_time()
            await it.windows.desktop()
            took.append(anyio.current_time() - began)
        assert sorted(took)[5] < 0.003


@pytest.mark.parametrize("lost_numbers", [0, 2])
async def test_r75_a_persons_sway_gets_a_background_and_is_left_as_it_was(
    sway_program: SwayProgram, lost_numbers: int
) -> None:
    config = "for_window [app_id=bed] border none"
    async with stages.staged(sway_program, extra_config=config) as stage, stage.acts:
        stage.sway.run("output HEADLESS-2 unplug")
        for _ in range(lost_numbers):
            stage.sway.run("create_output")
            stage.sway.run(f"output {await newest(stage)} unplug")
        await stage.window("bed.person")
        heard: list[tuple[Event, str]] = []
        path = str(stage.session.sway_socket)
        ipc, events = Ipc(path), Events(path)
        events.listen(lambda event, change: heard.append((event, change)))
        background = Background(ipc, Size(1024, 768))
        windows = SwayWindows(ipc, events, background)
        before = await windows.desktop()
        name = await background.ensure()
        during = await windows.desktop()
        assert [o for o in during.outputs if not o.background] == list(before.outputs)
        made = during.output(name)
        assert made is not None
        assert (made.rect, made.workspace) == (Rect(0, 5800, 1024, 768), "agent")
        assert during.focus == before.focus
        await ipc.command("reload")
        await anyio.sleep(0.1)
        await background.redo()
        again = await windows.desktop()
        assert again.output(name) == made
        assert again.focus == before.focus
        await background.close()
        after = await windows.desktop()
        assert (after.outputs, after.focus) == (before.outputs, before.focus)
        await ipc.close()


async def newest(stage: Stage) -> str:
    """The output that was made last."""
    ipc = Ipc(str(stage.session.sway_socket))
    seen = await SwayWindows(
        ipc, Events(str(stage.session.sway_socket)), Background(ipc, Size(1, 1))
    ).desktop()
    await ipc.close()
    return seen.outputs[-1].name


async def test_r78_a_background_with_windows_is_left_and_found_again(
    sway_program: SwayProgram,
) -> None:
    async with stages.staged(sway_program) as stage, stage.acts:
        stage.sway.run("output HEADLESS-2 unplug")
        await stage.window("bed.work")
        path = str(stage.session.sway_socket)
        ipc = Ipc(path)
        first = Background(ipc, Size(1024, 768))
        windows = SwayWindows(ipc, Events(path), first)
        name = await first.ensure()
        (work,) = (await windows.desktop()).windows
        await windows.to_background(work.id)
        await first.close()
        second = Background(ipc, Size(1024, 768))
        windows = SwayWindows(ipc, Events(path), second)
        assert await second.ensure() == name
        assert (await windows.desktop()).windows[0].place is Place.BACKGROUND
        # The output is lost with the window on it: the next one takes it in.
        stage.sway.run(f"output {name} unplug")
        third = Background(ipc, Size(1024, 768))
        windows = SwayWindows(ipc, Events(path), third)
        await stage.window("bed.person")
        focus = (await windows.desktop()).focus
        assert await third.ensure() != name
        seen = await windows.desktop()
        assert next(w for w in seen.windows if w.app_id == "bed.work").place is Place.BACKGROUND
        assert seen.focus == focus
        await ipc.close()

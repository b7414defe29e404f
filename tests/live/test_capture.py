"""Pictures on a real sway: exact pixels, places, freshness, and nothing the person notices."""

from __future__ import annotations

import os
import statistics
import sys
import time
from pathlib import Path

import anyio
import pytest

from slate_desktop import image
from slate_desktop.errors import Stale
from slate_desktop.geometry import Rect, Size
from slate_desktop.headless.program import SwayProgram
from slate_desktop.model import Window
from tests.live.bed import stage as stages
from tests.live.bed.patience import START_S, until_it_says
from tests.live.bed.sight import Sight, pixel, sight
from tests.live.bed.stage import Stage

pytestmark = pytest.mark.anyio

RED, BLUE, GREEN = (255, 0, 0), (0, 0, 255), (0, 255, 0)

CSD = """
import sys, gi
version, name = sys.argv[1:]
gi.require_version("Gtk", version + ".0")
from gi.repository import GLib, Gtk
GLib.set_prgname(name)
application = Gtk.Application(application_id=name)
def show(_):
    window = Gtk.ApplicationWindow(application=application, title=name)
    window.set_titlebar(Gtk.HeaderBar())
    window.set_default_size(400, 300)
    window.present()
    if version == "3":
        window.show_all()
application.connect("activate", show)
application.run()
"""
"""A GTK window that draws its own title bar and shadows."""


async def two_halves(stage: Stage) -> None:
    """A window that is red on the left and blue on the right."""
    it = await stage.window("bed.halves", color=list(RED))
    width = (await it.ask("state"))["width"]
    await it.ask("paint", color=list(RED), markers=[[width // 2, 0, width // 2, 2000, list(BLUE)]])


async def test_r45_colours_are_exact_from_the_compositor_to_the_png(stage: Stage) -> None:
    await two_halves(stage)
    async with sight(stage) as it:
        pixels, (box, exact) = await it.content("bed.halves")
        assert (box, exact) == (Rect(0, 0, 1280, 800), True)
        assert (pixel(pixels, 10, 10), pixel(pixels, 1270, 790)) == (RED, BLUE)
        data, mime = image.encode(pixels, box, box.size)
        assert image.mime_of(data) == mime == "image/png"


@pytest.mark.parametrize("hide", ["scratchpad", "workspace elsewhere", "covered", "background"])
async def test_r51_hidden_windows_are_seen_as_they_are_now(stage: Stage, hide: str) -> None:
    it_ = await stage.window("bed.hidden", color=list(RED))
    async with sight(stage) as it:
        window = await it.window("bed.hidden")
        match hide:
            case "scratchpad":
                it.move(window, "move scratchpad")
            case "workspace elsewhere":
                it.move(window, "move container to workspace elsewhere")
            case "covered":
                await stage.window("bed.cover")
                it.move(await it.window("bed.cover"), "fullscreen enable")
            case "background":
                await it.windows.to_background(window.id)
        for colour in (GREEN, BLUE):
            for shade in (1, 2, 3):
                await it_.ask("paint", color=[shade, shade, shade])
            await it_.ask("paint", color=list(colour))
            pixels = await it.eyes.window(window.handle)
            assert pixels.current
            assert pixel(pixels, 5, 5) == colour


async def test_r39_the_picture_is_the_content_without_border_and_title(stage: Stage) -> None:
    await two_halves(stage)
    async with sight(stage) as it:
        for border in ("normal 4", "pixel 3", "none"):
            it.move(await it.window("bed.halves"), f"border {border}")

            async def sizes() -> bool:
                window = await it.window("bed.halves")
                return (await it.eyes.window(window.handle)).size == window.rect.size

            await until_it_says(sizes, True, "the picture has the content's size")


async def test_r43_an_open_popup_is_in_the_picture_and_located_by_the_last_plain_one(
    stage: Stage,
) -> None:
    client = await stage.window("bed.menu", width=300, height=200, color=[200, 200, 200])
    async with sight(stage) as it:
        window = await it.window("bed.menu")
        it.move(window, "floating enable")
        it.move(window, "border none")
        await client.ask(
            "paint", markers=[[10, 10, 40, 20, list(RED)], [200, 150, 30, 30, list(BLUE)]]
        )
        size = Size(300, 200)

        async def plain_size() -> Size:
            return (await it.eyes.window(window.handle)).size

        await until_it_says(plain_size, size, "the window has its own size")
        plain = image.Plain(await it.eyes.window(window.handle), Rect(0, 0, 300, 200))
        await client.ask("popup", x=250, y=100, width=120, height=180, color=list(GREEN))
        pixels = await it.eyes.window(window.handle)
        assert pixels.size.width >= 370
        box, exact = image.content_box(pixels, size, plain)
        assert exact
        assert pixel(pixels, box.x + 15, box.y + 15) == RED
        assert pixel(pixels, box.x + 260, box.y + 110) == GREEN


@pytest.mark.parametrize("version", [3, 4])
async def test_the_content_of_a_window_with_shadows_is_found_exactly(
    stage: Stage, version: int
) -> None:
    name = f"bed.csd{version}"
    await stage.start([sys.executable, "-c", CSD, str(version), name])
    await stage.shows(name, deadline_s=START_S)
    async with sight(stage) as it:
        window = await it.window(name)
        output = (await it.desktop()).output(window.output)
        assert output is not None
        await it.eyes.still(window.handle, quiet_s=0.5, deadline_s=5)  # it has started
        place = Rect(output.rect.x + 100, output.rect.y + 80, 400, 300)
        await it.windows.reshape(window.id, floating=True, rect=place)

        async def exact_place() -> tuple[Rect, bool, bool]:
            pixels, (box, exact) = await it.content(name)
            return (await it.window(name)).rect, exact, pixels.size != box.size

        await until_it_says(exact_place, (place, True, True), f"the content of {name}")
        pixels, (box, _) = await it.content(name)
        screen = await it.eyes.output(window.output)
        for x, y in ((0, 150), (30, 30), (200, 150), (360, 60), (399, 150)):
            assert pixel(pixels, box.x + x, box.y + y) == pixel(screen, 100 + x, 80 + y)
            assert pixel(pixels, box.x + x, box.y + y) != (0, 0, 0)


async def test_an_output_is_seen_as_the_person_sees_it(stage: Stage) -> None:
    await two_halves(stage)
    async with sight(stage) as it:
        pixels = await it.eyes.output("HEADLESS-1")
        assert pixels.size == Size(1280, 800)
        assert (pixel(pixels, 10, 10), pixel(pixels, 1270, 790)) == (RED, BLUE)


@pytest.mark.parametrize("transform", ["90", "180", "270", "flipped-90", "flipped"])
async def test_r47_a_turned_output_is_seen_upright(
    sway_program: SwayProgram, transform: str
) -> None:
    async with stages.staged(sway_program) as stage, stage.acts:
        stage.sway.run(f"output HEADLESS-1 transform {transform}")
        client = await stage.window("bed.marked", color=list(RED))
        markers = [[0, 0, 100, 50, list(BLUE)], [0, 300, 50, 50, list(GREEN)]]
        await client.ask("paint", markers=markers)
        async with sight(stage) as it:
            (output,) = [o for o in (await it.desktop()).outputs if o.name == "HEADLESS-1"]
            pixels = await it.eyes.output("HEADLESS-1")
            assert pixels.size == output.rect.size
            assert pixel(pixels, 90, 40) == BLUE
            assert pixel(pixels, 40, 90) == RED
            assert pixel(pixels, 25, 325) == GREEN


@pytest.mark.parametrize("scale", ["1.5", "2"])
async def test_r36_r41_a_scaled_output_is_seen_in_its_own_pixels_and_not_blurred_by_a_look(
    sway_program: SwayProgram, scale: str
) -> None:
    async with stages.staged(sway_program) as stage, stage.acts:
        stage.sway.run(f"output HEADLESS-1 scale {scale}")
        await two_halves(stage)
        async with sight(stage) as it:
            before = await it.eyes.output("HEADLESS-1")
            assert before.size == Size(1280, 800)
            window = await it.window("bed.halves")
            pixels, (box, exact) = await it.content("bed.halves")
            assert (box.size, exact) == (window.rect.size, True)
            assert (pixel(pixels, 3, 3), pixel(pixels, box.width - 3, 3)) == (RED, BLUE)
            await anyio.sleep(0.3)
            after = await it.eyes.output("HEADLESS-1")
            assert image.changed_box(before, after) is None


async def test_a_window_that_paints_is_not_still_until_it_has_painted_its_last(
    stage: Stage,
) -> None:
    client = await stage.window("bed.busy")
    async with sight(stage) as it:
        window = await it.window("bed.busy")
        small = Rect(window.rect.x + 50, window.rect.y + 50, 100, 80)
        await it.windows.reshape(window.id, floating=True, rect=small)
        assert (await it.eyes.window(window.handle)).size == small.size
        await client.ask("burst", frames=80, every_s=0.02)
        assert await it.eyes.still(window.handle, quiet_s=0.5, deadline_s=0.6) is False
        assert await it.eyes.still(window.handle, quiet_s=0.5, deadline_s=5) is True
        assert pixel(await it.eyes.window(window.handle), 5, 5) == (0, 64, 128)


async def test_r42_a_window_of_one_colour_is_blank(stage: Stage) -> None:
    await stage.window("bed.blank")
    async with sight(stage) as it:
        pixels, _ = await it.content("bed.blank")
        assert image.blank(pixels)


async def test_r107_a_window_may_close_at_any_moment_of_a_capture(stage: Stage) -> None:
    async with sight(stage) as it:
        for number in range(5):
            client = await stage.window("bed.brief")
            window = await it.window("bed.brief")
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(look_until_stale, it, window)
                await anyio.sleep(0.01 * number)
                await client.ask("close")
        assert (await it.desktop()).outputs


async def look_until_stale(it: Sight, window: Window) -> None:
    async def look() -> None:
        while True:
            await it.eyes.still(window.handle, quiet_s=0.05, deadline_s=0.2)

    with anyio.fail_after(5), pytest.raises(Stale):
        await look()


async def test_r111_a_thousand_captures_leave_no_memory_mapping_or_descriptor(
    stage: Stage,
) -> None:
    client = await stage.window("bed.much")
    async with sight(stage) as it:
        window = await it.window("bed.much")

        async def look(times: int) -> None:
            for number in range(times):
                if number % 10 == 0:
                    await client.ask("paint", color=[number % 256, 1, 2])
                await it.eyes.window(window.handle, settle=False)
                if number % 50 == 0:
                    await it.eyes.output("HEADLESS-1")

        await look(100)
        before = footprint()
        await look(1000)
        after = footprint()
        assert after["fds"] <= before["fds"]
        assert after["maps"] <= before["maps"] + 2
        assert after["rss_kb"] <= before["rss_kb"] + 8192


def footprint() -> dict[str, int]:
    status = Path("/proc/self/status").read_text()
    return {
        "rss_kb": int(status.split("VmRSS:")[1].split()[0]),
        "maps": Path("/proc/self/maps").read_text().count("\n"),
        "fds": len(os.listdir("/proc/self/fd")),
    }


async def test_looking_again_takes_a_tenth_of_the_first_look(stage: Stage) -> None:
    await two_halves(stage)
    async with sight(stage) as it:
        window = await it.window("bed.halves")
        began = time.perf_counter()
        await it.eyes.window(window.handle)
        first = time.perf_counter() - began
        again = []
        for _ in range(10):
            began = time.perf_counter()
            await it.eyes.window(window.handle)
            again.append(time.perf_counter() - began)
        assert statistics.median(again) < first / 10


async def test_looking_changes_nothing_for_the_person(stage: Stage) -> None:
    await stage.window("bed.agent", color=list(RED))
    client = await stage.window("bed.person")
    person = await stage.person()
    async with sight(stage) as it:
        agent = await it.window("bed.agent")
        await it.windows.to_background(agent.id)
        before = await person.ask("report")
        await client.ask("forget")
        for _ in range(5):
            await it.eyes.window(agent.handle)
            await it.eyes.window((await it.window("bed.person")).handle)
            await it.eyes.output("HEADLESS-1")
        assert await person.ask("report", deadline_s=START_S) == before

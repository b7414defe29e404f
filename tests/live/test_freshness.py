"""Pictures of windows in the background, taken the moment something has happened to them."""

from __future__ import annotations

import os
import signal
import sys

import anyio
import anyio.lowlevel
import pytest

from slate_desktop import image
from slate_desktop.keys import text_bursts
from slate_desktop.wayland.hands import Seats
from tests.live.bed.patience import START_S, WAIT_S
from tests.live.bed.sight import Sight, pixel, sight
from tests.live.bed.stage import Stage

pytestmark = pytest.mark.anyio

APP = """
import sys, signal, gi
version, name = sys.argv[1:]
gi.require_version("Gtk", version + ".0")
from gi.repository import GLib, Gtk
GLib.set_prgname(name)
application = Gtk.Application(application_id=name)
count = 0
def show(_):
    window = Gtk.ApplicationWindow(application=application, title="0")
    css = Gtk.CssProvider()
    if version == "3":
        Gtk.StyleContext.add_provider_for_screen(window.get_screen(), css, 900)
    else:
        Gtk.StyleContext.add_provider_for_display(window.get_display(), css, 900)
    def paint():
        css.load_from_data(b"window { background: rgb(0,0,%d); transition: none; }" % (count * 10))
    def change():
        global count
        count += 1
        window.set_title(str(count))
        paint()
        return True
    paint()
    GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, signal.SIGUSR1, change)
    window.present()
    if version == "3":
        window.show_all()
application.connect("activate", show)
application.run()
"""
"""At SIGUSR1 it changes its title and its colour, as an editor does that has saved: the title is told at once, the
colour drawn with the next frame.
"""


async def titled(it: Sight, app_id: str, title: str) -> None:
    """Wait until sway tells that title."""
    with anyio.fail_after(WAIT_S):
        while (await it.window(app_id)).title != title:
            await anyio.lowlevel.checkpoint()


@pytest.mark.parametrize("version", [3, 4])
@pytest.mark.parametrize("pause_s", [0, 0.05, 0.3])
async def test_r49_a_picture_right_after_a_new_title_shows_what_came_with_it(
    stage: Stage, version: int, pause_s: float
) -> None:
    name = f"bed.titled{version}"
    program = await stage.start([sys.executable, "-c", APP, str(version), name])
    await stage.shows(name, deadline_s=START_S)
    async with sight(stage) as it:
        window = await it.window(name)
        await it.windows.to_background(window.id)
        await it.eyes.still(window.handle, quiet_s=0.5, deadline_s=5)
        old = []
        for count in range(1, 11):
            await anyio.sleep(pause_s)
            os.kill(program.pid, signal.SIGUSR1)
            await titled(it, name, str(count))
            pixels = await it.eyes.window(window.handle)
            middle = pixel(pixels, pixels.size.width // 2, pixels.size.height // 2)
            if (middle, pixels.current) != ((0, 0, 10 * count), True):
                old.append(count)
        # About half were, once. A program that gets no time on a busy machine may miss one.
        assert len(old) <= 1, old


async def test_a_picture_right_after_keys_shows_what_they_did(stage: Stage) -> None:
    async with sight(stage) as it:
        hands = await Seats(it.globals, it.outputs, it.toplevels).make()
        app = await stage.gtk(4)
        window = await it.window("bed.gtk4")
        await it.windows.to_background(window.id)
        await it.eyes.still(window.handle, quiet_s=0.5, deadline_s=5)
        for _ in range(5):
            assert await hands.focus(window.handle)
            await it.eyes.still(window.handle, quiet_s=0.3, deadline_s=2)
            before = await it.eyes.window(window.handle)
            await hands.keys(window.handle, text_bursts("MMMM ")[0])
            after = await it.eyes.window(window.handle)
            changed = image.changed_box(before, after)
            assert changed is not None
            assert changed.width > 30  # the cursor blinks, and is narrower
        assert await app.ask("text") == "MMMM " * 5
        hands.close()

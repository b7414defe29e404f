"""Menus that stick out of their window: they are in its picture, and what is clicked there is hit."""

from __future__ import annotations

import sys
from pathlib import Path

import anyio
import pytest

from tests.live.bed.patience import START_S, until, until_it_says
from tests.live.bed.stage import Stage

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("daemon")]

APP = """
import sys, gi
version, name, record = sys.argv[1:]
gi.require_version("Gtk", version + ".0")
from gi.repository import Gio, GLib, Gtk
GLib.set_prgname(name)
application = Gtk.Application(application_id=name)
def chosen(what):
    with open(record, "a") as file:
        file.write(what + "\\n")
def show(_):
    window = Gtk.ApplicationWindow(application=application, title=name, default_width=600, default_height=100)
    model = Gio.Menu()
    for what in ("first", "second", "third", "fourth"):
        action = Gio.SimpleAction(name=what)
        action.connect("activate", lambda *_, what=what: chosen(what))
        window.add_action(action)
        model.append(what.title() + " of the four", "win." + what)
    button = Gtk.MenuButton(menu_model=model, halign=Gtk.Align.START, valign=Gtk.Align.END)
    box = Gtk.Box(orientation=Gtk.Orientation.HORIZONTAL)
    label = Gtk.Label(label="A letter to the editor, about as wide as its window", hexpand=True)
    if version == "3":
        button.set_use_popover(False)
        button.add(Gtk.Label(label="Menu"))
        box.add(button)
        box.add(label)
        window.add(box)
        window.show_all()
    else:
        button.set_label("Menu")
        box.append(button)
        box.append(label)
        window.set_child(box)
        window.present()
application.connect("activate", show)
application.run()
"""
"""A low window with a button at its lower left, whose menu therefore sticks out below."""


async def put(stage: Stage, name: str) -> None:
    """Make it low and floating. Said again until it is: what a program still has to answer undoes it."""
    place = "resize set 600 px 100 px, move absolute position 400 300"

    async def shape() -> tuple[int, int]:
        stage.sway.run(f'[app_id="{name}"] floating enable, border none, {place}')
        await anyio.sleep(0.1)
        window = stage.sway.window(name)
        return (0, 0) if window is None else (window["rect"]["width"], window["rect"]["height"])

    await until_it_says(shape, (600, 100), "the window is low")


@pytest.mark.parametrize("version", [3, 4])
async def test_r43_a_menu_that_sticks_out_is_seen_and_clicked(
    stage: Stage, tmp_path: Path, version: int
) -> None:
    agent, name, record = await stage.agent(), f"bed.menu{version}", tmp_path / "chosen"
    await stage.start([sys.executable, "-c", APP, str(version), name, str(record)])
    await stage.shows(name, deadline_s=START_S)
    await put(stage, name)
    await agent.ok("desktop_wait", target=name, still_s=0.5)

    async def drawn() -> tuple[int, bool]:
        frame = (await agent.ok("desktop_screenshot", target=name)).outcome["frame"]
        return frame["width"], frame["exact"]

    await until_it_says(drawn, (600, True), "it is drawn as it was put")
    plain = (await agent.ok("desktop_screenshot", target=name)).outcome["frame"]
    height = plain["height"]
    reply = await agent.ok("desktop_click", target=name, x=20, y=height - 15, observe="image")
    await agent.ok("desktop_wait", target=name, still_s=0.5)
    seen = (await agent.ok("desktop_screenshot", target=name)).outcome["frame"]
    assert seen["exact"], (seen, reply.text)
    assert seen["height"] > height + 60
    # The menu is below the content; its items share its height.
    below = height - seen["origin"][1]
    step = (seen["height"] - below) / 4
    await agent.ok(
        "desktop_click", target=seen["ref"], x=-seen["origin"][0] + 40, y=below + step * 2.5
    )
    await until(record.exists, "an item was chosen")
    await until(lambda: record.read_text() == "third\n", "it is the one that was clicked")
    again = await agent.call("desktop_click", target=seen["ref"], x=40, y=below + step)
    assert again.code == "stale.menu_changed", again.text

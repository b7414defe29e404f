"""Programs behind the seat filter: whose keys they take, what the person can still do, where
their menus are.
"""

from __future__ import annotations

import io
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from PIL import Image, ImageChops

from tests.live.bed.agent import Agent, Reply
from tests.live.bed.patience import START_S, WAIT_S, until, until_it_says
from tests.live.bed.program import Program
from tests.live.bed.rows_web import firefox
from tests.live.bed.stage import SCREEN, Stage
from tests.live.bed.tree import OUTPUTS

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("daemon")]

SEAT = "seat0"
WIDE = (640, 260)  # of a browser's, which has bars of its own
SIZE = (640, 200)  # of the window with a menu: wider than that, and less high
# A browser drops what is typed before the page was drawn once; the title says when that was.
PAGE = """<!doctype html><meta charset=utf-8><title>loading</title>
<body style="margin:0"><textarea autofocus style="width:99vw;height:95vh"
 oninput="document.title='said:'+this.value"></textarea>
<script>let left=3; (function drawn(){ if (left--) requestAnimationFrame(drawn)
 else document.title='said:' })()</script>
"""

CHOICE = """<!doctype html><meta charset=utf-8><title>loading</title><body style="margin:0">
<select style="position:fixed;left:20px;bottom:10px;width:200px;height:30px"
 onchange="document.title='chosen:'+this.value"></select>
<script>
for (let n = 1; n < 13; n++) document.querySelector('select').append(new Option('option ' + n))
let left=3; (function drawn(){ if (left--) requestAnimationFrame(drawn)
 else document.title='chosen:' })()</script>
"""

# Writes its text to a file with every change.
NOTEBOOK = """
import sys, gi
version, path = sys.argv[1:]
gi.require_version("Gtk", version)
from gi.repository import Gio, Gtk
def activate(app):
    window, view = Gtk.ApplicationWindow(application=app), Gtk.TextView()
    text = view.get_buffer()
    text.connect("changed", lambda _: open(path, "w").write(text.get_text(*text.get_bounds(), True)))
    if version == "3.0":
        window.add(view)
        window.show_all()
    else:
        window.set_child(view)
        window.present()
app = Gtk.Application(application_id="bed.launched", flags=Gio.ApplicationFlags.NON_UNIQUE)
app.connect("activate", activate)
app.run([])
"""


def _foot(path: Path) -> list[str]:
    return ["foot", "--app-id=bed.launched", "sh", "-c", f'exec cat > "{path}"']


def _gtk(version: str) -> Callable[[Path], list[str]]:
    return lambda path: [sys.executable, "-c", NOTEBOOK, version, str(path)]


def _mousepad(path: Path) -> list[str]:
    return ["mousepad", "--disable-server", str(path)]


def _firefox(page: Path) -> list[str]:
    return firefox(page.with_name("firefox"), page.as_uri())


def _chromium(page: Path) -> list[str]:
    return [
        *("chromium", "--no-sandbox", "--ozone-platform=wayland", "--no-first-run"),
        *("--disable-gpu", "--password-store=basic", "--disable-dev-shm-usage"),
        *(f"--user-data-dir={page.with_name('chromium')}", page.as_uri()),
    ]


EDITORS = {"foot": _foot, "GTK 3": _gtk("3.0"), "GTK 4": _gtk("4.0")}
BROWSERS = {"Firefox": _firefox, "Chromium": _chromium}


def opened(reply: Reply) -> str:
    """The ref of the window that a launch opened."""
    assert reply.outcome["opened"], reply.text
    return str(reply.outcome["opened"][0]["ref"])


async def heard(mine: Program) -> str:
    """What the person's own window heard from the person."""
    return str((await mine.ask("state"))["seats"][SEAT]["text"])


@pytest.mark.parametrize("toolkit", EDITORS)
async def test_agent_and_person_both_type_into_a_window_behind_the_filter(
    stage: Stage, tmp_path: Path, toolkit: str
) -> None:
    path = tmp_path / "text.txt"
    path.write_text("")
    mine, person = await stage.window("bed.person"), await stage.person()
    agent = await stage.agent()
    ref = opened(await agent.ok("desktop_launch", argv=EDITORS[toolkit](path), timeout_s=40))
    await person.ask("keep_typing", phrase="mine ")
    await agent.ok("desktop_type", target=ref, text="agent", submit=True)
    await until(lambda: path.read_text() == "agent\n", "the agent's text is there")
    typed = await person.ask("stop_typing")
    await until_it_says(lambda: heard(mine), typed, "the person's text")

    _fetched_by_the_person(stage)
    await person.ask("type", text="person\n")
    await until(lambda: path.read_text() == "agent\nperson\n", "the person's text is there")


def _fetched_by_the_person(stage: Stage) -> None:
    """As if the person had fetched the agent's window and gone to it."""
    others = ("bed.person", "dev.slate.parking")
    (window,) = (w for w in stage.sway.windows() if w["app_id"] not in others)
    stage.sway.run(f"[con_id={window['id']}] move container to workspace current, focus")


@pytest.mark.parametrize("browser", BROWSERS)
async def test_a_page_takes_the_agents_keys_in_the_background(
    stage: Stage, tmp_path: Path, browser: str
) -> None:
    """Chromium listens to the keyboard of the first seat it is told of, and to no other."""
    argv = BROWSERS[browser](page := tmp_path / "page.html")
    if shutil.which(argv[0]) is None:
        pytest.skip(f"{argv[0]} is not installed")
    page.write_text(PAGE)
    mine, person = await stage.window("bed.person"), await stage.person()
    agent = await stage.agent()
    ref = opened(await agent.ok("desktop_launch", argv=argv, timeout_s=40))
    await until(lambda: _title(stage, "said:"), "the page is there", deadline_s=START_S)
    await person.ask("keep_typing", phrase="mine ")
    await agent.ok("desktop_type", target=ref, text="Hello, agent", observe="none")
    await until(lambda: _title(stage, "said:Hello, agent"), "the page has the agent's text")
    typed = await person.ask("stop_typing")
    await until_it_says(lambda: heard(mine), typed, "the person's text")
    # Chromium hears one seat's keys only, and that is not the person's now.
    if browser == "Firefox":
        _fetched_by_the_person(stage)
        await person.ask("type", text=", person")
        await until(lambda: _title(stage, "said:Hello, agent, person"), "the page has both texts")


def _title(stage: Stage, part: str) -> bool:
    return any(part in str(window["name"]) for window in stage.sway.windows())


async def test_r43_the_content_is_found_under_a_menu_that_sticks_out(
    stage: Stage, tmp_path: Path
) -> None:
    """The filter has seen where the menu is; the picture with it begins above the content."""
    path = tmp_path / "text.txt"
    path.write_text("one\ntwo\n")
    agent = await stage.agent()
    ref = opened(await agent.ok("desktop_launch", argv=_mousepad(path), timeout_s=40))
    await _into_the_corner(stage, agent, ref, *SIZE)
    await agent.ok("desktop_focus", window=ref)
    plain, _ = await _picture(agent, ref)
    place = {"x": SIZE[0] - 30, "y": SIZE[1] - 20}
    await agent.ok("desktop_click", target=ref, **place, button="right", observe="none")
    shown, corner = plain, (0, 0)
    with anyio.fail_after(WAIT_S):
        while shown.size == plain.size:
            shown, corner = await _picture(agent, ref)
    assert corner[1] < 0, "the menu does not stick out"
    shown = shown.crop((-corner[0], -corner[1], SIZE[0] - corner[0], SIZE[1] - corner[1]))
    assert _changed(plain, shown, (200, 0, *SIZE)) > 1000, "there is no menu"
    assert _changed(plain, shown, (0, 0, 150, SIZE[1])) < 60, "more than a caret that blinks"


@pytest.mark.parametrize("browser", BROWSERS)
async def test_r43_the_choices_of_a_page_are_seen_located_and_clicked(
    stage: Stage, tmp_path: Path, browser: str
) -> None:
    """They open over the page, in Chromium beyond the low window."""
    argv = BROWSERS[browser](page := tmp_path / "page.html")
    if shutil.which(argv[0]) is None:
        pytest.skip(f"{argv[0]} is not installed")
    page.write_text(CHOICE)
    agent = await stage.agent()
    ref = opened(await agent.ok("desktop_launch", argv=argv, timeout_s=40))
    await until(lambda: _title(stage, "chosen:"), "the page is there", deadline_s=START_S)
    with anyio.fail_after(START_S):
        while True:  # a program that still answers an earlier change undoes this one
            await _into_the_corner(stage, agent, ref, *WIDE)
            plain = await _shown(agent, ref, lambda _: True)
            if (plain["width"], plain["height"]) == WIDE:
                break

    choose = {"x": 100, "y": WIDE[1] - 25}
    before, _ = await _picture(agent, ref)
    await agent.ok("desktop_click", target=ref, **choose, observe="none")
    with anyio.fail_after(START_S):
        while True:
            frame = await _shown(agent, ref, lambda _: True)
            now, corner = await _picture(agent, ref)
            now = now.crop((-corner[0], -corner[1], WIDE[0] - corner[0], WIDE[1] - corner[1]))
            part = (20, 100, 220, 210)
            if ImageChops.difference(before.crop(part), now.crop(part)).getbbox() is not None:
                break
    assert frame["exact"], frame
    # GTK 3, of which Firefox's choices are made, takes clicks of the first half second for the one that opened them.
    await anyio.sleep(0.6)
    left, top = frame["origin"]
    place = {"x": choose["x"] - left, "y": choose["y"] - 60 - top}
    await agent.ok("desktop_click", target=frame["ref"], **place, observe="none")
    await until(lambda: _title(stage, "chosen:option"), "a choice was made")


async def _shown(
    agent: Agent, ref: str, wanted: Callable[[dict[str, Any]], bool]
) -> dict[str, Any]:
    """The facts of a picture that is as wanted, once the window is at rest."""
    with anyio.fail_after(START_S):
        while True:
            await agent.ok("desktop_wait", target=ref, still_s=0.3)
            shot = await agent.ok("desktop_screenshot", target=ref)
            frame: dict[str, Any] = shot.outcome["frame"]
            if wanted(frame):
                return frame


def _changed(one: Image.Image, other: Image.Image, part: tuple[int, int, int, int]) -> int:
    """How many pixels of a part differ, by more than the colours of a window without focus do."""
    difference = ImageChops.difference(one.crop(part), other.crop(part)).convert("L")
    return sum(difference.histogram()[128:])


async def _into_the_corner(stage: Stage, agent: Agent, ref: str, width: int, height: int) -> None:
    """Put a small window where its menus must open upwards."""
    background = next(o["rect"] for o in stage.sway.ask(OUTPUTS) if o["name"] != SCREEN)
    left = background["x"] + background["width"] - width - 10
    top = background["y"] + background["height"] - height - 10
    await agent.ok("desktop_window_set", window=ref, floating=True)
    await agent.ok("desktop_window_set", window=ref, rect=[left, top, width, height])


async def _picture(agent: Agent, ref: str) -> tuple[Image.Image, tuple[int, int]]:
    """What the agent is shown of a window, whose place in the capture must be certain, and where
    the picture begins from the content.
    """
    reply = await agent.ok("desktop_screenshot", target=ref)
    assert "not certain" not in reply.text
    begin = re.search(r", from (-?\d+),(-?\d+)", reply.text)
    assert begin is not None, reply.text
    picture = Image.open(io.BytesIO(reply.pictures[0][1])).convert("RGB")
    return picture, (int(begin[1]), int(begin[2]))


@pytest.mark.parametrize(("own_seat_first", "display"), [(True, "seat-"), (False, "wayland-")])
async def test_a_launch_can_do_without_the_filter(
    stage: Stage, tmp_path: Path, own_seat_first: bool, display: str
) -> None:
    agent, out = await stage.agent(), tmp_path / "out"
    argv = ["sh", "-c", f'basename "$WAYLAND_DISPLAY" > "{out}"']
    await agent.call("desktop_launch", argv=argv, own_seat_first=own_seat_first, timeout_s=2)
    assert out.read_text().startswith(display)


async def test_elements_of_a_program_behind_the_filter_are_its_own(
    stage: Stage, tmp_path: Path
) -> None:
    """The compositor takes the filter for the program; whoever looks for it by its pid must not."""
    path = tmp_path / "text.txt"
    path.write_text("one\n")
    agent = await stage.agent()
    ref = opened(await agent.ok("desktop_launch", argv=_mousepad(path), timeout_s=40))
    reply = await agent.ok("desktop_elements", target=ref, query="Search")
    assert '"Search"' in reply.text

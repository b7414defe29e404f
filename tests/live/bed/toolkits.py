"""Real programs of five toolkits, each opened alone: what trees are compared and measured on."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from slate_desktop.geometry import Rect
from slate_desktop.model import Handle, Place, Window, WindowId
from tests.live.bed.patience import START_S, until
from tests.live.bed.rows_web import chromium, firefox
from tests.live.bed.stage import Stage, kill_group

TOOLKITS = ("gtk3", "gtk4", "qt", "firefox", "chromium")
TITLE = "bed page"
ITEM = (
    "<li><a href='#{n}'>link {n}</a> <label>field {n} <input value='v{n}'></label>"
    "<button>button {n}</button></li>"
)
HEAD = f"<!doctype html><meta charset=utf-8><title>{TITLE}</title><h1>Heading</h1><p>Text and <b>more</b>."


def page(items: int) -> str:
    """A page of links, fields and buttons: some six widgets an item."""
    return HEAD + "<ul>" + "".join(ITEM.format(n=n) for n in range(items)) + "</ul>"


@asynccontextmanager
async def opened(stage: Stage, kind: str, *, items: int = 40) -> AsyncIterator[Window]:
    """A program of that toolkit: Mousepad, GNOME Text Editor, 200 Qt buttons, or a browser on a page. Its window."""
    with TemporaryDirectory(prefix="slate-tk-", ignore_cleanup_errors=True) as directory:
        place = Path(directory)
        url = (place / "page.html").as_uri()
        (place / "page.html").write_text(page(items), encoding="utf-8")
        argv, title = {
            "gtk3": (["mousepad"], "Mousepad"),
            "gtk4": (["gnome-text-editor", "--standalone"], "Text Editor"),
            "qt": (["/usr/bin/python3", "-m", "tests.live.bed.buttons_qt"], "bed buttons"),
            "firefox": (firefox(place / "profile", url), TITLE),
            "chromium": (chromium(place / "profile", url), TITLE),
        }[kind]
        process = await stage.start(argv)
        try:
            yield await shown(stage, title)
        finally:
            kill_group(process.pid)
            await process.wait()


async def shown(stage: Stage, title: str) -> Window:
    """The window with that in its title, once it is there."""
    look = partial(_window, stage, title)
    return await until(look, f"a window {title!r}", deadline_s=START_S)


def _window(stage: Stage, title: str) -> Window | None:
    found: list[dict[str, Any]] = [w for w in stage.sway.windows() if title in str(w["name"])]
    if not found:
        return None
    it = found[-1]
    rect = Rect(*(it["rect"][side] for side in ("x", "y", "width", "height")))
    return Window(
        WindowId(it["id"]),
        Handle(str(it["id"])),
        str(it["name"]),
        str(it["app_id"]),
        it["pid"],
        rect,
        Place.SCREEN,
        "1",
        "HEADLESS-1",
    )

"""The columns of the table of toolkits: each does one thing as an agent and asks the application what it got."""

from __future__ import annotations

import re
import string
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import anyio
from PIL import Image, ImageChops

from tests.live.bed.kits.opened import TERMINALS, opened
from tests.live.bed.kits.sheet import ITEMS, PARCEL, PRESS
from tests.live.bed.patience import WAIT_S
from tests.matrix.trial import STILL_S, No, Trial, needs, says

ASCII = string.ascii_letters + string.digits + string.punctuation + " end"
UNICODE = "é ñ ő ß Ωω жщ 漢字 한국 かな e\u0301 € “x” 🐱 👩\u200d🔬 🇩🇪."
CHORDS = ["ctrl+k", "alt+x", "shift+F5"]
PASTED = "línea 漢字 🐱"
PASTE = {"foot": "ctrl+shift+v", "xterm": "shift+Insert"}
COLOURS = {"covered": (176, 48, 80), "hidden": (48, 144, 64)}
COVER = "bed.cover"  # a window of the person's that floats
DESK, AWAY = "desk", "away"  # their workspace, and one that no screen shows
# Browsers have other fields above the page's; the toolkits' has no name.
FIELD = r'(?:text|entry)(?: "Field"| \d| =| focused| editable)'
OPENING_S = 0.6  # a menu of GTK 3 takes clicks of the first half second for the one that opened it
EDGE = 120  # pixels from the left of what is looked at
GAP = 6  # unchanged rows of a picture that end a menu
CLOSE = 12  # how far a colour may be off: toolkits have colour spaces of their own


async def click(trial: Trial) -> None:
    """One press, of the left button, on the pad."""
    await trial.point("desktop_click", "pad")
    await trial.gets("press", ["left"])


async def double_click(trial: Trial) -> None:
    """A double press; terminals leave it to their programs to tell two from one."""
    await trial.point("desktop_click", "pad", count=2)
    if trial.app.kind in TERMINALS:
        await trial.gets("press", ["left", "left"])
    else:
        await trial.gets("double", ["left"])


async def right_click(trial: Trial) -> None:
    """One press of the right button."""
    await trial.point("desktop_click", "pad", button="right")
    await trial.gets("press", ["right"])


async def type_ascii(trial: Trial) -> None:
    """Every printable ASCII character."""
    await typed(trial, ASCII)


async def type_unicode(trial: Trial) -> None:
    """Other scripts, combining marks, emoji of several code points."""
    await typed(trial, UNICODE)


async def typed(trial: Trial, text: str) -> None:
    """By keys alone, into the field."""
    await trial.field()
    reply = await trial.agent.ok("desktop_type", target=trial.app.ref, text=text, observe="none")
    if "by keys" not in reply.verdict:
        raise No(reply.verdict)
    await trial.holds(text)


async def chord(trial: Trial) -> None:
    """Ctrl, Alt and Shift with a key each."""
    await trial.field()
    await trial.agent.ok("desktop_key", target=trial.app.ref, keys=CHORDS, observe="none")
    await trial.gets("key", CHORDS)


async def scroll(trial: Trial) -> None:
    """Three notches down are three times one, two to the left are twice one, each on its axis alone."""
    unit = {}
    for axis, way in (("down", 1), ("right", -1)):
        await trial.app.ask("forget")
        await trial.point("desktop_scroll", "pad", **{axis: way})
        unit[axis] = await _turned(trial, None)
    if unit["down"][0] or unit["down"][1] <= 0 or unit["right"][1] or unit["right"][0] >= 0:
        raise No(f"one notch down is {unit['down']}, one to the left {unit['right']}")
    for axis, way, times in (("down", 3, 3), ("right", -2, 2)):
        await trial.app.ask("forget")
        await trial.point("desktop_scroll", "pad", **{axis: way})
        await _turned(trial, (unit[axis][0] * times, unit[axis][1] * times))


async def _turned(trial: Trial, wanted: tuple[float, float] | None) -> tuple[float, float]:
    """How far the wheel turned: exactly as wanted, or, when that is open, once it has come to rest."""

    async def look() -> tuple[float, float]:
        wheels = await trial.app.got("wheel")
        return round(sum(w[0] for w in wheels), 2), round(sum(w[1] for w in wheels), 2)

    if wanted is not None:
        await says(look, (round(wanted[0], 2), round(wanted[1], 2)), "wheel")
        return wanted
    seen: list[tuple[float, float]] = [(0.0, 0.0)]
    with anyio.move_on_after(WAIT_S):
        while not any(seen[-1]) or len(set(seen[-3:])) > 1:
            await anyio.sleep(STILL_S)
            seen.append(await look())
    return await look()


async def drag_and_drop(trial: Trial) -> None:
    """From one part of the window to another, or, where nothing can be taken, from another window."""
    needs(trial, "goal", why="it takes no drops")
    if "source" not in trial.app.parts:
        await _from_outside(trial)
        return
    path = [list(trial.app.middle("source")), list(trial.app.middle("goal"))]
    await trial.agent.ok("desktop_drag", target=trial.app.ref, path=path, observe="none")
    await trial.gets("drop", [PARCEL])


async def _from_outside(trial: Trial) -> None:
    """From a window of GTK 3 beside it."""
    async with opened(trial.stage, trial.agent, "GTK 3") as giver:
        other = Trial(trial.stage, trial.agent, trial.person, giver)
        await other.back()
        trial.tell("move position 0 100")
        other.tell("move position 640 100")
        await trial.field()
        await anyio.sleep(STILL_S)
        here, there = other.window["rect"], trial.window["rect"]
        goal = trial.app.middle("goal")
        end = [goal[0] + there["x"] - here["x"], goal[1] + there["y"] - here["y"]]
        path = [list(giver.middle("source")), end]
        await trial.agent.ok("desktop_drag", target=giver.ref, path=path, observe="none")
        try:
            if trial.app.kind in TERMINALS:
                await trial.holds(PARCEL)
            else:
                await trial.gets("drop", [PARCEL])
        finally:
            await trial.back()


async def popup_located(trial: Trial) -> None:
    """What is three quarters down a menu in a picture is what a click there chooses."""
    needs(trial, "menu", why="it has no menu")
    await trial.field()
    before, plain = await trial.picture()
    await trial.point("desktop_click", "menu")
    await anyio.sleep(OPENING_S)
    after, frame = await trial.picture()
    left, top, right, bottom = _new(before, plain, after, frame, trial.app.parts["menu"])
    place = ((left + right) / 2, top + (bottom - top) * (ITEMS.index("third") + 0.5) / len(ITEMS))
    await trial.agent.ok(
        "desktop_click", target=frame["ref"], x=place[0], y=place[1], observe="none"
    )
    await trial.gets("chosen", ["third"])
    if not frame["exact"]:
        raise No("the origin of the picture is not known exactly")


def _new(
    before: Image.Image,
    plain: Mapping[str, Any],
    after: Image.Image,
    frame: Mapping[str, Any],
    button: list[float],
) -> tuple[int, int, int, int]:
    """Where the menu is in the second picture: what is new outside the rows of its button."""
    old = Image.new("RGB", after.size)
    x, y = frame["origin"][0] - plain["origin"][0], frame["origin"][1] - plain["origin"][1]
    old.paste(before, (-round(x), -round(y)))
    changed = ImageChops.difference(old, after).convert("L").point(lambda v: 255 * (v > 8))
    low = round(button[1] + button[3] - frame["origin"][1])
    high = max(0, round(button[1] - frame["origin"][1]))
    below = _run(changed, range(low, after.height))
    above = _run(changed, range(high - 1, -1, -1))
    rows = max(below, above, key=len)
    if not rows:
        raise No("no menu is in the picture")
    box = changed.crop((0, rows[0], after.width, rows[-1] + 1)).getbbox()
    assert box is not None
    return box[0], rows[0], box[2], rows[-1] + 1


def _run(changed: Image.Image, rows: range) -> list[int]:
    """The rows next to the button that have changed: a caret far off that blinks is no part of a menu."""
    found: list[int] = []
    for row in rows:
        if changed.crop((0, row, changed.width, row + 1)).getbbox() is not None:
            found.append(row)
        elif found and abs(row - found[-1]) > GAP:
            break
    return sorted(found)


async def capture_covered(trial: Trial) -> None:
    """A colour that the application took below a window of the person's is in its picture."""
    try:
        trial.tell("floating disable")
        trial.tell(f"move container to workspace {DESK}")
        await anyio.sleep(STILL_S)  # the person's window makes room
        box = trial.window["rect"]
        over = f"move absolute position {box['x']} {box['y']}"
        size = f"resize set {box['width']} px {box['height']} px"
        trial.stage.sway.run(f'[app_id="{COVER}"] {size}, {over}')
        await _coloured(trial, "covered")
    finally:
        await trial.back()


async def capture_hidden(trial: Trial) -> None:
    """The same on a workspace that no screen shows."""
    try:
        trial.tell(f"move container to workspace {AWAY}")
        await _coloured(trial, "hidden")
    finally:
        await trial.back()


async def _coloured(trial: Trial, how: str) -> None:
    """The colour comes into a picture: a program that is covered draws once it is looked at, in its own time."""
    wanted = COLOURS[how]
    await trial.app.ask("paint", colour="#{:02x}{:02x}{:02x}".format(*wanted))
    await trial.app.look()
    deadline = anyio.current_time() + WAIT_S
    while True:
        seen = await _colour(trial)
        if max(abs(a - b) for a, b in zip(seen, wanted, strict=True)) <= CLOSE:
            return
        if anyio.current_time() > deadline:
            raise No(f"painted {wanted}, seen {seen}")


async def _colour(trial: Trial) -> tuple[int, ...]:
    """What a picture shows of the pad, near its left edge: a narrow tile shows no more of a screen of X11."""
    left, top, _width, height = trial.app.parts["pad"]
    x, y = left + EDGE, top + height // 2
    picture, frame = await trial.picture()
    per_x, per_y = picture.width / frame["width"], picture.height / frame["height"]
    place = int((x - frame["origin"][0]) * per_x), int((y - frame["origin"][1]) * per_y)
    if not (0 <= place[0] < picture.width and 0 <= place[1] < picture.height):
        raise No(f"{place} is not in the picture of {picture.size}")
    seen = picture.getpixel(place)
    assert isinstance(seen, tuple)
    return seen


async def clipboard_paste(trial: Trial) -> None:
    """The agent's clipboard, by the toolkit's own chord."""
    await trial.field()
    await trial.agent.ok("desktop_clipboard_set", text=PASTED)
    key = PASTE.get(trial.app.kind, "ctrl+v")
    await trial.agent.ok("desktop_key", target=trial.app.ref, keys=[key], observe="none")
    await trial.holds(PASTED)


async def _listed(trial: Trial, role: str) -> str:
    """The ref of the first element of that role."""
    reply = await trial.agent.call("desktop_elements", target=trial.app.ref)
    if reply.error:
        raise No(reply.code)
    found = re.search(rf"^(e\d+) {role}", reply.text, re.MULTILINE)
    if found is None:
        raise No(f"no {role} is listed")
    return found.group(1)


async def list_elements(trial: Trial) -> None:
    """The button by its name, and the field."""
    await _listed(trial, f'push button "{PRESS}"')
    await _listed(trial, FIELD)


async def read(trial: Trial) -> None:
    """What the application says is what is read."""
    await trial.app.ask("say", words="Read this, please")
    await trial.app.ask("fill", text="and that")
    seen: list[str] = []
    with anyio.move_on_after(WAIT_S):
        while True:
            reply = await trial.agent.call("desktop_read", target=trial.app.ref)
            if reply.error:
                raise No(reply.code)
            seen = [part for part in ("Read this, please", "and that") if part in reply.text]
            if len(seen) == 2:
                return
            await anyio.sleep(0.05)
    raise No(f"only {seen} was read")


async def click_element(trial: Trial) -> None:
    """The button, by its ref."""
    element = await _listed(trial, f'push button "{PRESS}"')
    await trial.agent.ok("desktop_element_click", element=element, observe="none")
    await trial.gets("pressed", ["button"])


async def set_text(trial: Trial) -> None:
    """The field, by its ref; what was there is gone."""
    await trial.field()
    await trial.app.ask("fill", text="old")
    element = await _listed(trial, FIELD)
    await trial.agent.ok("desktop_element_set_text", element=element, text=PASTED, observe="none")
    await trial.holds(PASTED)


async def wait(trial: Trial) -> None:
    """For words that come later."""
    words = "It is done now"
    call = await trial.agent.post(
        "desktop_wait", target=trial.app.ref, text=words, timeout_s=WAIT_S
    )
    await anyio.sleep(0.5)
    await trial.app.ask("say", words=words)
    reply = await trial.agent.answer(call)
    if reply.error or "verified: yes" not in reply.verdict:
        raise No(reply.code or reply.verdict)


Column = Callable[[Trial], Awaitable[None]]
COLUMNS: dict[str, Column] = {
    "click": click,
    "double click": double_click,
    "right click": right_click,
    "type ASCII": type_ascii,
    "type Unicode": type_unicode,
    "chord": chord,
    "scroll both axes": scroll,
    "drag and drop": drag_and_drop,
    "popup located": popup_located,
    "capture covered": capture_covered,
    "capture hidden": capture_hidden,
    "clipboard paste": clipboard_paste,
    "list": list_elements,
    "read": read,
    "click element": click_element,
    "set text": set_text,
    "wait": wait,
}
SEAT0 = "seat0 untouched"

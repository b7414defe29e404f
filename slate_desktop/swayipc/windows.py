"""The window manager as the turn sees it: what is open, and the few things that may be done to a
window.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from itertools import pairwise
from math import ceil, sqrt

import anyio

from slate_desktop.errors import BadRequest, Unavailable, window_gone
from slate_desktop.geometry import Point, Rect
from slate_desktop.model import (
    BACKGROUND_WORKSPACE,
    PERSON,
    Desktop,
    Output,
    Place,
    Window,
    WindowId,
)
from slate_desktop.swayipc.background import Background
from slate_desktop.swayipc.codec import Ask, Json, on, output_name
from slate_desktop.swayipc.ipc import Events, Ipc
from slate_desktop.swayipc.ripple import Ripple
from slate_desktop.swayipc.tree import Frame, desktop, frames

LAYOUTS = ("side-by-side", "stacked", "tabbed", "grid", "floating")
_MARK = "dev.slate"  # where the next window goes while arranging; taken off again
_ASIDE = f"{BACKGROUND_WORKSPACE}-arranging"  # exists only while windows are taken apart
_CASCADE_PX = 40
_LOOKS = 10
_PATIENCE_S = (0.03, 0.06, 0.12, 0.24, 0.48)
"""sway gives a client 0.2 s to follow a change; that of a busy machine may follow later still."""


Naming = Callable[[Desktop], Awaitable[Desktop]]
"""Corrects what sway cannot know of windows: whose they are when it sees somebody in between."""


class SwayWindows:
    """Implements the `Windows` port on sway's IPC."""

    def __init__(
        self, ipc: Ipc, events: Events, background: Background, named: Naming | None = None
    ) -> None:
        self._ipc = ipc
        self._events = events
        self._background = background
        self._named = named
        self._ripple = Ripple(ipc)

    async def desktop(self, *, drawn: bool = False) -> Desktop:
        """Everything as it is now; the `nop` makes the person's seat sway's current one again.

        A window that has just come to where another is has an output of its own first.
        """
        if drawn:
            await self._ripple.passed()
        tree, seats = await self._tree()
        if self._background.crowded(tree, seats):
            with suppress(Unavailable):  # better to list windows that share an output than none
                await self._background.settle()
        if self._background.stirred:
            with suppress(Unavailable):
                await self._ripple.passed()
            self._background.stirred = False
            tree, seats = await self._tree()
        seen = desktop(tree, seats, self._background.outputs)
        return await self._named(seen) if self._named is not None else seen

    async def changed(self, *, deadline_s: float) -> bool:
        """Wait for the next window, workspace or output event; False when none came in time."""
        return await self._events.changed(deadline_s=deadline_s)

    async def close(self, id_: WindowId) -> None:
        """Ask the window to close, as its close button would. Stale when it is gone."""
        await self._ipc.command(on(id_, "kill"))

    async def reshape(
        self,
        id_: WindowId,
        *,
        rect: Rect | None = None,
        floating: bool | None = None,
        fullscreen: bool | None = None,
        place: Place | None = None,
    ) -> None:
        """Change what is given. `rect` is the content's; a tiled window takes its size only, as its
        tiles allow.
        """
        if place is Place.BACKGROUND:
            await self.to_background(id_)
        elif place is Place.SCREEN:
            await self._to_screen(id_)
        if fullscreen is not None:
            await self._fill(id_, fullscreen)
        if floating is not None:
            await self._ipc.command(on(id_, f"floating {_switch(floating)}"))
        if rect is not None:
            await self._place(id_, rect)

    async def arrange(self, ids: Sequence[WindowId], layout: str) -> None:
        """Lay out background windows on one output: side-by-side, stacked, tabbed, grid or floating.

        BadRequest for another layout or a window that is not on the background; Stale when one is
        gone.
        """
        if layout not in LAYOUTS:
            raise BadRequest("layout", f"no such layout; there are {', '.join(LAYOUTS)}")
        before = await self.desktop()
        windows = [_on_background(before, id_) for id_ in dict.fromkeys(ids)]
        if not windows:
            raise BadRequest("no_windows", "no window was named")
        # Not where new windows come: from there they go to outputs of their own.
        spaces = {window.workspace: window.output for window in windows}
        space = next(
            (name for name in spaces if name != BACKGROUND_WORKSPACE), windows[0].workspace
        )
        home = f"move container to workspace {space}"
        ids = [window.id for window in windows]
        if layout == "floating":
            await self._ipc.command(*_cascade(ids, home, before.output(spaces[space])))
            return
        await self._ipc.command(
            *(on(id_, words) for id_ in ids for words in _TAKE_APART),
            *_grouped(ids, home, layout),
        )

    async def to_background(self, id_: WindowId) -> None:
        """Move a window to an output of the agent's, of its own if it shares one, without changing anyone's focus.
        Unavailable if it did not arrive.
        """
        if _alone(id_, await self.desktop()):
            return
        await self._ipc.command(on(id_, f"move container to workspace {BACKGROUND_WORKSPACE}"))
        if _known(await self.desktop(), id_).place is not Place.BACKGROUND:
            raise Unavailable(
                "background", "the compositor did not put the window on the background"
            )

    async def _to_screen(self, id_: WindowId) -> None:
        """Onto the workspace the person looks at, without changing anyone's focus."""
        seen = await self.desktop()
        screens = [output for output in seen.outputs if not output.background]
        theirs = seen.window_of(PERSON)
        near = [output for output in screens if theirs is not None and output.name == theirs.output]
        if not screens:
            raise Unavailable("no_screen", "the person has no screen", next_step="desktop_status")
        name = output_name((near or screens)[0].name)
        await self._ipc.command(on(id_, f"move container to output {name}"))

    async def _place(self, id_: WindowId, rect: Rect) -> None:
        """Bring the content to `rect`, again if the client undoes it or does not follow.

        sway takes over the size of whatever a client commits next, and that may still be its answer
        to an earlier change. A client may also pass over a size it was told of: then it is told of
        another one in between, for sway tells of changes only.
        """
        told_twice = False
        for patience_s in _PATIENCE_S:
            seen, frame = await self._at_rest(id_, patience_s)
            output = seen.output(_known(seen, id_).output)
            there = frame.content == rect
            if there and (frame.followed or told_twice or not frame.floating):
                return
            if frame.floating and output is not None and not output.rect.contains(rect.centre):
                # sway would hand it to the nearest output: from the background onto a screen
                raise BadRequest("off_output", f"the middle of {rect} is not on {output.name}")
            if there:
                told_twice = True
                less = Rect(rect.x, rect.y, rect.width, rect.height - 1)
                await self._ipc.command(*_placing(id_, less, frame))
                _, frame = await self._at_rest(id_, patience_s)
            await self._ipc.command(*_placing(id_, rect, frame))
            if not frame.floating:
                return

    async def _fill(self, id_: WindowId, fullscreen: bool) -> None:
        """Make a window fill its output or not, again if a floating client's late answer undoes it."""
        await self._ipc.command(on(id_, f"fullscreen {_switch(fullscreen)}"))
        if not fullscreen:
            return
        for patience_s in _PATIENCE_S:
            seen, frame = await self._at_rest(id_, patience_s)
            output = seen.output(_known(seen, id_).output)
            if not frame.floating or output is None or frame.content == output.rect:
                return
            await self._ipc.command(on(id_, "fullscreen disable"), on(id_, "fullscreen enable"))

    async def _look(self) -> tuple[Desktop, dict[WindowId, Frame]]:
        tree, seats = await self._tree()
        return desktop(tree, seats, self._background.outputs), frames(tree)

    async def _tree(self) -> tuple[Json, Json]:
        _, tree, seats = await self._ipc.ask(
            (Ask.RUN_COMMAND, "nop"), (Ask.GET_TREE, ""), (Ask.GET_SEATS, "")
        )
        return tree, seats

    async def _at_rest(self, id_: WindowId, patience_s: float) -> tuple[Desktop, Frame]:
        """The window's frame once it stays for `patience_s`: until sway has finished the last change
        it mixes old and new numbers.
        """
        before: Frame | None = None
        for _ in range(_LOOKS):
            seen, all_frames = await self._look()
            _known(seen, id_)
            if all_frames[id_] == before:
                break
            before = all_frames[id_]
            await anyio.sleep(patience_s)
        return seen, all_frames[id_]


_TAKE_APART = (
    "fullscreen disable",
    "floating disable",
    f"move container to workspace {_ASIDE}",
)


def _placing(id_: WindowId, rect: Rect, frame: Frame) -> list[str]:
    """Commands that bring the content to `rect`: sway counts border and title bar in, so they are
    added.
    """
    left = frame.content.x - frame.outer.x
    top = frame.content.y - frame.outer.y + frame.title_px
    width = rect.width + frame.outer.width - frame.content.width
    height = rect.height + frame.outer.height - frame.content.height + frame.title_px
    commands = [on(id_, f"resize set width {width} px height {height} px")]
    if frame.floating:
        commands.append(on(id_, f"move absolute position {rect.x - left} px {rect.y - top} px"))
    return commands


def _grouped(ids: Sequence[WindowId], home: str, layout: str) -> list[str]:
    """Commands that put windows which lie apart into one group, by marks only; `home` moves the first to its place."""
    first = ids[0]
    if layout != "grid":
        mode = {"side-by-side": "splith", "stacked": "stacking", "tabbed": "tabbed"}[layout]
        return [
            on(first, home),
            on(first, "splith"),
            on(first, f"layout {mode}"),
            *_row(ids),
            f"unmark {_MARK}",
        ]
    columns = ceil(sqrt(len(ids)))
    rows = [ids[start : start + columns] for start in range(0, len(ids), columns)]
    commands = [
        on(first, home),
        on(first, "splitv"),
        on(first, "layout splitv"),
        *_row([row[0] for row in rows]),
    ]
    for row in rows:
        commands += [on(row[0], "splith"), *_row(row)]
    return [*commands, f"unmark {_MARK}"]


def _row(ids: Sequence[WindowId]) -> list[str]:
    """Each window right after the one before it."""
    commands = []
    for before, after in pairwise(ids):
        commands.append(on(before, f"mark --add {_MARK}"))
        commands.append(on(after, f"move container to mark {_MARK}"))
    return commands


def _cascade(ids: Sequence[WindowId], home: str, output: Output | None) -> list[str]:
    corner = output.rect.origin if output is not None else Point(0, 0)
    commands = []
    for number, id_ in enumerate(ids):
        step_px = _CASCADE_PX * (number + 1)
        x_px, y_px = round(corner.x) + step_px, round(corner.y) + step_px
        commands += [
            on(id_, "fullscreen disable"),
            on(id_, "floating enable"),
            on(id_, home),
            on(id_, f"move absolute position {x_px} px {y_px} px"),
        ]
    return commands


def _known(seen: Desktop, id_: WindowId) -> Window:
    window = seen.window(id_)
    if window is None:
        raise window_gone("that window")
    return window


def _alone(id_: WindowId, seen: Desktop) -> bool:
    """Whether a window has an output of the agent's for itself."""
    window = seen.window(id_)
    return (
        window is not None
        and window.place is Place.BACKGROUND
        and not any(w.output == window.output and w.id != id_ for w in seen.windows)
    )


def _on_background(seen: Desktop, id_: WindowId) -> Window:
    window = _known(seen, id_)
    if window.place is not Place.BACKGROUND:
        raise BadRequest(
            "not_background",
            "only windows on the background can be arranged",
            next_step="desktop_hide moves a window there",
        )
    return window


def _switch(on_: bool) -> str:
    return "enable" if on_ else "disable"

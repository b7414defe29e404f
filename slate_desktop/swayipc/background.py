"""The agent's outputs: found or made, off the person's way, one for each window, put back after a reload.

On a person's sway three things of ours stay behind until its next reload: the positions their
outputs had anyway, the rules for our engine and parking windows (they match nothing else), and,
while a window is still on one, outputs.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

import anyio

from slate_desktop.errors import Stale, Unavailable
from slate_desktop.geometry import Rect, Size
from slate_desktop.model import BACKGROUND_WORKSPACE, PARKING_APP_ID, SANDBOX_ENGINE
from slate_desktop.swayipc.berths import (
    MOST,
    Step,
    is_ours,
    left_behind,
    next_step,
    number,
    own_name,
    passed_on,
    place_for,
    placed,
    unshifted,
)
from slate_desktop.swayipc.codec import Ask, Json, garbled, on, output_name
from slate_desktop.swayipc.ipc import Ipc
from slate_desktop.swayipc.tree import Node, integer, nodes, rect_of, text, window_nodes

ASIDE_PX = 100
# What a window may take, with room for windows that come meanwhile; the rest waits for the next event.
_STEPS = 6 * MOST
_HOME = f"move container to workspace {BACKGROUND_WORKSPACE}"
_ASIDE = f"move container to workspace {BACKGROUND_WORKSPACE}-moving"

RULES = (
    *(
        f'{rule} [{kind}="^{value}$"]{rest}'
        for kind, value in (("sandbox_engine", SANDBOX_ENGINE), ("app_id", PARKING_APP_ID))
        for rule, rest in (("assign", f" workspace {BACKGROUND_WORKSPACE}"), ("no_focus", ""))
    ),
    # Two rules: over IPC a comma ends the first command, and the second would hit the focused
    # window.
    f'for_window [app_id="^{PARKING_APP_ID}$"] floating enable',
    f'for_window [app_id="^{PARKING_APP_ID}$"] border none',
)

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Sight:
    """Active outputs with their places, the tree, and what each seat looks at."""

    outputs: Mapping[str, Rect]
    tree: Node
    seats: Json


class Background:
    """The outputs of the agent's windows, and the rules that lead our programs there.

    One of them is home: the parking windows are beside it, so it stays as long as anything is here.
    """

    def __init__(self, ipc: Ipc, size: Size) -> None:
        self._ipc = ipc
        self._size = size
        self._places: dict[str, Rect] = {}
        self._home = ""
        self._made: set[str] = set()  # outputs that are our work, so that we may take them away
        self._most = MOST
        # Of an output's number: those of outputs that were unplugged are not used again.
        self._highest = 0
        self._pinned: dict[str, Rect] = {}
        self._left = ""  # the screen the person came from when they got here
        self._closed = False
        self._one = anyio.Lock()
        self.stirred = (
            False  # whether windows were moved that sway may not show at their places yet
        )

    @property
    def outputs(self) -> frozenset[str]:
        """Names of the agent's outputs; empty before `ensure`."""
        return frozenset(self._places)

    async def ensure(self) -> str:
        """The name of the background's home; made if there is none. Nobody's focus changes.

        Unavailable when the compositor cannot make one or the person has its workspace on a screen
        of theirs.
        """
        async with self._one:
            seen = await self._look()
            found = left_behind(seen.outputs, _shown(seen.tree))
            if found:
                self._home = found[0]
                self._places = placed(seen.outputs, found)
            else:
                self._places = await self._make(seen)
                (self._home,) = self._places
            self._most, self._closed = MOST, False
            await self._say()
        return self._home

    async def lost(self) -> bool:
        """Whether the home that was found or made is there no more: then `ensure` again."""
        return not self._closed and self._home not in (await self._look()).outputs

    async def redo(self) -> None:
        """Say again what a reload makes sway forget: places of outputs, the workspaces' outputs, the
        rules.
        """
        async with self._one:
            self._most = MOST
            if self._home:
                await self._say()

    def crowded(self, tree: Json, seats: Json) -> bool:
        """Whether a window is to be moved, so that none covers or halves another: see `settle`."""
        step = self._next(tree, seats)
        return step is not None and step.urgent

    async def settle(self, *, quiet: bool = False) -> None:
        """Give each window of the background an output of its own, as far as there may be outputs; dialogs stay with
        their windows. Nobody's focus changes.

        `quiet`: nothing is starting, so outputs that may be wanted later are made, and what nobody needs is taken away.
        """
        async with self._one:
            for _ in range(_STEPS):
                seen = await self._look()
                self._places = {n: r for n, r in self._places.items() if n in seen.outputs}
                step = self._next(seen.tree, seen.seats)
                if step is None or not (quiet or step.urgent or step.commands):
                    return
                await self._take(step, seen)

    def visited(self, workspace: str, came_from: str) -> bool:
        """Whether it is one of ours that somebody came to, from an output that is not: if that is the person, they
        are to be brought back.
        """
        if not is_ours(workspace) or came_from in self._places:
            return False
        self._left = came_from
        return True

    async def give_back(self) -> None:
        """Bring workspaces of the person's that are on our outputs to a screen of theirs, and their focus too.

        Where a screen goes, sway puts what was on it onto whichever output it lists first, and ours may be that one;
        and the next of all workspaces may be ours: nobody would see it there.
        """
        await self._ipc.command("nop")  # the tree then tells the focus of the person's seat
        seen = await self._look()
        screens = [name for name in seen.outputs if name not in self._places]
        if self._home not in seen.outputs or not screens:
            return
        screen = output_name(self._left if self._left in screens else screens[0])
        for output in nodes(seen.tree, "nodes"):
            if text(output, "name") not in self._places:
                continue
            for workspace in nodes(output, "nodes"):
                window = next(window_nodes(workspace), None)
                if window is not None and not _reserved(text(workspace, "name")):
                    await self._ipc.command(
                        on(integer(window, "id"), f"move workspace to output {screen}")
                    )
            if _focused(output):
                await self._ipc.command(f"focus output {screen}")

    async def close(self) -> None:
        """Take away our outputs without a window, and the last of them if it was made here.

        With a window on it, an output stays as it is: sway would push the window onto a screen of the
        person's. The one that new windows come to then stays, too; the next daemon finds them again.
        """
        async with self._one:
            home, self._home, self._closed = self._home, "", True
            if not home:
                return
            seen = await self._look()
            places, self._places = self._places, {}
            kept = _in_use(seen.tree, places)
            shown = _shown(seen.tree)
            landing = next((name for name in places if shown.get(name) == BACKGROUND_WORKSPACE), "")
            if landing not in kept and home not in kept and shown.get(home) == own_name(home):
                await self._ipc.command(*passed_on(landing, home))
                landing = home
            stay = {*kept, landing} if kept else set()
            if home not in self._made:
                stay.add(home)
            self._made = set()
            for name in places:
                if name in seen.outputs and name not in stay:
                    await self._unplug(name)

    def _next(self, tree: Json, seats: Json) -> Step | None:
        return next_step(tree, seats, self._places.keys(), self._home, self._most)

    async def _take(self, step: Step, seen: _Sight) -> None:
        if step.more:
            try:
                await self._add(seen)
            except Unavailable as error:
                self._most = len(self._places)  # windows share, until it may be otherwise again
                log.warning("no more outputs", extra={"code": error.code, "why": error.message})
        elif step.away:
            self._places.pop(step.away)
            await self._unplug(step.away)
        else:
            self.stirred = self.stirred or step.urgent
            with suppress(Stale):  # a window that has closed meanwhile needs no place
                await self._ipc.command(*step.commands)

    async def _say(self) -> None:
        name, rect = self._home, self._places.get(self._home)
        seen = await self._look()
        self._places = {n: r for n, r in self._places.items() if n in seen.outputs}
        if rect is None or name not in self._places:
            self._home = ""
            raise Unavailable(
                "background",
                "the agent's output is gone",
                next_step="desktop_status, then start again",
            )
        self._pinned = {}
        await self._ipc.command(
            *self._pins(unshifted(seen.outputs, self._places)),
            f"workspace {BACKGROUND_WORKSPACE} output {output_name(name)}",
            *(word for place in self._places.items() for word in _berth(*place)),
            *RULES,
            # Beside the output, where it covers nothing and no pointer comes.
            f'for_window [app_id="^{PARKING_APP_ID}$"] move absolute position'
            f" {rect.x + rect.width + ASIDE_PX} px {rect.y + rect.height + ASIDE_PX} px",
        )

    async def _make(self, seen: _Sight) -> dict[str, Rect]:
        """The first berth, with what is left of a lost one."""
        if BACKGROUND_WORKSPACE in _shown(seen.tree).values():
            raise Unavailable(
                "background",
                f"workspace {BACKGROUND_WORKSPACE} is shown on a screen of the person's",
                next_step="once the person has left that workspace, start again",
            )
        name, rect = await self._plug(seen)
        strays = await self._clear_workspace((await self._look()).tree)
        await self._ipc.command(f"rename workspace {own_name(name)} to {BACKGROUND_WORKSPACE}")
        if strays:
            await self._ipc.command(*(on(id_, _HOME) for id_ in strays))
        return {name: rect}

    async def _add(self, seen: _Sight) -> None:
        name, rect = await self._plug(seen)
        self._places[name] = rect

    async def _plug(self, seen: _Sight) -> tuple[str, Rect]:
        """A new output that shows a workspace of its own, at its place from the first moment on."""
        theirs = {name: rect for name, rect in seen.outputs.items() if name not in self._places}
        rect = place_for([*theirs.values()], [*self._places.values()], self._size)
        await self._ipc.command(*self._pins(theirs))
        before, shows = frozenset(seen.outputs), ""
        for _ in range(2):  # the compositor's counter is known after the first at the latest
            name = f"HEADLESS-{self._highest + 1}"
            await self._ipc.command(*_berth(name, rect), "create_output")
            after = await self._look()
            new = [o for o in after.outputs if o not in before and number(o)]
            if len(new) != 1:
                break
            self._highest = number(new[0])
            shows = _shown(after.tree).get(new[0], "")
            if new[0] == name and shows != own_name(name) and not theirs:
                # Where there was no screen, all workspaces came to it. Nobody looks, so it may show another.
                await self._ipc.command("nop", f"workspace {own_name(name)}")
                shows = _shown((await self._look()).tree).get(name, "")
            if new[0] == name and shows == own_name(name):
                self._made.add(name)
                return name, rect
            await self._unplug(new[0])
        if shows:
            raise Unavailable("background", "the agent's output did not get its workspace")
        raise Unavailable("background", "the compositor made no output for the agent")

    def _pins(self, outputs: Mapping[str, Rect]) -> list[str]:
        """Commands that keep outputs where they are: sway moves those it placed itself when another one
        comes.
        """
        fresh = {name: rect for name, rect in outputs.items() if self._pinned.get(name) != rect}
        words = [f"output {output_name(n)} position {r.x} {r.y}" for n, r in fresh.items()]
        self._pinned |= fresh
        return words

    async def _unplug(self, name: str) -> None:
        await self._ipc.command(f"output {output_name(name)} unplug")

    async def _clear_workspace(self, tree: Node) -> list[int]:
        """Empty a workspace `agent` that is elsewhere, as after the loss of an earlier background.

        Window by window: moving the whole workspace would take the person's focus along.
        """
        strays = [
            integer(window, "id")
            for output in nodes(tree, "nodes")
            for workspace in nodes(output, "nodes")
            if text(workspace, "name") == BACKGROUND_WORKSPACE
            for window in window_nodes(workspace)
        ]
        await self._ipc.command(*(on(id_, _ASIDE) for id_ in strays))
        return strays

    async def _look(self) -> _Sight:
        outputs, tree, seats = await self._ipc.ask(
            (Ask.GET_OUTPUTS, ""), (Ask.GET_TREE, ""), (Ask.GET_SEATS, "")
        )
        if not isinstance(outputs, list) or not isinstance(tree, dict):
            raise garbled("the compositor's IPC answered with something that is not its outputs")
        places = {text(o, "name"): rect_of(o, "rect") for o in _active(outputs)}
        self._highest = max(self._highest, *(number(name) for name in ("", *places)))
        return _Sight(places, tree, seats)


def _active(outputs: list[Json]) -> list[Node]:
    return [o for o in outputs if isinstance(o, dict) and o.get("active") is True]


def _berth(name: str, rect: Rect) -> tuple[str, ...]:
    """Commands for an output of ours, there or still to come. Nobody looks at it, so it needs no gaps."""
    space = own_name(name)
    return (
        f"workspace {space} output {output_name(name)}",
        f"workspace {space} gaps inner 0",
        f"workspace {space} gaps outer 0",
        f"output {name} mode --custom {rect.size} position {rect.x} {rect.y}",
    )


def _shown(tree: Node) -> dict[str, str]:
    """The workspace that each output shows."""
    return {text(o, "name"): text(o, "current_workspace") for o in nodes(tree, "nodes")}


def _in_use(tree: Node, ours: Mapping[str, Rect]) -> set[str]:
    """Which of our outputs have a window."""
    return {
        text(output, "name")
        for output in nodes(tree, "nodes")
        if text(output, "name") in ours
        and any(text(window, "app_id") != PARKING_APP_ID for window in window_nodes(output))
    }


def _focused(node: Node) -> bool:
    """Whether the seat that the tree tells of is at a node or below it."""
    below = nodes(node, "nodes") + nodes(node, "floating_nodes")
    return node.get("focused") is True or any(_focused(one) for one in below)


def _reserved(workspace: str) -> bool:
    """Whether a workspace is one of ours, or one of those that windows pass through on their way."""
    return workspace == BACKGROUND_WORKSPACE or workspace.startswith(f"{BACKGROUND_WORKSPACE}-")

"""The agent's own output: found or made, kept off the person's way, put back after a reload.

On a person's sway three things of ours stay behind until its next reload: the positions their
outputs had anyway, the rules for our engine and parking windows (they match nothing else), and,
while a window is still on it, the output.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from slate_desktop.errors import Unavailable
from slate_desktop.geometry import Rect, Size
from slate_desktop.model import BACKGROUND_WORKSPACE, PARKING_APP_ID, SANDBOX_ENGINE
from slate_desktop.swayipc.codec import Ask, Json, garbled, on, output_name
from slate_desktop.swayipc.ipc import Ipc
from slate_desktop.swayipc.tree import Node, integer, nodes, rect_of, text, window_nodes

# Wider than any mouse motion, so that the person's pointer never strays onto the background.
GAP_PX = 5000
ASIDE_PX = 100
_HEADLESS = re.compile(r"HEADLESS-([0-9]+)")
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


@dataclass(frozen=True, slots=True)
class _Home:
    """The background as it should be; `ours`: we made it, so we may take it away."""

    name: str
    rect: Rect
    ours: bool


class Background:
    """The output that shows workspace `agent`, and the rules that lead our programs there."""

    def __init__(self, ipc: Ipc, size: Size) -> None:
        self._ipc = ipc
        self._size = size
        self._home: _Home | None = None

    @property
    def outputs(self) -> frozenset[str]:
        """Names of the agent's outputs; empty before `ensure`."""
        return frozenset() if self._home is None else frozenset({self._home.name})

    async def ensure(self) -> str:
        """The background's output name; made if there is none. Nobody's focus changes.

        Unavailable when the compositor cannot make one or the person has its workspace on a screen
        of theirs.
        """
        outputs, tree = await self._look()
        name = _holder(tree)
        if name is not None and _HEADLESS.fullmatch(name) and _stands_apart(name, outputs):
            self._home = _Home(name, outputs[name], ours=False)
        else:
            self._home = await self._make(outputs, tree)
        await self.redo()
        return self._home.name

    async def lost(self) -> bool:
        """Whether the output that was found or made is there no more: then `ensure` again."""
        outputs, _ = await self._look()
        return self._home is None or self._home.name not in outputs

    async def redo(self) -> None:
        """Say again what a reload makes sway forget: places of outputs, the workspace's output, the
        rules.
        """
        if self._home is None:
            return
        name, rect = self._home.name, self._home.rect
        outputs, _ = await self._look()
        if name not in outputs:
            self._home = None
            raise Unavailable(
                "background",
                "the agent's output is gone",
                next_step="desktop_status, then start again",
            )
        await self._ipc.command(
            *_pins(outputs, besides=name),
            f"workspace {BACKGROUND_WORKSPACE} output {output_name(name)}",
            f"output {name} mode --custom {rect.size} position {rect.x} {rect.y}",
            *RULES,
            # Beside the output, where it covers nothing and no pointer comes.
            f'for_window [app_id="^{PARKING_APP_ID}$"] move absolute position'
            f" {rect.x + rect.width + ASIDE_PX} px {rect.y + rect.height + ASIDE_PX} px",
        )

    async def give_back(self) -> None:
        """Bring workspaces of the person's that are on our output to a screen of theirs, and their focus too.

        Where a screen goes, sway puts what was on it onto whichever output it lists first, and ours may be that one:
        nobody would see it there.
        """
        await self._ipc.command("nop")  # the tree then tells the focus of the person's seat
        outputs, tree = await self._look()
        screens = [name for name in outputs if name not in self.outputs]
        if self._home is None or self._home.name not in outputs or not screens:
            return
        screen = output_name(screens[0])
        output = next(o for o in nodes(tree, "nodes") if text(o, "name") == self._home.name)
        for workspace in nodes(output, "nodes"):
            window = next(window_nodes(workspace), None)
            if window is not None and not _ours(text(workspace, "name")):
                await self._ipc.command(
                    on(integer(window, "id"), f"move workspace to output {screen}")
                )
        if _focused(output):
            await self._ipc.command(f"focus output {screen}")

    async def close(self) -> None:
        """Take our output away if nothing is on it.

        With a window on it, it stays as it is: sway would push the window onto a screen of the
        person's, and the next daemon finds it again.
        """
        home, self._home = self._home, None
        if home is None or not home.ours:
            return
        _, tree = await self._look()
        output = next((o for o in nodes(tree, "nodes") if text(o, "name") == home.name), None)
        if output is not None and not any(
            text(window, "app_id") != PARKING_APP_ID for window in window_nodes(output)
        ):
            await self._unplug(home.name)

    async def _make(self, before: dict[str, Rect], tree: Node) -> _Home:
        strays = await self._clear_workspace(tree)
        await self._ipc.command(*_pins(before))
        guess = 1 + max((_number(name) for name in before), default=0)
        name = await self._plug(guess, before)
        if _number(name) != guess:
            # Numbers of outputs that were unplugged are not used again; now the counter is known.
            guess = _number(name) + 1
            await self._unplug(name)
            name = await self._plug(guess, before)
        _, tree = await self._look()
        if _holder(tree) != name:
            await self._unplug(name)
            raise Unavailable("background", "the agent's output did not get its workspace")
        if strays:
            await self._ipc.command(*(on(id_, _HOME) for id_ in strays))
        return _Home(name, _below(before, self._size), ours=True)

    async def _plug(self, guess: int, before: dict[str, Rect]) -> str:
        # A new output shows the first workspace that is meant for it. Not `agent` itself: sway
        # would prefer an output that was named for it earlier.
        fresh = f"{BACKGROUND_WORKSPACE}-{guess}"
        await self._ipc.command(f"workspace {fresh} output HEADLESS-{guess}", "create_output")
        after, tree = await self._look()
        new = [name for name in after if name not in before and _HEADLESS.fullmatch(name)]
        if len(new) != 1:
            raise Unavailable("background", "the compositor made no output for the agent")
        if _shown(tree).get(new[0]) == fresh:
            await self._ipc.command(f"rename workspace {fresh} to {BACKGROUND_WORKSPACE}")
        return new[0]

    async def _unplug(self, name: str) -> None:
        await self._ipc.command(f"output {output_name(name)} unplug")

    async def _clear_workspace(self, tree: Node) -> list[int]:
        """Empty a workspace `agent` that is elsewhere, as after the loss of an earlier background.

        Window by window: moving the whole workspace would take the person's focus along.
        """
        holder = _holder(tree)
        strays = [
            integer(window, "id")
            for output in nodes(tree, "nodes")
            for workspace in nodes(output, "nodes")
            if text(workspace, "name") == BACKGROUND_WORKSPACE
            for window in window_nodes(workspace)
        ]
        if holder is not None:
            raise Unavailable(
                "background",
                f"workspace {BACKGROUND_WORKSPACE} is shown on a screen of the person's",
                next_step="once the person has left that workspace, start again",
            )
        await self._ipc.command(*(on(id_, _ASIDE) for id_ in strays))
        return strays

    async def _look(self) -> tuple[dict[str, Rect], Node]:
        """Active outputs with their places, and the tree."""
        outputs, tree = await self._ipc.ask((Ask.GET_OUTPUTS, ""), (Ask.GET_TREE, ""))
        if not isinstance(outputs, list) or not isinstance(tree, dict):
            raise garbled("the compositor's IPC answered with something that is not its outputs")
        return {text(o, "name"): rect_of(o, "rect") for o in _active(outputs)}, tree


def _active(outputs: list[Json]) -> list[Node]:
    return [o for o in outputs if isinstance(o, dict) and o.get("active") is True]


def _below(outputs: dict[str, Rect], size: Size) -> Rect:
    """Under everything, not beside it: sway puts a newly plugged screen to the right of the
    rightmost output.
    """
    left_px = min((rect.x for rect in outputs.values()), default=0)
    bottom_px = max((rect.y + rect.height for rect in outputs.values()), default=0)
    return Rect(left_px, bottom_px + GAP_PX, size.width, size.height)


def _stands_apart(name: str, outputs: dict[str, Rect]) -> bool:
    """Whether an output is placed as a background is. A screen of the person's can be headless,
    too.
    """
    mine = outputs[name]
    others = [rect for other, rect in outputs.items() if other != name]
    return bool(others) and all(
        max(
            mine.x - rect.x - rect.width,
            rect.x - mine.x - mine.width,
            mine.y - rect.y - rect.height,
            rect.y - mine.y - mine.height,
        )
        >= GAP_PX
        for rect in others
    )


def _pins(outputs: dict[str, Rect], *, besides: str = "") -> list[str]:
    """Commands that keep outputs where they are: sway moves those it placed itself when another one
    comes.
    """
    return [
        f"output {output_name(name)} position {rect.x} {rect.y}"
        for name, rect in outputs.items()
        if name != besides
    ]


def _shown(tree: Node) -> dict[str, str]:
    """The workspace that each output shows."""
    return {text(o, "name"): text(o, "current_workspace") for o in nodes(tree, "nodes")}


def _holder(tree: Node) -> str | None:
    """The output that shows the background workspace."""
    shown = _shown(tree)
    return next((name for name in shown if shown[name] == BACKGROUND_WORKSPACE), None)


def _focused(node: Node) -> bool:
    """Whether the seat that the tree tells of is at a node or below it."""
    below = nodes(node, "nodes") + nodes(node, "floating_nodes")
    return node.get("focused") is True or any(_focused(one) for one in below)


def _ours(workspace: str) -> bool:
    """Whether a workspace is `agent`, or one of those that windows pass through on their way."""
    return workspace == BACKGROUND_WORKSPACE or workspace.startswith(f"{BACKGROUND_WORKSPACE}-")


def _number(name: str) -> int:
    match = _HEADLESS.fullmatch(name)
    return int(match[1]) if match else 0

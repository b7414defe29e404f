"""Which of the agent's outputs each of its windows belongs on, and what is the next thing to do for that. Pure.

A berth is an output of ours with its one workspace, `agent-7` on HEADLESS-7. New windows come to workspace `agent`,
which is whichever berth is empty and bears that name for now: a window is alone and full-sized from its first picture
on, and keeps its place when the name goes on to the next empty berth.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from slate_desktop.geometry import Rect, Size
from slate_desktop.model import BACKGROUND_WORKSPACE, PARKING_APP_ID
from slate_desktop.swayipc.codec import Json, on
from slate_desktop.swayipc.tree import (
    FALLBACK,
    SCRATCHPAD,
    Node,
    integer,
    nodes,
    text,
    window_nodes,
)

MOST = 8
"""Then windows share the last one. Eight of 1080 lines still lie above line 32,767, where the numbers of X11 end."""
SPARE = 1  # empty berths kept ready, besides the one new windows come to, once there is a window
GAP_PX = 5000
"""Between a screen and a berth. Wider than any mouse motion, so that the person's pointer never strays there."""
BETWEEN_PX = 2000  # between two berths: menus and floating windows of one may stick out

_HEADLESS = re.compile(r"HEADLESS-([0-9]+)")
_OURS = re.compile(rf"{BACKGROUND_WORKSPACE}(-[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Berth:
    """An output of ours: its workspace ("" when it shows none of ours), and the windows on it but for parking ones."""

    output: str
    workspace: str
    windows: tuple[Node, ...]
    parked: bool  # whether seats of ours rest there

    @property
    def bears_name(self) -> bool:
        """Whether new windows come here."""
        return self.workspace == BACKGROUND_WORKSPACE

    @property
    def free(self) -> bool:
        """Whether it can take a window now."""
        return self.workspace == own_name(self.output) and not self.windows


@dataclass(frozen=True, slots=True)
class Step:
    """What to do next: run `commands`, make one berth more (`more`), or take the output `away`.

    `urgent`: a window is where another covers or halves it.
    """

    commands: tuple[str, ...] = ()
    more: bool = False
    away: str = ""
    urgent: bool = False


def next_step(
    tree: Json, seats: Json, ours: Collection[str], home: str, most: int = MOST
) -> Step | None:
    """The next step towards a window of its own on each berth; None when all is as it should be.

    `ours`: names of our outputs; `home`: the one of them that stays. Each step is taken on a new look.
    """
    if not isinstance(tree, dict) or home not in ours:
        return None
    all_ = [berth for node in nodes(tree, "nodes") for berth in _berth(node, ours)]
    all_.sort(key=lambda berth: (berth.output != home, number(berth.output)))
    free = [berth for berth in all_ if berth.free]
    room = free[0] if free else None
    more, soon = (
        (Step(more=True), Step(more=True, urgent=True)) if len(all_) < most else (None, None)
    )
    landing = next((berth for berth in all_ if berth.bears_name), None)
    if strays := _strays(tree, ours):
        goal = room or landing
        return Step(_brought_home(strays, goal, all_[0]), urgent=True) if goal else soon
    if landing is None:
        if _shown_elsewhere(tree, ours):
            return None
        return Step(passed_on("", room.output)) if room else soon
    if children := _children(landing, all_, seats):
        return Step(children, urgent=True)
    if others := _independent(landing)[1:]:
        return Step(_moved(others[:1], room.workspace), urgent=True) if room else soon
    if landing.windows:
        return Step(passed_on(landing.output, room.output)) if room else more
    if room is not None and room.output == home:
        return Step(passed_on(landing.output, home))
    return _surplus(free, home) or (more if room is None and _in_use(all_) else None)


def own_name(output: str) -> str:
    """The workspace of a berth."""
    return f"{BACKGROUND_WORKSPACE}-{number(output)}"


def number(output: str) -> int:
    """That of a headless output, 0 of any other."""
    match = _HEADLESS.fullmatch(output)
    return int(match[1]) if match else 0


def passed_on(landing: str, to: str) -> tuple[str, ...]:
    """Commands that let new windows come to another output of ours; no window moves, and sway runs them in one go.

    `landing`: where they came to so far, "" for nowhere.
    """
    now = (_renamed(own_name(to), BACKGROUND_WORKSPACE),)
    return (_renamed(BACKGROUND_WORKSPACE, own_name(landing)), *now) if landing else now


def is_ours(workspace: str) -> bool:
    """Whether a workspace is named as those of berths are."""
    return _OURS.fullmatch(workspace) is not None


def left_behind(outputs: Mapping[str, Rect], shown: Mapping[str, str]) -> list[str]:
    """Outputs that an earlier daemon or the session's configuration left us, by what each shows; in order of numbers.

    A screen of the person's can be headless, too, and show `agent`.
    """
    sure = {name for name in outputs if number(name) and shown.get(name) == own_name(name)}
    real = any(not number(name) for name in outputs)
    maybe = {name for name in outputs if number(name) and shown.get(name) == BACKGROUND_WORKSPACE}
    found = sure | {
        name
        for name in maybe
        if sure or real or _stands_apart(outputs[name], [outputs[o] for o in outputs if o != name])
    }
    return sorted(found, key=number)


def place_for(theirs: Sequence[Rect], ours: Sequence[Rect], size: Size) -> Rect:
    """Where a new berth goes: below all screens, since sway puts a newly plugged one to the right of the rightmost."""
    left_px = min((rect.x for rect in theirs), default=0)
    top_px = max((rect.y + rect.height for rect in theirs), default=0) + GAP_PX
    while True:
        here = Rect(left_px, top_px, size.width, size.height)
        near = [rect for rect in ours if _between(here, rect) < BETWEEN_PX]
        if not near:
            return here
        top_px = max(rect.y + rect.height for rect in near) + BETWEEN_PX


def placed(outputs: Mapping[str, Rect], ours: Sequence[str]) -> dict[str, Rect]:
    """Where outputs that were left us are to be: where they are, if a reload has not put them beside a screen."""
    theirs = [rect for name, rect in outputs.items() if name not in ours]
    places: dict[str, Rect] = {}
    for name in ours:
        here = outputs[name]
        if any(_between(here, screen) < GAP_PX for screen in theirs):
            here = place_for(theirs, [*places.values()], here.size)
        places[name] = here
    return places


def unshifted(outputs: Mapping[str, Rect], ours: Mapping[str, Rect]) -> dict[str, Rect]:
    """The person's outputs as they are without ours among them.

    A reload puts ours, whose places it forgets, in one row with the screens that have no place of their own.
    """
    astray = [outputs[name] for name in ours if name in outputs and outputs[name] != ours[name]]
    places = {}
    for name, rect in outputs.items():
        if name not in ours:
            by_px = sum(one.width for one in astray if one.x < rect.x and one.y == rect.y)
            places[name] = Rect(rect.x - by_px, rect.y, rect.width, rect.height)
    return places


def _berth(node: Node, ours: Collection[str]) -> Iterator[Berth]:
    name, current = text(node, "name"), text(node, "current_workspace")
    if name not in ours:
        return
    spaces = [space for space in nodes(node, "nodes") if is_ours(text(space, "name"))]
    spaces.sort(key=lambda space: text(space, "name") != current)
    windows = [*window_nodes(spaces[0])] if spaces else []
    yield Berth(
        name,
        text(spaces[0], "name") if spaces else "",
        tuple(sorted((w for w in windows if not _parking(w)), key=_id)),
        any(_parking(w) for w in windows),
    )


def _strays(tree: Node, ours: Collection[str]) -> list[Node]:
    """Windows of a berth that is lost: sway has put its workspace behind that of another output.

    What the person has put in front of one of ours is not its end: that is given back to them.
    """
    for output in nodes(tree, "nodes"):
        name, current = text(output, "name"), text(output, "current_workspace")
        if name in (FALLBACK, SCRATCHPAD) or (name in ours and not is_ours(current)):
            continue
        for space in nodes(output, "nodes"):
            name = text(space, "name")
            if is_ours(name) and name != current and (found := [*window_nodes(space)]):
                return found
    return []


def _shown_elsewhere(tree: Node, ours: Collection[str]) -> bool:
    """Whether the person has brought the workspace of new windows to a screen of theirs."""
    return any(
        text(output, "current_workspace") == BACKGROUND_WORKSPACE
        for output in nodes(tree, "nodes")
        if text(output, "name") not in ours
    )


def _brought_home(strays: Sequence[Node], goal: Berth, home: Berth) -> tuple[str, ...]:
    """Commands that put the windows of one lost berth together on another; what seats rest on goes home."""
    resting = [window for window in strays if _parking(window)] if home.workspace else []
    windows = [window for window in strays if window not in resting]
    return _moved(resting, home.workspace) + _moved(windows, goal.workspace)


def _children(landing: Berth, all_: Sequence[Berth], seats: Json) -> tuple[str, ...]:
    """Commands that bring dialogs, which come where all new windows come, to the windows they belong to."""
    looked_at = {
        integer(seat, "focus")
        for seat in (seats if isinstance(seats, list) else ())
        if isinstance(seat, dict)
    }
    commands: list[str] = []
    for window in landing.windows:
        if _floats(window) and not _kin(window, landing.windows):
            parents = [
                (_id(parent) in looked_at, _id(parent) < _id(window), _id(parent), berth.workspace)
                for berth in all_
                if berth is not landing
                for parent in _kin(window, berth.windows)
            ]
            if parents:
                commands += _moved([window], max(parents)[-1])
    return tuple(commands)


def _independent(berth: Berth) -> list[Node]:
    """The windows that are nobody's dialogs."""
    return [w for w in berth.windows if not (_floats(w) and _kin(w, berth.windows))]


def _kin(window: Node, others: Sequence[Node]) -> list[Node]:
    """Windows that a dialog may belong to. sway's tree does not tell, but only dialogs float by themselves."""
    key = "sandbox_instance_id" if text(window, "sandbox_instance_id") else "pid"
    return [
        other
        for other in others
        if _id(other) != _id(window)
        and (not _floats(other) or _id(other) < _id(window))
        and other.get(key) == window.get(key)
        and text(other, "app_id") == text(window, "app_id")
    ]


def _in_use(all_: Sequence[Berth]) -> bool:
    return any(berth.windows for berth in all_)


def _surplus(free: Sequence[Berth], home: str) -> Step | None:
    empty = [berth for berth in free if berth.output != home and not berth.parked]
    return Step(away=empty[-1].output) if len(empty) > SPARE else None


def _renamed(before: str, after: str) -> str:
    return f"rename workspace {before} to {after}"


def _moved(windows: Sequence[Node], workspace: str) -> tuple[str, ...]:
    return tuple(on(_id(w), f"move container to workspace {workspace}") for w in windows)


def _stands_apart(mine: Rect, others: Sequence[Rect]) -> bool:
    return bool(others) and all(_between(mine, other) >= GAP_PX for other in others)


def _between(one: Rect, other: Rect) -> int:
    """The width of the widest gap between two rectangles, along one axis."""
    return max(
        one.x - other.x - other.width,
        other.x - one.x - one.width,
        one.y - other.y - other.height,
        other.y - one.y - one.height,
    )


def _parking(window: Node) -> bool:
    return text(window, "app_id") == PARKING_APP_ID


def _floats(window: Node) -> bool:
    return text(window, "type") == "floating_con"


def _id(window: Node) -> int:
    return integer(window, "id")

"""Sway's own account of everything (GET_TREE, GET_SEATS) read into a Desktop. Pure; missing fields
never crash it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from slate_desktop.geometry import Rect, Size
from slate_desktop.model import PARKING_APP_ID, Desktop, Handle, Output, Place, Window, WindowId
from slate_desktop.swayipc.codec import Json, garbled

SCRATCHPAD = "__i3"  # sway shows its scratchpad as an output of this name
FALLBACK = "FALLBACK"  # sway's stand-in while no output is there; it shows nothing
_TABS = ("tabbed", "stacked")

Node = dict[str, Json]


@dataclass(frozen=True, slots=True)
class _Spot:
    """What the nodes above a window say about it."""

    output: str
    workspace: str
    place: Place
    layout: str = "splith"
    front: bool = True
    floating: bool = False
    fullscreen: bool = False
    group: Rect | None = None  # of tabs: all of their container, title bars included


def desktop(tree: Json, seats: Json, background: Collection[str]) -> Desktop:
    """Everything as one record. `background`: names of the agent's outputs. Unavailable if this is
    not sway's tree.

    Our parking windows and sway's fallback output are left out.
    """
    if not isinstance(tree, dict) or not isinstance(seats, list):
        raise garbled("the compositor's IPC answered with something that is not its tree")
    shown = [node for node in nodes(tree, "nodes") if text(node, "name") != FALLBACK]
    windows = tuple(window for node in shown for window in _on_output(node, background))
    outputs = tuple(_output(node, background) for node in shown if text(node, "name") != SCRATCHPAD)
    focus = {text(seat, "name"): integer(seat, "focus") for seat in seats if isinstance(seat, dict)}
    return Desktop(_stacked(windows), outputs, focus)


@dataclass(frozen=True, slots=True)
class Frame:
    """A window's content, the same with sway's border, the height of the title bar above, and how large the
    window's program draws it.
    """

    content: Rect
    outer: Rect
    title_px: int
    floating: bool
    drawn: Size

    @property
    def followed(self) -> bool:
        """Whether the program draws at the size it was given."""
        return self.drawn == self.content.size


def frames(tree: Json) -> dict[WindowId, Frame]:
    """How sway frames each window."""
    return {
        WindowId(integer(node, "id")): Frame(
            _content(node),
            rect_of(node, "rect"),
            rect_of(node, "deco_rect").height,
            text(node, "type") == "floating_con",
            rect_of(node, "geometry").size,
        )
        for node in (window_nodes(tree) if isinstance(tree, dict) else ())
    }


def _on_output(output: Node, background: Collection[str]) -> Iterator[Window]:
    name = text(output, "name")
    for workspace in nodes(output, "nodes"):
        title = text(workspace, "name")
        if name == SCRATCHPAD:
            place = Place.SCRATCHPAD
        elif name in background:
            place = Place.BACKGROUND
        elif title == text(output, "current_workspace"):
            place = Place.SCREEN
        else:
            place = Place.HIDDEN
        scratch = place is Place.SCRATCHPAD
        yield from _stack(
            workspace, _Spot("" if scratch else name, "" if scratch else title, place)
        )


def _stack(workspace: Node, spot: _Spot) -> Iterator[Window]:
    """The windows of a workspace, later ones above earlier ones.

    Sway draws tiles, then floating windows, then what is fullscreen, then that one's own dialogs:
    floating ones it calls visible nevertheless.
    """
    tiles = list(_inside(workspace, spot))
    floats = [
        (bool(_flag(node, "visible")), window)
        for node in nodes(workspace, "floating_nodes")
        for window in _subtree(node, _Spot(spot.output, spot.workspace, spot.place, floating=True))
    ]
    has_fullscreen = any(window.fullscreen for window in tiles) or any(
        w.fullscreen for _, w in floats
    )
    above = [w for visible, w in floats if has_fullscreen and visible and not w.fullscreen]
    yield from (window for window in tiles if not window.fullscreen)
    yield from (window for _, window in floats if window not in above and not window.fullscreen)
    yield from (window for window in tiles if window.fullscreen)
    yield from (window for _, window in floats if window.fullscreen)
    yield from above


def _inside(parent: Node, spot: _Spot) -> Iterator[Window]:
    children = nodes(parent, "nodes")
    layout = text(parent, "layout") or "splith"
    shown = _shown_tab(parent, children) if layout in _TABS else None
    group = rect_of(parent, "rect") if layout in _TABS else None
    for child in children:
        front = spot.front and (shown is None or child is shown)
        yield from _subtree(child, replace(spot, layout=layout, front=front, group=group))


def _subtree(node: Node, spot: _Spot) -> Iterator[Window]:
    here = replace(spot, fullscreen=spot.fullscreen or integer(node, "fullscreen_mode") > 0)
    if not _is_window(node):
        yield from _inside(node, here)
    elif text(node, "app_id") != PARKING_APP_ID:
        yield _window(node, here)


def _window(node: Node, spot: _Spot) -> Window:
    pid = integer(node, "pid")
    x11 = text(node, "shell") == "xwayland"
    properties = node.get("window_properties")
    x11_class = text(properties, "class") if isinstance(properties, dict) else ""
    return Window(
        id=WindowId(integer(node, "id")),
        handle=Handle(text(node, "foreign_toplevel_identifier")),
        title=text(node, "name"),
        app_id=text(node, "app_id") or x11_class,
        pid=pid if pid > 0 else None,
        rect=_content(node),
        place=spot.place,
        workspace=spot.workspace,
        output=spot.output,
        floating=spot.floating,
        fullscreen=spot.fullscreen,
        front=spot.front,
        x11=x11,
        layout=spot.layout,
        sandbox=text(node, "sandbox_instance_id") or None,
        framed=None if spot.fullscreen else spot.group or _framed(node),
        drawn=rect_of(node, "geometry").size,
    )


def _stacked(windows: Sequence[Window]) -> tuple[Window, ...]:
    """What is shown after what is not, so that the last window over a point is the one a click
    there reaches.
    """
    return tuple(
        sorted(windows, key=lambda window: window.front and window.place is not Place.HIDDEN)
    )


def _output(node: Node, background: Collection[str]) -> Output:
    scale = node.get("scale")
    return Output(
        name=text(node, "name"),
        rect=rect_of(node, "rect"),
        scale=float(scale) if isinstance(scale, int | float) and scale > 0 else 1.0,
        transform=text(node, "transform") or "normal",
        background=text(node, "name") in background,
        workspace=text(node, "current_workspace"),
    )


def _content(node: Node) -> Rect:
    """The window without border and title bar: `window_rect` is relative to `rect`."""
    outer, inner = rect_of(node, "rect"), rect_of(node, "window_rect")
    if inner.empty:
        return outer
    return Rect(outer.x + inner.x, outer.y + inner.y, inner.width, inner.height)


def _framed(node: Node) -> Rect:
    """The window with its border and the title bar above: `rect` has the border only."""
    outer, title_px = rect_of(node, "rect"), rect_of(node, "deco_rect").height
    return Rect(outer.x, outer.y - title_px, outer.width, outer.height + title_px)


def _shown_tab(parent: Node, children: Sequence[Node]) -> Node | None:
    order = parent.get("focus")
    by_id = {integer(child, "id"): child for child in children}
    for id_ in order if isinstance(order, list) else ():
        if isinstance(id_, int) and id_ in by_id:
            return by_id[id_]
    return children[0] if children else None


def _is_window(node: Node) -> bool:
    return isinstance(node.get("pid"), int) and not nodes(node, "nodes")


def window_nodes(node: Node) -> Iterator[Node]:
    """The nodes at or below `node` that are windows, parking windows too."""
    waiting = [node]
    while waiting:
        here = waiting.pop()
        if _is_window(here):
            yield here
        waiting += nodes(here, "nodes") + nodes(here, "floating_nodes")


def nodes(node: Node, key: str) -> list[Node]:
    value = node.get(key)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def rect_of(node: Node, key: str) -> Rect:
    value = node.get(key)
    box = value if isinstance(value, dict) else {}
    return Rect(integer(box, "x"), integer(box, "y"), integer(box, "width"), integer(box, "height"))


def integer(node: Node, key: str) -> int:
    value = node.get(key)
    return value if isinstance(value, int) else 0


def _flag(node: Node, key: str) -> bool:
    return node.get(key) is True


def text(node: Node, key: str) -> str:
    """A string that can be written as UTF-8: JSON may smuggle half a surrogate pair in."""
    value = node.get(key)
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""

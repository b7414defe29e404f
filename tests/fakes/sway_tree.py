"""Short spellings for the nodes of a sway tree, with the fields that matter and sway's defaults for
the rest.
"""

from __future__ import annotations

from typing import Any

Node = dict[str, Any]


def box(x: int = 0, y: int = 0, width: int = 0, height: int = 0) -> dict[str, int]:
    return {"x": x, "y": y, "width": width, "height": height}


def node(id_: int, kind: str, name: str | None, **fields: Any) -> Node:
    """Any node; `nodes`, `floating_nodes` and `focus` default to nothing and the children in order."""
    children = fields.get("nodes", []) + fields.get("floating_nodes", [])
    return {
        "id": id_,
        "type": kind,
        "name": name,
        "layout": "none",
        "rect": box(0, 0, 1280, 800),
        "window_rect": box(),
        "deco_rect": box(),
        "nodes": [],
        "floating_nodes": [],
        "focus": [child["id"] for child in children],
        "fullscreen_mode": 0,
    } | fields


def window(id_: int, name: str = "", **fields: Any) -> Node:
    """A window of foot's that fills its rect."""
    rect = fields.get("rect", box(0, 0, 1280, 800))
    inner = fields.get("window_rect", box(0, 0, rect["width"], rect["height"]))
    defaults = {
        "pid": 1000 + id_,
        "app_id": "foot",
        "shell": "xdg_shell",
        "visible": True,
        "foreign_toplevel_identifier": f"{id_:032x}",
        "window_rect": inner,
        "geometry": box(0, 0, inner["width"], inner["height"]),
        "sandbox_instance_id": None,
    }
    return node(id_, "con", name or f"window {id_}", **(defaults | fields))


def split(id_: int, layout: str, *children: Node, **fields: Any) -> Node:
    return node(id_, "con", None, layout=layout, nodes=list(children), **fields)


def workspace(
    id_: int, name: str, *tiles: Node, floats: tuple[Node, ...] = (), **fields: Any
) -> Node:
    fields = {"layout": "splith", "fullscreen_mode": 1} | fields
    return node(id_, "workspace", name, nodes=list(tiles), floating_nodes=list(floats), **fields)


def output(id_: int, name: str, *workspaces: Node, shows: str = "", **fields: Any) -> Node:
    shown = shows or (workspaces[0]["name"] if workspaces else "")
    extra = {
        "current_workspace": shown,
        "scale": 1.0,
        "transform": "normal",
        "active": True,
    } | fields
    return node(id_, "output", name, layout="output", nodes=list(workspaces), **extra)


def scratchpad(*windows: Node) -> Node:
    return node(
        2147483647, "output", "__i3", nodes=[workspace(2147483646, "__i3_scratch", floats=windows)]
    )


def root(*outputs: Node) -> Node:
    return node(1, "root", "root", nodes=[scratchpad(), *outputs])

"""The outputs of a scripted sway, which does with them what commands say."""

from __future__ import annotations

import re
from collections.abc import Callable

from slate_desktop.swayipc.codec import Ask
from tests.fakes.sway_tree import Node, box, output, root, workspace


class Screens:
    """Outputs of a sway: new ones are numbered by a counter that never goes back (R75)."""

    def __init__(self, *outputs: Node, counter: int = 1) -> None:
        self.outputs = list(outputs)
        self.counter = counter
        self.meant_for: dict[str, str] = {}
        self.places: dict[str, dict[str, int]] = {}
        self.homeless: list[Node] = []  # workspaces with windows while there is no output
        self.can_create = True
        self.refuses = ""  # the first word of a command that fails
        self._verbs: tuple[tuple[str, Callable[..., object]], ...] = (
            (r"output (\S+) unplug", self._unplug),
            (r"workspace (\S+) output (\S+)", lambda name, at: self.meant_for.setdefault(at, name)),
            (r"workspace (\S+)", self._show),
            (r"rename workspace (\S+) to (\S+)", self._rename),
            (r"output (\S+) mode --custom (\d+)x(\d+) position (\S+) (\S+)", self._place),
            (r"\[con_id=(\d+)\] move container to workspace (\S+)", self._move),
        )

    @property
    def answers(self) -> dict[int, object]:
        """What a scripted sway says of them."""
        return {
            Ask.RUN_COMMAND: self.run,
            Ask.GET_OUTPUTS: lambda _: self.outputs,
            Ask.GET_TREE: lambda _: root(*self.outputs),
            Ask.GET_SEATS: [],
            Ask.SUBSCRIBE: {"success": True},
        }

    @property
    def names(self) -> list[str]:
        return [node["name"] for node in self.outputs]

    @property
    def spaces(self) -> dict[str, list[int]]:
        """The windows of each workspace."""
        return {
            space["name"]: [w["id"] for w in space["nodes"] + space["floating_nodes"]]
            for node in self.outputs
            for space in node["nodes"]
        }

    def open(self, window: Node, name: str = "agent") -> None:
        """A window comes to a workspace."""
        floats = window["type"] == "floating_con"
        self._space(name)["floating_nodes" if floats else "nodes"].append(window)

    def shut(self, id_: int) -> Node:
        """A window goes, and its workspace too if nobody sees it and it is empty."""
        for node in self.outputs:
            for space in node["nodes"]:
                for key in ("nodes", "floating_nodes"):
                    found: list[Node] = space[key]
                    for window in found:
                        if window["id"] == id_:
                            space[key] = [w for w in space[key] if w is not window]
                            self._tidy(node)
                            return window
        raise KeyError(id_)

    def _tidy(self, node: Node) -> None:
        node["nodes"] = [
            space
            for space in node["nodes"]
            if space["nodes"]
            or space["floating_nodes"]
            or space["name"] == node["current_workspace"]
        ]

    def run(self, text: str) -> list[dict[str, bool]]:
        return [{"success": self._run(command)} for command in text.split("; ")]

    def _run(self, command: str) -> bool:
        if self.refuses and command.startswith(self.refuses):
            return False
        if command == "create_output":
            return self.can_create and self._create()
        for pattern, verb in self._verbs:
            if match := re.fullmatch(pattern, command):
                verb(*match.groups())
        return True

    def _create(self) -> bool:
        self.counter += 1
        name, at = f"HEADLESS-{self.counter}", 100 + 10 * self.counter
        shown = workspace(at + 1, self.meant_for.get(name, "2"))
        place = self.places.get(name, box(1280, 0, 1280, 720))
        spaces, self.homeless = self.homeless or [shown], []
        self.outputs.append(output(at, name, *spaces, rect=place))
        return True

    def _show(self, name: str) -> None:
        (node,) = [o for o in self.outputs if self.meant_for.get(o["name"]) == name]
        node["nodes"].append(workspace(800 + node["id"], name))
        node["current_workspace"] = name
        self._tidy(node)

    def _unplug(self, name: str) -> None:
        gone = next(node for node in self.outputs if node["name"] == name)
        self.outputs = [node for node in self.outputs if node is not gone]
        left = [space for space in gone["nodes"] if space["nodes"] or space["floating_nodes"]]
        if self.outputs:  # what is not empty goes behind what another output shows
            self.outputs[0]["nodes"] += left
        else:
            self.homeless += left

    def _rename(self, before: str, after: str) -> None:
        assert after not in self.spaces, f"there is a workspace {after}"
        (node,) = [o for o in self.outputs if o["current_workspace"] == before]
        node["current_workspace"] = self._space(before)["name"] = after

    def _place(self, name: str, *numbers: str) -> None:
        width, height, x, y = map(int, numbers)
        self.places[name] = box(x, y, width, height)
        for node in self.outputs:
            if node["name"] == name:
                node["rect"] = self.places[name]

    def _move(self, id_: str, name: str) -> None:
        if int(id_) in [one for ids in self.spaces.values() for one in ids]:
            self.open(self.shut(int(id_)), name)

    def _space(self, name: str) -> Node:
        """The workspace of that name; a new one is behind what the first output shows."""
        for node in self.outputs:
            spaces: list[Node] = node["nodes"]
            for space in spaces:
                if space["name"] == name:
                    return space
        made = workspace(900 + len(self.spaces), name)
        self.outputs[0]["nodes"].append(made)
        return made


def screen(*windows: Node, name: str = "DP-1", shows: str = "1") -> Node:
    return output(3, name, workspace(4, shows, *windows))

"""The outputs of a scripted sway, which does with them what commands say."""

from __future__ import annotations

import re

from slate_desktop.swayipc.codec import Ask
from tests.fakes.sway_tree import Node, box, output, root, workspace


class Screens:
    """Outputs of a sway: new ones are numbered by a counter that never goes back (R75)."""

    def __init__(self, *outputs: Node, counter: int = 1) -> None:
        self.outputs = list(outputs)
        self.counter = counter
        self.meant_for: dict[str, str] = {}
        self.can_create = True
        self.refuses = ""  # the first word of a command that fails

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

    def run(self, text: str) -> list[dict[str, bool]]:
        return [{"success": self._run(command)} for command in text.split("; ")]

    def _run(self, command: str) -> bool:
        if self.refuses and command.startswith(self.refuses):
            return False
        if command == "create_output":
            return self.can_create and self._create()
        if match := re.fullmatch(r"output (\S+) unplug", command):
            self.outputs = [node for node in self.outputs if node["name"] != match[1]]
        elif match := re.fullmatch(r"workspace (\S+) output (\S+)", command):
            self.meant_for.setdefault(match[2], match[1])
        elif match := re.fullmatch(r"rename workspace (\S+) to (\S+)", command):
            (node,) = [o for o in self.outputs if o["current_workspace"] == match[1]]
            node["current_workspace"] = node["nodes"][0]["name"] = match[2]
        elif match := re.fullmatch(r"output (\S+) mode --custom \S+ position (\S+) (\S+)", command):
            node = next(node for node in self.outputs if node["name"] == match[1])
            node["rect"] = box(int(match[2]), int(match[3]), 1280, 800)
        return True

    def _create(self) -> bool:
        self.counter += 1
        name, at = f"HEADLESS-{self.counter}", 100 + 10 * self.counter
        shown = workspace(at + 1, self.meant_for.get(name, "2"))
        self.outputs.append(output(at, name, shown, rect=box(1280, 0, 1280, 720)))
        return True


def screen(*windows: Node, name: str = "DP-1", shows: str = "1") -> Node:
    return output(3, name, workspace(4, shows, *windows))

"""What agent programs are told to start: our hook and our servers, by absolute paths."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

PACKAGE: Final = Path(__file__).parents[1]
HOOK: Final = PACKAGE / "hook.py"
HOOK_S: Final = 60
"""The limit a hook is registered with; its own deadline is shorter."""
SERVERS: Final = ("slate", "slate-desktop")


@dataclass(frozen=True, slots=True)
class Own:
    """Our commands. `python` is the interpreter that has our dependencies, `socket` slated's."""

    python: str
    socket: str

    def hook(self, program: str) -> list[str]:
        """The argv of the hook for an agent program."""
        return [self.python, "-I", "-S", str(HOOK), program, self.socket]

    def servers(self) -> dict[str, list[str]]:
        """The argv of each MCP server."""
        mains = (PACKAGE, PACKAGE.parent / "slate_desktop")
        return {
            name: [self.python, "-I", str(main / "__main__.py"), "mcp"]
            for name, main in zip(SERVERS, mains, strict=True)
        }

    def is_hook(self, argv: Sequence[object], program: str) -> bool:
        """Whether an argv runs our hook, for our socket."""
        return self._same(argv, self.hook(program))

    def environ(self) -> dict[str, str]:
        """What our servers get, so that they and the hook ask the same slated; agent programs strip the rest."""
        return {"XDG_RUNTIME_DIR": os.path.dirname(os.path.dirname(self.socket))}

    def is_server(self, name: str, registered: Mapping[str, object]) -> bool:
        """Whether a registered server is ours of that name, with nothing added."""
        wanted, args = self.servers().get(name), registered.get("args")
        if wanted is None or not isinstance(args, list) or registered.get("env") != self.environ():
            return False
        return self._same([registered.get("command"), *args], wanted)

    def _same(self, argv: Sequence[object], wanted: Sequence[str]) -> bool:
        if not argv or not isinstance(argv[0], str) or not argv[0].startswith("/"):
            return False
        python = os.path.realpath(argv[0]) == os.path.realpath(wanted[0])
        return python and list(argv[1:]) == list(wanted[1:])


def mentions_hook(argv: Sequence[object]) -> bool:
    """Whether an argv starts some Slate's hook: one of ours, or of a Slate that was here before."""
    return any(isinstance(word, str) and word.endswith("/slated/hook.py") for word in argv)


def mentions_server(registered: object) -> bool:
    """Whether a registered MCP server is some Slate's."""
    if not isinstance(registered, Mapping):
        return False
    args = registered.get("args")
    words = args if isinstance(args, list) else []
    ends = ("/slated/__main__.py", "/slate_desktop/__main__.py")
    return any(isinstance(word, str) and word.endswith(ends) for word in words)

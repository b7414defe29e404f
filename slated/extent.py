"""What a call may change, told before it runs: an edit tool's file, a command's targets and working tree, documents."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from slated.model import Tier
from slated.policy.decide import Decision
from slated.policy.facts import WHOLE
from slated.requests import Wanted

EDITS: Final[Mapping[str, frozenset[str]]] = {
    "claude": frozenset("Write Edit MultiEdit NotebookEdit".split()),
    "codex": frozenset({"apply_patch"}),
}
"""Tools that change nothing but the files they name."""
GUI: Final = frozenset(
    "desktop_click desktop_drag desktop_element_click desktop_type desktop_key desktop_element_set_text"
    " desktop_launch desktop_close".split()
)
"""Desktop tools that may make an application write a file; a batch's steps come one by one."""


@dataclass(frozen=True, slots=True)
class Extent:
    """What may change, as absolute paths with links followed.

    `named` is known to change, `around` are whole directories in which anything may. `exact`: nothing beyond `named`.
    `documents` are files that an application may save.
    """

    named: tuple[str, ...] = ()
    around: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    exact: bool = False

    @property
    def targets(self) -> tuple[str, ...]:
        """All of it for `Call.targets`: a slash at the end means everything below, too."""
        if self.exact:
            return self.named
        trees = (f"{path.rstrip('/')}/" for path in (*self.named, *self.around))
        return tuple(dict.fromkeys((*trees, *self.documents)))


def extent(wanted: Wanted, decision: Decision, home: str) -> Extent | None:
    """What a decided call may change; None for one that changes no file. Looks for the working tree on the disk.

    The documents of an application are for others to add.
    """
    call = wanted.call
    if leaves_files(wanted, decision):
        return None
    changes = tuple(
        dict.fromkeys(whole(path) for command in decision.commands for path in command.changes)
    )
    if call.name in EDITS.get(call.client, ()) and changes:
        return Extent(changes, exact=True)
    if call.client == "desktop" and wanted.cwd == "/":
        return Extent(changes)
    tree = working_tree(wanted.cwd, home)
    return Extent(changes, (tree,) if tree else ())


def leaves_files(wanted: Wanted, decision: Decision) -> bool:
    """Whether a decided call changes no file, by its kind alone; looks at nothing."""
    call = wanted.call
    if decision.tier is Tier.OBSERVE or call.client == "slate":
        return True
    return call.client == "desktop" and call.name not in GUI


def whole(path: str) -> str:
    """The directory that a path stands for all of, else the path."""
    head, _, last = path.rpartition("/")
    return (head or "/") if last in WHOLE else path


def working_tree(directory: str, home: str) -> str:
    """The project around a directory: the innermost repository, else the directory itself.

    "" where that is the home or a directory above it: those are nobody's project.
    """
    real, own = os.path.realpath(directory), os.path.realpath(home)
    at = real
    while not _too_wide(at, own):
        if os.path.exists(f"{at}/.git"):
            return at
        at = os.path.dirname(at)
    return "" if _too_wide(real, own) else real


def _too_wide(path: str, home: str) -> bool:
    return path in ("/", home) or home.startswith(path + "/")

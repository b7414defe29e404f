"""What the grader must be told about the world, as ports: programs, paths, repositories, and how far undo reaches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol


class Kind(StrEnum):
    """What stands at a path."""

    FILE = "file"
    DIRECTORY = "directory"
    LINK = "link"
    OTHER = "other"
    """A pipe, a socket, a device."""
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Program:
    """A command name as the shell would find it: `path` is None if nothing of that name is found.

    `system` is true only for a file in a directory that only root can change. `redefined` is true for a name that
    an alias or a function of the agent's shell covers.
    """

    path: str | None
    system: bool
    redefined: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """A path as it is now. `real` follows every link; `name` follows all but the last component.

    `links` is the number of hard links of a file (1 for anything else).
    """

    real: str
    name: str
    kind: Kind = Kind.MISSING
    links: int = 1


@dataclass(frozen=True, slots=True)
class Repository:
    """The git repository of a directory: its top directory (None outside of one) and what it makes git run.

    `programs` are names of configuration keys that name a program (`core.fsmonitor`, `filter.x.clean`, `alias.y`);
    `hooks` are names of active hooks (`pre-commit`).
    """

    top: str | None = None
    programs: tuple[str, ...] = ()
    hooks: tuple[str, ...] = ()


class Facts(Protocol):
    """Questions about the machine, answered as of now. Paths are absolute and may hold `..`."""

    def program(self, name: str, directory: str | None) -> Program:
        """The program a name means in a directory; a name with a slash is a path (None: directory not known)."""
        ...

    def place(self, path: str) -> Place:
        """What stands at a path."""
        ...

    def expand(self, pattern: str) -> tuple[str, ...] | None:
        """Paths a pattern matches now, or None when there are too many to tell."""
        ...

    def repository(self, directory: str) -> Repository:
        """The git repository that holds a directory."""
        ...


@dataclass(frozen=True, slots=True)
class Cover:
    """Whether a change at a path can be taken back, and why (not)."""

    covered: bool
    reason: str


class Reach(Protocol):
    """How far undo reaches."""

    def covers(self, path: str) -> Cover:
        """Whether a change of `path` (absolute, links followed) could be undone.

        A path that ends in one of WHOLE asks about everything in the directory before it.
        """
        ...


WORKTREE = "(worktree)"
BELOW = "(below)"
WHOLE = (WORKTREE, BELOW)
"""Last components that stand for a directory's whole content: the tree of a project; what find makes up."""


@dataclass(frozen=True, slots=True)
class Setting:
    """Where a command would run: `directory` (absolute), the person's `home`, variables with known values."""

    directory: str
    home: str
    variables: Mapping[str, str] = field(default_factory=dict)
    shell: str = "bash"


@dataclass(frozen=True, slots=True)
class ProtectedRoots:
    """Reach as a list of configured directories: everything below one is covered, the directory itself is not."""

    roots: tuple[str, ...]
    excluded: tuple[str, ...] = ()

    def covers(self, path: str) -> Cover:
        for outside in self.excluded:
            if is_under(path, outside):
                return Cover(False, f"{outside} is kept out of undo")
        for root in self.roots:
            if path == root:
                return Cover(False, f"{root} is itself the top of what undo protects")
            if is_under(path, root):
                return Cover(True, f"undo covers {root}")
        return Cover(False, f"undo does not cover {path}")


def is_under(path: str, top: str) -> bool:
    """Whether `path` is `top` or below it; both absolute and normal."""
    return path == top or path.startswith(top.rstrip("/") + "/")


def absolute_roots(roots: Iterable[str], home: str) -> tuple[str, ...]:
    """Configured directories with a leading `~` replaced and no trailing slash."""
    found = []
    for root in roots:
        full = home + root[1:] if root == "~" or root.startswith("~/") else root
        found.append(full.rstrip("/") or "/")
    return tuple(found)

"""Answers the grader's questions about this machine: programs, paths, patterns, git repositories."""

from __future__ import annotations

import glob
import os
import stat
from itertools import islice

from slated.policy.facts import Kind, Place, Program, Repository
from slated.repositories import Repositories, followed

MOST_MATCHES = 2_000
MOST_PARTS = 400


class Machine:
    """This machine, as one user's shell sees it: `path` is the value of PATH."""

    def __init__(self, path: str) -> None:
        self._directories = [one for one in path.split(":") if one.startswith("/")]
        self._repositories = Repositories()

    def program(self, name: str, directory: str | None) -> Program:
        """The file a name means. It is of the system only if nobody but root can change it or a directory above it."""
        if "/" in name:
            if not name.startswith("/") and directory is None:
                return Program(None, system=False)
            return self._file(name if name.startswith("/") else f"{directory}/{name}")
        for one in self._directories:
            found = f"{one}/{name}"
            if os.access(found, os.X_OK) and os.path.isfile(found):
                return self._file(found)
        return Program(None, system=False)

    def _file(self, path: str) -> Program:
        try:
            real = followed(path)
        except OSError:
            return Program(None, system=False)
        if not (os.access(path, os.X_OK) and os.path.isfile(path)):
            return Program(None, system=False)
        # /usr/bin/python3 is itself; what it is called by decides how it is graded.
        shown = os.path.normpath(path)
        return Program(shown, system=_roots_own(shown) and _roots_own(real))

    def place(self, path: str) -> Place:
        """What stands at a path, links followed as the kernel would; one that it does not let us follow is no file."""
        try:
            magic = _through_proc(path)
            return Place(magic, magic, Kind.OTHER) if magic else self._place(path)
        except OSError:
            shown = os.path.normpath(path)
            return Place(shown, shown, Kind.OTHER)

    def _place(self, path: str) -> Place:
        trailing = path.endswith("/") and path != "/"
        head, _, last = path.rstrip("/").rpartition("/")
        if last in ("", ".", ".."):
            real = followed(path)
            return Place(real, real, _kind(real), _links(real))
        top = followed(head or "/")
        name = f"{top.rstrip('/')}/{last}"
        real = followed(name)
        if os.path.islink(name) and not trailing:
            return Place(real, name, Kind.LINK, _links(real))
        return Place(real, name, _kind(real), _links(real))

    def expand(self, pattern: str) -> tuple[str, ...] | None:
        """Paths that match now; None when there are too many to tell."""
        found = list(islice(glob.iglob(pattern), MOST_MATCHES + 1))
        return tuple(found) if len(found) <= MOST_MATCHES else None

    def repository(self, directory: str) -> Repository:
        """The repository around a directory, with what its effective configuration names as programs."""
        return self._repositories.of(directory)


def _through_proc(path: str) -> str:
    """Where a path goes on from a link in /proc, or "": each process that follows one gets elsewhere."""
    at, rest = "", [part for part in path.split("/") if part not in ("", ".")]
    for _ in range(MOST_PARTS):
        if not rest:
            return ""
        part = rest.pop(0)
        if part == "..":
            at = at.rpartition("/")[0]
            continue
        at = f"{at}/{part}"
        if not os.path.islink(at):
            continue
        if at.startswith("/proc/") and at != "/proc/self":
            return os.path.normpath("/".join([at, *rest]))
        if at == "/proc/self":
            continue
        target = os.readlink(at)
        at = "" if target.startswith("/") else at.rpartition("/")[0]
        rest = [one for one in target.split("/") if one not in ("", ".")] + rest
    return ""


def _roots_own(path: str) -> bool:
    """Whether only root can change what a path leads to."""
    at = path
    while True:
        try:
            facts = os.lstat(at)
        except OSError:
            return False
        writable = stat.S_IMODE(facts.st_mode) & 0o022 and not stat.S_ISLNK(facts.st_mode)
        if facts.st_uid != 0 or writable:
            return False
        if at == "/":
            return path.startswith(("/usr/", "/bin/", "/sbin/", "/lib", "/nix/store/", "/opt/"))
        at = os.path.dirname(at)


def _kind(path: str) -> Kind:
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return Kind.MISSING
    if stat.S_ISREG(mode):
        return Kind.FILE
    return Kind.DIRECTORY if stat.S_ISDIR(mode) else Kind.OTHER


def _links(path: str) -> int:
    try:
        facts = os.lstat(path)
    except OSError:
        return 1
    return facts.st_nlink if stat.S_ISREG(facts.st_mode) else 1

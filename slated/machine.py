"""Answers the grader's questions about this machine: programs, paths, patterns, git repositories."""

from __future__ import annotations

import glob
import os
import stat
import subprocess
from collections.abc import Mapping, Sequence
from itertools import islice

from slated.policy.facts import Kind, Place, Program, Repository

MOST_MATCHES = 2_000
_GIT_S = 3.0
_GIT = "/usr/bin/git"
# Keys that name a program, by the end of their name (git writes section and last part in lower case).
_PROGRAM_KEYS = (
    ".fsmonitor .sshcommand .pager .editor .external .textconv .command .clean .smudge .process .driver .program"
    " .helper .askpass .hookspath .gitproxy .cmd .path .uploadpack .receivepack .vcs .tool .sequenceeditor"
).split()
_FILES = ("include.", "includeif.", "submodule.")
"""Keys whose `path` is no program; what an included file says is listed by itself."""
_TRUE_WORDS = ("", "true", "false", "yes", "no", "on", "off", "0", "1", "cat")


class Machine:
    """This machine, as one user's shell sees it: `path` is the value of PATH."""

    def __init__(self, path: str) -> None:
        self._directories = [one for one in path.split(":") if one.startswith("/")]

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
        if not (os.access(path, os.X_OK) and os.path.isfile(path)):
            return Program(None, system=False)
        real = os.path.realpath(path)
        # /usr/bin/python3 is itself; what it is called by decides how it is graded.
        shown = os.path.normpath(path)
        return Program(shown, system=_roots_own(shown) and _roots_own(real))

    def place(self, path: str) -> Place:
        """What stands at a path, links followed as the kernel would."""
        trailing = path.endswith("/") and path != "/"
        head, _, last = path.rstrip("/").rpartition("/")
        if last in ("", ".", ".."):
            real = os.path.realpath(path)
            return Place(real, real, _kind(real), _links(real))
        top = os.path.realpath(head or "/")
        name = f"{top.rstrip('/')}/{last}"
        real = os.path.realpath(name)
        if os.path.islink(name) and not trailing:
            return Place(real, name, Kind.LINK, _links(real))
        return Place(real, name, _kind(real), _links(real))

    def expand(self, pattern: str) -> tuple[str, ...] | None:
        """Paths that match now; None when there are too many to tell."""
        found = list(islice(glob.iglob(pattern), MOST_MATCHES + 1))
        return tuple(found) if len(found) <= MOST_MATCHES else None

    def repository(self, directory: str) -> Repository:
        """The repository around a directory, with what its effective configuration names as programs."""
        top = _git(directory, "rev-parse", "--show-toplevel", "--git-path", "hooks")
        if top is None:
            return Repository(None)
        lines = top.decode(errors="replace").splitlines()
        if len(lines) != 2:
            return Repository(None)
        listed = _git(directory, "config", "--list", "--null", "--includes", "--show-scope") or b""
        hooks = os.path.join(directory, lines[1])
        return Repository(lines[0], _programs(listed), _active(hooks))


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


# -- git -----------------------------------------------------------------------------------------


def _git(directory: str, *words: str) -> bytes | None:
    """What git says in a directory. Neither of the two commands starts a program that a repository names."""
    try:
        done = subprocess.run(
            [_GIT, *words],
            cwd=directory,
            env=_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_GIT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def _environment() -> Mapping[str, str]:
    import pwd

    home = pwd.getpwuid(os.getuid()).pw_dir
    return {"PATH": "/usr/bin:/bin", "HOME": home, "LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0"}


def _programs(listed: bytes) -> tuple[str, ...]:
    """Keys of the repository's own configuration that name a program; the person's own settings are their choice."""
    named = []
    parts = listed.decode(errors="replace").split("\0")
    for scope, entry in zip(parts[::2], parts[1::2], strict=False):
        key, _, value = entry.partition("\n")
        key = key.lower()
        if scope not in ("local", "worktree") or key.startswith(_FILES):
            continue
        shell_alias = key.startswith("alias.") and value.startswith("!")
        if shell_alias or (key.endswith(tuple(_PROGRAM_KEYS)) and value not in _TRUE_WORDS):
            named.append(key)
    return tuple(sorted(set(named)))


def _active(hooks: str) -> tuple[str, ...]:
    try:
        there: Sequence[str] = sorted(os.listdir(hooks))
    except OSError:
        return ()
    return tuple(
        name
        for name in there
        if not name.endswith(".sample") and os.access(os.path.join(hooks, name), os.X_OK)
    )

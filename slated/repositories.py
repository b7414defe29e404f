"""What git repositories make git run: asked of git itself, and kept for as long as no file that decides it changes."""

from __future__ import annotations

import os
import pwd
import stat
import subprocess
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from slated.policy.facts import Repository

GIT: Final = "/usr/bin/git"
KEPT: Final = 256
UNREADABLE: Final = ("(what git says of it cannot be read)",)
_GIT_S: Final = 3.0
_SETTLED_NS: Final = 100_000_000
"""A file that changed less than this before git read it may have changed again with the same time stamp."""
# Keys that name a program, by the end of their name (git writes section and last part in lower case).
_PROGRAM_KEYS: Final = tuple(
    ".fsmonitor .sshcommand .pager .editor .external .textconv .command .clean .smudge .process .driver .program"
    " .helper .askpass .hookspath .gitproxy .cmd .path .uploadpack .receivepack .vcs .tool .sequenceeditor".split()
)
_FILES: Final = ("include.", "includeif.", "submodule.")
"""Keys whose `path` is no program; what an included file says is listed by itself."""
_TRUE_WORDS: Final = ("", "true", "false", "yes", "no", "on", "off", "0", "1", "cat")
Entry = tuple[str, str, str, str]
"""Scope, origin, key in lower case, value."""
Stamp = tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class _Layout:
    """Where a repository's parts are; `top` is its own directory where it has no work tree."""

    own: str
    shared: str
    hooks: str
    top: str


@dataclass(frozen=True, slots=True)
class _Known:
    """What git said of a directory, and the stamps of everything that decides it. `hooks` is the hooks' directory."""

    real: str
    repository: Repository
    hooks: str
    stamps: Mapping[str, Stamp]


class Repositories:
    """Answers for directories of this machine, as git would find it there for this user. Safe to use from threads."""

    def __init__(self) -> None:
        self._known: dict[str, _Known] = {}

    def of(self, directory: str) -> Repository:
        """The repository around a directory. One that cannot be read is said to name a program."""
        try:
            real = followed(directory)
        except OSError:
            return Repository(None, UNREADABLE)
        known = self._known.get(directory)
        if known is None or known.real != real or not _unchanged(known.stamps):
            known = _asked(directory, real)
            if known.stamps:
                if len(self._known) >= KEPT:
                    self._known.clear()
                self._known[directory] = known
        return (
            replace(known.repository, hooks=_active(known.hooks))
            if known.hooks
            else known.repository
        )


def _asked(directory: str, real: str) -> _Known:
    began = time.time_ns()
    said = _git(
        directory,
        "rev-parse",
        "--git-dir",
        "--git-common-dir",
        "--git-path",
        "hooks",
        "--show-toplevel",
    )
    if said is None:
        return _Known(real, Repository(None, UNREADABLE), "", {})
    if said.returncode and b"not a git repository" in said.stderr:
        return _kept(_Known(real, Repository(None), "", _above(real, "/")), began)
    lines = said.stdout.decode(errors="surrogateescape").splitlines()
    if len(lines) != 3 + (said.returncode == 0):
        return _Known(real, Repository(directory, UNREADABLE), "", {})
    own, shared, hooks = (followed(os.path.join(real, line)) for line in lines[:3])
    layout = _Layout(own, shared, hooks, lines[3] if len(lines) == 4 else own)
    listed = _git(
        directory, "config", "--list", "--null", "--includes", "--show-scope", "--show-origin"
    )
    if listed is None or listed.returncode:
        return _Known(real, Repository(layout.top, UNREADABLE), "", {})
    entries = list(_entries(listed.stdout.decode(errors="surrogateescape")))
    found = Repository(layout.top, _programs(entries))
    return _kept(_Known(real, found, hooks, _deciding(real, layout, entries)), began)


def _git(directory: str, *words: str) -> subprocess.CompletedProcess[bytes] | None:
    """What git says in a directory; None if it does not say it. Neither command starts what a repository names."""
    try:
        return subprocess.run(
            [GIT, *words],
            cwd=directory,
            env=_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_GIT_S,
            check=False,
        )
    except (FileNotFoundError, NotADirectoryError):
        return subprocess.CompletedProcess(words, 128, b"", b"not a git repository")
    except (OSError, subprocess.TimeoutExpired):
        return None


def _home() -> str:
    return pwd.getpwuid(os.getuid()).pw_dir


def _environment() -> Mapping[str, str]:
    return {"PATH": "/usr/bin:/bin", "HOME": _home(), "LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0"}


def _entries(listed: str) -> Iterator[Entry]:
    parts = listed.split("\0")
    for scope, origin, entry in zip(parts[::3], parts[1::3], parts[2::3], strict=False):
        key, _, value = entry.partition("\n")
        yield scope, origin, key.lower(), value


def _programs(entries: list[Entry]) -> tuple[str, ...]:
    """Keys of the repository's own configuration that name a program; the person's own settings are their choice."""
    named = set()
    for scope, _, key, value in entries:
        if scope not in ("local", "worktree") or key.startswith(_FILES):
            continue
        shell_alias = key.startswith("alias.") and value.startswith("!")
        if shell_alias or (key.endswith(_PROGRAM_KEYS) and value not in _TRUE_WORDS):
            named.add(key)
    return tuple(sorted(named))


def _active(hooks: str) -> tuple[str, ...]:
    try:
        there = sorted(os.listdir(hooks))
    except OSError:
        return ()
    return tuple(
        name
        for name in there
        if not name.endswith(".sample") and os.access(os.path.join(hooks, name), os.X_OK)
    )


# -- what decides it -----------------------------------------------------------------------------


def _deciding(real: str, layout: _Layout, entries: list[Entry]) -> dict[str, Stamp]:
    """Stamps of everything that decides what git says here; empty where not all of it is known."""
    home = _home()
    files = {
        "/etc/gitconfig", f"{home}/.gitconfig", f"{home}/.config/git/config",
        f"{layout.own}/HEAD", f"{layout.own}/commondir", f"{layout.own}/config.worktree",
        f"{layout.shared}/HEAD", f"{layout.shared}/config",
        layout.own, f"{layout.shared}/objects", f"{layout.shared}/refs",
    }  # fmt: skip
    for entry in entries:
        if entry[2].startswith(("include.", "includeif.")):
            target = _included(entry, layout, home)
            if target is None:
                return {}
            files.add(target)
    above = _above(real, layout.top)
    return above and {**above, **{path: _stamp(path) for path in files}}


def _included(entry: Entry, layout: _Layout, home: str) -> str | None:
    """The file that an include names, there or not; None where that, or its condition, depends on more than files."""
    _, origin, key, value = entry
    kind, _, source = origin.partition(":")
    if kind != "file" or not key.endswith(".path") or "onbranch:" in key:
        return None
    if value.startswith("~/"):
        return home + value[1:]
    if value.startswith(("~", "%", '"')) or source.startswith('"'):
        return None
    at = os.path.join(layout.top, source)
    return os.path.join(os.path.dirname(at), value) if os.path.exists(at) else None


def _above(real: str, top: str) -> dict[str, Stamp]:
    """Stamps of what makes git stop on its way up to `top`; empty where it passes something on the way, or `top` by."""
    stamps: dict[str, Stamp] = {}
    top = followed(top)
    for at in (real, *map(str, Path(real).parents)):
        found = {name: _stamp(name) for name in (f"{at}/.git", f"{at}/HEAD")}
        stamps |= found
        if at == top:
            return stamps
        if any(found.values()):
            return {}
    return {}


def _kept(known: _Known, began: int) -> _Known:
    """Without its stamps if one of the files changed so late that a further change might not show in them."""
    latest = max(
        (max(stamp[3:5], default=0) for stamp in known.stamps.values() if stamp), default=0
    )
    return known if latest < began - _SETTLED_NS else replace(known, stamps={})


def _unchanged(stamps: Mapping[str, Stamp]) -> bool:
    return all(_stamp(path) == stamp for path, stamp in stamps.items())


def _stamp(path: str) -> Stamp:
    """What any change of a file changes; of a directory only which one it is. None where there is nothing."""
    try:
        facts = os.stat(path)
    except OSError:
        return None
    which = (facts.st_dev, facts.st_ino, facts.st_uid)
    if stat.S_ISDIR(facts.st_mode):
        return which
    return (*which, facts.st_mtime_ns, facts.st_ctime_ns, facts.st_size)


def followed(path: str) -> str:
    """The path without links; raises OSError for a link that may not be followed."""
    real = os.path.realpath(path)
    # Python 3.13 leaves such a link in the path without a word, where 3.11 raises.
    for end in (*[i for i, letter in enumerate(real) if letter == "/"][1:], len(real)):
        if os.path.islink(real[:end]):
            os.readlink(real[:end])
    return real

"""Files that an application may save: those it has open or was started with, names in its title, names typed to it."""

from __future__ import annotations

import configparser
import os
import re
import stat
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from slated.redact import redact

MOST: Final = 64
NAMES: Final = 8
"""How many typed names are remembered for each task."""
LONGEST_NAME: Final = 255
_IN_TITLE: Final = re.compile(r"(~?/[^\0\n]+?)(?=\)| [-–—•] |$)")
_TYPED: Final = ("text", "value")
_LAUNCHED: Final = ("files", "argv", "starts")
_LOOKS_LIKE_A_FILE: Final = re.compile(r"/|\.\w{1,8}$")
"""Only such a text is kept as a name: what is typed elsewhere is nothing to keep."""


class Documents:
    """What is known of each task's applications. Reads `proc`; `home` stands for `~` in titles."""

    def __init__(self, home: str, proc: Path = Path("/proc")) -> None:
        self._home, self._proc = home, proc
        self._named: dict[str, deque[str]] = {}

    def heard(self, task: str, arguments: Mapping[str, object]) -> None:
        """Remember what may be the name of a file in a call's arguments: of what is opened or typed."""
        known = self._named.setdefault(task, deque(maxlen=NAMES))
        typed = [arguments.get(name) for name in _TYPED]
        found = [
            t.strip() for t in typed if isinstance(t, str) and _LOOKS_LIKE_A_FILE.search(t.strip())
        ]
        for value in (arguments.get(name) for name in _LAUNCHED):
            found += [t for t in value if isinstance(t, str)] if isinstance(value, list) else []
        for name in found:
            if _is_name(name) and name not in known and redact(name) == name:
                known.append(name)

    def forget(self, task: str) -> None:
        """A task is over."""
        self._named.pop(task, None)

    def of(self, task: str, pid: int | None, title: str) -> tuple[str, ...]:
        """Absolute paths of files that the application may change; some of them need not be there yet."""
        held = list(self._held(pid)) if pid is not None else []
        told = [self._absolute(path) for path in _IN_TITLE.findall(title)]
        # A title may name the file and then, in brackets, its directory.
        shown = title.partition(" (")[0].strip("*• ")
        files = [path for path in dict.fromkeys([*held, *told]) if os.path.isfile(path)]
        folders = [path for path in told if os.path.isdir(path)]
        folders += [os.path.dirname(path) for path in files]
        if pid is not None and (cwd := self._link(pid, "cwd")):
            folders.append(cwd)
        names = [shown] if _is_name(shown) else []
        names += self._named.get(task, ())
        made = self._made(names, dict.fromkeys([*folders, self._home]))
        return tuple(dict.fromkeys(os.path.realpath(path) for path in [*files, *made]))[:MOST]

    def sandbox(self, pid: int) -> str:
        """The id of the sandboxed application that a process belongs to; "" for none."""
        told = configparser.ConfigParser(interpolation=None, strict=False)
        try:
            info = self._proc / str(pid) / "root/.flatpak-info"
            told.read_string(info.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, configparser.Error):
            return ""
        return told.get("Application", "name", fallback="")

    def _made(self, names: Iterable[str], folders: Iterable[str]) -> Iterator[str]:
        for name in names:
            if name.startswith(("/", "~/")):
                yield self._absolute(name)
            else:
                yield from (os.path.join(folder, name) for folder in folders)

    def _absolute(self, path: str) -> str:
        return self._home + path[1:] if path.startswith("~/") else path

    def _held(self, pid: int) -> Iterator[str]:
        """Files on the command line, and regular files that are open."""
        cwd = self._link(pid, "cwd")
        for word in self._words(pid)[1:]:
            yield os.path.join(cwd, word.removeprefix("file://"))
        own = self._proc / str(pid) / "fd"
        try:
            numbers: Sequence[str] = sorted(os.listdir(own), key=int)
        except OSError:
            return
        for number in numbers:
            try:
                regular = stat.S_ISREG(os.stat(own / number).st_mode)
                path = os.readlink(own / number)
            except OSError:
                continue
            if regular and path.startswith("/") and not path.endswith(" (deleted)"):
                yield path

    def _words(self, pid: int) -> list[str]:
        try:
            data = (self._proc / str(pid) / "cmdline").read_bytes()
        except OSError:
            return []
        return [os.fsdecode(word) for word in data.split(b"\0")[:-1]]

    def _link(self, pid: int, name: str) -> str:
        try:
            return os.readlink(self._proc / str(pid) / name)
        except OSError:
            return ""


def _is_name(text: str) -> bool:
    """Whether a text could be the name of a file or a path."""
    if not text or "\n" in text or "\0" in text or text in (".", ".."):
        return False
    return all(len(os.fsencode(part)) <= LONGEST_NAME for part in text.split("/"))

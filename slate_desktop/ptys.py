"""Who reads the keys of a terminal window: a shell at its prompt, or what else; by what the kernel knows."""

from __future__ import annotations

import os
import termios
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from slate_desktop.model import Foreground

SHELLS: Final = frozenset({"/bin/bash", "/usr/bin/bash"})
"""The shells whose language slated reads."""
LOGIN_FLAGS: Final = frozenset("-l -i -il -li --login".split())
_PTMX: Final = frozenset({"/dev/ptmx", "/dev/pts/ptmx"})
_PTS_MAJOR: Final = 136
_PTS_PER_MAJOR: Final = 256
_UNSEEN: Final = "what runs in this terminal cannot be seen from here"


@dataclass(frozen=True, slots=True)
class _Process:
    """A process as /proc/PID/stat has it."""

    pid: int
    group: int
    session: int
    terminal: int
    foreground: int
    started: int


def look(
    pid: int, proc: Path = Path("/proc"), devices: Path = Path("/dev/pts")
) -> Foreground | None:
    """Who reads what is typed into the window of process `pid`; None where it holds no terminal, or hides it."""
    numbers = _terminals(proc / str(pid))
    if not numbers:
        return None
    if len(numbers) > 1:
        return Foreground(why="this terminal program has several terminals open")
    if not _same_world(proc, pid):
        return Foreground(why=_UNSEEN)
    (number,) = numbers
    device = devices / str(number)
    group = [one for one in _processes(proc) if one.terminal == _device(number)]
    if len({one.session for one in group}) > 1:
        group = _within(device, group, proc)
    front = [one for one in group if one.group == one.foreground]
    modes = _modes(device)
    if not front or modes is None:
        return Foreground(why=_UNSEEN)
    password = bool(modes & termios.ICANON) and not modes & termios.ECHO
    if len(front) > 1:
        return Foreground(why="several programs read this terminal", password=password)
    return _reader(proc, front[0], modes, password=password)


def _terminals(process: Path) -> list[int]:
    """The numbers of the terminals whose other end a process holds."""
    found = set()
    with suppress(OSError):
        for name in os.listdir(process / "fd"):
            with suppress(OSError, ValueError):
                if os.readlink(process / "fd" / name) in _PTMX:
                    told = (process / "fdinfo" / name).read_text(encoding="ascii")
                    lines = (line.partition(":") for line in told.splitlines())
                    found |= {int(value) for key, _, value in lines if key == "tty-index"}
    return sorted(found)


def _same_world(proc: Path, pid: int) -> bool:
    """Whether a process sees the file system that we see, as the user that we are."""
    own, other = proc / "self", proc / str(pid)
    try:
        spaces = all(
            os.readlink(own / "ns" / name) == os.readlink(other / "ns" / name)
            for name in ("mnt", "pid", "user")
        )
        same_root = os.readlink(own / "root") == os.readlink(other / "root")
        return spaces and same_root and other.stat().st_uid == os.getuid()
    except OSError:
        return False


def _device(number: int) -> int:
    """The terminal's device number as /proc/PID/stat spells it."""
    return os.makedev(_PTS_MAJOR + number // _PTS_PER_MAJOR, number % _PTS_PER_MAJOR)


def _processes(proc: Path) -> Iterator[_Process]:
    for name in os.listdir(proc):
        if name.isdecimal():
            with suppress(OSError, IndexError, ValueError):
                stat = (proc / name / "stat").read_text(encoding="utf-8", errors="replace")
                words = stat.rpartition(")")[2].split()
                wanted = (int(words[place]) for place in (2, 3, 4, 5, 19))
                yield _Process(int(name), *wanted)


def _within(device: Path, group: list[_Process], proc: Path) -> list[_Process]:
    """Those of a terminal's session: a terminal has one, but one of the same number in a container looks the same in
    /proc/PID/stat, and only what a process has open tells them apart.
    """
    ours: set[int] = set()
    with suppress(OSError):
        wanted = os.stat(device)
        for one in group:
            for name in ("0", "1", "2"):
                with suppress(OSError):
                    seen = os.stat(proc / str(one.pid) / "fd" / name)
                    if (seen.st_dev, seen.st_ino) == (wanted.st_dev, wanted.st_ino):
                        ours.add(one.session)
    return [one for one in group if one.session in ours] if len(ours) == 1 else []


def _modes(device: Path) -> int | None:
    """The local modes of a terminal: whether it shows what is typed, whether it edits lines itself."""
    try:
        with closing(_Opened(os.open(device, os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK))) as handle:
            modes = termios.tcgetattr(handle.number)[3]
            return modes if isinstance(modes, int) else None
    except (OSError, termios.error):
        return None


@dataclass(frozen=True, slots=True)
class _Opened:
    number: int

    def close(self) -> None:
        os.close(self.number)


def _reader(proc: Path, front: _Process, modes: int, *, password: bool) -> Foreground:
    """The one process in front: a shell at its prompt only if everything says so."""
    own = proc / str(front.pid)
    try:
        program, directory = os.readlink(own / "exe"), os.readlink(own / "cwd")
        words = (own / "cmdline").read_bytes().split(b"\0")[1:-1]
    except OSError:
        return Foreground(why=_UNSEEN, password=password)
    name = os.path.basename(program)
    if program not in SHELLS or not _same_world(proc, front.pid):
        return Foreground(why=f"the program {name} reads this terminal", password=password)
    if {word.decode(errors="replace") for word in words} - LOGIN_FLAGS:
        return Foreground(
            why="the shell in it runs a script or has settings of its own", password=password
        )
    if modes & termios.ICANON:
        # The line editor switches this off; a shell that does not edit a line is busy or reads something else.
        return Foreground(why="the shell in it is not at its prompt", password=password)
    return Foreground((front.pid, front.started), directory=directory)

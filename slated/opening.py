"""Opens `slate approvals` in a terminal window on the desktop where a person was shown a question."""

from __future__ import annotations

import os
import pwd
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import anyio

from slated import person
from slated.person import Process
from slated.settings import PATH

TERMINALS: Final[Mapping[str, Sequence[str]]] = {
    "foot": (),
    "kitty": (),
    "alacritty": ("-e",),
    "konsole": ("-e",),
    "xfce4-terminal": ("--disable-server", "-x"),
    "xterm": ("-e",),
}
"""Terminals of the system that run a command in a window and a process of their own, and the words before it."""
SHOWN_BY: Final = frozenset(
    "WAYLAND_DISPLAY DISPLAY XAUTHORITY XDG_RUNTIME_DIR DBUS_SESSION_BUS_ADDRESS LANG LC_ALL".split()
)
"""What is taken over from whoever shows notifications: where the person's desktop is, and nothing else."""
MAIN: Final = Path(__file__).parent / "__main__.py"


@dataclass(frozen=True, slots=True)
class Opening:
    """How approvals would be opened."""

    argv: tuple[str, ...]
    environ: Mapping[str, str]
    home: str


def opening(shower: int) -> Opening | None:
    """How to open approvals on the desktop of a process that shows notifications; None where that is not to be done."""
    return planned(person.ancestry(shower), person.ancestry(os.getpid()))


def planned(
    chain: Sequence[Process], own: Sequence[Process], *, system: str = "/usr/bin"
) -> Opening | None:
    """The same for the chains of processes of the shower and of ourselves.

    It must be a program of the system and of no task, since the window opens where it says that the desktop is. We must
    not be of a task either: the window would inherit that, and nobody in it would count as a person.
    """
    if not chain or not own or person.in_task(chain, set()) or person.in_task(own, set()):
        return None
    if chain[0].uid != os.getuid() or not chain[0].program.startswith(person.SYSTEM):
        return None
    told = dict(entry.split("=", 1) for entry in chain[0].environ if "=" in entry)
    shown = {name: told[name] for name in sorted(SHOWN_BY) if told.get(name)}
    if not {"WAYLAND_DISPLAY", "DISPLAY"} & set(shown):
        return None
    found = [name for name in TERMINALS if os.access(f"{system}/{name}", os.X_OK)]
    if not found:
        return None
    terminal = found[0]
    user = pwd.getpwuid(os.getuid())
    base = {
        "HOME": user.pw_dir,
        "USER": user.pw_name,
        "LOGNAME": user.pw_name,
        "SHELL": user.pw_shell,
        "PATH": PATH,
    }
    approvals = (sys.executable, "-I", str(MAIN), "approvals")
    argv = (f"{system}/{terminal}", *TERMINALS[terminal], *approvals)
    return Opening(argv, {**base, **shown}, user.pw_dir)


async def opened(how: Opening) -> bool:
    """Open approvals and wait until they are closed again; whether they could be started. They outlive us."""
    try:
        window = await anyio.open_process(
            how.argv,
            env=dict(how.environ),
            cwd=how.home,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        return False
    await window.wait()
    return True

"""What programs make of keys and the characters they type, told by what the programs are."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

from slate_desktop.model import Desktop, WindowId

# What every build of Chromium has beside its program, also one inside another application (Electron).
SNAPSHOTS = ("v8_context_snapshot.bin", "snapshot_blob.bin")
X_SERVER = "Xwayland"


@dataclass(frozen=True, slots=True)
class _Ears:
    halves: bool = False
    x_server: bool = False


class Hearing:
    """Knows of each window whether its program is built on Chromium, or is an X server."""

    def __init__(self, proc: Path = Path("/proc")) -> None:
        self._proc = proc
        self._known: dict[tuple[WindowId, int | None], _Ears] = {}

    def told(self, desktop: Desktop) -> Desktop:
        """The same desktop, with `halves` and `x_server` of its windows. Each is looked at once."""
        keys = [(w.id, w.pid) for w in desktop.windows]
        self._known = {key: self._known.get(key) or _look(self._proc, key[1]) for key in keys}
        windows = (
            replace(window, halves=ears.halves, x_server=ears.x_server)
            for window, ears in zip(desktop.windows, self._known.values(), strict=True)
        )
        return replace(desktop, windows=tuple(windows))


def _look(proc: Path, pid: int | None) -> _Ears:
    process = proc / str(pid)
    try:
        program = Path(os.readlink(process / "exe"))
    except OSError:
        return _Ears()  # it is another user's, or gone
    # Through its own root, for programs that were started inside a container.
    beside = process / "root" / program.parent.relative_to("/")
    on_chromium = any(os.access(beside / name, os.F_OK) for name in SNAPSHOTS)
    return _Ears(on_chromium, program.name == X_SERVER)

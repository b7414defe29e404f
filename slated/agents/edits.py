"""Changes to a person's settings files: planned as whole files, previewed and applied from the same plan."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from slated import files
from slated.errors import SlateError, Stale

BACKUP: Final = ".before-slate"
_LIMIT: Final = 32 << 20


@dataclass(frozen=True, slots=True)
class Edit:
    """A file that shall hold `after` instead of `before` (None: no file). `backup` keeps `before` beside it."""

    path: Path
    before: bytes | None
    after: bytes | None
    backup: bool = False

    @property
    def changes(self) -> bool:
        """Whether anything is to be done."""
        return self.before != self.after


def real(path: Path) -> Path:
    """The file itself, where the person keeps a link to it."""
    return Path(os.path.realpath(path))


def held(path: Path) -> bytes | None:
    """What a file holds now; None if there is none. Raises `unavailable.damaged` for anything but a file."""
    found = real(path)
    if not found.parent.is_dir():
        return None
    with files.opened(found.parent, create=False) as handle:
        return files.read_file(handle, found.name, limit=_LIMIT)


def backup_of(path: Path) -> bytes | None:
    """What was kept of a file when it was first changed."""
    return held(real(path).with_name(real(path).name + BACKUP))


def apply(edits: Sequence[Edit]) -> list[str]:
    """Make all of them, or none; what was done, a line each.

    Raises `stale.settings` when a file is not as it was planned from any more.
    """
    done: list[Edit] = []
    try:
        for edit in edits:
            if edit.changes:
                _one(edit)
                done.append(edit)
    except SlateError:
        for edit in reversed(done):
            with suppress(SlateError):
                _put(edit.path, edit.before)
        raise
    return [_line(edit) for edit in done]


def _line(edit: Edit) -> str:
    if edit.after is None:
        return f"removed {edit.path}"
    kept = f" (as it was: {edit.path.name}{BACKUP})" if edit.backup else ""
    return f"changed {edit.path}{kept}" if edit.before is not None else f"made {edit.path}"


def _one(edit: Edit) -> None:
    if held(edit.path) != edit.before:
        raise Stale(
            "settings",
            f"{edit.path} was changed meanwhile; nothing was written.",
            next_step="try again",
        )
    beside = real(edit.path).with_name(real(edit.path).name + BACKUP)
    if edit.backup and edit.before is not None:
        _put(beside, edit.before)
    _put(edit.path, edit.after)
    if not edit.backup and edit.after == backup_of(edit.path):
        _put(beside, None)


def _put(path: Path, data: bytes | None) -> None:
    found = real(path)
    if data is None:
        found.unlink(missing_ok=True)
        return
    found.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with suppress(FileNotFoundError):
        mode = stat.S_IMODE(found.stat().st_mode)
        with files.opened(found.parent, create=False) as handle:
            files.replace_file(handle, found.name, data, mode=mode)
        return
    with files.opened(found.parent, create=False) as handle:
        files.replace_file(handle, found.name, data)

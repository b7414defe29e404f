"""What an undo would change inside of text files: lines of a unified diff, from what is there to what comes back."""

from __future__ import annotations

import difflib
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Final

from slated.errors import SlateError
from slated.snapshots import content, walk
from slated.snapshots.entries import Entry, Kind, shown
from slated.snapshots.pictures import Pictures
from slated.snapshots.plan import Step
from slated.snapshots.planning import Undoing

LARGEST: Final = 1_000_000
"""Bytes of a file that is compared line by line."""
_NOTHING: Final = "/dev/null"


def differences(roots: Mapping[str, Pictures], undoing: Undoing) -> Iterator[str]:
    """Lines without their ends, file by file; names are escaped, content is not."""
    for root, plan in undoing.plans.items():
        for step in plan.loud:
            if _is_file(step.before) or _is_file(step.now):
                yield from _one(roots[root], root, step)


def _is_file(entry: Entry | None) -> bool:
    return entry is not None and entry.kind is Kind.FILE


def _one(pictures: Pictures, root: str, step: Step) -> Iterator[str]:
    name = shown(f"{root.rstrip('/')}/{step.path}")
    old, new = _now(root, step), _before(pictures, step)
    if old is None or new is None:
        yield f"{name}: not compared"
        return
    if old == new:
        return
    try:
        lines = [data.decode().splitlines() for data in (old, new)]
    except UnicodeDecodeError:
        yield f"{name}: binary content differs"
        return
    ends = (name if step.now else _NOTHING, name if step.before else _NOTHING)
    yield from difflib.unified_diff(lines[0], lines[1], *ends, lineterm="")


def _before(pictures: Pictures, step: Step) -> bytes | None:
    """What comes back; None where it cannot be compared."""
    if step.before is None:
        return b""
    if not _is_file(step.before) or step.before.size > LARGEST:
        return None
    with suppress(OSError, SlateError), pictures.reading(step.mark, step.path, step.before) as file:
        return os.pread(file, LARGEST, 0)
    return None


def _now(root: str, step: Step) -> bytes | None:
    """What is there; None where it cannot be compared."""
    if step.now is None:
        return b""
    if not _is_file(step.now) or step.now.size > LARGEST:
        return None
    handle = walk.open_root(root)
    try:
        with (
            suppress(OSError, SlateError),
            walk.at(handle, step.path) as (folder, name),
            content.reading(folder, name, step.now.ino) as file,
        ):
            facts = os.fstat(file)
            if stat.S_ISREG(facts.st_mode) and facts.st_size <= LARGEST:
                return os.pread(file, LARGEST, 0)
    finally:
        os.close(handle)
    return None

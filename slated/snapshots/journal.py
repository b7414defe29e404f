"""What an undo is about to do, on disk before it does it, so that one that was cut off can be finished or dropped."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from slated import files
from slated.snapshots.entries import Entry
from slated.snapshots.plan import Action, Step

_FOLDER = "journal"
_LIMIT = 1 << 30
_VERSION = 1


class State(StrEnum):
    """How far an undo is."""

    STAGING = "staging"
    """Nothing a person can see has changed."""
    COMMITTING = "committing"
    """Everything is staged; steps are being done."""
    RETURNING = "returning"
    """A step failed; the ones before are being taken back."""
    CLOSING = "closing"
    """All steps are done; what is left is to remember that."""


@dataclass(frozen=True, slots=True)
class Job:
    """The steps below one root. `staged` has the inode made for each step that makes something, 0 for the others.

    `felt` are other names of files with several, which only feel it. `times` are directories whose mtime must be as it
    was although names in them change; `opened` directories that get u+rwx while this works, with the mode they had.
    """

    root: str
    device: int
    inode: int
    staging: str
    steps: tuple[Step, ...]
    staged: tuple[int, ...] = ()
    felt: tuple[str, ...] = ()
    times: Mapping[str, int] = field(default_factory=dict)
    opened: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Journal:
    """One undo: the call it is in the timeline, and its jobs."""

    name: str
    task: str
    before: int
    state: State
    jobs: tuple[Job, ...]


def write(place: Path, journal: Journal) -> None:
    """On disk when this returns."""
    document = {"version": _VERSION, **asdict(journal)}
    data = json.dumps(document, default=_plain).encode("ascii")
    with files.opened(place, _FOLDER, create=True) as handle:
        files.replace_file(handle, f"{journal.name}.json", data)


def drop(place: Path, name: str) -> None:
    with files.opened(place, _FOLDER, create=True) as handle:
        try:
            os.unlink(f"{name}.json", dir_fd=handle)
            os.fsync(handle)
        except OSError as error:
            raise files.disk_error(f"Cannot drop the journal {name}", error) from error


def pending(place: Path) -> list[Journal]:
    """The undos that were cut off, oldest first. Raises Unavailable (`damaged`) for one that cannot be read."""
    with files.opened(place, _FOLDER, create=True) as handle:
        found = []
        for name in files.names(handle):
            data = files.read_file(handle, name, limit=_LIMIT)
            if data is not None:
                found.append(_read(name, data))
    return sorted(found, key=lambda journal: journal.before)


def _read(name: str, data: bytes) -> Journal:
    try:
        document = json.loads(data)
        if document["version"] != _VERSION:
            raise ValueError("version")
        jobs = tuple(_job(job) for job in document["jobs"])
        return Journal(
            document["name"], document["task"], document["before"], State(document["state"]), jobs
        )
    except (ValueError, KeyError, TypeError) as error:
        raise files.damaged(
            f"The journal {name}", "it is no journal", next_step="Move it aside; look at the tree."
        ) from error


def _job(found: dict[str, Any]) -> Job:
    steps = tuple(_step(step) for step in found["steps"])
    job = Job(**{**found, "steps": steps})
    return replace(job, staged=tuple(found["staged"]), felt=tuple(found["felt"]))


def _step(found: dict[str, Any]) -> Step:
    return Step(
        **{
            **found,
            "action": Action(found["action"]),
            "before": _entry(found["before"]),
            "now": _entry(found["now"]),
            "links": tuple(found["links"]),
        }
    )


def _entry(found: dict[str, Any] | None) -> Entry | None:
    if found is None:
        return None
    pairs = tuple((key, bytes.fromhex(value)) for key, value in found["xattrs"])
    return Entry(**{**found, "xattrs": pairs})


def _plain(value: object) -> str:
    if isinstance(value, bytes):
        return value.hex()
    raise TypeError(f"{type(value).__name__} in a journal")

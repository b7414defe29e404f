"""One bed for the same tests on every kind of picture: copies on the disk and in memory, snapshots on btrfs.

`make test-btrfs` sets SLATE_UNDO_ROOM to a directory on one file system; then the tests run there and nowhere else.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.undo_bed import Bed, make_home

ROOM = os.environ.get("SLATE_UNDO_ROOM", "")
KINDS = ["room"] if ROOM else ["disk", "tmpfs"]


@pytest.fixture(params=KINDS)
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """An empty home on one kind of file system."""
    if request.param == "disk":
        yield make_home(tmp_path)
        return
    if request.param == "room":
        # What is left of snapshots is read-only and goes with the image.
        yield make_home(Path(tempfile.mkdtemp(dir=ROOM)))
        return
    memory = Path(tempfile.mkdtemp(dir="/dev/shm", prefix="slate-"))
    yield make_home(memory)
    shutil.rmtree(memory)


@pytest.fixture
def bed(home: Path) -> Iterator[Bed]:
    """Undo over a home."""
    made = Bed(home)
    yield made
    made.undo.close()

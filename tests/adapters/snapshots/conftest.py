"""One bed for the same tests on every kind of picture: copies on the disk and in memory, snapshots on btrfs.

`make test-btrfs` sets SLATE_UNDO_ROOM to a directory on btrfs; then the tests run there and nowhere else.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from slated.snapshots import subvolume
from tests.fakes.undo_bed import Bed

ROOM = os.environ.get("SLATE_UNDO_ROOM", "")
KINDS = ["btrfs"] if ROOM else ["disk", "tmpfs"]


@pytest.fixture(params=KINDS)
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """An empty home on one kind of file system."""
    if request.param == "disk":
        made = tmp_path / "home"
        made.mkdir()
        yield made
        return
    if request.param == "btrfs":
        room = Path(tempfile.mkdtemp(dir=ROOM))
        handle = os.open(room, os.O_RDONLY | os.O_DIRECTORY)
        subvolume.create(handle, "home")
        os.close(handle)
        yield room / "home"
        return
    memory = Path(tempfile.mkdtemp(dir="/dev/shm", prefix="slate-"))
    (memory / "home").mkdir()
    yield memory / "home"
    shutil.rmtree(memory)


@pytest.fixture
def bed(home: Path) -> Iterator[Bed]:
    """Undo over a home."""
    made = Bed(home)
    yield made
    made.undo.close()

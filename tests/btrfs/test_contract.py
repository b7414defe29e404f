"""The suite of undo on real file systems of its own, as a user without rights: the same tests on each of them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes import loop_rooms

IMAGE_BYTES = 1 << 30


@pytest.fixture(scope="module", params=loop_rooms.KINDS)
def any_room(request: pytest.FixtureRequest) -> Iterator[Path]:
    """A directory of a plain user on each file system."""
    yield from made(request.param)


@pytest.fixture(scope="module")
def room() -> Iterator[Path]:
    """A directory of a plain user on btrfs."""
    yield from made("btrfs")


def made(kind: str) -> Iterator[Path]:
    with loop_rooms.mounted(kind, IMAGE_BYTES) as mount:
        if isinstance(mount, str):
            pytest.skip(mount)
        if not loop_rooms.readable():
            pytest.skip("another user cannot read this clone")
        yield mount


def run(room: Path, *tests: str, options: str = "") -> None:
    """Run tests as the plain user, none of them skipped."""
    if options:
        subprocess.run(["mount", "-o", f"remount,{options}", room], check=True, timeout=60)
    environment = {"SLATE_REQUIRE": "all", "SLATE_SLOW": os.environ.get("SLATE_SLOW", "1")}
    arguments = ["-m", "pytest", "-q", "-p", "no:cacheprovider", *tests]
    done = loop_rooms.as_nobody(room, arguments, environment, timeout_s=280)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    assert " passed" in done.stdout


@pytest.mark.timeout(300)
def test_the_whole_suite_of_undo_holds_for_a_plain_user(any_room: Path) -> None:
    """On btrfs by snapshots; on ext4 and in memory, where there are none, by copies."""
    run(any_room, "tests/adapters/snapshots", "tests/btrfs/plain.py")


@pytest.mark.timeout(300)
def test_what_a_person_asks_of_undo_is_done_with_snapshots(room: Path) -> None:
    run(room, "tests/adapters/test_undoing.py")


@pytest.mark.timeout(300)
def test_r198_what_is_special_about_btrfs_holds_for_a_plain_user(room: Path) -> None:
    """No function here may need what only root may do: list, show and inspect are refused to this user."""
    run(room, "tests/btrfs/cases.py")


@pytest.mark.timeout(300)
def test_r196_the_mount_option_for_deleting_changes_nothing(room: Path) -> None:
    run(room, "tests/btrfs/cases.py", options="user_subvol_rm_allowed")

"""The suite of undo on a real btrfs, as a user without rights: a loop-mounted image, the same tests as elsewhere."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NOBODY = 65534
IMAGE_BYTES = 1 << 30


@pytest.fixture(scope="module")
def room() -> Iterator[Path]:
    """A directory of a plain user on btrfs."""
    if os.geteuid():
        pytest.skip("mounting an image needs root")
    if not shutil.which("mkfs.btrfs"):
        pytest.skip("mkfs.btrfs is not installed (btrfs-progs)")
    folder = Path(tempfile.mkdtemp(prefix="slate-btrfs-"))
    folder.chmod(0o755)
    image, mount = folder / "image", folder / "mount"
    mount.mkdir()
    with open(image, "wb") as file:
        file.truncate(IMAGE_BYTES)
    subprocess.run(["mkfs.btrfs", "-q", image], check=True, capture_output=True, timeout=60)
    done = subprocess.run(
        ["mount", "-o", "loop", image, mount],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    if done.returncode:
        shutil.rmtree(folder)
        pytest.skip(f"an image cannot be mounted here: {done.stderr.strip()}")
    os.chown(mount, NOBODY, NOBODY)
    yield mount
    subprocess.run(["umount", mount], check=True, timeout=60)
    shutil.rmtree(folder)


def run(room: Path, *tests: str, options: str = "") -> None:
    """Run tests as the plain user, none of them skipped."""
    if options:
        subprocess.run(["mount", "-o", f"remount,{options}", room], check=True, timeout=60)
    environment = {
        "PATH": "/usr/bin:/bin",
        "SLATE_UNDO_ROOM": str(room),
        "SLATE_REQUIRE": "all",
        "SLATE_SLOW": os.environ.get("SLATE_SLOW", "1"),
        "PYTHONDONTWRITEBYTECODE": "1",
        "TMPDIR": str(room),
    }
    may = subprocess.run(
        ["test", "-r", f"{ROOT}/pyproject.toml"], user=NOBODY, check=False, timeout=10
    )
    if may.returncode:
        pytest.skip("another user cannot read this clone")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests],
        cwd=ROOT,
        env=environment,
        user=NOBODY,
        group=NOBODY,
        extra_groups=[],
        check=False,
        capture_output=True,
        text=True,
        timeout=280,
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    assert " passed" in done.stdout


@pytest.mark.timeout(300)
def test_the_whole_suite_of_undo_holds_on_btrfs_for_a_plain_user(room: Path) -> None:
    run(room, "tests/adapters/snapshots")


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

"""File systems of their own on loop-mounted images and in memory, and programs run there as a user without rights."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
NOBODY = 65534
KINDS = ("btrfs", "ext4", "tmpfs")
_MAKERS = {"btrfs": ["mkfs.btrfs", "-q"], "ext4": ["mkfs.ext4", "-q"]}


@contextmanager
def mounted(kind: str, size: int) -> Iterator[Path | str]:
    """A file system of this kind with room for `size` bytes, its top owned by the plain user; or why there is none."""
    if os.geteuid():
        yield "mounting needs root"
        return
    if kind in _MAKERS and not shutil.which(_MAKERS[kind][0]):
        yield f"{_MAKERS[kind][0]} is not installed"
        return
    folder = Path(tempfile.mkdtemp(prefix="slate-room-"))
    folder.chmod(0o755)
    mount = folder / "mount"
    mount.mkdir()
    why = _mount(kind, size, folder / "image", mount)
    try:
        if why:
            yield f"{kind} cannot be mounted here: {why}"
            return
        os.chown(mount, NOBODY, NOBODY)
        yield mount
    finally:
        if not why:
            subprocess.run(["umount", mount], check=True, timeout=60)
        shutil.rmtree(folder)


def _mount(kind: str, size: int, image: Path, mount: Path) -> str:
    if kind == "tmpfs":
        command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "slate", str(mount)]
    else:
        with open(image, "wb") as file:
            file.truncate(size)
        subprocess.run([*_MAKERS[kind], image], check=True, capture_output=True, timeout=120)
        command = ["mount", "-o", "loop", str(image), str(mount)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)
    return done.stderr.strip() if done.returncode else ""


def readable() -> bool:
    """Whether the plain user can read this clone."""
    command = ["test", "-r", f"{ROOT}/pyproject.toml"]
    return not subprocess.run(command, user=NOBODY, check=False, timeout=10).returncode


def as_nobody(
    room: Path,
    arguments: list[str],
    environment: Mapping[str, str],
    *,
    timeout_s: float,
    show: bool = False,
) -> subprocess.CompletedProcess[str]:
    """Run our Python with these arguments as the plain user, everything it makes in `room`."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={
            "PATH": "/usr/bin:/bin",
            "SLATE_UNDO_ROOM": str(room),
            "PYTHONDONTWRITEBYTECODE": "1",
            "TMPDIR": str(room),
            **environment,
        },
        user=NOBODY,
        group=NOBODY,
        extra_groups=[],
        check=False,
        capture_output=not show,
        text=True,
        timeout=timeout_s,
    )

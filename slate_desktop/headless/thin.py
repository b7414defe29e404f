"""Keeps of unpacked packages only what sway needs to run without a screen and a graphics card."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from slate_desktop.errors import Unavailable

PROGRAMS = ("sway", "swaymsg")
KEYMAPS = Path("usr/share/X11/xkb")


@dataclass(frozen=True, slots=True)
class Machine:
    """A kind of processor as Debian names it, and where its programs find their loader."""

    architecture: str
    triplet: str
    loader: str
    tested: bool = True

    @property
    def libraries(self) -> Path:
        return Path("usr/lib", self.triplet)


MACHINES = {
    "x86_64": Machine("amd64", "x86_64-linux-gnu", "ld-linux-x86-64.so.2"),
    "aarch64": Machine("arm64", "aarch64-linux-gnu", "ld-linux-aarch64.so.1", tested=False),
}


def unpack(archive: Path, into: Path) -> None:
    """Unpack one package. Nothing of it is run."""
    argv = ["dpkg-deb", "-x", str(archive), str(into)]
    done = subprocess.run(
        argv,
        env={"PATH": os.defpath, "LC_ALL": "C"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=300,
        check=False,
    )
    if done.returncode != 0:
        full = shutil.disk_usage(into).free < 50_000_000
        raise Unavailable(
            "disk" if full else "package",
            f"{archive.name} cannot be unpacked{': the disk is full' if full else ''}.",
            next_step="free 600 MB and try again" if full else f"remove {archive} and try again",
        )


def keep(unpacked: Path, root: Path, machine: Machine) -> None:
    """Copy programs, loader, the libraries they are linked to and the keymaps from `unpacked` to `root`."""
    loader = (unpacked / machine.libraries / machine.loader).resolve()
    if not (loader.is_file() and loader.is_relative_to(unpacked.resolve())):
        raise Unavailable("package", "the packages hold no loader for this kind of machine.")
    needed = [*(Path("usr/bin", name) for name in PROGRAMS), KEYMAPS]
    if missing := [str(path) for path in needed if not (unpacked / path).exists()]:
        raise Unavailable("package", f"the packages hold no {missing[0]}.")
    libraries = root / machine.libraries
    libraries.mkdir(parents=True)
    (root / "usr/bin").mkdir()
    _copy(loader, libraries / machine.loader)
    for name in PROGRAMS:
        program = unpacked / "usr/bin" / name
        _copy(program, root / "usr/bin" / name)
        for path in _linked(loader, unpacked / machine.libraries, program):
            _copy(path, libraries / path.name)
    (root / KEYMAPS.parent).mkdir(parents=True)
    # The directory may be a link to the place newer versions keep it in.
    shutil.copytree((unpacked / KEYMAPS).resolve(), root / KEYMAPS, symlinks=True)


def _linked(loader: Path, libraries: Path, program: Path) -> list[Path]:
    """The shared libraries the loader would map for `program`, by the names they are asked for."""
    listing = subprocess.run(
        [str(loader), "--library-path", str(libraries), "--list", str(program)],
        env={},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    paths = [
        line.split(" => ")[1].rpartition(" (")[0]
        for line in listing.stdout.splitlines()
        if " => " in line
    ]
    outside = [path for path in paths if not Path(path).is_relative_to(libraries)]
    if listing.returncode != 0 or outside or not paths:
        raise Unavailable("package", f"the packages are not enough to run {program.name}.")
    return [Path(path) for path in paths]


def _copy(source: Path, target: Path) -> None:
    """Copy what a link stands for; no set-user-id bit survives."""
    if not target.exists():
        shutil.copyfile(source, target)
        target.chmod(0o755)

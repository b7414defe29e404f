"""Finds a sway that is new enough, or installs a private one below the person's data directory."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import platform
import re
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import anyio

from slate_desktop.errors import SlateError, Unavailable
from slate_desktop.headless import fetch, recipe, thin
from slate_desktop.headless.program import WANTED, SwayProgram
from slate_desktop.headless.progress import Progress
from slate_desktop.headless.session import open_session

MANIFEST = "runtime.json"
LOCK, STAGING, LEAVING = ".lock", ".staging", ".leaving"
NEEDED_BYTES = 600_000_000  # archives, all of it unpacked, and what is kept
TURN_S = 1800.0
VERSION = re.compile(r"sway version (\d+)\.(\d+)")


@dataclass(frozen=True, slots=True)
class Request:
    """What an installation may use: a mirror and a keyring instead of the system's, and the way out."""

    mirror: str | None = None
    keyring: Path | None = None
    proxies: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Installed:
    """A private sway on disk and what its manifest says of it."""

    directory: Path
    version: tuple[int, int]
    machine: str
    package: str
    size_bytes: int


def find_sway(data_home: Path, *, path: str = recipe.PATH) -> SwayProgram | None:
    """The system's sway when it is new enough, else the newest private one, else None."""
    return _system_sway(path) or _private_sway(data_home)


def install(data_home: Path, request: Request, progress: Progress) -> SwayProgram:
    """Make sure there is a sway; fetches a private one where needed, which takes about 20 s.

    Killed at any point it leaves nothing that `find_sway` would take, and the next try goes on with
    what had arrived. A second one waits for the first. Blocks. Raises Unavailable.
    """
    place = _place(data_home)
    try:
        place.mkdir(parents=True, exist_ok=True, mode=0o700)
        with turn(place, progress) as lock:
            found = find_sway(data_home)
            if found is None:
                return _install(data_home, place, request, progress, lock)
            shutil.rmtree(place / STAGING, ignore_errors=True)
            return found
    except OSError as error:
        if isinstance(error, SlateError):
            raise
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        raise Unavailable(
            "disk",
            f"{'the disk is full' if full else f'{place} cannot be written'} ({error.strerror}).",
            next_step="free 600 MB and try again" if full else "check who owns the directory",
        ) from error


def remove(data_home: Path, progress: Progress) -> bool:
    """Remove every private sway and what an installation left; whether there was anything."""
    place = _place(data_home)
    if not place.exists():
        return False
    with turn(place, progress):
        leaving = place / LEAVING
        found = False
        for directory in [*place.iterdir()]:
            if directory.name == LOCK:
                continue
            found = True
            shutil.rmtree(leaving, ignore_errors=True)
            if directory.name != LEAVING:
                directory.rename(leaving)
        shutil.rmtree(leaving, ignore_errors=True)
    return found


def installed(data_home: Path) -> list[Installed]:
    """The private sways on disk, newest first."""
    place = _place(data_home)
    found = []
    for manifest in place.glob(f"[0-9]*/{MANIFEST}"):
        try:
            facts = json.loads(manifest.read_text())
            version = (int(facts["version"][0]), int(facts["version"][1]))
            found.append(
                Installed(
                    manifest.parent,
                    version,
                    str(facts["machine"]),
                    str(facts["package"]),
                    int(facts["size_bytes"]),
                )
            )
        except (OSError, ValueError, KeyError, IndexError, TypeError):
            continue
    return sorted(found, key=lambda one: one.version, reverse=True)


def system_version(path: str = recipe.PATH) -> tuple[int, int] | None:
    """Version of the system's sway, None when there is none that answers."""
    program = shutil.which("sway", path=path)
    return _version((program,), {}) if program else None


def _place(data_home: Path) -> Path:
    return data_home / "slate" / "runtime"


def _system_sway(path: str) -> SwayProgram | None:
    version = system_version(path)
    program = shutil.which("sway", path=path)
    if program is None or version is None or version < WANTED:
        return None
    client = shutil.which("swaymsg", path=path)
    return SwayProgram((program,), {}, version, "system", (client,) if client else ())


def _private_sway(data_home: Path) -> SwayProgram | None:
    for one in installed(data_home):
        if one.machine == platform.machine() and one.version >= WANTED:
            return _program(one.directory, one.version)
    return None


def _program(root: Path, version: tuple[int, int]) -> SwayProgram:
    """How to call what lies in `root`: by its own loader, so that the system's libraries do not matter."""
    machine = thin.MACHINES[platform.machine()]
    libraries = root / machine.libraries
    loader = (str(libraries / machine.loader), "--library-path", str(libraries), "--argv0")
    argv = (*loader, "sway", str(root / "usr/bin/sway"))
    swaymsg = (*loader, "swaymsg", str(root / "usr/bin/swaymsg"))
    env = {"XKB_CONFIG_ROOT": str(root / thin.KEYMAPS)}
    return SwayProgram(argv, env, version, "private", swaymsg)


def _version(argv: tuple[str, ...], env: Mapping[str, str]) -> tuple[int, int] | None:
    try:
        done = subprocess.run(
            [*argv, "--version"],
            env={"PATH": recipe.PATH, "LC_ALL": "C", **env},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=10,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = VERSION.match(done.stdout)
    return (int(match[1]), int(match[2])) if match else None


def _install(
    data_home: Path, place: Path, request: Request, progress: Progress, lock: int
) -> SwayProgram:
    machine = thin.MACHINES.get(platform.machine())
    if machine is None:
        raise Unavailable(
            "machine",
            f"there is no private sway for {platform.machine()}, only for {', '.join(thin.MACHINES)}.",
            next_step="install sway 1.12 or newer from your distribution",
        )
    if shutil.disk_usage(place).free < NEEDED_BYTES:
        raise Unavailable(
            "disk",
            f"less than {NEEDED_BYTES // 1_000_000} MB are free below {data_home}.",
            next_step="free some; all but about 30 MB is given back at the end",
        )
    source = fetch.choose_source(request.mirror, request.keyring)
    if not machine.tested:
        progress.notice(f"{platform.machine()} should work, but nobody has tried it yet")
    staging = place / STAGING
    apt = fetch.Apt(staging / "apt", source, machine.architecture, request.proxies)
    said = apt.update(progress, lock)
    archives = apt.download(["sway"], progress, lock)
    root = _unpack(archives, staging, machine, progress)
    progress.step("starting it once")
    version = _try_out(root)
    package = next((one.name for one in archives if one.name.startswith("sway_")), "")
    facts = {
        "version": version,
        "machine": platform.machine(),
        "package": package.removesuffix(".deb"),
        "source": f"{source.mirror} {source.suite}",
        "remark": said,
        "size_bytes": _size(root),
    }
    (root / MANIFEST).write_text(json.dumps(facts, indent=1) + "\n")
    target = place / f"{version[0]}.{version[1]}"
    shutil.rmtree(target, ignore_errors=True)
    root.rename(target)
    shutil.rmtree(staging, ignore_errors=True)
    progress.close()
    return _program(target, version)


def _unpack(archives: list[Path], staging: Path, machine: thin.Machine, progress: Progress) -> Path:
    unpacked, root = staging / "unpacked", staging / "root"
    for leftover in (unpacked, root):
        shutil.rmtree(leftover, ignore_errors=True)
    unpacked.mkdir()
    root.mkdir()
    progress.step("unpacking")
    for number, archive in enumerate(archives, 1):
        thin.unpack(archive, unpacked)
        progress.at(number / len(archives))
    thin.keep(unpacked, root, machine)
    shutil.rmtree(unpacked)
    return root


def _try_out(root: Path) -> tuple[int, int]:
    """Version of the sway in `root`, after a session of it has come up and gone down."""
    program = _program(root, WANTED)
    version = _version(program.argv, program.env)
    if version is None or version < WANTED:
        raise Unavailable(
            "package",
            f"the mirror's sway {'does not run here' if version is None else 'is too old'}.",
            next_step="name another mirror with --mirror ADDRESS",
        )
    if shutil.which("dbus-daemon", path=recipe.PATH):
        anyio.run(_open_once, program)
    return version


async def _open_once(program: SwayProgram) -> None:
    async with open_session(program, slow=4.0):
        pass


def _size(root: Path) -> int:
    return sum(path.lstat().st_blocks * 512 for path in root.rglob("*"))


@contextlib.contextmanager
def turn(place: Path, progress: Progress) -> Iterator[int]:
    """Hold the only right to change `place`; wait for whoever has it now. Yields the lock's descriptor."""
    lock = os.open(place / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    deadline = time.monotonic() + TURN_S
    told = False
    try:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise Unavailable(
                        "busy",
                        f"another installation has been at work for {TURN_S / 60:.0f} minutes.",
                        next_step=f"end the process that holds {place / LOCK}",
                    ) from None
            if not told:
                progress.notice("another installation is at work: waiting for it")
                told = True
            threading.Event().wait(0.2)
        yield lock
    finally:
        os.close(lock)

"""A Debian archive of one small package, signed with a key of its own, for tests without a network."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from slate_desktop.headless import thin

MACHINE = thin.MACHINES[platform.machine()]
DATE = "%a, %d %b %Y %H:%M:%S UTC"
PATH = os.environ["PATH"]


@dataclass(frozen=True, slots=True)
class Archive:
    """`address` for apt, the `keyring` that verifies it, and the home of the key that signs it."""

    root: Path
    keyring: Path
    keys: Path

    @property
    def address(self) -> str:
        return f"copy:{self.root}"

    def sign(self, *, age: timedelta = timedelta(), signed: bool = True) -> None:
        """Write the release file anew, `age` old (negative: of the future), valid for a week."""
        dist = self.root / "dists/forky"
        listed = [path for path in sorted((dist / "main").rglob("*")) if path.is_file()]
        made = datetime.now(UTC) - age
        lines = [
            "Origin: Test",
            "Suite: testing",
            "Codename: forky",
            f"Date: {made.strftime(DATE)}",
            f"Valid-Until: {(made + timedelta(days=7)).strftime(DATE)}",
            f"Architectures: {MACHINE.architecture}",
            "Components: main",
            "SHA256:",
            *(
                f" {hashlib.sha256(path.read_bytes()).hexdigest()}"
                f" {path.stat().st_size} {path.relative_to(dist)}"
                for path in listed
            ),
        ]
        (dist / "Release").write_text("\n".join(lines) + "\n")
        (dist / "InRelease").unlink(missing_ok=True)
        if signed:
            gpg(self.keys, "--clearsign", "-o", str(dist / "InRelease"), str(dist / "Release"))
            (dist / "Release").unlink()


def gpg(home: Path, *arguments: str) -> None:
    subprocess.run(
        ["gpg", "--batch", "--quiet", "--homedir", str(home), *arguments],
        env={"PATH": PATH},
        check=True,
        timeout=30,
        capture_output=True,
    )


@contextmanager
def archive(place: Path, tree: Path) -> Iterator[Archive]:
    """An archive below `place` whose package `sway` holds the files of `tree`."""
    made = Archive(place / "archive", place / "keyring.gpg", place / "k")
    made.keys.mkdir(mode=0o700)
    try:
        gpg(
            made.keys, "--passphrase", "", "--quick-gen-key", "test@example", "ed25519", "sign", "0"
        )
        gpg(made.keys, "-o", str(made.keyring), "--export")
        _package(made.root, tree)
        made.sign()
        yield made
    finally:
        subprocess.run(
            ["gpgconf", "--homedir", str(made.keys), "--kill", "all"],
            env={"PATH": PATH},
            check=False,
            timeout=30,
        )


def _package(root: Path, tree: Path) -> None:
    control = tree / "DEBIAN"
    control.mkdir()
    facts = f"Package: sway\nVersion: 1.12-1\nArchitecture: {MACHINE.architecture}\n"
    facts += "Maintainer: Test <test@example>\nDescription: none\n"
    (control / "control").write_text(facts)
    pool = root / "pool"
    pool.mkdir(parents=True)
    file = pool / f"sway_1.12-1_{MACHINE.architecture}.deb"
    subprocess.run(
        ["dpkg-deb", "--root-owner-group", "-Znone", "--build", str(tree), str(file)],
        check=True,
        timeout=60,
        capture_output=True,
    )
    shutil.rmtree(control)
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    facts += f"Filename: pool/{file.name}\nSize: {file.stat().st_size}\nSHA256: {digest}\n"
    index = root / f"dists/forky/main/binary-{MACHINE.architecture}/Packages"
    index.parent.mkdir(parents=True)
    index.write_text(facts)


def tree_of_a_program(place: Path) -> Path:
    """Files as sway's packages hold them: a program with its own loader and libraries, and keymaps."""
    tree = place / "tree"
    libraries = tree / MACHINE.libraries
    libraries.mkdir(parents=True)
    (tree / "usr/bin").mkdir()
    sample = shutil.which("true") or "/bin/true"
    listing = subprocess.run(["ldd", sample], check=True, capture_output=True, text=True)
    loader = Path(f"/lib/{MACHINE.triplet}/{MACHINE.loader}")
    shutil.copyfile(loader.resolve(), libraries / MACHINE.loader)
    (libraries / MACHINE.loader).chmod(0o755)
    for line in listing.stdout.splitlines():
        if " => " in line:
            source = Path(line.split(" => ")[1].split(" (")[0])
            shutil.copyfile(source.resolve(), libraries / source.name)
    for name in thin.PROGRAMS:
        shutil.copyfile(sample, tree / "usr/bin" / name)
        (tree / "usr/bin" / name).chmod(0o4755)
    (libraries / "libunused.so.1").write_bytes(b"\0" * 100_000)
    (tree / "usr/share/doc/sway").mkdir(parents=True)
    (tree / "usr/share/doc/sway/README").write_text("not needed\n")
    (tree / "usr/share/keymaps-2/rules").mkdir(parents=True)
    (tree / "usr/share/keymaps-2/rules/evdev").write_text("! model = keycodes\n")
    (tree / "usr/share/X11").mkdir()
    (tree / "usr/share/X11/xkb").symlink_to("../keymaps-2")
    return tree

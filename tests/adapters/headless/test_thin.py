"""What is kept of unpacked packages."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from slate_desktop.errors import Unavailable
from slate_desktop.headless import thin
from tests.adapters.headless.archive import MACHINE, Archive, tree_of_a_program


def test_programs_loader_linked_libraries_and_keymaps_are_kept_and_nothing_else(
    tmp_path: Path,
) -> None:
    root = tmp_path / "root"
    thin.keep(tree_of_a_program(tmp_path), root, MACHINE)
    kept = {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}
    libraries = {Path(name).name for name in kept if name.startswith(str(MACHINE.libraries))}
    assert kept >= {"usr/bin/sway", "usr/bin/swaymsg", "usr/share/X11/xkb/rules/evdev"}
    assert {MACHINE.loader, "libc.so.6"} <= libraries
    assert "libunused.so.1" not in libraries
    assert not [name for name in kept if "doc" in name]
    assert not (root / thin.KEYMAPS).is_symlink()
    loader = root / MACHINE.libraries / MACHINE.loader
    program = [str(loader), "--library-path", str(loader.parent), str(root / "usr/bin/sway")]
    assert subprocess.run(program, env={}, check=False, timeout=10).returncode == 0


def test_no_set_user_id_bit_survives(tmp_path: Path) -> None:
    root = tmp_path / "root"
    thin.keep(tree_of_a_program(tmp_path), root, MACHINE)
    assert (root / "usr/bin/sway").stat().st_mode & 0o7777 == 0o755


def test_packages_that_lack_a_library_are_not_enough(tmp_path: Path) -> None:
    tree = tree_of_a_program(tmp_path)
    (tree / MACHINE.libraries / "libc.so.6").unlink()
    with pytest.raises(Unavailable, match="not enough to run sway"):
        thin.keep(tree, tmp_path / "root", MACHINE)


def test_packages_without_the_program_are_named(tmp_path: Path) -> None:
    tree = tree_of_a_program(tmp_path)
    (tree / "usr/bin/swaymsg").unlink()
    with pytest.raises(Unavailable, match="no usr/bin/swaymsg"):
        thin.keep(tree, tmp_path / "root", MACHINE)


def test_packages_of_another_kind_of_machine_are_refused(tmp_path: Path) -> None:
    other = next(one for one in thin.MACHINES.values() if one != MACHINE)
    with pytest.raises(Unavailable, match="no loader"):
        thin.keep(tree_of_a_program(tmp_path), tmp_path / "root", other)


def test_a_package_is_unpacked_and_a_broken_one_is_named(archive: Archive, tmp_path: Path) -> None:
    package = next((archive.root / "pool").iterdir())
    thin.unpack(package, tmp_path / "whole")
    assert (tmp_path / "whole/usr/bin/sway").exists()
    broken = tmp_path / "broken.deb"
    broken.write_bytes(package.read_bytes()[:5000])
    with pytest.raises(Unavailable, match=r"broken\.deb") as failure:
        thin.unpack(broken, tmp_path)
    assert failure.value.code == "unavailable.package"

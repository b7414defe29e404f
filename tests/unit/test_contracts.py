"""Each import contract bites: one forbidden import, planted in a copy of the tree, fails it."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("slate_desktop", "slated")

PLANTED = {
    "packages": ("slated/errors.py", "import slate_desktop.geometry"),
    "lower-rooms": ("slate_desktop/errors.py", "import slated.cellar"),
    "floors": ("slate_desktop/geometry.py", "import slate_desktop.model"),
    "lower-floors": ("slated/errors.py", "import slated.model"),
    "adapters-apart": ("slate_desktop/wayland/connection.py", "import slate_desktop.swayipc.ipc"),
    "adapters-behind-the-desk": ("slate_desktop/act.py", "import slate_desktop.swayipc.ipc"),
    "headless-behind-the-desk": ("slate_desktop/act.py", "import slate_desktop.headless.session"),
    "pure": ("slate_desktop/geometry.py", "import time"),
    "mcp-in-one-place": ("slate_desktop/act.py", "import mcp_types"),
}
"""Contract id: the module that sins, and its sin."""
NEW_ROOMS = {
    "floors": "slate_desktop/attic.py",
    "lower-floors": "slated/attic.py",
}
"""Contracts that must be told of every room: a module that no floor knows fails them."""


@pytest.fixture
def copy(sound: Path, tmp_path: Path) -> Path:
    """A tree of one's own in which every contract is kept."""
    return Path(shutil.copytree(sound, tmp_path / "tree"))


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The two packages and their contracts, all of them kept."""
    tree = tmp_path_factory.mktemp("sound")
    for package in PACKAGES:
        unwanted = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / package, tree / package, ignore=unwanted)
    shutil.copy(ROOT / "pyproject.toml", tree)
    assert " 0 broken." in lint_imports(tree)
    return tree


def lint_imports(tree: Path, *arguments: str) -> str:
    """What `lint-imports` says about `tree`; an error if it could not judge."""
    command = [
        sys.executable,
        "-c",
        "from importlinter.cli import lint_imports_command; lint_imports_command()",
        *("--no-cache", "--no-logo", *arguments),
    ]
    run = subprocess.run(command, cwd=tree, capture_output=True, text=True, timeout=20, check=False)
    assert "kept" in run.stdout, run.stdout + run.stderr
    return run.stdout


def broken(tree: Path, contract: str) -> bool:
    return " 1 broken." in lint_imports(tree, "--contract", contract)


def contracts() -> list[str]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return [contract["id"] for contract in settings["tool"]["importlinter"]["contracts"]]


def test_every_contract_has_a_planted_fault() -> None:
    assert sorted(PLANTED) == sorted(contracts())


@pytest.mark.parametrize("contract", PLANTED)
def test_a_planted_import_breaks_the_contract(copy: Path, contract: str) -> None:
    module, sin = PLANTED[contract]
    if contract == "lower-rooms":
        (copy / "slated/cellar.py").write_text('"""A room that slate_desktop has no key to."""\n')
    path = copy / module
    path.write_text(f"{path.read_text(encoding='utf-8')}\n{sin}\n", encoding="utf-8")
    assert broken(copy, contract)


@pytest.mark.parametrize("contract", NEW_ROOMS)
def test_a_room_that_no_floor_knows_breaks_the_contract(copy: Path, contract: str) -> None:
    (copy / NEW_ROOMS[contract]).write_text('"""Nobody said what may stand on this."""\n')
    assert broken(copy, contract)


def test_whatever_calls_itself_pure_is_held_to_it() -> None:
    """A module whose opening paragraph says "Pure" is under the contract, itself or its package."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    listed = settings["tool"]["importlinter"]["contracts"]
    held = next(contract["source_modules"] for contract in listed if contract["id"] == "pure")
    for path in sorted(p for package in PACKAGES for p in (ROOT / package).rglob("*.py")):
        said = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        if "Pure" in said.split("\n\n", 1)[0]:
            assert any(f"{module}.".startswith(f"{name}.") for name in held), module

"""The shape of the tree: size, name and sign of modules, and who makes grants and targets."""

from __future__ import annotations

import ast
import re
import shutil
import statistics
import subprocess
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("slate_desktop", "slated")
TESTS = ("tests", "bench", "scripts")
GENERATED = ROOT / "slate_desktop/wayland/bindings"

MODULE_LINES = 400
MEDIAN_LINES = 150
FUNCTION_LINES = 50
VAGUE_NAMES = {"utils", "helpers", "common", "base", "core", "manager", "engine", "util", "misc"}
# Of all who may call these, one: types are the order of a call, and these are its two turnstiles.
MAKERS = {"Grant": "slate_desktop/gate.py", "Target": "slate_desktop/resolve.py"}
# Where clones live on machines of one person or one service.
PRIVATE_PATHS = re.compile(
    rb"(?<![\w.~])/(?:work|workspace|builds|Users)/\w|" + re.escape(f"{ROOT}/".encode())
)


def modules(*folders: str) -> list[Path]:
    """Python files below `folders`, without generated ones."""
    found = (path for folder in folders for path in (ROOT / folder).rglob("*.py"))
    return sorted(p for p in found if GENERATED not in p.parents and "node_modules" not in p.parts)


def tracked() -> list[Path]:
    """Every file that is in git or would be added to it."""
    git = shutil.which("git") or "git"
    listed = subprocess.run(
        [git, "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        check=True,
        capture_output=True,
        timeout=10,
    )
    return [
        p
        for p in (ROOT / entry for entry in listed.stdout.decode().split("\0") if entry)
        if p.is_file()
    ]


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def calls(path: Path, callee: str) -> bool:
    """Whether the module calls `callee`, bare or as an attribute of something."""
    for node in ast.walk(parsed(path)):
        match node:
            case ast.Call(func=ast.Name(id=found) | ast.Attribute(attr=found)) if found == callee:
                return True
            case _:
                pass
    return False


def test_no_module_is_longer_than_400_lines() -> None:
    long = {name(p): n for p in modules(*PACKAGES, *TESTS) if (n := lines(p)) > MODULE_LINES}
    assert not long


def test_the_median_module_has_at_most_150_lines() -> None:
    sizes = [lines(p) for p in modules(*PACKAGES) if p.name != "__init__.py"]
    assert statistics.median(sizes) <= MEDIAN_LINES


def test_no_function_is_longer_than_50_lines() -> None:
    long = {
        f"{name(path)}:{function.name}": length
        for path in modules(*PACKAGES, *TESTS)
        for function in functions(path)
        if (length := (function.end_lineno or 0) - function.lineno + 1) > FUNCTION_LINES
    }
    assert not long


def test_no_module_or_folder_has_a_name_that_says_nothing() -> None:
    paths = [p.relative_to(ROOT) for p in modules(*PACKAGES, *TESTS)]
    vague = {str(p) for p in paths if VAGUE_NAMES & {*p.parent.parts, p.stem.lstrip("_")}}
    assert not vague


def test_every_module_starts_with_a_sentence_about_what_belongs_in_it() -> None:
    silent = [name(p) for p in modules(*PACKAGES, *TESTS) if not ast.get_docstring(parsed(p))]
    assert not silent


@pytest.mark.parametrize("made", MAKERS)
def test_permission_and_target_are_made_in_one_place(made: str) -> None:
    makers = [name(p) for p in modules(*PACKAGES) if calls(p, made)]
    assert makers == [MAKERS[made]]


def test_every_module_has_a_test_file_of_its_name() -> None:
    """`slate_desktop/wayland/seat.py` has `wayland/test_seat.py` or `test_wayland_seat.py`."""
    there = {
        "_".join([*test.parent.relative_to(room).parts, test.stem.removeprefix("test_")])
        for room in (ROOT / "tests/unit", ROOT / "tests/adapters")
        for test in room.rglob("test_*.py")
    }
    below = Counter(path.relative_to(ROOT).parts[1:] for path in modules(*PACKAGES))
    untested = []
    for path in modules(*PACKAGES):
        package, *rest = path.relative_to(ROOT).with_suffix("").parts
        short = "_".join(part.strip("_") for part in rest)
        # Of a name that both packages have, the short form means the upper one.
        alone = package == "slate_desktop" or below[(*rest[:-1], path.name)] == 1
        wanted = {f"{package}_{short}", *([short] if alone else [])}
        if path.name != "__init__.py" and not wanted & there:
            untested.append(name(path))
    assert not untested


def test_no_file_names_a_folder_of_one_machine() -> None:
    suffixes = {".py", ".md", ".toml", ".sh", ".txt", ".lock", ".json", ".xml", ".conf", ""}
    named = [
        f"{name(path)}: {match.group().decode()}"
        for path in tracked()
        if path.suffix in suffixes and path != Path(__file__)
        for match in PRIVATE_PATHS.finditer(path.read_bytes())
    ]
    assert not named


def test_nothing_that_a_run_leaves_behind_is_kept() -> None:
    left = [name(path) for path in tracked() if {"__pycache__", "node_modules"} & {*path.parts}]
    assert not left

"""What surrounds the sources: locks, package list, Makefile and documents say what is true."""

from __future__ import annotations

import importlib.metadata
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
LOCKS = ("requirements.lock", "requirements-dev.lock")
PIN = re.compile(r"^([a-z0-9-]+)==(\S+)", re.MULTILINE)
LICENCES = re.compile(r"\b(MIT|BSD|Apache|ISC|PSF|MPL|Mozilla|HPND|Python Software)", re.IGNORECASE)


def text(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def pins(lock: str) -> dict[str, str]:
    return dict(PIN.findall(text(lock)))


def project() -> dict[str, Any]:
    return tomllib.loads(text("pyproject.toml"))


def names(requirements: list[str]) -> set[str]:
    return {re.split(r"[^\w-]", r, maxsplit=1)[0].lower() for r in requirements}


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_hashes_every_release_and_names_no_host(lock: str) -> None:
    for release in re.split(r"\n(?=\S)", text(lock).strip()):
        assert "--hash=sha256:" in release, release.splitlines()[0]
    assert "://" not in text(lock)
    assert "--index" not in text(lock)


def test_the_locks_hold_what_the_project_says_it_needs() -> None:
    needs = names(project()["project"]["dependencies"])
    assert needs <= pins("requirements.lock").keys()
    extra = names(project()["dependency-groups"]["dev"])
    assert extra <= pins("requirements-dev.lock").keys()


def test_what_is_tested_is_what_runs() -> None:
    """The development lock holds each release of the runtime lock."""
    assert pins("requirements.lock").items() <= pins("requirements-dev.lock").items()


def test_every_locked_release_has_a_licence_that_fits_ours() -> None:
    unfit = []
    for name in pins("requirements-dev.lock"):
        try:
            about = importlib.metadata.metadata(name)
        except importlib.metadata.PackageNotFoundError:
            continue  # locked for another system (its marker says which)
        said = [
            *about.get_all("License-Expression", []),
            *(licence[:60] for licence in about.get_all("License", [])),
            *(c for c in about.get_all("Classifier", []) if c.startswith("License")),
        ]
        if not LICENCES.search(" ".join(said)):
            unfit.append(name)
    assert not unfit


@pytest.mark.parametrize("folder", ["tests/mcp/inspector", "tests/agents/programs"])
def test_an_npm_lock_names_no_registry_and_checks_every_package(folder: str) -> None:
    lock = text(f"{folder}/package-lock.json")
    assert '"resolved"' not in lock
    assert "://" not in lock
    assert lock.count('"integrity": "sha512-') == lock.count('"node_modules/')


def test_every_system_package_is_listed_once_with_a_reason() -> None:
    rows = [line for line in text("scripts/packages.txt").splitlines() if line and line[0] != "#"]
    packages = [row.split()[0] for row in rows]
    assert len(packages) == len(set(packages))
    assert all(len(row.split()) > 1 for row in rows)


def test_every_target_of_the_makefile_runs_something_that_exists() -> None:
    recipes = "\n".join(re.findall(r"^\t.*", text("Makefile"), re.MULTILINE))
    for script in re.findall(r"\bscripts/[\w./]+", recipes):
        assert (ROOT / script).is_file(), script
    for folder in re.findall(r"\$\(PYTEST\).* (tests/\S+)", recipes):
        assert (ROOT / folder).exists(), folder
    for module in re.findall(r"\$\(PYTHON\) -m ([a-z_.]+)$", recipes, re.MULTILINE):
        there = ROOT / module.replace(".", "/")
        known = module in {"mypy", "pytest"}
        assert known or there.with_suffix(".py").is_file() or (there / "__main__.py").is_file()


def test_every_console_script_has_its_function() -> None:
    for target in project()["project"]["scripts"].values():
        module, function = target.split(":")
        source = text(module.replace(".", "/") + ".py")
        assert re.search(rf"^def {function}\(", source, re.MULTILINE)


def test_every_link_between_documents_leads_somewhere() -> None:
    documents = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    for document in documents:
        for link in re.findall(r"\]\((?![a-z]+:)([^)#]+)", document.read_text(encoding="utf-8")):
            assert (document.parent / link).exists(), f"{document.name}: {link}"
